"""CostControls: whose bill, beside whose, for how many tokens, and in how many bits."""

from dataclasses import dataclass, field

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.buttons import WordButton
from ffn_explorer.widgets.choice_edit import ChoiceEdit
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.mode_tabs import Mode, ModeTabs
from ffn_explorer.widgets.number_edit import IntEdit
from ffn_explorer.widgets.wrap_row import WrapRow

LETTERS = 14
"""Letters of a model's name for which there is room; longer ones are whole in the open list."""


@dataclass(frozen=True, slots=True)
class Named:
    """A control in words: its label, its name for screen readers, its explanation."""

    label: str
    name: str
    tip: str


@dataclass(frozen=True, slots=True)
class CostWords:
    """All words of the controls, and what is chosen; models and beside: (value, words)."""

    models: tuple[tuple[str, str], ...]
    beside: tuple[tuple[str, str], ...]
    model: str
    other: str
    tokens: int
    of_sentence: str
    """What 0 tokens stand for."""
    fields: dict[str, Named] = field(hash=False)
    tabs: dict[str, tuple[tuple[Mode, ...], str]] = field(hash=False)
    load: Named
    can_load: bool


class CostControls(QWidget):
    """Two lists, a number, and rows of tabs, in as many lines as they need."""

    chosen = Signal(str, object)
    """A field of Costing, and what a person chose for it."""
    done = Signal()
    """A person is done with the number."""
    refused = Signal(object)
    load = Signal()
    """The model shown should become the settings."""

    def __init__(self, most: int, parent: QWidget | None = None) -> None:
        """Build the controls; most: largest number of tokens."""
        super().__init__(parent)
        self.labels = {name: QLabel() for name in ("model", "beside", "tokens")}
        self.model, self.beside = ChoiceEdit(), ChoiceEdit()
        for combo in (self.model, self.beside):
            combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            combo.setMinimumContentsLength(LETTERS)
        self.tokens = IntEdit(0, most, 1)
        self.load_button = WordButton()
        self.tabs = {
            name: ModeTabs(n) for name, n in (("scope", 2), ("phase", 2), ("bits", 4), ("causal", 2))
        }
        for name, edit in (("model", self.model), ("beside", self.beside), ("tokens", self.tokens)):
            self.labels[name].setBuddy(edit)
        self.who = WrapRow(
            [
                _side_by_side(self.labels["model"], self.model, self.load_button),
                _side_by_side(self.labels["beside"], self.beside),
            ]
        )
        number = _side_by_side(self.labels["tokens"], self.tokens)
        self.what = WrapRow(
            [self.tabs["scope"], self.tabs["phase"], number, self.tabs["bits"], self.tabs["causal"]]
        )
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.who)
        column.addWidget(self.what)
        self._connect()

    def _connect(self) -> None:
        self.model.chosen.connect(lambda value: self.chosen.emit("model", value))
        self.beside.chosen.connect(lambda value: self.chosen.emit("beside", value))
        self.tokens.chosen.connect(lambda value: self.chosen.emit("tokens", value))
        for name, tabs in self.tabs.items():
            tabs.chosen.connect(lambda value, name=name: self.chosen.emit(name, value))
        for edit in (self.model, self.beside, self.tokens):
            edit.done.connect(self.done)
        self.tokens.refused.connect(self.refused)
        self.load_button.clicked.connect(self.load)

    def show_words(self, words: CostWords, look: Appearance) -> None:
        """Show what is chosen."""
        for name, edit in (("model", self.model), ("beside", self.beside), ("tokens", self.tokens)):
            # Styled before it gets its font: polished after that, it would lose it.
            edit.ensurePolished()
            named = words.fields[name]
            self.labels[name].setFont(font(look, "small"))
            self.labels[name].setText(named.label)
            edit.setFont(font(look, "body"))
            edit.setAccessibleName(named.name)
            edit.setToolTip(named.tip)
        self.model.show_choices(list(words.models), words.model)
        self.beside.show_choices(list(words.beside), words.other)
        for name, combo in (("model", self.model), ("beside", self.beside)):
            # A name may be longer than the room for it.
            combo.setToolTip(f"{combo.currentText()}: {words.fields[name].tip}")
        self.tokens.setSpecialValueText(words.of_sentence)
        self.tokens.show_value(words.tokens)
        for name, tabs in self.tabs.items():
            modes, chosen = words.tabs[name]
            tabs.show_modes(modes, chosen=chosen, look=look)
        self.load_button.set_look(look)
        self.load_button.set_word(words.load.label)
        self.load_button.explain(words.load.name, words.load.tip)
        self.load_button.setEnabled(words.can_load)
        # Words and numbers decide how wide they are, which Qt does not tell their rows by itself.
        for edit in (self.model, self.beside, self.tokens):
            edit.updateGeometry()
        for row in (self.who, self.what):
            row.set_look(look)
        self.setMinimumWidth(max(row.minimumSizeHint().width() for row in (self.who, self.what)))


def _side_by_side(*widgets: QWidget) -> QWidget:
    """Widgets that stay in one line."""
    made = QWidget()
    row = QHBoxLayout(made)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(6)
    for widget in widgets:
        row.addWidget(widget)
    return made
