"""PromotersBody: a field for a token, the other tokens that it may mean, and two lists beside each other."""

from PySide6.QtCore import QRect
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.file_body import Blank, BlankView
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.mode_tabs import ModeTabs
from ffn_explorer.widgets.ranked import RankedList
from ffn_explorer.widgets.sizes import px
from ffn_explorer.widgets.word_chip_view import WordChipView
from ffn_explorer.widgets.word_edit import WordEdit
from ffn_explorer.widgets.wrap_row import WrapRow

GAP_PX = 8
BESIDE_PX = 380
"""From this width on the lists stand side by side."""


class PromotersBody(QWidget):
    """Places the parts; what they show is the panel's to say."""

    def __init__(self, most: int, parent: QWidget | None = None) -> None:
        """Build all parts; most: letters of the field."""
        super().__init__(parent)
        self.look = Appearance()
        self.label, self.field, self.scope = QLabel(), WordEdit(most, wide=130), ModeTabs(2)
        typed = QWidget()
        row = QHBoxLayout(typed)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(5)
        row.addWidget(self.label)
        row.addWidget(self.field)
        self.label.setBuddy(self.field)
        self.controls = WrapRow([typed, self.scope], self)
        self.others = WordChipView(self)
        self.most, self.least = RankedList(self), RankedList(self)
        self.blank = BlankView(self)
        self.listed = False

    def set_look(self, look: Appearance) -> None:
        """Take another look."""
        self.look = look
        self.label.setFont(font(look, "small"))

    def show_blank(self, blank: Blank) -> None:
        """Show words in place of the lists."""
        self.blank.show_blank(blank)
        self.listed = False
        self.arrange()

    def show_lists(self) -> None:
        """Show the lists."""
        self.listed = True
        self.arrange()

    def arrange(self) -> None:
        """Place everything anew."""
        self.controls.set_look(self.look)
        width, gap = self.width(), px(self.look, GAP_PX)
        high = self.controls.heightForWidth(width)
        self.controls.setGeometry(0, 0, width, high)
        top = high + gap
        board = self.others.board
        self.others.setVisible(bool(board.rows))
        if board.rows:
            tall = self.others.height_for(board, width, px(self.look, 62))
            self.others.setGeometry(0, top, width, tall)
            top += tall + gap
        rest = QRect(0, top, width, max(1, self.height() - top))
        self.blank.setGeometry(rest)
        self.blank.setVisible(not self.listed)
        for each, place in zip((self.most, self.least), self._halves(rest), strict=True):
            each.setGeometry(place)
            each.setVisible(self.listed)

    def _halves(self, rest: QRect) -> tuple[QRect, QRect]:
        gap = px(self.look, GAP_PX)
        if self.width() >= px(self.look, BESIDE_PX):
            wide = (rest.width() - 2 * gap) // 2
            right = QRect(rest.x() + wide + 2 * gap, rest.y(), wide, rest.height())
            return QRect(rest.x(), rest.y(), wide, rest.height()), right
        high = (rest.height() - gap) // 2
        below = QRect(0, rest.y() + high + gap, rest.width(), max(1, high))
        return QRect(0, rest.y(), rest.width(), max(1, high)), below

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place everything anew."""
        super().resizeEvent(event)
        self.arrange()
