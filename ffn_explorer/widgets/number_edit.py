"""Number fields that speak only when a person acts: showing another value never makes them emit."""

import re
from typing import cast

from PySide6.QtCore import QLocale, QPoint, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QValidator, QWheelEvent
from PySide6.QtWidgets import QDoubleSpinBox, QLineEdit, QSpinBox, QStyle, QStyleOptionSpinBox, QWidget

from ffn_explorer.state.changes import out_of_range

DECIMALS = 6
"""Decimals a number may have; zeros at its end are not shown."""
TYPING_PAUSE_MS = 600
"""A number being typed counts once the person pauses this long (or presses Enter)."""
PLAIN = re.compile(r"[-+]?(\d{1,40}(\.\d{0,40})?|\.\d{1,40})")
"""How a number is written, once its grouping is taken out."""

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


class WholeLine(QLineEdit):
    """Line of which a double click selects all: Qt takes 048 alone out of 2,048."""

    def mouseDoubleClickEvent(self, _event: QMouseEvent) -> None:
        """Select the whole number."""
        self.selectAll()


class _Typing(Calm):
    """What both number editors share: typing counts after a pause or Enter, the wheel only with focus."""

    chosen: Signal
    done: Signal
    entered: Signal
    refused: Signal

    def _watch(self: "IntEdit | FloatEdit", step: float) -> None:  # type: ignore[misc]
        self.setLineEdit(WholeLine())
        self.setSingleStep(step)  # type: ignore[arg-type]
        self.setLocale(QLocale(QLocale.Language.English))
        self.setKeyboardTracking(False)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self._typed: str | None = None
        self._former: float = self.value()
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(TYPING_PAUSE_MS)
        self._pause.timeout.connect(self._paused)
        self.lineEdit().textEdited.connect(self._note)
        self.editingFinished.connect(self._finish)
        self.lineEdit().returnPressed.connect(self.entered)
        self.lineEdit().returnPressed.connect(self.done)
        # Under a style sheet, a font that is set before the first polish is lost with the next sheet.
        self.ensurePolished()
        self.lineEdit().ensurePolished()

    def show_value(self: "IntEdit | FloatEdit", value: float) -> None:  # type: ignore[misc]
        """Show a value, unless the person is just typing another; Escape then brings this one."""
        if self._typed is not None:
            self._former = value
        elif value != self.value():
            self.setValue(value)  # type: ignore[arg-type]

    def validate(self, text: str, place: int) -> object:
        """Let a number out of range be typed, so that it can be refused in words and not in silence."""
        number = number_in(text)
        outside = number is not None and not cast("IntEdit | FloatEdit", self)._holds(number)
        if outside or text.strip() in ("-", "−"):
            return QValidator.State.Intermediate, text, place
        return super().validate(text, place)  # type: ignore[misc] # the editor that this is mixed into has one

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape takes back what is typed and not in force yet, and gives the keyboard back."""
        if event.key() == Qt.Key.Key_Escape and self._typed is not None:
            editor = cast("IntEdit | FloatEdit", self)
            editor._restore()
            editor.done.emit()
        else:
            super().keyPressEvent(event)  # type: ignore[misc] # as above

    def _note(self: "IntEdit | FloatEdit", text: str) -> None:  # type: ignore[misc]
        if self._typed is None:
            self._former = self.value()
        self._typed = text
        self._pause.start()

    def _paused(self: "IntEdit | FloatEdit") -> None:  # type: ignore[misc]
        # A number out of range may be the beginning of one within it.
        number = number_in(self._typed or "")
        if number is not None and self._holds(number):
            self._finish()

    def _finish(self: "IntEdit | FloatEdit") -> None:  # type: ignore[misc]
        typed = self._typed
        if typed is None:
            return
        number = number_in(typed)
        if number is not None and not self._holds(number):
            self._restore()
            low, high = max(0, self.minimum()), self.maximum()
            self.refused.emit(out_of_range(self.accessibleName(), number, low=low, high=high))
            return
        self._drop()
        self.interpretText()
        if number is None and self.value() == self._former:
            return
        self.chosen.emit(self.value())

    def _restore(self: "IntEdit | FloatEdit") -> None:  # type: ignore[misc]
        self._drop()
        former = self._former
        # Qt leaves the text alone where the value is the same; the text must go all the same.
        self.lineEdit().setText(self.textFromValue(former))  # type: ignore[arg-type]
        self.interpretText()
        self.setValue(former)  # type: ignore[arg-type]

    def _drop(self) -> None:
        """From now on nothing is being typed."""
        self._typed = None
        self._pause.stop()

    def _settle(self: "IntEdit | FloatEdit") -> None:  # type: ignore[misc]
        """Before a step, what is typed becomes the value to step from."""
        self._drop()
        self.interpretText()

    def _holds(self: "IntEdit | FloatEdit", number: float) -> bool:  # type: ignore[misc]
        return self.minimum() <= number <= self.maximum()


def number_in(text: str) -> float | None:
    """The number that a text is, a whole one where it has no decimal point; None where it is none."""
    plain = text.strip().replace(",", "").replace("−", "-")
    if not PLAIN.fullmatch(plain):
        return None
    return float(plain) if "." in plain else int(plain)


class IntEdit(_Typing, QSpinBox):
    """Whole number with grouped thousands; arrow keys and wheel act at once, typing after a pause."""

    chosen = Signal(int)
    done = Signal()
    """A person pressed Enter, or Escape on what was typed: the keyboard goes back to the pictures."""
    entered = Signal()
    """A person pressed Enter."""
    refused = Signal(object)
    """A Change that cannot be made, for a number out of range: its sentence tells the range."""

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
        texts = (self.textFromValue(self.maximum()), self.specialValueText())
        longest = max(map(self.fontMetrics().horizontalAdvance, texts))
        return QSize(longest + TEXT_MARGIN_PX + hint.width() - field.width(), hint.height())

    def minimumSizeHint(self) -> QSize:
        """The same: a number is never cut."""
        return self.sizeHint()

    def stepBy(self, steps: int) -> None:
        """Step by arrow key, button or wheel; from an odd value to the next multiple of the step."""
        self._settle()
        step, value = self.singleStep(), self.value()
        below, rest = value // step, value % step
        target = (below + steps) * step if rest == 0 else (below + (steps if steps > 0 else steps + 1)) * step
        self.setValue(min(self.maximum(), max(self.minimum(), target)))
        self.chosen.emit(self.value())


class FloatEdit(_Typing, QDoubleSpinBox):
    """Number with some decimals, same habits as IntEdit."""

    chosen = Signal(float)
    done = Signal()
    entered = Signal()
    refused = Signal(object)

    def __init__(self, low: float, high: float, step: float, *, decimals: int = DECIMALS) -> None:
        """Build an editor for low..high."""
        super().__init__()
        self.setDecimals(decimals)
        self.setRange(low, high)
        self._watch(step)

    def textFromValue(self, value: float) -> str:
        """The number without zeros at its end."""
        return f"{value:,.{self.decimals()}f}".rstrip("0").rstrip(".")

    def stepBy(self, steps: int) -> None:
        """Step by arrow key, button or wheel."""
        self._settle()
        super().stepBy(steps)
        self.chosen.emit(self.value())
