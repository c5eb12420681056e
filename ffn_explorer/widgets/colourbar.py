"""Colour bar: the scale of a diverging map, with ticks at both limits and zero."""

from functools import lru_cache

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.axes import signed
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.sizes import px
from ffn_explorer.widgets.theme import Theme, diverging, theme_of

BAR_PX = 12
_GAP_PX = 6


@lru_cache(maxsize=64)
def bar_width(look: Appearance, limits: tuple[float, ...]) -> float:
    """Width of bar and labels, wide enough for each of these limits."""
    metrics = QFontMetricsF(font(look, "small"))
    texts = [signed(sign * limit) for limit in limits for sign in (1, -1)]
    return px(look, BAR_PX + _GAP_PX) + max((metrics.horizontalAdvance(text) for text in texts), default=0.0)


def draw_colour_bar(painter: QPainter, place: QRectF, *, limit: float, look: Appearance) -> None:
    """Paint the scale from +limit at the top to -limit at the bottom, zero in the middle."""
    theme = theme_of(look)
    strip = QRectF(place.left(), place.top(), px(look, BAR_PX), place.height())
    painter.drawImage(strip, _ramp(theme))
    painter.setFont(font(look, "small"))
    painter.setPen(QColor(theme.muted))
    line = QFontMetricsF(painter.font()).height()
    left = strip.right() + px(look, _GAP_PX)
    places = ((limit, strip.top()), (0.0, strip.center().y() - line / 2), (-limit, strip.bottom() - line))
    for value, top in places:
        if value == 0.0 and strip.height() < 3 * line:
            continue
        text = signed(value)
        where = QRectF(left, top, place.right() - left + 1, line)
        painter.drawText(where, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), text)


@lru_cache(maxsize=8)
def _ramp(theme: Theme) -> QImage:
    """One column of 255 colours, the strongest positive first."""
    colours = diverging(theme)[:0:-1]  # [255, 3], without the byte of what is not finite
    pixels = np.concatenate([colours, np.full((255, 1), 255, np.uint8)], axis=1)
    return QImage(pixels.tobytes(), 1, 255, 4, QImage.Format.Format_RGBA8888).copy()
