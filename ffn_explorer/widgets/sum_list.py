"""SumList: a ranked list whose last rows stay in sight and close the sum; its bars may stand end to end."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QWidget

from ffn_explorer.state.pyramid import rounded_up
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.ranked import RankedList
from ffn_explorer.widgets.ranking import Laid, Ranking, Row, lay_out
from ffn_explorer.widgets.sizes import line_px, px
from ffn_explorer.widgets.theme import theme_of

TOTAL = -1
"""Key of the row that bears the sum itself."""

FULL_ROWS = 8
"""With fewer rows in all, the tail takes one row."""

TailRows = Callable[[int, int], tuple[Row, ...]]
"""Rows of a tail, from the first row in sight and the one past the last."""


@dataclass(frozen=True, slots=True)
class Tail:
    """The rows that close the sum, with keys below 0: all of them, or one where there is little room.

    count: how many all are.  chained: every bar begins where the one above ends, and the total's at 0; else
    the tail has no bars.  progress: how far chained bars have grown; the ranking's own is 0 then.
    """

    full: TailRows
    brief: TailRows
    count: int
    chained: bool = False
    progress: float = 1.0


class SumList(RankedList):
    """Shows a Ranking over its Tail."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build an empty list."""
        super().__init__(parent)
        self.tail: Tail | None = None

    def show_sum(self, ranking: Ranking, tail: Tail) -> None:
        """Draw a ranking and what closes its sum."""
        self.tail = tail
        self.show_picture(ranking)

    def lay_out(self) -> None:
        """Place the rows, and the tail under them; chained bars take the scale that holds them all."""
        super().lay_out()
        if self.picture is None or self.tail is None:
            return
        self.laid = laid_with_tail(self.picture, self.tail, width=self.width(), height=self.height())
        if self.tail.chained:
            largest = max((abs(end) for pair in chain(self.laid.rows) for end in pair), default=0.0)
            self.picture = replace(self.picture, limit=rounded_up(largest))

    def paint_front(self, painter: QPainter) -> None:
        """Paint rows, a line above the tail, and chained bars."""
        super().paint_front(painter)
        shown, laid, tail = self.picture, self.laid, self.tail
        if shown is None or laid is None or tail is None:
            return
        theme = theme_of(shown.look)
        own = sum(row.key >= 0 for row in laid.rows)
        if tail.chained:
            self._paint_chain(painter, shown, laid)
        else:
            for i in range(own, len(laid.rows)):
                place = laid.place(i).adjusted(laid.bar[0] - 2, 0, 0, 0)
                painter.fillRect(place, QColor(theme.surface))
        painter.setPen(QPen(QColor(theme.border), line_px(shown.look)))
        y = laid.place(own).top()
        painter.drawLine(QPointF(0.0, y), QPointF(laid.width, y))

    def _paint_chain(self, painter: QPainter, shown: Ranking, laid: Laid) -> None:
        """Bars from one running sum to the next, a thin line leading down from each end."""
        assert self.tail is not None
        theme, (left, right) = theme_of(shown.look), laid.bar
        half, height = (right - left) / 2, px(shown.look, 8)
        grown = self.tail.progress / shown.limit
        for i, ((start, end), row) in enumerate(zip(chain(laid.rows), laid.rows, strict=True)):
            a, b = (left + half * (1.0 + max(-1.0, min(1.0, at * grown))) for at in (start, end))
            top = laid.place(i).center().y() - height / 2
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(theme.negative if row.value < 0.0 else theme.positive))
            painter.drawRect(QRectF(min(a, b), top, max(1.0, abs(b - a)), height))
            if i < len(laid.rows) - 1:
                painter.setPen(QPen(QColor(theme.muted), line_px(shown.look)))
                painter.drawLine(QPointF(b, top), QPointF(b, top + laid.row + height))


def chain(rows: tuple[Row, ...]) -> list[tuple[float, float]]:
    """Where each bar begins and ends when they stand end to end; the total begins at 0, not finite is 0."""
    running, found = 0.0, []
    for row in rows:
        start = 0.0 if row.key == TOTAL else running
        running = start + (row.value if math.isfinite(row.value) else 0.0)
        found.append((start, running))
    return found


def laid_with_tail(ranking: Ranking, tail: Tail, *, width: float, height: float) -> Laid:
    """Rows above, the tail directly below the last of them; the columns have room for both."""
    whole = lay_out(ranking, width, height)
    full = whole.in_sight >= FULL_ROWS
    made, count = (tail.full, tail.count) if full else (tail.brief, 1)
    above = height - count * whole.row
    narrow = lay_out(ranking, width, above)
    rows = made(narrow.first, narrow.first + len(narrow.rows))
    metrics = QFontMetricsF(font(ranking.look, "body", bold=True))
    columns = tuple(
        replace(
            column, widest=max((column.widest, *(r.texts[i] for r in rows)), key=metrics.horizontalAdvance)
        )
        for i, column in enumerate(ranking.columns)
    )
    laid = lay_out(replace(ranking, columns=columns), width, above)
    return laid._replace(rows=laid.rows + rows)
