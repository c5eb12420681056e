"""ChoiceEdit: one of several values from a list, which speaks only when a person acts."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QStyle

from ffn_explorer.widgets.number_edit import Calm

MOST_ROWS = 16
"""Rows of a list shown without scrolling."""


class ChoiceEdit(Calm, QComboBox):
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

    def showPopup(self) -> None:
        """Open the list, wide enough for its longest row."""
        bar = self.style().pixelMetric(QStyle.PixelMetric.PM_ScrollBarExtent)
        self.view().setMinimumWidth(self.view().sizeHintForColumn(0) + bar)
        super().showPopup()

    def hidePopup(self) -> None:
        """Close the list, and say that the choice is made."""
        super().hidePopup()
        self.done.emit()
