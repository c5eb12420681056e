"""NeuronBody: where the parts of a neuron's card stand, beside or below each other as the room allows."""

from PySide6.QtCore import QRect
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.buttons import WordButton
from ffn_explorer.widgets.facts import Facts
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.hint_label import HintLabel
from ffn_explorer.widgets.number_edit import IntEdit
from ffn_explorer.widgets.ranked import RankedList
from ffn_explorer.widgets.sizes import px
from ffn_explorer.widgets.theme import theme_of

WIDE_PX = 640
"""From this width on, what the neuron reads and writes stands in a column of its own."""

TALL_PX = 430
"""A narrow card at least this high shows it below."""

LIST_PX = 165
"""Least width of a list of dimensions."""

FIELD_PX = 62
"""Least width of a number field: of few digits, Qt itself would cut them."""

LEFT_OVER_PX = 130
"""Room under the tokens from which a list of dimensions stands there."""

HINT_FROM_PX = 300
GAP_PX = 8


class NeuronBody(QWidget):
    """Controls, facts, the tokens, and the dimensions that are read and written."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build all parts."""
        super().__init__(parent)
        self.look = Appearance()
        self.controls = QWidget(self)
        self.neuron = IntEdit(0, 0, 1)
        self.strongest = WordButton()
        self.row = QHBoxLayout(self.controls)
        self.row.setContentsMargins(0, 0, 0, 0)
        self.row.addWidget(self.neuron)
        self.row.addWidget(self.strongest)
        self.row.addStretch(1)
        self.facts = Facts(self)
        self.tokens = RankedList(self)
        self.up, self.gate, self.down = RankedList(self), RankedList(self), RankedList(self)
        self.hint = HintLabel(self)
        self.gated = False
        self.bare = False
        """Whether nothing but a sentence, in the list of tokens, is shown."""

    @property
    def dims(self) -> tuple[RankedList, ...]:
        """Lists of dimensions of this FFN: read, then written."""
        return (self.up, self.gate, self.down) if self.gated else (self.up, self.down)

    def set_look(self, look: Appearance) -> None:
        """Take another look."""
        self.look = look
        self.neuron.setFont(font(look, "body"))
        self.neuron.setMinimumWidth(px(look, FIELD_PX))
        self.strongest.set_look(look)
        self.row.setSpacing(px(look, 6))
        self.hint.set_look(font(look, "small"), theme_of(look).muted)

    def arrange(self, *, gated: bool, bare: bool) -> None:
        """Place the parts that there are; hiding one only to show it again would take its focus away."""
        self.gated, self.bare = gated, bare
        self.facts.set_brief(self.height() < px(self.look, HINT_FROM_PX))
        places: dict[QWidget, QRect] = {self.tokens: self.rect()} if bare else self._places()
        for part in (self.controls, self.facts, self.tokens, self.up, self.gate, self.down, self.hint):
            if part in places:
                part.setGeometry(places[part])
            part.setVisible(part in places)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place everything anew."""
        super().resizeEvent(event)
        self.arrange(gated=self.gated, bare=self.bare)

    def _places(self) -> dict[QWidget, QRect]:
        width, height, gap = self.width(), self.height(), px(self.look, GAP_PX)
        high, bottom = self.controls.sizeHint().height(), height
        found: dict[QWidget, QRect] = {self.controls: QRect(0, 0, width, high)}
        if height >= px(self.look, HINT_FROM_PX):
            line = self.hint.sizeHint().height()
            found[self.hint] = QRect(0, height - line, width, line)
            bottom -= line + gap // 2
        top = high + gap
        if width >= px(self.look, WIDE_PX):
            left = (width - 2 * gap) * 56 // 100
            aside = QRect(left + 2 * gap, top, width - left - 2 * gap, bottom - top)
            return found | self._columns(QRect(0, top, left, bottom - top), aside)
        if height >= px(self.look, TALL_PX):
            half = top + (bottom - top) * 58 // 100
            below = QRect(0, half + gap, width, bottom - half - gap)
            return found | self._stack(QRect(0, top, width, half - top)) | self._lists(self.dims, below)
        return found | self._stack(QRect(0, top, width, bottom - top))

    def _columns(self, main: QRect, aside: QRect) -> dict[QWidget, QRect]:
        """Reading and writing beside facts and tokens; writing under the tokens where they leave room."""
        stack, gap = self._stack(main), px(self.look, GAP_PX)
        tokens, laid, shown = stack[self.tokens], self.tokens.laid, self.tokens.picture
        needed = 0 if laid is None or shown is None else round(laid.head + (shown.total + 0.5) * laid.row)
        left = tokens.height() - needed - gap
        if not needed or left < px(self.look, LEFT_OVER_PX):
            return stack | self._lists(self.dims, aside)
        stack[self.tokens] = QRect(tokens.x(), tokens.y(), tokens.width(), needed)
        stack[self.down] = QRect(tokens.x(), tokens.y() + needed + gap, tokens.width(), left)
        return stack | self._lists(self.dims[:-1], aside)

    def _stack(self, place: QRect) -> dict[QWidget, QRect]:
        """Facts above the tokens."""
        high = self.facts.height_for(place.width())
        top = place.y() + high + px(self.look, GAP_PX) // 2
        return {
            self.facts: QRect(place.x(), place.y(), place.width(), high),
            self.tokens: QRect(place.x(), top, place.width(), max(1, place.bottom() + 1 - top)),
        }

    def _lists(self, lists: tuple[RankedList, ...], place: QRect) -> dict[QWidget, QRect]:
        """Lists of dimensions, beside each other where each is wide enough, else below."""
        gap, n = px(self.look, GAP_PX), len(lists)
        x, y, width, height = place.x(), place.y(), place.width(), place.height()
        beside = width >= n * (px(self.look, LIST_PX) + gap) and height < width
        wide = (width - (n - 1) * gap) // n if beside else width
        high = height if beside else (height - (n - 1) * gap) // n
        step = (wide + gap, 0) if beside else (0, high + gap)
        return {each: QRect(x + i * step[0], y + i * step[1], wide, high) for i, each in enumerate(lists)}
