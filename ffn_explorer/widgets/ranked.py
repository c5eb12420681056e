"""RankedList: rows of texts with a bar, of which only those in sight are asked for and drawn."""

from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QWheelEvent
from PySide6.QtWidgets import QToolTip, QWidget

from ffn_explorer.widgets.picture_canvas import PictureCanvas
from ffn_explorer.widgets.plain_tip import plain_tip
from ffn_explorer.widgets.ranked_paint import marker_place, paint_ranking
from ffn_explorer.widgets.ranking import Column, Laid, Ranking, Row, lay_out

__all__ = ["Column", "RankedList", "Ranking", "Row"]

NOTCH = 120
"""Wheel units of one notch."""

ROWS_PER_NOTCH = 3


class RankedList(PictureCanvas[Ranking]):
    """Shows a Ranking; pointing and clicking name the row's key, wheel and marker the wanted first row.

    Left and right arrows come as `stepped`, as from every canvas; up and down choose the next row.
    """

    pointed = Signal(object)
    """Key of the row under the pointer, or None; only when it changes."""
    chosen = Signal(int)
    """Key of the row clicked, or reached by an arrow key."""
    scrolled = Signal(int)
    """Wanted first row."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build an empty list."""
        super().__init__(parent)
        self.laid: Laid | None = None
        self.walking = False
        """Whether the row being chosen was reached by an arrow key: a run of them is one step of undo."""
        self._turned = 0.0
        self._grip: float | None = None
        self.moved.connect(self._report)

    def lay_out(self) -> None:
        """Place rows and columns anew."""
        super().lay_out()
        shown, before = self.picture, self.laid
        self.laid = None if shown is None else lay_out(shown, self.width(), self.height())
        if self._at is not None and before is not None and self.laid and before.first != self.laid.first:
            # Other rows have come under a pointer that did not move.
            self._point(self._at)

    def paint_front(self, painter: QPainter) -> None:
        """Paint the ranking."""
        if self.picture is not None and self.laid is not None:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
            paint_ranking(painter, self.picture, self.laid)
        super().paint_front(painter)

    def key_at(self, at: QPointF) -> int | None:
        """Key of the row at a position, or None."""
        if self.laid is None or not 0 <= at.x() <= self.laid.width:
            return None
        index = self.laid.index_at(at.y())
        return None if index is None else self.laid.rows[index - self.laid.first].key

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose a row, or take hold of the scroll marker."""
        super().mousePressEvent(event)
        if event.button() != Qt.MouseButton.LeftButton:
            return
        key = self.key_at(event.position())
        if key is not None:
            self.chosen.emit(key)
        elif self._scrolls() and self.laid is not None and event.position().x() > self.laid.width:
            self._take_marker(event.position().y())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag the marker, else report the pointer."""
        if self._grip is None:
            super().mouseMoveEvent(event)
        else:
            self._drag_marker(event.position().y())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let the marker go."""
        self._grip = None
        super().mouseReleaseEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll the rows; a list that is all in sight leaves the wheel to what is around it."""
        if not self._scrolls() or self.laid is None:
            event.ignore()
            return
        event.accept()
        self._turned -= event.angleDelta().y() * ROWS_PER_NOTCH / NOTCH
        rows = int(self._turned)
        self._turned -= rows
        self._scroll_to(self.laid.first + rows)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Up and down step to the neighbouring row."""
        if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self._step(1 if event.key() == Qt.Key.Key_Down else -1)
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Explain a column's head."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            tip = self._tip_at(QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), plain_tip(tip), self)
            return True
        return super().event(event)

    def _tip_at(self, at: QPointF) -> str:
        if self.picture is None or self.laid is None or at.y() > self.laid.head:
            return ""
        pairs = zip(self.picture.columns, self.laid.columns, strict=False)
        return next((column.tip for column, (left, right) in pairs if left <= at.x() <= right), "")

    def _step(self, by: int) -> None:
        if self.picture is None or self.laid is None or not self.laid.rows:
            return
        now = self._place_of_chosen(self.picture, self.laid)
        wanted = self.laid.first if now is None else now + by
        if not 0 <= wanted < self.picture.total or wanted == now:
            return
        first, in_sight = self.laid.first, self.laid.in_sight
        self.walking = True
        self.chosen.emit(self.picture.row(wanted).key)
        self.walking = False
        if not first <= wanted < first + in_sight:
            self._scroll_to(wanted if wanted < first else wanted - in_sight + 1)

    def _place_of_chosen(self, ranking: Ranking, laid: Laid) -> int | None:
        if ranking.chosen is None:
            return None
        if ranking.place is not None:
            return ranking.place(ranking.chosen)
        keys = [row.key for row in laid.rows]
        return laid.first + keys.index(ranking.chosen) if ranking.chosen in keys else None

    def _scrolls(self) -> bool:
        shown, laid = self.picture, self.laid
        return shown is not None and laid is not None and shown.total > laid.in_sight

    def _scroll_to(self, wanted: int) -> None:
        if self.picture is None or self.laid is None:
            return
        first = min(max(0, wanted), max(0, self.picture.total - self.laid.in_sight))
        if first != self.picture.first:
            self.scrolled.emit(first)

    def _take_marker(self, y: float) -> None:
        """Hold the marker where it was pressed; a press beside it brings its middle there."""
        if self.picture is None or self.laid is None:
            return
        marker = marker_place(self.picture, self.laid)
        on = marker.top() <= y <= marker.bottom()
        self._grip = y - marker.top() if on else marker.height() / 2
        if not on:
            self._drag_marker(y)

    def _drag_marker(self, y: float) -> None:
        if self.picture is None or self.laid is None or self._grip is None:
            return
        marker = marker_place(self.picture, self.laid)
        room = self.laid.row * self.laid.in_sight - marker.height()
        share = (y - self._grip - self.laid.head) / max(1.0, room)
        self._scroll_to(round(share * (self.picture.total - self.laid.in_sight)))

    def _report(self, at: QPointF | None) -> None:
        self.tell_pointed(None if at is None else self.key_at(at))
