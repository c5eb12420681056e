"""Hatching: slanted lines that mark what is of another kind, at the same width on every screen."""

import math
from functools import lru_cache

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QBrush, QColor, QImage, QPainter, QPen, QTransform


def hatched(scale: float, colour: QColor, ground: QColor, *, step: float, line: float) -> QBrush:
    """Brush of slanted lines, `step` logical pixels apart and `line` thick, on a ground without holes.

    scale: device pixels per logical pixel. The same object each time: never to be changed.
    """
    return _made(scale, colour.name(), ground.name(), step, line)


@lru_cache(maxsize=16)
def _made(scale: float, colour: str, ground: str, step: float, line: float) -> QBrush:
    side = max(4, round(step * scale))
    # Not a pixmap, which may not outlive the application.
    tile = QImage(side, side, QImage.Format.Format_RGB32)
    tile.fill(QColor(ground))
    on = QPainter(tile)
    on.setRenderHint(QPainter.RenderHint.Antialiasing)
    on.setPen(QPen(QColor(colour), line * scale, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
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
