"""What stands around the dots of an atlas: histograms along its edges, the colour scale, words on a plate."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter, QPen

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.atlas_picture import AtlasPicture
from ffn_explorer.widgets.atlas_points import shades
from ffn_explorer.widgets.axes import signed
from ffn_explorer.widgets.drawn_text import CENTRE, LEFT, RIGHT, advance, draw_text
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.hatch import hatched
from ffn_explorer.widgets.layers import hatch_scale
from ffn_explorer.widgets.plot import Axes
from ffn_explorer.widgets.sizes import line_px, px
from ffn_explorer.widgets.theme import blend, theme_of

BINS = 60
RAMP_PX = 64
MOST_PLATE = 0.5
"""Share of the area's height that a plate may take; else it says the first line alone."""


def paint_edges(painter: QPainter, shown: AtlasPicture, axes: Axes, *, area: QRectF, high: int) -> None:
    """Histogram of what is in sight, above the area along x and right of it along y."""
    theme, points = theme_of(shown.look), shown.points
    x, y = points.x[points.kept], points.y[points.kept]
    with np.errstate(invalid="ignore"):
        seen = (x >= axes.x[0]) & (x <= axes.x[1]) & (y >= axes.y[0]) & (y <= axes.y[1])
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(blend(theme.muted, theme.surface, 0.42))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    gap = px(shown.look, 2)
    for place, share in _bars(x[seen], axes.x):
        left, right = (area.left() + part * area.width() for part in place)
        tall = share * high
        painter.drawRect(QRectF(left, area.top() - gap - tall, max(1.0, right - left - 1), tall))
    for place, share in _bars(y[seen], axes.y):
        low, top = (area.bottom() - part * area.height() for part in place)
        painter.drawRect(QRectF(area.right() + gap, top, share * high, max(1.0, low - top - 1)))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)


def _bars(values: NDArray[np.float32], ends: tuple[float, float]) -> list[tuple[tuple[float, float], float]]:
    """Place and height of each bar, as shares; the tallest is 1."""
    counts, edges = np.histogram(values, bins=BINS, range=ends)
    most = max(1, int(counts.max(initial=0)))
    shares = (edges - ends[0]) / (ends[1] - ends[0])
    return [
        ((float(shares[i]), float(shares[i + 1])), float(count) / most)
        for i, count in enumerate(counts)
        if count
    ]


def paint_scale(painter: QPainter, shown: AtlasPicture, line: QRectF) -> None:
    """Name and limits of the colours around a ramp, at the right end of a line."""
    look, small = shown.look, font(shown.look, "small")
    theme, gap = theme_of(look), px(look, 5)
    low, high = signed(-shown.points.limit), signed(shown.points.limit)
    ramp = px(look, RAMP_PX)
    fixed = advance(low, small) + advance(high, small) + ramp + 2 * gap + 2
    if fixed > line.width():
        return
    right = QRectF(line)
    right.setLeft(line.right() - advance(high, small) - 2)
    draw_text(painter, high, right, font=small, colour=theme.muted, align=RIGHT)
    tall = px(look, 8)
    strip = QRectF(right.left() - gap - ramp, line.center().y() - tall / 2, ramp, tall)
    painter.drawImage(strip, _ramp(shown))
    left = QRectF(
        strip.left() - gap - advance(low, small) - 2, line.top(), advance(low, small) + 2, line.height()
    )
    draw_text(painter, low, left, font=small, colour=theme.muted, align=RIGHT)
    name = next(
        (word for word in shown.scale if advance(word, small) + 2 * gap <= left.left() - line.left()), ""
    )
    if name:
        place = QRectF(line.left(), line.top(), left.left() - line.left() - 2 * gap, line.height())
        draw_text(painter, name, place, font=small, colour=theme.muted, align=RIGHT)


def _ramp(shown: AtlasPicture) -> QImage:
    """One row of 255 colours, the strongest negative first."""
    colours = np.rint(shades(theme_of(shown.look))[1:]).astype(np.uint8)  # [255, 3]
    pixels = np.concatenate([colours, np.full((255, 1), 255, np.uint8)], axis=1)
    return QImage(pixels.tobytes(), 255, 1, 255 * 4, QImage.Format.Format_RGBA8888).copy()


def paint_plate(
    painter: QPainter, lines: tuple[str, ...], at: QPointF, *, radius: float, area: QRectF, look: Appearance
) -> None:
    """Lines of words on a plate beside a dot, inside the area where they fit."""
    theme, small, bold = theme_of(look), font(look, "small"), font(look, "small", bold=True)
    pad, line = px(look, 6), QFontMetricsF(small).height()
    if len(lines) * line > area.height() * MOST_PLATE:
        lines = lines[:1]
    faces = [bold if number == 0 else small for number in range(len(lines))]
    wide = max(advance(words, face) for words, face in zip(lines, faces, strict=True)) + 2 * pad + 2
    plate = QRectF(at.x() + radius + pad, at.y() - radius - pad, wide, len(lines) * line + pad)
    if plate.right() > area.right():
        plate.moveRight(at.x() - radius - pad)
    if plate.left() < area.left():
        plate.moveLeft(max(area.left(), min(at.x() - wide / 2, area.right() - wide)))
        plate.moveBottom(at.y() - radius - pad)
    if plate.bottom() > area.bottom():
        plate.moveBottom(min(area.bottom(), at.y() - radius - pad))
    if plate.top() < area.top():
        plate.moveTop(
            min(max(area.top(), at.y() + radius + pad), max(area.top(), area.bottom() - plate.height()))
        )
    ground = QColor(theme.surface)
    ground.setAlphaF(0.93)
    painter.setPen(QPen(QColor(theme.border), line_px(look)))
    painter.setBrush(ground)
    painter.drawRoundedRect(plate, px(look, 5), px(look, 5))
    for number, (words, face) in enumerate(zip(lines, faces, strict=True)):
        place = QRectF(plate.left() + pad, plate.top() + pad / 2 + number * line, wide - pad, line)
        colour = theme.ink if number == 0 else theme.muted
        draw_text(painter, words, place, font=face, colour=colour, align=LEFT)


def paint_waiting(painter: QPainter, place: QRectF, sentence: str, look: Appearance) -> None:
    """A sentence in the middle of a hatched ground: the numbers are not there yet."""
    theme = theme_of(look)
    thin = blend(theme.muted, theme.surface, 0.22)
    brush = hatched(hatch_scale(painter), thin, QColor(theme.surface), step=px(look, 9), line=line_px(look))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
    painter.setPen(QPen(QColor(theme.border), line_px(look)))
    painter.setBrush(brush)
    painter.drawRoundedRect(place.adjusted(1, 1, -1, -1), px(look, 6), px(look, 6))
    body = font(look, "body")
    wide = advance(sentence, body) + 2 * px(look, 14)
    high = QFontMetricsF(body).height() + 2 * px(look, 6)
    plate = QRectF(0, 0, min(wide, place.width() - 8), high)
    plate.moveCenter(place.center())
    painter.setBrush(QColor(theme.surface))
    painter.drawRoundedRect(plate, px(look, 6), px(look, 6))
    draw_text(painter, sentence, plate.adjusted(6, 0, -6, 0), font=body, colour=theme.muted, align=CENTRE)
