"""Marks of single memories on the curves of their sum: where the chosen and the pointed neuron stand."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.drawn_text import CENTRE, draw_text
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.sizes import line_px, px
from ffn_explorer.widgets.theme import theme_of

STEPS = 8
"""Heights tried for a name, and places looked at along it, less one."""


@dataclass(frozen=True, slots=True)
class SumMark:
    """One neuron on the curves: its rank k (the strongest has 1), its names, and whether it is chosen.

    words: the longest first; the last one is its number alone.
    """

    k: int
    words: tuple[str, ...]
    chosen: bool


Heights = Callable[[float], tuple[float, ...]]
"""Where the curves run at an x, in pixels; only those that have a number there."""


def draw_sum_marks(
    painter: QPainter,
    marks: Sequence[tuple[SumMark, float]],
    heights: Heights,
    *,
    area: QRectF,
    look: Appearance,
) -> None:
    """Paint a hairline at the x of each mark, with a dot on each curve; then the names, beside the curves."""
    theme = theme_of(look)
    for mark, x in marks:
        pen = QPen(QColor(theme.ink), line_px(look, 1.0))
        if not mark.chosen:
            pen.setStyle(Qt.PenStyle.DotLine)
        painter.setPen(pen)
        painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
        radius = px(look, 4)
        painter.setPen(QPen(QColor(theme.ink), line_px(look, 1.6)))
        painter.setBrush(QColor(theme.ink if mark.chosen else theme.surface))
        for y in heights(x):
            painter.drawEllipse(QPointF(x, y), radius, radius)
    taken: list[QRectF] = []
    face = font(look, "small", bold=True)
    for mark, x in marks:
        words, place = _free_place(mark, x, taken, heights=heights, area=area, look=look)
        taken.append(place)
        painter.setPen(QPen(QColor(theme.ink if mark.chosen else theme.muted), line_px(look, 1.0)))
        painter.setBrush(QColor(theme.surface))
        painter.drawRoundedRect(place, px(look, 4), px(look, 4))
        draw_text(painter, words, place, font=face, colour=theme.ink, align=CENTRE)


def _free_place(
    mark: SumMark, x: float, taken: Sequence[QRectF], *, heights: Heights, area: QRectF, look: Appearance
) -> tuple[str, QRectF]:
    """Wording and place beside the hairline, as far from the curves as there is room, over no other name.

    A shorter wording is taken only where a longer one would cover a curve.
    """
    metrics = QFontMetricsF(font(look, "small", bold=True))
    high, gap = metrics.height() + px(look, 2), px(look, 7)
    best: list[tuple[float, str, QRectF]] = []
    for words in mark.words:
        wide = metrics.horizontalAdvance(words) + px(look, 8)
        places = [
            QRectF(left, area.top() + (area.height() - high) * step / STEPS, wide, high)
            for left in (x + gap, x - gap - wide)
            for step in range(STEPS + 1)
        ]
        inside = [place for place in places if area.left() <= place.left() and place.right() <= area.right()]
        free = [place for place in inside if not any(place.intersects(other) for other in taken)]
        best += [(clearance(place, heights), words, place) for place in free]
        if any(distance > px(look, 2) for distance, _, _ in best):
            break
    if not best:
        wide = metrics.horizontalAdvance(mark.words[-1]) + px(look, 8)
        return mark.words[-1], QRectF(max(area.left(), x - gap - wide), area.top(), wide, high)
    _, words, place = max(best, key=lambda found: found[0])
    return words, place


def clearance(place: QRectF, heights: Heights) -> float:
    """Pixels between a place and the curve nearest above or below it; negative where one runs through it."""
    middle, half = place.center().y(), place.height() / 2
    samples = [heights(place.left() + place.width() * step / STEPS) for step in range(STEPS + 1)]
    gaps = [
        max(min(y0, y1) - middle, middle - max(y0, y1), 0.0) - half
        for before, after in pairwise(samples)
        for y0, y1 in zip(before, after)
    ]
    return min(gaps, default=0.0)
