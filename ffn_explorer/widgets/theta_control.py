"""ThetaControl: the threshold of "active" as a number, absolute or relative to the row, and its default."""

from dataclasses import dataclass

from PySide6.QtCore import QLocale, QSize, Qt, Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QDoubleSpinBox, QHBoxLayout, QSizePolicy, QWidget

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.buttons import WordButton
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.labels import ElidedLabel
from ffn_explorer.widgets.sizes import px
from ffn_explorer.widgets.theme import theme_of

DECIMALS = 9
LARGEST = 1e9
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
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        for widget in (self.label, self.field, self.kind, self.default):
            self._row.addWidget(widget)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.field.entered.connect(self.chosen)
        self.kind.clicked.connect(lambda: self.kind_chosen.emit(not self._relative))
        self.default.clicked.connect(self.reset)

    def set_compact(self, compact: bool, /) -> None:
        """Leave out the buttons, or show them."""
        for button in (self.kind, self.default):
            button.setVisible(not compact)
        self._row.invalidate()

    def show_theta(
        self, value: float, *, relative: bool, is_default: bool, words: ThetaWords, look: Appearance
    ) -> None:
        """Show theta, and how it is meant."""
        self._relative = relative
        self._row.setSpacing(px(look, 5))
        small = font(look, "small")
        self.label.set_look(small, theme_of(look).ink)
        self.label.set_text("θ")
        self.field.set_font(look)
        self.field.show_value(value)
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
        self.updateGeometry()


class _ThetaField(QDoubleSpinBox):
    """A number from 0 up whose steps follow its size; showing another number never speaks."""

    entered = Signal(float)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._showing = False
        self.setDecimals(DECIMALS)
        self.setRange(0.0, LARGEST)
        self.setStepType(QDoubleSpinBox.StepType.AdaptiveDecimalStepType)
        self.setLocale(QLocale(QLocale.Language.English))
        self.setKeyboardTracking(False)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.valueChanged.connect(self._changed)

    def set_font(self, look: Appearance) -> None:
        """Small type."""
        # A field polished after its font was set loses that font.
        self.ensurePolished()
        small = font(look, "small")
        if small != self.font():
            self.setFont(small)
            self.updateGeometry()

    def show_value(self, value: float) -> None:
        """Show a number; one that is there already leaves alone what is being typed."""
        if value == self.value():
            return
        self._showing = True
        self.setValue(value)
        self._showing = False

    def textFromValue(self, value: float) -> str:
        """The number without zeros at its end."""
        return f"{value:.{DECIMALS}f}".rstrip("0").rstrip(".")

    def stepBy(self, steps: int) -> None:
        """From 0 to a hundredth first: steps that follow the size of 0 would be too small to see."""
        if self.value() == 0.0 and steps > 0:
            self.setValue(0.01)
        else:
            super().stepBy(steps)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scrolling past without the focus changes nothing."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()

    def sizeHint(self) -> QSize:
        """Room for a small number and the buttons."""
        hint = super().sizeHint()
        return QSize(self.fontMetrics().horizontalAdvance(_ROOM) + 5 * hint.height() // 4, hint.height())

    def minimumSizeHint(self) -> QSize:
        """The same: a number is never cut."""
        return self.sizeHint()

    def _changed(self, value: float) -> None:
        if not self._showing:
            self.entered.emit(value)
