"""Number fields that speak only when a person acts: showing another value never makes them emit."""

from typing import cast

from PySide6.QtCore import QLocale, QPoint, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QDoubleSpinBox, QSpinBox, QStyle, QStyleOptionSpinBox, QWidget

DECIMALS = 6
"""Decimals a number may have; zeros at its end are not shown."""
TYPING_PAUSE_MS = 600
"""A number being typed counts once the person pauses this long (or presses Enter)."""


TEXT_MARGIN_PX = 8
"""What an editor keeps free around its text, cursor included."""


class Calm:
    """Scrolling past an editor without the focus must not change it."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Pass the wheel on only with the focus."""
        if cast(QWidget, self).hasFocus():
            super().wheelEvent(event)  # type: ignore[misc] # the editor that this is mixed into has one
        else:
            event.ignore()


class _Typing(Calm):
    """What both number editors share: typing counts after a pause or Enter, the wheel only with focus."""

    chosen: Signal
    done: Signal

    def _watch(self: "IntEdit | FloatEdit", step: float) -> None:  # type: ignore[misc]
        self.setSingleStep(step)  # type: ignore[arg-type]
        self.setLocale(QLocale(QLocale.Language.English))
        self.setKeyboardTracking(False)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(TYPING_PAUSE_MS)
        self._pause.timeout.connect(self._commit)
        self.lineEdit().textEdited.connect(lambda _: self._pause.start())
        self.editingFinished.connect(self._finish)
        self.lineEdit().returnPressed.connect(self.done)
        # Under a style sheet, a font that is set before the first polish is lost with the next sheet.
        self.ensurePolished()
        self.lineEdit().ensurePolished()

    def show_value(self: "IntEdit | FloatEdit", value: float) -> None:  # type: ignore[misc]
        """Show a value, unless the person is just typing another."""
        if not self._pause.isActive() and value != self.value():
            self.setValue(value)  # type: ignore[arg-type]

    def _finish(self: "IntEdit | FloatEdit") -> None:  # type: ignore[misc]
        if self._pause.isActive():
            self._pause.stop()
            self._commit()

    def _commit(self: "IntEdit | FloatEdit") -> None:  # type: ignore[misc]
        self.interpretText()
        self.chosen.emit(self.value())


class IntEdit(_Typing, QSpinBox):
    """Whole number with grouped thousands; arrow keys and wheel act at once, typing after a pause."""

    chosen = Signal(int)
    done = Signal()
    """A person pressed Enter."""

    def __init__(self, low: int, high: int, step: int) -> None:
        """Build an editor for low..high."""
        super().__init__()
        self.setRange(low, high)
        self.setGroupSeparatorShown(True)
        self._watch(step)

    def sizeHint(self) -> QSize:
        """Room for the longest number, and no more: Qt's own hint is now too wide, now too narrow."""
        hint = super().sizeHint()
        option = QStyleOptionSpinBox()
        self.initStyleOption(option)
        option.rect = QRect(QPoint(0, 0), hint)  # type: ignore[attr-defined] # left out of the stubs
        control, part = QStyle.ComplexControl.CC_SpinBox, QStyle.SubControl.SC_SpinBoxEditField
        field = self.style().subControlRect(control, option, part, self)
        longest = self.fontMetrics().horizontalAdvance(self.textFromValue(self.maximum()))
        return QSize(longest + TEXT_MARGIN_PX + hint.width() - field.width(), hint.height())

    def minimumSizeHint(self) -> QSize:
        """The same: a number is never cut."""
        return self.sizeHint()

    def stepBy(self, steps: int) -> None:
        """Step by arrow key, button or wheel; from an odd value to the next multiple of the step."""
        step, value = self.singleStep(), self.value()
        below, rest = value // step, value % step
        target = (below + steps) * step if rest == 0 else (below + (steps if steps > 0 else steps + 1)) * step
        self.setValue(min(self.maximum(), max(self.minimum(), target)))
        self.chosen.emit(self.value())


class FloatEdit(_Typing, QDoubleSpinBox):
    """Number with some decimals, same habits as IntEdit."""

    chosen = Signal(float)
    done = Signal()

    def __init__(self, low: float, high: float, step: float) -> None:
        """Build an editor for low..high."""
        super().__init__()
        self.setDecimals(DECIMALS)
        self.setRange(low, high)
        self._watch(step)

    def textFromValue(self, value: float) -> str:
        """The number without zeros at its end."""
        return f"{value:,.{DECIMALS}f}".rstrip("0").rstrip(".")

    def stepBy(self, steps: int) -> None:
        """Step by arrow key, button or wheel."""
        super().stepBy(steps)
        self.chosen.emit(self.value())
