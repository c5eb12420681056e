"""Canvas: a pyqtgraph view in widget pixels without state of its own, and an item that paints over it."""

import logging
from collections.abc import Callable

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QGraphicsView, QStyleOptionGraphicsItem, QWidget

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.focus import KEYBOARD, draw_focus_ring
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.theme import theme_of

log = logging.getLogger(__name__)

FRAME_MS = 16
"""The pointer is reported once per frame at most."""

_ARROWS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}


class Canvas(pg.GraphicsView):  # type: ignore[misc] # pyqtgraph carries no types
    """Base of the pictures: mouse and keys become signals, pyqtgraph's own menus and zoom stay silent."""

    stepped = Signal(int, int)
    """Arrow keys: columns to the right, rows down."""
    moved = Signal(object)
    """Pointer position (QPointF), or None once it has left; at most once per frame."""
    pointed = Signal(object)
    """What is under the pointer, in the subclass's own terms, or nothing; only when it changes."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build an empty canvas."""
        super().__init__(parent, useOpenGL=False, background=None)
        # Whole repaints: a partial one may round an edge of an antialiased line differently.
        self.setViewportUpdateMode(QGraphicsView.ViewportUpdateMode.FullViewportUpdate)
        self.setCacheMode(QGraphicsView.CacheModeFlag.CacheNone)
        self.setCentralItem(None)
        self.setMinimumSize(1, 1)
        # A background fills all of it: nothing behind it need be painted first.
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.look = Appearance()
        self.sentence = ""
        self._at: QPointF | None = None
        self._pointed: object = None
        self._by_keyboard = False
        self._frame = QTimer(self)
        self._frame.setSingleShot(True)
        self._frame.setInterval(FRAME_MS)
        self._frame.timeout.connect(lambda: self.moved.emit(self._at))
        # Repaints are asked of this item, never of the viewport: both together would paint a frame twice.
        self.front = Painted(self.paint_front)
        self.front.setZValue(10)
        self.addItem(self.front)

    def set_look(self, look: Appearance) -> None:
        """Take another look."""
        self.look = look
        surface = QColor(theme_of(look).surface)
        # Qt repaints for a background even where it is the one before.
        if self.backgroundBrush() != QBrush(surface):
            self.setBackground(surface)

    def paint_front(self, painter: QPainter) -> None:
        """Paint what stands above the items; subclasses extend it."""
        if self.sentence:
            place = QRectF(self.rect()).adjusted(8, 0, -8, 0)
            painter.setFont(font(self.look, "body"))
            painter.setPen(QColor(theme_of(self.look).muted))
            flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            painter.drawText(place, int(flags), self.sentence)
        if self._by_keyboard and self.hasFocus():
            draw_focus_ring(painter, QRectF(self.rect()), self.look)

    def tell_pointed(self, found: object) -> None:
        """Tell what the pointer has come to, unless it is where it was."""
        if found != self._pointed:
            self._pointed = found
            self.pointed.emit(found)

    def lay_out(self) -> None:
        """Place everything anew, and repaint; subclasses extend it."""
        self.front.resize_to(QRectF(self.rect()))
        self.front.update()

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Place everything anew."""
        super().resizeEvent(event)
        if event is not None:
            self.lay_out()

    def event(self, event: QEvent) -> bool:
        """Place everything anew on a screen with other pixels."""
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            self.lay_out()
        return bool(super().event(event))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Report the pointer with the next frame."""
        self._point(event.position())

    def leaveEvent(self, _event: QEvent) -> None:
        """Report that the pointer has left."""
        self._point(None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Keep pyqtgraph's own handling out; subclasses choose what was clicked."""
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Nothing happens on release."""
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Nothing, unless a subclass resets its zoom."""
        event.accept()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to whatever scrolls around this picture."""
        event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows step; other keys belong to the window."""
        step = _ARROWS.get(Qt.Key(event.key()))
        if step is None:
            event.ignore()
            return
        self.stepped.emit(*step)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the focus ring where the keyboard brought the focus here; a click needs none."""
        self._by_keyboard = event.reason() in KEYBOARD
        super().focusInEvent(event)
        self.front.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Take the focus ring away."""
        super().focusOutEvent(event)
        self.front.update()

    def _point(self, at: QPointF | None) -> None:
        self._at = at
        if not self._frame.isActive():
            self._frame.start()


class Painted(pg.GraphicsObject):  # type: ignore[misc]
    """An item that calls a function to paint."""

    def __init__(self, paint: Callable[[QPainter], None]) -> None:
        """Take the function."""
        super().__init__()
        self._paint = paint
        self._rect = QRectF()

    def resize_to(self, rect: QRectF) -> None:
        """Cover another rectangle, in the pixels of the canvas."""
        if rect != self._rect:
            self.prepareGeometryChange()
            self._rect = rect

    def boundingRect(self) -> QRectF:
        """Rectangle covered."""
        return self._rect

    def paint(
        self, painter: QPainter, _option: QStyleOptionGraphicsItem, _widget: QWidget | None = None
    ) -> None:
        """Call the function; what goes wrong in it is logged: let through, it would end the program."""
        try:
            self._paint(painter)
        except Exception:  # Qt would abort the program
            log.exception("a picture could not be painted")
