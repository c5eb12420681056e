"""GateLanes: gate, act, up, product and mask of one token as aligned strips over all neurons."""

import numpy as np
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QImage, QKeyEvent, QMouseEvent, QPainter, QWheelEvent
from PySide6.QtWidgets import QWidget

from ffn_explorer.core.stages import Stage
from ffn_explorer.widgets.device_pixels import ratio_of
from ffn_explorer.widgets.gate_lanes_paint import LanesPainter, lane_image
from ffn_explorer.widgets.gate_lanes_picture import Lane, LanePlaces, LanesPicture, LaneWords, lane_places
from ffn_explorer.widgets.layers import Layers
from ffn_explorer.widgets.picture_canvas import PictureCanvas
from ffn_explorer.widgets.pooling import Columns, columns
from ffn_explorer.widgets.sameness import same_parts
from ffn_explorer.widgets.theme import theme_of

__all__ = ["GateLanes", "Lane", "LaneWords", "LanesPicture"]

LEAST_SHOWN = 8
"""Neurons left in sight at the deepest zoom."""

_ZOOM_PER_NOTCH = 1.25
_PAN_PER_NOTCH = 0.1
_NOTCH = 120.0
_KEYS = {"+": 1.0, "=": 1.0, "-": -1.0, "_": -1.0}
"""The second of each is the first with Shift, on most keyboards."""


class GateLanes(PictureCanvas[LanesPicture]):
    """Shows a LanesPicture; its images are made once per data, place and theme."""

    pointed = Signal(object)
    """(stage or None for the mask, neuron) under the pointer, or None; only when it changes."""
    chosen = Signal(object)
    """The same, clicked."""
    zoomed = Signal(int, int)
    """Wanted range: first neuron, neurons shown (0: all)."""
    scaled = Signal()
    """Neurons per pixel have changed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build empty lanes."""
        super().__init__(parent)
        self.places: LanePlaces | None = None
        self.columns: Columns | None = None
        self._images: tuple[QImage, ...] = ()
        self._laid: Columns | None = None
        self._made_from: tuple[object, ...] = ()
        self._layers = Layers()
        self.moved.connect(self._report)

    def lay_out(self) -> None:
        """Divide the widget; make the images if their data, place or theme changed."""
        super().lay_out()
        shown, before = self.picture, self._per_pixel()
        self.places, self.columns = None, None
        if shown is not None:
            ratio = ratio_of(self)
            self.places = lane_places(shown, self.width(), self.height(), ratio=ratio)
        if shown is not None and self.places is not None:
            self._make_images(shown, self.places.pixels)
        if before != self._per_pixel():
            self.scaled.emit()

    def paint_front(self, painter: QPainter) -> None:
        """Paint lanes, covers and words."""
        if self.picture is not None and self.places is not None and self.columns is not None:
            made = LanesPainter(painter, self.picture, places=self.places, columns=self.columns)
            made.paint(self._images, self._layers)
        super().paint_front(painter)

    def at(self, place: QPointF) -> tuple[Stage | None, int] | None:
        """Stage (None for the mask) and neuron at a position: the strongest on that pixel of that lane."""
        shown, places, laid = self.picture, self.places, self.columns
        if shown is None or places is None or laid is None:
            return None
        lane = next((i for i, rect in enumerate(places.lanes) if rect.contains(place)), None)
        pixel = int((place.x() - places.left) * ratio_of(self))
        if lane is None or not 0 <= pixel < round(laid.used * shown.lanes[lane].progress):
            return None
        low, high = laid.range_at(pixel)
        size = np.nan_to_num(np.abs(shown.lanes[lane].exact[low:high]), nan=np.inf)
        stage = None if shown.lanes[lane].share is not None else shown.lanes[lane].stage
        return stage, low + int(np.argmax(size))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the neuron under the pointer."""
        super().mousePressEvent(event)
        at = self.at(event.position())
        if at is not None and event.button() == Qt.MouseButton.LeftButton:
            self.chosen.emit(at)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Show all neurons again."""
        super().mouseDoubleClickEvent(event)
        self.zoomed.emit(0, 0)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom around the pointer; with Shift, or sideways, move along."""
        shown, places = self.picture, self.places
        if shown is None or places is None:
            event.ignore()
            return
        event.accept()
        along, up = event.angleDelta().x(), event.angleDelta().y()
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier or abs(along) > abs(up):
            step = -(along or up) / _NOTCH * _PAN_PER_NOTCH * shown.shown
            self._ask(shown, shown.first + step, shown.shown)
            return
        share = (event.position().x() - places.left) / max(1.0, places.width)
        self._zoom(shown, up / _NOTCH, around=min(1.0, max(0.0, share)))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Plus and minus zoom around the chosen neuron, 0 shows all; arrows step."""
        shown, notches = self.picture, _KEYS.get(event.text())
        if shown is not None and notches is not None:
            at = 0.5 if shown.chosen is None else (shown.chosen + 0.5 - shown.first) / shown.shown
            self._zoom(shown, notches, around=min(1.0, max(0.0, at)))
        elif shown is not None and event.text() == "0":
            self.zoomed.emit(0, 0)
        else:
            super().keyPressEvent(event)

    def _per_pixel(self) -> float:
        return 0.0 if self.columns is None else self.columns.per_pixel

    def _make_images(self, shown: LanesPicture, pixels: int) -> None:
        made_from: tuple[object, ...] = (
            *(part for lane in shown.lanes for part in (lane.made, lane.share)),
            *shown.place,
            shown.width,
            shown.first,
            shown.shown,
            pixels,
            theme_of(shown.look),
        )
        if not same_parts(made_from, self._made_from):
            self._made_from = made_from
            made = shown.lanes[0].made
            # All stages are equally wide, and so their pyramids have the same levels.
            self._laid = columns(made, shown.width, first=shown.first, shown=shown.shown, pixels=pixels)
            self._images = tuple(
                lane_image(lane, self._laid, place=shown.place, theme=theme_of(shown.look))
                for lane in shown.lanes
            )
        self.columns = self._laid

    def _zoom(self, shown: LanesPicture, notches: float, *, around: float) -> None:
        least = min(LEAST_SHOWN, shown.width)
        wanted = min(shown.width, max(least, round(shown.shown / _ZOOM_PER_NOTCH**notches)))
        self._ask(shown, shown.first + around * (shown.shown - wanted), wanted)

    def _ask(self, shown: LanesPicture, first: float, count: int) -> None:
        if count >= shown.width:
            self.zoomed.emit(0, 0)
        else:
            self.zoomed.emit(min(shown.width - count, max(0, round(first))), count)

    def _report(self, at: QPointF | None) -> None:
        self.tell_pointed(None if at is None else self.at(at))
