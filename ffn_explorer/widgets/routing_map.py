"""RoutingMap: tokens x experts with load and margins, to point at, choose from and zoom."""

from PySide6.QtCore import QPointF, QSizeF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QWheelEvent
from PySide6.QtWidgets import QWidget

from ffn_explorer.widgets.picture_canvas import PictureCanvas
from ffn_explorer.widgets.routing_paint import RoutingCells
from ffn_explorer.widgets.routing_picture import RoutingPicture, RoutingPlaces, routing_places
from ffn_explorer.widgets.routing_sides import RoutingSides

LEAST_COLUMNS = 4
"""Experts left in sight at the deepest zoom."""

At = tuple[int | None, int | None]
"""Token and expert under the pointer; None for what is not."""

_ZOOM_PER_NOTCH = 1.25
_NOTCH = 120.0
_NOWHERE: At = (None, None)
_ACTS = {"d": "drop", "r": "force", "a": "restore", "w": "mode"}


class RoutingMap(PictureCanvas[RoutingPicture]):
    """Shows a RoutingPicture."""

    pointed = Signal(object)
    """(token, expert) under the pointer, each None where it is over none; only when it changes."""
    chosen = Signal(object)
    """A click: the same."""
    zoomed = Signal(int, int)
    """Wanted range: first expert, experts shown (0: all)."""
    asked = Signal(str)
    """A key: "drop", "force", "restore" or "mode"."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build an empty map."""
        super().__init__(parent)
        self._pointed = _NOWHERE
        self.moved.connect(self._report)

    @property
    def places(self) -> RoutingPlaces | None:
        """Where everything stands."""
        return None if self.picture is None else routing_places(self.picture, QSizeF(self.size()))

    def at(self, point: QPointF) -> At:
        """Token and expert at a position: cells give both, loads an expert, margins and names a token."""
        picture, places = self.picture, self.places
        if picture is None or places is None or picture.share <= 0.0:
            return _NOWHERE
        area, load = places.area, places.load
        token: int | None = int((point.y() - area.top()) / area.height() * picture.table.tokens)
        expert: int | None = picture.first + int((point.x() - area.left()) / area.width() * picture.shown)
        if not area.top() <= point.y() < area.bottom():
            token = None
            expert = expert if area.bottom() <= point.y() <= load.bottom() else None
        if not area.left() <= point.x() < area.right():
            expert = None
        if point.x() < 0 or point.x() >= self.width():
            token = None
        return token, expert

    def paint_front(self, painter: QPainter) -> None:
        """Paint the picture."""
        places = self.places
        if self.picture is not None and places is not None:
            cells = RoutingCells(painter, self.picture, places)
            cells.paint_cells()
            RoutingSides(painter, self.picture, places).paint_sides()
            cells.paint_names()
        super().paint_front(painter)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose token and expert."""
        super().mousePressEvent(event)
        at = self.at(event.position())
        if at != _NOWHERE and event.button() == Qt.MouseButton.LeftButton:
            self.chosen.emit(at)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Show all experts again."""
        super().mouseDoubleClickEvent(event)
        if self.picture is not None and event.button() == Qt.MouseButton.LeftButton:
            self.zoomed.emit(0, 0)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom the experts around the pointer; with Shift, or sideways, move along them."""
        picture, places = self.picture, self.places
        if picture is None or places is None:
            event.ignore()
            return
        event.accept()
        along, up = event.angleDelta().x(), event.angleDelta().y()
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier or abs(along) > abs(up):
            self._ask(picture.first - round((along or up) / _NOTCH * picture.shown * 0.1), picture.shown)
            return
        share = (event.position().x() - places.area.left()) / places.area.width()
        self._zoom(up / _NOTCH, around=min(1.0, max(0.0, share)))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """D drops, R forces, A brings all back, W changes the mode; plus, minus and 0 zoom; arrows step."""
        picture = self.picture
        act = _ACTS.get(event.text().lower())
        notches = {"+": 1.0, "=": 1.0, "-": -1.0, "_": -1.0}.get(event.text())
        if picture is None:
            super().keyPressEvent(event)
        elif act is not None:
            self.asked.emit(act)
        elif notches is not None:
            chosen = picture.first + picture.shown // 2 if picture.expert is None else picture.expert
            self._zoom(notches, around=min(1.0, max(0.0, (chosen + 0.5 - picture.first) / picture.shown)))
        elif event.text() == "0":
            self.zoomed.emit(0, 0)
        else:
            super().keyPressEvent(event)

    def _zoom(self, notches: float, *, around: float) -> None:
        if self.picture is None:
            return
        now, every = self.picture.shown, self.picture.table.experts
        wanted = round(now / _ZOOM_PER_NOTCH**notches)
        shown = min(every, max(min(LEAST_COLUMNS, every), wanted if wanted != now else now - int(notches)))
        self._ask(self.picture.first + round(around * (now - shown)), shown)

    def _ask(self, first: int, shown: int) -> None:
        assert self.picture is not None
        every = self.picture.table.experts
        if shown >= every:
            self.zoomed.emit(0, 0)
        else:
            self.zoomed.emit(min(every - shown, max(0, first)), shown)

    def _report(self, point: QPointF | None) -> None:
        self.tell_pointed(_NOWHERE if point is None else self.at(point))
