"""Editors that speak only when a person acts: showing another state never makes them emit."""

from fractions import Fraction
from typing import cast

from PySide6.QtCore import QLocale, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QDoubleSpinBox, QLineEdit, QSpinBox, QWidget

LONGEST_RATIO = 6
"""Wide letters that leave room for the longest ratio shown, ×2.688."""
DECIMALS = 6
"""Decimals a number may have; zeros at its end are not shown."""
MOST_ROWS = 16
"""Rows of a list shown without scrolling."""
TYPING_PAUSE_MS = 600
"""A number being typed counts once the person pauses this long (or presses Enter)."""


class _Calm:
    """Scrolling past an editor without the focus must not change it."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Pass the wheel on only with the focus."""
        if cast(QWidget, self).hasFocus():
            super().wheelEvent(event)  # type: ignore[misc] # the editor that this is mixed into has one
        else:
            event.ignore()


class _Typing(_Calm):
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
        """Room for the longest number, and no more: Qt counts the buttons twice under a style sheet."""
        hint = super().sizeHint()
        longest = self.fontMetrics().horizontalAdvance(self.textFromValue(self.maximum()))
        return QSize(min(hint.width(), longest + 5 * hint.height() // 4), hint.height())

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


class ChoiceEdit(_Calm, QComboBox):
    """One of several values; the data of each row is the value, its text is translated."""

    chosen = Signal(str)
    done = Signal()
    """The list was opened and closed again."""

    def __init__(self) -> None:
        """Build an empty list; `show_choices` fills it."""
        super().__init__()
        self.setMaxVisibleItems(MOST_ROWS)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.activated.connect(lambda row: self.chosen.emit(self.itemData(row)))

    def show_choices(self, choices: list[tuple[str, str]], value: str) -> None:
        """Show (value, text) rows with one chosen."""
        if choices != [(self.itemData(i), self.itemText(i)) for i in range(self.count())]:
            self.clear()
            for data, label in choices:
                self.addItem(label, data)
        self.setCurrentIndex(self.findData(value))

    def hidePopup(self) -> None:
        """Close the list, and say that the choice is made."""
        super().hidePopup()
        self.done.emit()


class TickEdit(QCheckBox):
    """Yes or no; a click takes no keyboard from the pictures, Tab still reaches it."""

    done = Signal()
    """Never sent: a tick leaves the keyboard where it is."""

    def __init__(self) -> None:
        """Build the box."""
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)


class RatioEdit(_Calm, QComboBox):
    """Dff / D: a common ratio from the list, or any number or fraction typed."""

    chosen = Signal(str)
    """What was chosen or typed; it need not be a ratio."""
    done = Signal()
    COMMON = ("1", "2", "8/3", "3.5", "4", "8")

    def __init__(self) -> None:
        """Build the list of common ratios."""
        super().__init__()
        self._line = QLineEdit()
        self.setLineEdit(self._line)
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.addItems([f"×{ratio}" for ratio in self.COMMON])
        self.setMinimumContentsLength(LONGEST_RATIO)
        self._shown = ""
        self._line.returnPressed.connect(self._choose)
        self._line.returnPressed.connect(self.done)
        self._line.editingFinished.connect(self._restore)
        self.activated.connect(self._choose)

    def show_ratio(self, d_ff: int, d_model: int) -> None:
        """Show d_ff / d_model, as a common ratio when it is the nearest whole width to one."""
        ratio = next((r for r in self.COMMON if round(float(Fraction(r)) * d_model) == d_ff), None)
        exact = d_ff / d_model
        # As many digits as the field has room for: 2.688, 0.429, 6e-05.
        self._shown = f"×{ratio or format(exact, '.4g' if exact >= 1 else '.3g' if exact >= 0.01 else '.1g')}"
        if not (self._line.isModified() and self._line.hasFocus()):
            self._restore()

    def hidePopup(self) -> None:
        """Close the list, and say that the choice is made."""
        super().hidePopup()
        self.done.emit()

    def _choose(self) -> None:
        # Enter comes twice, from the line and from the list; what is in force already needs no change.
        self._line.setModified(False)
        if self.currentText() != self._shown:
            self.chosen.emit(self.currentText())

    def _restore(self) -> None:
        """What was typed and not chosen gives way to what is in force."""
        self._line.setModified(False)
        self.setEditText(self._shown)
        # A long ratio is cut at its end, where it matters least.
        self._line.setCursorPosition(0)


def parse_ratio(typed: str) -> float | None:
    """Positive number from "4", "8/3", "×3.5" or "2,67"; None for anything else."""
    try:
        ratio = float(Fraction(typed.strip().lstrip("×xX").strip().replace(",", ".")))
    except (ValueError, ZeroDivisionError, OverflowError):
        return None
    return ratio if 0 < ratio <= 65_536 else None
