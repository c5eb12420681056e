"""SortedList: a ranked list that its heads put in order, with headings between rows and tips of rows."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPolygonF

from ffn_explorer.widgets.drawn_text import LEFT, advance, draw_text, elided
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.hatch import hatched
from ffn_explorer.widgets.layers import hatch_scale
from ffn_explorer.widgets.ranked import RankedList
from ffn_explorer.widgets.ranking import Laid, Ranking, Row
from ffn_explorer.widgets.sizes import line_px, px
from ffn_explorer.widgets.theme import blend, theme_of

ARROW_PX = 7


def _nothing(_key: int) -> str:
    return ""


@dataclass(frozen=True, slots=True, eq=False)
class SortedRanking(Ranking):
    """A ranking that says what it is ordered by.

    names: what a list may be ordered by, a name per column ("" for none), then that of the bars.  sort: the
    one in force; smallest: whether the smallest comes first.  Rows with a key below 0 are headings, whose
    words `heading` says.  hatched: keys of rows on a hatched ground.  tip: of a row.
    """

    names: tuple[str, ...] = ()
    sort: str = ""
    smallest: bool = False
    hatched: frozenset[int] = frozenset()
    tip: Callable[[int], str] = _nothing
    heading: Callable[[int], str] = _nothing


class SortedList(RankedList):
    """Shows a SortedRanking; heads are clicked, or reached with Shift and the arrow keys."""

    sorted_by = Signal(str)
    """Name of the head that was clicked, or reached; once more the same turns the order around."""

    @property
    def order(self) -> SortedRanking | None:
        """What is shown, where it can be ordered."""
        return self.picture if isinstance(self.picture, SortedRanking) else None

    def head_at(self, at: QPointF) -> str:
        """Name of what the head at a position orders by, "" for none."""
        shown, laid = self.order, self.laid
        if shown is None or laid is None or not 0 <= at.y() <= laid.head:
            return ""
        reach = px(self.look, 6)
        for name, (left, right) in zip(shown.names, laid.columns, strict=False):
            if left - reach <= at.x() <= right + reach:
                return name
        return shown.names[-1] if shown.names and laid.bar[0] <= at.x() <= laid.bar[1] else ""

    def row_at(self, at: QPointF) -> Row | None:
        """The row at a position, headings included."""
        if self.laid is None:
            return None
        index = self.laid.index_at(at.y())
        return None if index is None else self.laid.rows[index - self.laid.first]

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Order by a head, else as every list."""
        name = self.head_at(event.position())
        if name and event.button() == Qt.MouseButton.LeftButton:
            event.accept()
            self.sorted_by.emit(name)
            return
        key = self.key_at(event.position())
        if key is None or key >= 0:
            super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Shift with left or right orders by another column, with up or down turns the order around."""
        shown, laid, key = self.order, self.laid, event.key()
        if shown is None or laid is None:
            super().keyPressEvent(event)
        elif event.modifiers() & Qt.KeyboardModifier.ShiftModifier and self._turn(shown, laid, key):
            event.accept()
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            event.accept()
            self._reach(0 if key == Qt.Key.Key_Home else shown.total - 1)
        elif key in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
            event.ignore()  # those move the scenes of a lecture
        else:
            super().keyPressEvent(event)

    def walk(self, by: int) -> None:
        """Choose the next row, or the one before, as an arrow key does."""
        self._step(by)

    def _turn(self, shown: SortedRanking, laid: Laid, key: int) -> bool:
        """Whether the key has changed the order."""
        names = [name for name in (*shown.names[: len(laid.columns)], *shown.names[-1:]) if name]
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(key))
        if not names:
            return False
        if step is not None:
            at = names.index(shown.sort) if shown.sort in names else 0
            self.sorted_by.emit(names[(at + step) % len(names)])
        elif (key == Qt.Key.Key_Up) != shown.smallest and key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.sorted_by.emit(shown.sort or names[0])
        return step is not None or key in (Qt.Key.Key_Up, Qt.Key.Key_Down)

    def _step(self, by: int) -> None:
        """The neighbouring row that is no heading."""
        shown, laid = self.picture, self.laid
        if shown is None or laid is None or not laid.rows:
            return
        now = self._place_of_chosen(shown, laid)
        self._reach(laid.first if now is None else now + by, towards=by)

    def _reach(self, wanted: int, *, towards: int = 1) -> None:
        """Choose a row; from a heading go on to the next row."""
        shown, laid = self.picture, self.laid
        if shown is None or laid is None:
            return
        while 0 <= wanted < shown.total and shown.row(wanted).key < 0:
            wanted += 1 if towards >= 0 else -1
        if not 0 <= wanted < shown.total:
            return
        first, in_sight = laid.first, laid.in_sight
        self.walking = True
        self.chosen.emit(shown.row(wanted).key)
        self.walking = False
        if not first <= wanted < first + in_sight:
            self._scroll_to(wanted if wanted < first else wanted - in_sight + 1)

    def _tip_at(self, at: QPointF) -> str:
        found = super()._tip_at(at)
        row, shown = self.row_at(at), self.order
        if found or row is None or shown is None:
            return found
        return shown.tip(row.key)

    def paint_front(self, painter: QPainter) -> None:
        """Paint the list, hatched rows under it, headings and the mark of the order over it."""
        shown, laid = self.order, self.laid
        if shown is not None and laid is not None:
            self._paint_hatched(painter, shown, laid)
        super().paint_front(painter)
        if shown is not None and laid is not None:
            self._paint_headings(painter, shown, laid)
            self._paint_mark(painter, shown, laid)

    def _paint_hatched(self, painter: QPainter, shown: SortedRanking, laid: Laid) -> None:
        theme, look = theme_of(self.look), self.look
        thin = blend(theme.muted, theme.surface, 0.28)
        brush = hatched(
            hatch_scale(painter), thin, QColor(theme.surface), step=px(look, 7), line=line_px(look)
        )
        painter.setPen(Qt.PenStyle.NoPen)
        for place, row in enumerate(laid.rows):
            if row.key in shown.hatched and row.key != shown.chosen:
                painter.fillRect(laid.place(place).adjusted(0, 1, 0, -1), brush)

    def _paint_headings(self, painter: QPainter, shown: SortedRanking, laid: Laid) -> None:
        theme, face = theme_of(self.look), font(self.look, "small", bold=True)
        for place, row in enumerate(laid.rows):
            if row.key >= 0:
                continue
            where = laid.place(place)
            painter.fillRect(where, QColor(theme.surface))
            words = where.adjusted(px(self.look, 8), 0, -px(self.look, 8), 0)
            said = elided(shown.heading(row.key), face, words.width())
            draw_text(painter, said, words, font=face, colour=theme.muted, align=LEFT)
            left = words.left() + advance(said, face) + px(self.look, 8)
            if left < words.right():
                line = QRectF(left, where.center().y(), words.right() - left, line_px(self.look))
                painter.fillRect(line, QColor(theme.border))

    def _paint_mark(self, painter: QPainter, shown: SortedRanking, laid: Laid) -> None:
        """A triangle beside the head of the order: down for the largest first."""
        if shown.sort not in shown.names or not shown.sort:
            return
        at, side = shown.names.index(shown.sort), px(self.look, ARROW_PX)
        if at >= len(shown.columns):
            return
        if at >= len(laid.columns):
            return
        (left, right), column = laid.columns[at], shown.columns[at]
        wide = advance(column.head, font(self.look, "small"))
        x = left + wide + 2 if column.align == "left" else right - wide - side - 2
        y, high = laid.head / 2, side * 0.6
        tip, base = (y - high / 2, y + high / 2) if shown.smallest else (y + high / 2, y - high / 2)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme_of(self.look).ink))
        x = math.floor(x)
        painter.drawPolygon(
            QPolygonF([QPointF(x, base), QPointF(x + side, base), QPointF(x + side / 2, tip)])
        )
