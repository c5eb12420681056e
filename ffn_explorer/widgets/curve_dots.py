"""Many round dots of one size and colour."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPixmap

from ffn_explorer.widgets.vector import is_vector


def draw_dots(
    painter: QPainter,
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    *,
    size: float,
    colour: QColor,
    ratio: float,
) -> None:
    """Paint dots around the points (x, y) `[N]`, at whole device pixels, in that order.

    size: diameter in logical pixels; ratio: device pixels per logical pixel.
    """
    if is_vector(painter):
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        for left, top in zip(x.tolist(), y.tolist(), strict=True):
            painter.drawEllipse(QPointF(left, top), size / 2, size / 2)
        painter.restore()
        return
    # One stamp many times: thirty times as fast as round points of a pen.
    stamp = _dot(size, colour, ratio=ratio)
    places = np.rint(np.stack([x, y], axis=1) * ratio - stamp.width() / 2).astype(np.int64)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    # In device pixels, which are whole numbers: a QPointF for each would take three times as long.
    painter.scale(1 / ratio, 1 / ratio)
    for left, top in places.tolist():
        painter.drawPixmap(left, top, stamp)
    painter.restore()


def _dot(size: float, colour: QColor, *, ratio: float) -> QPixmap:
    """A round dot of `size` logical pixels on clear ground, in device pixels."""
    side = int(np.ceil((size + 2) * ratio))
    image = QPixmap(side, side)
    image.setDevicePixelRatio(ratio)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawEllipse(QPointF(side / ratio / 2, side / ratio / 2), size / 2, size / 2)
    painter.end()
    image.setDevicePixelRatio(1.0)
    return image
