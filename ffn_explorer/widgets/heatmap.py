"""HeatMap: rows x columns as an image at exact device pixels, with labels, scale, selection and pointer."""

from html import escape

import numpy as np
from PySide6.QtCore import QPointF, QSizeF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QTransform, QWheelEvent
from PySide6.QtWidgets import QWidget

from ffn_explorer.widgets.device_pixels import ratio_of
from ffn_explorer.widgets.layers import Layers
from ffn_explorer.widgets.map_frame import MapPainter
from ffn_explorer.widgets.map_image import MapImage, map_image
from ffn_explorer.widgets.map_picture import MapPicture, MapPlaces, map_places
from ffn_explorer.widgets.opaque_image import OpaqueImage
from ffn_explorer.widgets.picture_canvas import PictureCanvas
from ffn_explorer.widgets.pooling import ZERO, Columns, columns
from ffn_explorer.widgets.sameness import same_parts
from ffn_explorer.widgets.theme import theme_of

LEAST_COLUMNS = 8
"""Columns left in sight at the deepest zoom."""

_ZOOM_PER_NOTCH = 1.25
_PAN_PER_NOTCH = 0.1
_NOTCH = 120.0
_MINUS_KEY = "_"  # minus with Shift, which the plus key needs on most keyboards


class HeatMap(PictureCanvas[MapPicture]):
    """Shows a MapPicture. Its image is made once per data, place and theme; a frame only moves the cover."""

    pointed = Signal(object)
    """(row, column) under the pointer, or None; only when it changes."""
    chosen = Signal(int, object)
    """A click: row, and column or None where no column stands."""
    zoomed = Signal(int, int)
    """Wanted range: first column, columns shown (0: all)."""
    scaled = Signal()
    """The pixels of the map have changed, and with them `columns`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build an empty map."""
        super().__init__(parent)
        self.columns: Columns | None = None
        self.rows_per_pixel = 0.0
        self._places: MapPlaces | None = None
        self._image: MapImage | None = None
        self._made_from: tuple[object, ...] = ()
        self._layers = Layers()
        self._item = OpaqueImage()
        self.addItem(self._item)
        self.moved.connect(self._report)

    def show_picture(self, picture: MapPicture) -> None:
        """Draw a picture."""
        if self.picture is not None and self.picture.stage != picture.stage:
            self._pointed = None
        super().show_picture(picture)

    def lay_out(self) -> None:
        """Divide the widget, make the image if its data, place or theme changed, and repaint."""
        super().lay_out()
        before = self._scale()
        self.columns, self._places = None, None
        self._item.setVisible(self.picture is not None and self._place(self.picture))
        if before != self._scale():
            self.scaled.emit()

    def cell_at(self, at: QPointF) -> tuple[int, int] | None:
        """(row, column) of the strongest member of the pixel at a position; None where nothing is shown."""
        picture, places, image, laid = self.picture, self._places, self._image, self.columns
        if picture is None or places is None or image is None or laid is None:
            return None
        x, y = self._device_pixel(at, places)
        if not (0 <= x < round(laid.used * picture.progress) and 0 <= y < places.pixels[1]):
            return None
        first_row, past_row = int(image.rows.low[y]), int(image.rows.high[y])
        first, past = laid.range_at(x)
        block = picture.exact[first_row:past_row, first:past]
        row, column = np.unravel_index(_shown_member(block, image.byte_at(y, x)), block.shape)
        return first_row + int(row), first + int(column)

    def token_at(self, at: QPointF) -> str:
        """The whole token whose label lies at a position, "" beside the labels."""
        picture, places = self.picture, self._places
        if picture is None or places is None or not 0 <= at.x() < places.area.left():
            return ""
        _, y = self._device_pixel(at, places)
        high = places.pixels[1]
        return picture.rows[y * len(picture.rows) // high] if 0 <= y < high else ""

    def paint_front(self, painter: QPainter) -> None:
        """Paint labels, scale and selection."""
        if self.picture is not None and self._places is not None and self.columns is not None:
            MapPainter(painter, self.picture, places=self._places, columns=self.columns).paint(self._layers)
        super().paint_front(painter)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the cell, or only the row beside the image."""
        super().mousePressEvent(event)
        places = self._places
        if self.picture is None or places is None or event.button() != Qt.MouseButton.LeftButton:
            return
        _, y = self._device_pixel(event.position(), places)
        inside = 0 <= y < places.pixels[1] and event.position().x() <= places.area.right()
        if inside and self._image is not None:
            cell = self.cell_at(event.position())
            row, column = (int(self._image.rows.low[y]), None) if cell is None else cell
            self.chosen.emit(row, column)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Show all columns again."""
        super().mouseDoubleClickEvent(event)
        if self.picture is not None and event.button() == Qt.MouseButton.LeftButton:
            self.zoomed.emit(0, 0)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom the columns around the pointer; with Shift, or sideways, move along them."""
        if self.picture is None or self._places is None:
            event.ignore()
            return
        event.accept()
        along, up = event.angleDelta().x(), event.angleDelta().y()
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier or abs(along) > abs(up):
            self._pan(-(along or up) / _NOTCH)
            return
        share = (event.position().x() - self._places.area.left()) / max(1.0, self._places.area.width())
        self._zoom(up / _NOTCH, around=min(1.0, max(0.0, share)))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Plus and minus zoom around the chosen column, 0 shows all; arrows step."""
        notches = {"+": 1.0, "=": 1.0, "-": -1.0, _MINUS_KEY: -1.0}.get(event.text())
        if self.picture is not None and notches is not None:
            self._zoom(notches, around=self._chosen_share(self.picture))
        elif self.picture is not None and event.text() == "0":
            self.zoomed.emit(0, 0)
        else:
            super().keyPressEvent(event)

    def _scale(self) -> tuple[float, float] | None:
        return None if self.columns is None else (self.columns.per_pixel, self.rows_per_pixel)

    def _place(self, picture: MapPicture) -> bool:
        """Whether there is anything of the stage in sight."""
        ratio = ratio_of(self)
        places = map_places(picture, QSizeF(self.size()), ratio=ratio)
        wide, high = places.pixels
        if wide < 1 or high < 1:
            return False
        self._places = places
        self.rows_per_pixel = len(picture.rows) / high
        made_from: tuple[object, ...] = (
            picture.made,
            picture.share,
            picture.sentence,
            *picture.exact.shape,
            picture.first,
            picture.shown,
            *places.pixels,
            picture.look.theme,
        )
        if not same_parts(made_from, self._made_from) or self._image is None:
            self._made_from = made_from
            self._make_image(picture, wide, high)
        else:
            self.columns = self._columns
        self._item.setPos(places.area.topLeft())
        self._item.setTransform(QTransform.fromScale(1 / ratio, 1 / ratio))
        return self._image is not None

    def _make_image(self, picture: MapPicture, wide: int, high: int) -> None:
        width = picture.exact.shape[1]
        laid = columns(picture.made, width, first=picture.first, shown=picture.shown, pixels=wide)
        self.columns = self._columns = laid
        if not laid.used:
            self._image = None
            return
        rows = (picture.sentence, len(picture.rows))
        theme = theme_of(picture.look)
        self._image = map_image(picture.made, picture.share, rows=rows, at=laid, height=high, theme=theme)
        self._item.setImage(self._image.pixels, autoLevels=False)

    def _report(self, at: QPointF | None) -> None:
        token = "" if at is None else escape(self.token_at(at))
        self.setToolTip(f"<p>{token}</p>" if token else "")
        self.tell_pointed(None if at is None else self.cell_at(at))

    def _device_pixel(self, at: QPointF, places: MapPlaces) -> tuple[int, int]:
        ratio = ratio_of(self)
        x, y = (at.x() - places.area.left()) * ratio, (at.y() - places.area.top()) * ratio
        return int(np.floor(x)), int(np.floor(y))

    def _chosen_share(self, picture: MapPicture) -> float:
        if picture.column is None:
            return 0.5
        return min(1.0, max(0.0, (picture.column + 0.5 - picture.first) / picture.shown))

    def _zoom(self, notches: float, *, around: float) -> None:
        if self.picture is None:
            return
        now, axis = self.picture.shown, self.picture.axis
        shown = min(axis, max(min(LEAST_COLUMNS, axis), round(now / _ZOOM_PER_NOTCH**notches)))
        self._ask(self.picture.first + around * (now - shown), shown, axis=axis)

    def _pan(self, notches: float) -> None:
        if self.picture is not None:
            step = notches * _PAN_PER_NOTCH * self.picture.shown
            self._ask(self.picture.first + step, self.picture.shown, axis=self.picture.axis)

    def _ask(self, first: float, shown: int, *, axis: int) -> None:
        if shown >= axis:
            self.zoomed.emit(0, 0)
            return
        self.zoomed.emit(min(axis - shown, max(0, round(first))), shown)


def _shown_member(block: np.ndarray, byte: int) -> int:
    """Flat index of the member whose colour a pixel shows: the strongest of its sign, or a not finite one."""
    if byte == 0:
        return int(np.argmin(np.isfinite(block)))
    strength = np.abs(block) if byte == ZERO else block if byte > ZERO else -block
    return int(np.nanargmax(np.where(np.isfinite(block), strength, -np.inf)))
