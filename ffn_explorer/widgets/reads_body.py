"""ReadsBody: controls, chips, numbers and the words under them of a neuron read in tokens."""

from PySide6.QtCore import QRect
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.facts import Facts
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.labels import ElidedLabel
from ffn_explorer.widgets.mode_tabs import ModeTabs
from ffn_explorer.widgets.number_edit import IntEdit
from ffn_explorer.widgets.sizes import px
from ffn_explorer.widgets.theme import theme_of
from ffn_explorer.widgets.token_groups import NEURON
from ffn_explorer.widgets.word_chip_view import WordChipView
from ffn_explorer.widgets.wrap_row import WrapRow

GAP_PX = 6


class ReadsBody(QWidget):
    """Places the parts from the top and from the bottom; the chips have what is left."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build all parts."""
        super().__init__(parent)
        self.look = Appearance()
        self.neuron = IntEdit(0, 0, 1)
        self.normed = ModeTabs(2)
        self.by_label, self.by = QLabel(), ModeTabs(3)
        self.near = QWidget(self)
        row = QHBoxLayout(self.near)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        row.addWidget(self.by_label)
        row.addWidget(self.by)
        self.controls = WrapRow([self.neuron, self.normed], self)
        self.chips = WordChipView(self)
        self.facts = Facts(self)
        self.source, self.caution = ElidedLabel(self), ElidedLabel(self)

    def set_look(self, look: Appearance) -> None:
        """Take another look."""
        self.look = look
        self.neuron.ensurePolished()
        self.neuron.setFont(font(look, "body"))
        self.by_label.setFont(font(look, "small"))
        for line in (self.source, self.caution):
            line.set_look(font(look, "small"), theme_of(look).muted)

    def arrange(self) -> None:
        """Place everything anew, once words and numbers are there.

        What reads and writes comes first, then the numbers, then neighbours with what they are found by.
        """
        self.neuron.updateGeometry()
        width, gap = self.width(), px(self.look, GAP_PX)
        bottom = self.height()
        for line in (self.caution, self.source):
            bottom -= line.sizeHint().height()
            line.setGeometry(0, bottom, width, line.sizeHint().height())
        self.controls.set_look(self.look)
        plain = self.controls.heightForWidth(width)
        self.controls.setGeometry(0, 0, width, plain)
        least = self.chips.height_needed(width)
        self.facts.set_brief(True)
        facts = self.facts.height_for(width) + gap
        roomy = bottom - plain - 2 * gap - facts >= least
        self.facts.setVisible(roomy)
        if roomy:
            bottom -= facts
            self.facts.setGeometry(0, bottom, width, facts - gap)
        high = self._place_near(width, bottom, plain)
        self.chips.setGeometry(QRect(0, high + gap, width, max(1, bottom - high - 2 * gap)))

    def _place_near(self, width: int, bottom: int, plain: int) -> int:
        """Put what neighbours are found by beside the other controls, or below; height of them all."""
        # A vector less, and its tab is gone: layouts hear of that only later.
        for part in (self.by, self.near):
            layout = part.layout()
            if layout is not None:
                layout.invalidate()
            part.updateGeometry()
        gap, asked = px(self.look, GAP_PX), self.near.sizeHint()
        left = self.controls.sizeHint().width() + 3 * gap
        beside = left + asked.width() <= width
        high = plain if beside else plain + gap + asked.height()
        there = self.chips.has_room_for(NEURON, width, bottom - high - 2 * gap)
        self.near.setVisible(there)
        if not there:
            return plain
        top = (plain - asked.height()) // 2 if beside else plain + gap
        self.near.setGeometry(left if beside else 0, top, asked.width(), asked.height())
        if beside:
            self.controls.setGeometry(0, 0, left - gap, plain)
        return high

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place everything anew."""
        super().resizeEvent(event)
        self.arrange()
