"""ThetaControl: the threshold of "active" as a number, absolute or relative to the row, and its default."""

from dataclasses import dataclass

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QDoubleSpinBox, QHBoxLayout, QSizePolicy, QWidget

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.buttons import WordButton
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.labels import ElidedLabel
from ffn_explorer.widgets.number_edit import FloatEdit
from ffn_explorer.widgets.sizes import px
from ffn_explorer.widgets.theme import theme_of

DECIMALS = 9
LARGEST = 1e9
FIRST_STEP = 0.01
_ROOM = "0.001"


@dataclass(frozen=True, slots=True)
class ThetaWords:
    """Words of the control, each with its explanation."""

    name: str
    name_tip: str
    absolute: str
    relative: str
    kind_tip: str
    default: str
    default_tip: str


class ThetaControl(QWidget):
    """A number field, a button that switches between absolute and relative, one that takes the default."""

    chosen = Signal(float)
    """A theta that a person entered or stepped to."""
    kind_chosen = Signal(bool)
    """Whether theta shall be relative to the row."""
    reset = Signal()
    """The default is wanted."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build it, waiting for its first number."""
        super().__init__(parent)
        self.label = ElidedLabel(self)
        self.label.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.field = _ThetaField(self)
        self.kind = WordButton(self)
        self.default = WordButton(self)
        self._relative = False
        self._compact: bool | None = None
        self._now: tuple[object, ...] = ()
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        for widget in (self.label, self.field, self.kind, self.default):
            self._row.addWidget(widget)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.field.chosen.connect(self.chosen)
        self.kind.clicked.connect(lambda: self.kind_chosen.emit(not self._relative))
        self.default.clicked.connect(self.reset)

    def set_compact(self, compact: bool, /) -> None:
        """Leave out the buttons, or show them."""
        if compact == self._compact:
            return
        self._compact = compact
        for button in (self.kind, self.default):
            button.setVisible(not compact)
        self._row.invalidate()

    def show_theta(
        self, value: float, *, relative: bool, is_default: bool, words: ThetaWords, look: Appearance
    ) -> None:
        """Show theta, and how it is meant."""
        self._relative = relative
        # Always: a person may have typed another.
        self.field.show_value(value)
        now = (relative, is_default, words, look)
        if now == self._now:
            return
        self._now = now
        self._row.setSpacing(px(look, 5))
        small = font(look, "small")
        self.label.set_look(small, theme_of(look).ink)
        self.label.set_text("θ")
        self.field.set_font(look)
        self.field.setAccessibleName(words.name)
        self.field.setToolTip(words.name_tip)
        for button in (self.kind, self.default):
            button.set_look(look)
        self.kind.set_word(
            words.relative if relative else words.absolute, among=(words.relative, words.absolute)
        )
        self.kind.explain(self.kind.text(), words.kind_tip)
        self.default.set_word(words.default)
        self.default.explain(words.default, words.default_tip)
        self.default.setEnabled(not is_default)
        self._row.invalidate()
        self.updateGeometry()


class _ThetaField(FloatEdit):
    """A number from 0 up whose steps follow its size."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(0.0, LARGEST, FIRST_STEP, decimals=DECIMALS)
        self.setParent(parent)
        self.setStepType(QDoubleSpinBox.StepType.AdaptiveDecimalStepType)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def set_font(self, look: Appearance) -> None:
        """Small type."""
        small = font(look, "small")
        if small != self.font():
            self.setFont(small)
            self.updateGeometry()

    def stepBy(self, steps: int) -> None:
        """From 0 to a hundredth first: steps that follow the size of 0 would be too small to see."""
        if self.value() == 0.0 and steps > 0:
            self.setValue(FIRST_STEP)
            self.chosen.emit(self.value())
        else:
            super().stepBy(steps)

    def sizeHint(self) -> QSize:
        """Room for a small number and the buttons."""
        hint = super().sizeHint()
        return QSize(self.fontMetrics().horizontalAdvance(_ROOM) + 5 * hint.height() // 4, hint.height())

    def minimumSizeHint(self) -> QSize:
        """The same: a number is never cut."""
        return self.sizeHint()
