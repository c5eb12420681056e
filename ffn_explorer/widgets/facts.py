"""Facts: numbers under small labels, side by side in as many lines as they need, each with an explanation."""

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QToolTip, QWidget

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.drawn_text import LEFT, draw_text
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.plain_tip import plain_tip
from ffn_explorer.widgets.sizes import px
from ffn_explorer.widgets.theme import theme_of

GAP_PX = 18
"""Between the widest fact and its neighbour."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One number: its label, the number in words, and what it means."""

    label: str
    value: str
    tip: str


class Facts(QWidget):
    """Shows facts in columns of one width, or on one line the first ones that fit."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build without any."""
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.facts: tuple[Fact, ...] = ()
        self.look = Appearance()
        self._brief = False

    def show_facts(self, facts: tuple[Fact, ...], look: Appearance) -> None:
        """Show these facts; screen readers hear all of them."""
        if (facts, look) != (self.facts, self.look):
            self.facts, self.look = facts, look
            self.setAccessibleName(", ".join(f"{fact.label} {fact.value}" for fact in facts))
            self.update()

    def set_brief(self, brief: bool, /) -> None:
        """Keep to one line, or take as many as are needed."""
        if brief != self._brief:
            self._brief = brief
            self.update()

    def height_for(self, width: float) -> int:
        """Height of the lines at a width."""
        lines = 1 if self._brief else -(-len(self.facts) // self._across(width))
        return round(min(lines, len(self.facts)) * self._line())

    def places(self) -> list[QRectF]:
        """Rectangle of each fact shown, in order."""
        line, gap = self._line(), px(self.look, GAP_PX)
        if not self._brief:
            across = self._across(self.width())
            wide = self.width() / across
            at = (divmod(i, across) for i in range(len(self.facts)))
            return [QRectF(column * wide, row * line, wide, line) for row, column in at]
        left, found = 0.0, []
        for wide in self._widths():
            if left + wide > self.width():
                break
            found.append(QRectF(left, 0.0, wide, line))
            left += wide + gap
        return found

    def event(self, event: QEvent) -> bool:
        """Explain the fact under the pointer."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), plain_tip(self.tip_at(QPointF(event.pos()))), self)
            return True
        return super().event(event)

    def tip_at(self, at: QPointF) -> str:
        """Explanation of the fact at a position, "" where none stands."""
        pairs = zip(self.facts, self.places(), strict=False)
        return next((fact.tip for fact, place in pairs if place.contains(at)), "")

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint labels and numbers."""
        painter, theme = QPainter(self), theme_of(self.look)
        small, large = font(self.look, "small"), font(self.look, "title", bold=True)
        high, below = QFontMetricsF(small).height(), QFontMetricsF(large).height()
        for fact, place in zip(self.facts, self.places(), strict=False):
            label = QRectF(place.left(), place.top(), place.width(), high)
            draw_text(painter, fact.label, label, font=small, colour=theme.muted, align=LEFT)
            number = QRectF(place.left(), place.top() + high, place.width(), below)
            draw_text(painter, fact.value, number, font=large, colour=theme.ink, align=LEFT)
        painter.end()

    def _line(self) -> float:
        """Height of one line of facts, with the distance to the next."""
        heights = (QFontMetricsF(font(self.look, role)).height() for role in ("small", "title"))
        return sum(heights) + px(self.look, 4)

    def _across(self, width: float) -> int:
        """How many stand side by side; lines are filled evenly."""
        gap = px(self.look, GAP_PX)
        most = max(1, int((width + gap) / (max(self._widths(), default=1.0) + gap)))
        lines = -(-len(self.facts) // most)
        return max(1, -(-len(self.facts) // max(1, lines)))

    def _widths(self) -> list[float]:
        """What each fact needs."""
        small = QFontMetricsF(font(self.look, "small"))
        large = QFontMetricsF(font(self.look, "title", bold=True))
        return [
            max(small.horizontalAdvance(f.label), large.horizontalAdvance(f.value)) + 1.0 for f in self.facts
        ]
