"""CorrectionFields: the fields in which a person says how a stack of layers is read."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QCompleter, QGridLayout, QLabel, QWidget

from ffn_explorer.app.controls.editors import ChoiceEdit
from ffn_explorer.checkpoints.corrected import reading_of
from ffn_explorer.checkpoints.correction import Correction
from ffn_explorer.checkpoints.scheme import Scheme
from ffn_explorer.core.activation_table import FUNCTIONS
from ffn_explorer.state.app_state import Appearance
from ffn_explorer.state.quoting import quoted
from ffn_explorer.state.text import say
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.sizes import px

MATRICES = ("gate", "up", "down")
NAMES = (*MATRICES, "norm_name")
CHOICES = {
    "fused": ("", "half0", "half1", "even", "odd"),
    "layout": ("out_in", "in_out", "grouped"),
    "norm": ("none", "rms", "layer", "rms+1", "layer+1"),
    "place": ("pre", "post", "post_only", "sandwich", "parallel"),
}
ORDER = ("up", "down", "gate", "fused", "layout", "function", "norm", "place", "norm_name")
SHORTEST = 24
"""Letters of a name that a field has room for."""


class CorrectionFields(QWidget):
    """One row for each part of a Correction; shows how a stack is read, and tells when that is changed."""

    changed = Signal()

    def __init__(self, scheme: Scheme, look: Appearance) -> None:
        """Build them for the stacks of a scheme, empty."""
        super().__init__()
        self._scheme = scheme
        self._look = look
        self._matrices: tuple[str, ...] = ()
        self._norms: tuple[str, ...] = ()
        self._filling = False
        self._named = True
        self.stack = ""
        self.stacks = ChoiceEdit()
        self.edits: dict[str, QComboBox] = {name: self._names() for name in NAMES}
        self.edits |= {name: ChoiceEdit() for name in (*CHOICES, "function")}
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(px(look, 12))
        grid.setVerticalSpacing(px(look, 7))
        grid.setColumnStretch(1, 1)
        stacks = tuple(dict.fromkeys(layer.stack for layer in scheme.layers))
        self.stacks.setParent(self)
        self.stacks.hide()
        if len(stacks) > 1:
            self._row(grid, "stack", self.stacks)
            self.stacks.show()
        for name in ORDER:
            self._row(grid, name, self.edits[name])
        self.stacks.show_choices([(stack, quoted(stack)) for stack in stacks], stacks[0])
        self.stacks.chosen.connect(self.show_stack)
        for edit in self.edits.values():
            if isinstance(edit, ChoiceEdit):
                edit.chosen.connect(self._note)
            else:
                edit.currentTextChanged.connect(self._note)

    def show_stack(self, stack: str) -> None:
        """Show how a stack is read now."""
        self.stack = stack
        now = reading_of(self._scheme, stack)
        self._filling = True
        self.stacks.setCurrentIndex(self.stacks.findData(stack))
        for name in NAMES:
            self.edits[name].setEditText(getattr(now, name))
        for name, choices in CHOICES.items():
            value = getattr(now, name)
            known = value if value in choices else choices[0]
            self._choose(name, [(value, self._word(name, value)) for value in choices], known)
        functions = [(name, row.label) for name, row in FUNCTIONS.items()]
        unknown = [] if now.function in FUNCTIONS else [(now.function, self._say("correct.choose"))]
        self._choose("function", [*unknown, *functions], now.function)
        # Experts are chosen by a router, whose rule no field describes: their tensors stay as found.
        self._named = bool(now.up)
        self._filling = False
        self._note()

    def offer(self, matrices: tuple[str, ...], norms: tuple[str, ...]) -> None:
        """Put the file's own names into the lists; what stands in the fields stays."""
        self._filling = True
        for name in NAMES:
            edit = self.edits[name]
            kept = edit.currentText()
            edit.clear()
            edit.addItems(["", *(norms if name == "norm_name" else matrices)])
            edit.setEditText(kept)
        self._filling = False

    def correction(self) -> Correction:
        """What the fields say."""
        values = {name: self.edits[name].currentText().strip() for name in NAMES}
        values |= {name: str(self.edits[name].currentData() or "") for name in (*CHOICES, "function")}
        if values["fused"]:
            values["gate"] = ""
        if values["norm"] == "none":
            values |= {"norm": "none", "place": "none", "norm_name": ""}
        return Correction(stack=self.stack, **values)  # type: ignore[arg-type] # each is one of its choices

    def _note(self, *_: object) -> None:
        if self._filling:
            return
        fused = bool(self.edits["fused"].currentData())
        normed = self.edits["norm"].currentData() != "none"
        usable = {"gate": not fused, "place": normed, "norm_name": normed}
        for name in (*NAMES, "norm", "place"):
            self.edits[name].setEnabled(self._named and usable.get(name, True))
        self.changed.emit()

    def _choose(self, name: str, rows: list[tuple[str, str]], value: str) -> None:
        edit = self.edits[name]
        assert isinstance(edit, ChoiceEdit)
        edit.show_choices(rows, value)

    def _names(self) -> QComboBox:
        edit = QComboBox()
        edit.setEditable(True)
        edit.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        edit.setMinimumContentsLength(SHORTEST)
        edit.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        completer = edit.completer()
        if isinstance(completer, QCompleter):
            completer.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
        return edit

    def _row(self, grid: QGridLayout, name: str, edit: QComboBox) -> None:
        row = grid.rowCount()
        label = QLabel(self._say(f"correct.{name}"))
        label.setObjectName("knob-label")
        label.setFont(font(self._look, "small"))
        label.setBuddy(edit)
        tip = self._say(f"correct.{name}_tip")
        for widget in (label, edit):
            widget.setToolTip(tip)
        edit.setFont(font(self._look, "body", mono=name in NAMES))
        edit.setAccessibleName(label.text())
        edit.setAccessibleDescription(tip)
        grid.addWidget(label, row, 0)
        grid.addWidget(edit, row, 1)

    def _word(self, name: str, value: str) -> str:
        return self._say(f"correct.choice.{name}.{value.replace('+1', '_1') or 'no'}")

    def _say(self, key: str) -> str:
        return say(self._look.language, key)
