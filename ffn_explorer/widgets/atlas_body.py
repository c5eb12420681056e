"""AtlasBody: controls, plot and list of an atlas, beside or below each other as the room allows."""

from PySide6.QtCore import QRect
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QWidget

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.atlas_plot import AtlasPlot
from ffn_explorer.widgets.choice_edit import ChoiceEdit
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.labels import ElidedLabel
from ffn_explorer.widgets.sizes import px
from ffn_explorer.widgets.sorted_list import SortedList
from ffn_explorer.widgets.theme import theme_of
from ffn_explorer.widgets.word_edit import WordEdit
from ffn_explorer.widgets.wrap_row import WrapRow

WIDE_PX = 640
"""From this width on the list stands beside the plot."""

LIST_SHARE = 0.42
LIST_LOW_PX = 90
"""Least height of a list under the plot; where there is less, the plot has it all."""

GAP_PX = 8
SYMBOL, ORDER = 12, 26
"""Letters for which lists have room: of a number's symbol, and of an order in words."""

MOST_LETTERS = 80
"""Letters of a filter."""


class AtlasBody(QWidget):
    """Places the parts; what they show is the panel's to say."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build all parts."""
        super().__init__(parent)
        self.look = Appearance()
        self.across, self.upward, self.order = ChoiceEdit(), ChoiceEdit(), ChoiceEdit()
        for combo, letters in ((self.across, SYMBOL), (self.upward, SYMBOL), (self.order, ORDER)):
            # Wide enough for any choice: of those that are gone, Qt would keep the width.
            combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            combo.setMinimumContentsLength(letters)
        self.labels = (QLabel(), QLabel())
        self.filter = WordEdit(MOST_LETTERS, live=True, wide=120)
        axes = (
            _beside(self.labels[0], self.across),
            _beside(self.labels[1], self.upward),
        )
        self.controls = WrapRow([*axes, self.order, self.filter], self)
        self.plot = AtlasPlot(self)
        self.list = SortedList(self)
        self.count = ElidedLabel(self)
        self.source = ElidedLabel(self)

    def set_look(self, look: Appearance) -> None:
        """Take another look."""
        self.look = look
        for combo in (self.across, self.upward, self.order):
            combo.ensurePolished()
            combo.setFont(font(look, "small"))
        for label in self.labels:
            label.setFont(font(look, "small"))
        for line in (self.count, self.source):
            line.set_look(font(look, "small"), theme_of(look).muted)

    def arrange(self) -> None:
        """Place everything anew, once words and choices are there."""
        for combo in (self.across, self.upward, self.order):
            combo.updateGeometry()
        self.controls.set_look(self.look)
        places = self._places()
        for part in (self.controls, self.plot, self.list, self.count, self.source):
            if part in places:
                part.setGeometry(places[part])
            part.setVisible(part in places)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place everything anew."""
        super().resizeEvent(event)
        self.arrange()

    def _places(self) -> dict[QWidget, QRect]:
        width, height, gap = self.width(), self.height(), px(self.look, GAP_PX)
        line = self.source.sizeHint().height()
        high = self.controls.heightForWidth(width)
        found: dict[QWidget, QRect] = {self.controls: QRect(0, 0, width, high)}
        top, bottom = high + gap, height - line - gap // 2
        found[self.source] = QRect(0, height - line, width, line)
        if width >= px(self.look, WIDE_PX):
            beside = round((width - gap) * LIST_SHARE)
            found[self.plot] = QRect(0, top, width - 3 * gap - beside, max(1, bottom - top))
            return found | self._listed(QRect(width - beside, top, beside, bottom - top))
        below = round((bottom - top) * LIST_SHARE)
        if below < px(self.look, LIST_LOW_PX) + line:
            found[self.plot] = QRect(0, top, width, max(1, bottom - top))
            return found
        found[self.plot] = QRect(0, top, width, max(1, bottom - top - below - gap))
        return found | self._listed(QRect(0, bottom - below, width, below))

    def _listed(self, place: QRect) -> dict[QWidget, QRect]:
        """The count above the rows."""
        line = self.count.sizeHint().height()
        rows = QRect(place.x(), place.y() + line, place.width(), max(1, place.height() - line))
        return {self.count: QRect(place.x(), place.y(), place.width(), line), self.list: rows}


def _beside(*widgets: QWidget) -> QWidget:
    """Widgets that stay in one line."""
    made = QWidget()
    row = QHBoxLayout(made)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(5)
    for widget in widgets:
        row.addWidget(widget)
    return made
