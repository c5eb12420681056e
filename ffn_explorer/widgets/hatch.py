"""Hatching: slanted lines that mark what is of another kind, at the same width on every screen."""

import math

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen, QPixmap, QTransform

from ffn_explorer.widgets.layers import device_scale


def hatched(painter: QPainter, colour: QColor, ground: QColor, *, step: float, line: float) -> QBrush:
    """Brush of slanted lines, `step` logical pixels apart and `line` thick, on a ground."""
    scale = device_scale(painter)
    side = max(4, round(step * scale))
    tile = QPixmap(side, side)
    tile.fill(ground)
    on = QPainter(tile)
    on.setRenderHint(QPainter.RenderHint.Antialiasing)
    on.setPen(QPen(colour, line * scale, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
    # Three parallels, so that the corners of neighbouring tiles meet.
    for shift in (-side, 0, side):
        on.drawLine(QPointF(shift - 1, side + 1), QPointF(shift + side + 1, -1))
    on.end()
    brush = QBrush(tile)
    brush.setTransform(QTransform.fromScale(1 / scale, 1 / scale))
    return brush


def whole(value: float, scale: float) -> float:
    """The nearest whole device pixel, in logical pixels."""
    return math.floor(value * scale + 0.5) / scale
