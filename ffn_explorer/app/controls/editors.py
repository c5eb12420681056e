"""Editors that speak only when a person acts: showing another state never makes them emit."""

from fractions import Fraction

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox

from ffn_explorer.widgets.choice_edit import ChoiceEdit
from ffn_explorer.widgets.number_edit import TYPING_PAUSE_MS, Calm, FloatEdit, IntEdit, WholeLine

__all__ = [
    "TYPING_PAUSE_MS",
    "ChoiceEdit",
    "FloatEdit",
    "IntEdit",
    "RatioEdit",
    "TickEdit",
    "parse_ratio",
]

LONGEST_RATIO = 6
"""Wide letters that leave room for the longest ratio shown, ×2.688."""


class TickEdit(QCheckBox):
    """Yes or no; a click takes no keyboard from the pictures, Tab still reaches it."""

    done = Signal()
    """Never sent: a tick leaves the keyboard where it is."""

    def __init__(self) -> None:
        """Build the box."""
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)


class RatioEdit(Calm, QComboBox):
    """Dff / D: a common ratio from the list, or any number or fraction typed."""

    chosen = Signal(str)
    """What was chosen or typed; it need not be a ratio."""
    done = Signal()
    COMMON = ("1", "2", "8/3", "3.5", "4", "8")

    def __init__(self) -> None:
        """Build the list of common ratios."""
        super().__init__()
        self._line = WholeLine()
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
    top, slash, bottom = typed.strip().lstrip("×xX").strip().replace(",", ".").partition("/")
    try:
        # Floats, since a Fraction would compute 1e999999999 to its last digit.
        ratio = float(top) / (float(bottom) if slash else 1.0)
    except (ValueError, ZeroDivisionError):
        return None
    return ratio if 0 < ratio <= 65_536 else None
