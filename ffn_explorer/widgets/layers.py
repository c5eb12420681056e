"""Layers: painted parts of a picture, kept as images so that a frame only copies what has not changed."""

import math
from collections.abc import Callable, Hashable
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from ffn_explorer.widgets.flow_columns import Box
from ffn_explorer.widgets.vector import FINER, is_vector


class _Layer(NamedTuple):
    image: QImage
    at: QPointF


class Layers:
    """Images by key, at the device pixels of their place; which ones are there never changes what is seen."""

    def __init__(self, most: int = 1_024) -> None:
        """Start without any; once there are more than `most`, the one not drawn for longest goes."""
        self._most = most
        self._kept: dict[tuple[Hashable, float], _Layer] = {}
        self._newest: dict[str, Hashable] = {}

    def clear(self) -> None:
        """Forget all."""
        self._kept.clear()
        self._newest.clear()

    def draw_newest(
        self,
        painter: QPainter,
        name: str,
        key: Hashable,
        *,
        box: Box,
        paint: Callable[[QPainter], None],
        ground: str = "",
    ) -> None:
        """Draw a layer that has one version at a time; another key replaces the one before.

        ground: colour that fills the box first; words then look as on the canvas itself ("": nothing does).
        """
        if self._newest.get(name) != key and not is_vector(painter):
            before = self._newest.get(name)
            self._kept = {known: layer for known, layer in self._kept.items() if known[0] != (name, before)}
            self._newest[name] = key
        self.draw(painter, (name, key), box, paint, ground=ground)

    def draw(
        self,
        painter: QPainter,
        key: Hashable,
        box: Box,
        paint: Callable[[QPainter], None],
        *,
        ground: str = "",
    ) -> None:
        """Draw the layer of a key, made with `paint` when it is not here; box covers all that it paints.

        Into a file of shapes it is painted as it is: an image could not be enlarged, nor its words be found.
        """
        if is_vector(painter):
            _paint_onto(painter, box, paint, ground)
            return
        scale = device_scale(painter)
        kept = self._kept.pop((key, scale), None)
        if kept is None:
            kept = _painted(box, scale, paint, ground)
            if len(self._kept) >= self._most:
                del self._kept[next(iter(self._kept))]
        self._kept[key, scale] = kept
        painter.drawImage(kept.at, kept.image)


def device_scale(painter: QPainter) -> float:
    """Device pixels per logical pixel."""
    return max(0.25, painter.deviceTransform().m11())


def hatch_scale(painter: QPainter) -> float:
    """The same for tiles and strips, which are images wherever they are painted."""
    return FINER if is_vector(painter) else device_scale(painter)


def _paint_onto(painter: QPainter, box: Box, paint: Callable[[QPainter], None], ground: str) -> None:
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if ground:
        painter.fillRect(QRectF(box.x, box.y, box.right - box.x, box.h), QColor(ground))
    paint(painter)
    painter.restore()


def _painted(box: Box, scale: float, paint: Callable[[QPainter], None], ground: str) -> _Layer:
    # Whole device pixels: an image between them would be blurred when it is drawn.
    left, top = math.floor(box.x * scale), math.floor(box.y * scale)
    width, height = math.ceil(box.right * scale) - left, math.ceil(box.bottom * scale) - top
    clear = QImage.Format.Format_ARGB32_Premultiplied
    image = QImage(max(1, width), max(1, height), QImage.Format.Format_RGB32 if ground else clear)
    image.setDevicePixelRatio(scale)
    image.fill(QColor(ground) if ground else 0)
    at = QPointF(left / scale, top / scale)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(-at)
    paint(painter)
    painter.end()
    return _Layer(image, at)
