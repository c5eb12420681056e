"""Layers: painted parts of a picture, kept as images so that a frame only copies what has not changed."""

import math
from collections.abc import Callable, Hashable
from typing import NamedTuple

from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QImage, QPainter

from ffn_explorer.widgets.flow_columns import Box


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
        if self._newest.get(name) != key:
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
        """Draw the layer of a key, made with `paint` when it is not here; box covers all that it paints."""
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
