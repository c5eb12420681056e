"""MatrixView: a weight matrix with pointer, keys, zoom along both axes, and drags that move it."""

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QSizeF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QTransform, QWheelEvent
from PySide6.QtWidgets import QWidget

from ffn_explorer.widgets.device_pixels import ratio_of
from ffn_explorer.widgets.layers import Layers
from ffn_explorer.widgets.matrix_frame import MatrixPainter
from ffn_explorer.widgets.matrix_image import Hit, MatrixImage, matrix_image, per_pixel
from ffn_explorer.widgets.matrix_picture import MatrixPicture, MatrixPlaces, Span, matrix_places
from ffn_explorer.widgets.picture_canvas import PictureCanvas
from ffn_explorer.widgets.theme import theme_of

LEAST = 4
"""Rows and columns left in sight at the deepest zoom."""

DRAG_PX = 5.0
"""A press becomes a drag once the pointer has moved so far."""

_ZOOM_PER_NOTCH = 1.25
_PAN_PER_NOTCH = 0.1
_NOTCH = 120.0
_ZOOM_KEYS = {"+": 1.0, "=": 1.0, "-": -1.0, "_": -1.0}  # plus needs Shift on most keyboards
_PAN_KEYS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}


class MatrixView(PictureCanvas[MatrixPicture]):
    """Shows a MatrixPicture. Its image is made once per window, place and theme."""

    pointed = Signal(object)
    """(row, column) under the pointer, or None; only when it changes."""
    chosen = Signal(int, int)
    """A click: row and column."""
    zoomed = Signal(object, object)
    """Wanted part: rows and columns, each (first, past the last)."""
    scaled = Signal()
    """The pixels of the picture have changed, and with them `per_pixel`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build an empty view."""
        super().__init__(parent)
        self.per_pixel: tuple[float, float] | None = None
        """Rows and columns of which a device pixel shows the strongest."""
        self._places: MatrixPlaces | None = None
        self._image: MatrixImage | None = None
        self._made_from: tuple[object, ...] = ()
        self._at: QPointF | None = None
        self._pressed: tuple[QPointF, Span, Span] | None = None
        self._dragging = False
        self._layers = Layers()
        self._item = pg.ImageItem(axisOrder="row-major")
        self.addItem(self._item)
        self.moved.connect(self._report)

    def show_picture(self, picture: MatrixPicture) -> None:
        """Draw a picture."""
        if self.picture is None or self.picture.made.role != picture.made.role:
            self._pointed = None
        super().show_picture(picture)

    def lay_out(self) -> None:
        """Divide the widget, make the image if its data, place or theme changed, and repaint."""
        super().lay_out()
        before, self.per_pixel, self._places = self.per_pixel, None, None
        self._item.setVisible(self.picture is not None and self._place(self.picture))
        if before != self.per_pixel:
            self.scaled.emit()

    def weight_at(self, at: QPointF) -> tuple[int, int] | None:
        """(row, column) at a position: the strongest of a pixel's weights where they are known one by one."""
        hit, picture, places = self.hit_at(at), self.picture, self._places
        if hit is None or picture is None or places is None:
            return None
        row, column = int(places.row_at(picture, at.y())), int(places.column_at(picture, at.x()))
        return _inside(row, hit.rows), _inside(column, hit.columns)

    def hit_at(self, at: QPointF) -> Hit | None:
        """What the pixel at a position shows."""
        if self._image is None or self._places is None:
            return None
        ratio = ratio_of(self)
        x = (at.x() - self._places.area.left()) * ratio
        y = (at.y() - self._places.area.top()) * ratio
        return self._image.hit(int(np.floor(x)), int(np.floor(y)))

    def paint_front(self, painter: QPainter) -> None:
        """Paint labels, numbers, lines and lens."""
        if self.picture is not None and self._places is not None:
            known = self._image is not None
            MatrixPainter(painter, self.picture, self._places).paint(self._layers, known=known)
        super().paint_front(painter)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a click or a drag."""
        super().mousePressEvent(event)
        picture, places = self.picture, self._places
        if picture is None or places is None or event.button() != Qt.MouseButton.LeftButton:
            return
        if places.small.contains(event.position()):
            self._centre_on(event.position(), picture, places)
        elif places.area.contains(event.position()):
            self._pressed = (event.position(), picture.rows, picture.columns)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Report the pointer with the next frame; a drag moves the picture along."""
        if self._pressed is not None and not self._dragging:
            self._dragging = (event.position() - self._pressed[0]).manhattanLength() > DRAG_PX
        super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Choose what was clicked, unless it was dragged."""
        super().mouseReleaseEvent(event)
        pressed, dragged = self._pressed, self._dragging
        self._pressed, self._dragging = None, False
        if pressed is None or dragged or event.button() != Qt.MouseButton.LeftButton:
            return
        at = self.weight_at(event.position())
        if at is not None:
            self.chosen.emit(*at)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Show the whole matrix again."""
        super().mouseDoubleClickEvent(event)
        if self.picture is not None and event.button() == Qt.MouseButton.LeftButton:
            self._show_all(self.picture)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom around the pointer; Shift (or a sideways wheel) moves the columns, Ctrl the rows."""
        picture, places = self.picture, self._places
        if picture is None or places is None:
            event.ignore()
            return
        event.accept()
        along, up = event.angleDelta().x() / _NOTCH, event.angleDelta().y() / _NOTCH
        held = event.modifiers()
        if held & Qt.KeyboardModifier.ShiftModifier or abs(along) > abs(up):
            self._pan(-(along or up) * _PAN_PER_NOTCH, 0.0)
        elif held & Qt.KeyboardModifier.ControlModifier:
            self._pan(0.0, -up * _PAN_PER_NOTCH)
        else:
            at = event.position() - places.area.topLeft()
            around = (at.x() / max(1.0, places.area.width()), at.y() / max(1.0, places.area.height()))
            self._zoom(up, around=around)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Plus and minus zoom around what is chosen, 0 shows all, Ctrl and arrows move; arrows alone step."""
        picture, pan = self.picture, _PAN_KEYS.get(Qt.Key(event.key()))
        if picture is None:
            super().keyPressEvent(event)
        elif event.text() in _ZOOM_KEYS and event.text():
            self._zoom(_ZOOM_KEYS[event.text()], around=_middle(picture))
        elif event.text() == "0":
            self._show_all(picture)
        elif pan is not None and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._pan(pan[0] * _PAN_PER_NOTCH, pan[1] * _PAN_PER_NOTCH)
        else:
            super().keyPressEvent(event)

    def _place(self, picture: MatrixPicture) -> bool:
        """Whether there is anything of the part in sight."""
        ratio = ratio_of(self)
        places = matrix_places(picture, QSizeF(self.size()), ratio=ratio)
        wide, high = places.pixels
        if wide < 1 or high < 1:
            self._image = None
            return False
        self._places = places
        made_from = (picture.made, picture.rows, picture.columns, places.pixels, picture.look.theme)
        if made_from != self._made_from:
            self._made_from = made_from
            self._image = matrix_image(
                picture.made,
                picture.rows,
                picture.columns,
                pixels=places.pixels,
                theme=theme_of(picture.look),
            )
            if self._image is not None:
                self._item.setImage(self._image.pixels, autoLevels=False)
        self.per_pixel = (
            per_pixel(picture.rows, picture.made.row_step, pixels=high),
            per_pixel(picture.columns, picture.made.column_step, pixels=wide),
        )
        self._item.setPos(places.area.topLeft())
        self._item.setTransform(QTransform.fromScale(1 / ratio, 1 / ratio))
        return self._image is not None

    def _report(self, at: QPointF | None) -> None:
        if self._dragging and at is not None:
            self._drag_to(at)
            return
        self.tell_pointed(None if at is None else self.weight_at(at))

    def _drag_to(self, at: QPointF) -> None:
        picture, places, pressed = self.picture, self._places, self._pressed
        if picture is None or places is None or pressed is None:
            return
        start, rows, columns = pressed
        down = (start.y() - at.y()) / max(1.0, places.area.height()) * (rows[1] - rows[0])
        right = (start.x() - at.x()) / max(1.0, places.area.width()) * (columns[1] - columns[0])
        self._ask(rows[0] + down, rows[1] - rows[0], columns[0] + right, columns[1] - columns[0])

    def _centre_on(self, at: QPointF, picture: MatrixPicture, places: MatrixPlaces) -> None:
        """Move to where the small map was clicked."""
        high, wide = picture.rows[1] - picture.rows[0], picture.columns[1] - picture.columns[0]
        row = (at.y() - places.small.top()) / places.small.height() * picture.made.shape[0]
        column = (at.x() - places.small.left()) / places.small.width() * picture.made.shape[1]
        self._ask(row - high / 2, high, column - wide / 2, wide)

    def _zoom(self, notches: float, *, around: tuple[float, float]) -> None:
        """Zoom so that the point at the shares `around` = (across, down) stays where it is."""
        picture = self.picture
        if picture is None:
            return
        asked = []
        axes = zip((picture.rows, picture.columns), picture.made.shape, around[::-1], strict=True)
        for seen, total, share in axes:
            now = seen[1] - seen[0]
            shown = min(total, max(min(LEAST, total), round(now / _ZOOM_PER_NOTCH**notches)))
            asked += [seen[0] + min(1.0, max(0.0, share)) * (now - shown), shown]
        self._ask(asked[0], int(asked[1]), asked[2], int(asked[3]))

    def _pan(self, across: float, down: float) -> None:
        """Move by shares of what is in sight."""
        picture = self.picture
        if picture is not None:
            high, wide = picture.rows[1] - picture.rows[0], picture.columns[1] - picture.columns[0]
            # At the deepest zoom a share of what is in sight may be less than one weight.
            steps = (_step(down * high), _step(across * wide))
            self._ask(picture.rows[0] + steps[0], high, picture.columns[0] + steps[1], wide)

    def _show_all(self, picture: MatrixPicture) -> None:
        self._ask(0, picture.made.shape[0], 0, picture.made.shape[1])

    def _ask(self, row: float, high: int, column: float, wide: int) -> None:
        picture = self.picture
        if picture is None:
            return
        rows, columns = (
            (start := min(total - shown, max(0, round(first))), start + shown)
            for first, shown, total in zip((row, column), (high, wide), picture.made.shape, strict=True)
        )
        if (rows, columns) != (picture.rows, picture.columns):
            self.zoomed.emit(rows, columns)


def _middle(picture: MatrixPicture) -> tuple[float, float]:
    """Shares of the part in sight around which keys zoom: the chosen row and column, else the middle."""
    shares = []
    for chosen, seen in zip(picture.chosen, (picture.rows, picture.columns), strict=True):
        inside = chosen is not None and seen[0] <= chosen < seen[1]
        shares.append(
            (chosen + 0.5 - seen[0]) / (seen[1] - seen[0]) if inside and chosen is not None else 0.5
        )
    return shares[1], shares[0]


def _step(wanted: float) -> float:
    return wanted if wanted == 0.0 or abs(wanted) >= 1.0 else float(np.sign(wanted))


def _inside(index: int, span: Span) -> int:
    return min(max(index, span[0]), span[1] - 1)
