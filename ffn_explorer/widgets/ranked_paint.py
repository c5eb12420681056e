"""How a ranked list is painted: heads, rows with their bars, and the scroll marker."""

import math
from functools import partial

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from ffn_explorer.state import numbers
from ffn_explorer.widgets.axes import signed
from ffn_explorer.widgets.drawn_text import CENTRE, LEFT, RIGHT, draw_text
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.ranking import MARKER_PX, Laid, Ranking, Row
from ffn_explorer.widgets.sizes import line_px, px
from ffn_explorer.widgets.theme import Theme, blend, theme_of

_FADED = 0.4
"""Opacity of the bars of faded rows."""


def paint_ranking(painter: QPainter, ranking: Ranking, laid: Laid) -> None:
    """Paint all of a ranking."""
    _paint_heads(painter, ranking, laid)
    paired = any(row.other is not None for row in laid.rows)
    for i, row in enumerate(laid.rows):
        _paint_row(painter, ranking, laid, place=laid.place(i), row=row, paired=paired)
    if ranking.total > laid.in_sight:
        _paint_marker(painter, ranking, laid)


def marker_place(ranking: Ranking, laid: Laid) -> QRectF:
    """Where the scroll marker stands; as long as the share of the rows in sight, but never tiny."""
    track = laid.row * laid.in_sight
    length = max(px(ranking.look, 24), track * laid.in_sight / ranking.total)
    share = laid.first / max(1, ranking.total - laid.in_sight)
    width = px(ranking.look, MARKER_PX)
    return QRectF(laid.width + px(ranking.look, 4), laid.head + share * (track - length), width, length)


def _paint_heads(painter: QPainter, ranking: Ranking, laid: Laid) -> None:
    small = font(ranking.look, "small")
    write = partial(draw_text, painter, font=small, colour=theme_of(ranking.look).muted)
    for column, (left, right) in zip(ranking.columns, laid.columns, strict=False):
        place = QRectF(left, 0, right - left, laid.head)
        write(column.head, place, align=LEFT if column.align == "left" else RIGHT)
    left, right = laid.bar
    place = QRectF(left, 0, right - left, laid.head)
    low = numbers.axis(-ranking.limit) if ranking.signed else "0"
    plain = numbers.percent if ranking.percent else numbers.axis
    high = signed(ranking.limit) if ranking.signed else plain(ranking.limit)
    metrics = QFontMetricsF(small)
    ends = max(metrics.horizontalAdvance(low), metrics.horizontalAdvance(high))
    if 2 * ends + px(ranking.look, 8) > place.width():
        return
    write(low, place, align=LEFT)
    write(high, place, align=RIGHT)
    inner = place.adjusted(ends + px(ranking.look, 6), 0, -ends - px(ranking.look, 6), 0)
    if metrics.horizontalAdvance(ranking.bar_head) <= inner.width():
        write(ranking.bar_head, inner, align=CENTRE)


def _paint_row(
    painter: QPainter, ranking: Ranking, laid: Laid, *, place: QRectF, row: Row, paired: bool
) -> None:
    theme, look = theme_of(ranking.look), ranking.look
    chosen, hovered = row.key == ranking.chosen, row.key == ranking.hovered
    ground = theme.surface
    if chosen or hovered:
        ground = theme.sunken if chosen else blend(theme.sunken, theme.surface, 0.55).name()
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(ground))
        painter.drawRoundedRect(place.adjusted(0, 0.5, 0, -0.5), px(look, 5), px(look, 5))
    colour = theme.muted if row.faded else theme.ink
    for i, (left, right) in enumerate(laid.columns):
        align = LEFT if ranking.columns[i].align == "left" else RIGHT
        face = font(look, "body", bold=chosen and i == 0)
        box = QRectF(left, place.top(), right - left, place.height())
        draw_text(painter, row.texts[i], box, font=face, colour=colour, align=align)
    left, right = laid.bar
    height = px(look, 4 if paired else 8)
    box = QRectF(left, place.center().y() - height / 2, right - left, height)
    if paired:
        box.moveTop(place.center().y() - height - line_px(look) / 2)
    _paint_bar(painter, ranking, box, value=row.value, ground=ground, faded=row.faded, colour=row.colour)
    if row.other is not None:
        box.moveTop(place.center().y() + line_px(look) / 2)
        _paint_bar(painter, ranking, box, value=row.other, ground=ground, other=True)


def _paint_bar(
    painter: QPainter,
    ranking: Ranking,
    box: QRectF,
    *,
    value: float,
    ground: str,
    other: bool = False,
    faded: bool = False,
    colour: str = "",
) -> None:
    """Track, and on it the bar; what is not finite fills it in its own colour."""
    theme, radius = theme_of(ranking.look), box.height() / 3
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(blend(theme.ink, ground, 0.07))
    painter.drawRoundedRect(box, radius, radius)
    if value == 0.0 or ranking.progress <= 0.0:
        return
    finite = math.isfinite(value)
    share = min(1.0, abs(value) / ranking.limit) if finite and ranking.limit > 0.0 else 1.0
    room = box.width() / 2 if ranking.signed and finite else box.width()
    bar = QRectF(box)
    bar.setWidth(max(1.0, room * share * ranking.progress))
    if ranking.signed and finite:
        start = box.center().x()
        bar.moveLeft(start - bar.width() if value < 0.0 else start)
    colour = colour or _bar_colour(theme, value, other=other)
    painter.setBrush(blend(colour, ground, _FADED) if faded else QColor(colour))
    painter.drawRoundedRect(bar, min(radius, bar.width() / 2), radius)


def _bar_colour(theme: Theme, value: float, *, other: bool) -> str:
    if not math.isfinite(value):
        return theme.non_finite
    if other:
        return theme.muted
    return theme.negative if value < 0.0 else theme.positive


def _paint_marker(painter: QPainter, ranking: Ranking, laid: Laid) -> None:
    theme = theme_of(ranking.look)
    place = marker_place(ranking, laid)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(blend(theme.muted, theme.surface, 0.5))
    painter.drawRoundedRect(place, place.width() / 2, place.width() / 2)
