"""Attention, FFN, attention, FFN: every layer from left to right, one lane per token."""

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QPolygonF

from ffn_explorer.core.stages import Stage
from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.drawn_text import CENTRE, RIGHT, draw_text
from ffn_explorer.widgets.flow_columns import Box
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.place_words import draw_fitting
from ffn_explorer.widgets.sizes import line_px, px
from ffn_explorer.widgets.theme import Theme, blend, theme_of

PAIR_PX = 40
"""Least width of one attention and one FFN; with less room, one pair stands for several layers."""

NAMES_SHARE = 0.24
"""Most of the width that the tokens' names take."""

_ATTENTION = (0.06, 0.50)
_FFN = (0.58, 0.94)
"""Where both stand in a pair, as shares of its width."""


@dataclass(frozen=True, slots=True)
class DepthPicture:
    """What is drawn. tokens: their names; done: how far the pass has come, 0..1."""

    look: Appearance
    tokens: tuple[str, ...]
    layers: int
    layer: int
    causal: bool
    mixed: bool
    done: float
    chosen: int
    pointed: int | None
    heads: tuple[tuple[str, ...], tuple[str, ...]]
    """Wordings over the columns of attention and of FFNs."""
    axis: tuple[str, ...]
    """Wordings of the axis, the longest first."""
    pooled: tuple[tuple[int, tuple[str, ...]], ...]
    """The same where one pair stands for so many layers."""


@dataclass(frozen=True, slots=True)
class Lanes:
    """Geometry. area: of lanes and pairs, without names and axis; step: layers that one pair stands for."""

    area: Box
    names: float
    lane: float
    first: int
    shown: int
    layers: int
    step: int

    @property
    def pairs(self) -> int:
        """How many pairs are drawn."""
        return -(-self.layers // self.step)

    @property
    def pair(self) -> float:
        """Width of a pair."""
        return self.area.w / self.pairs

    def y(self, token: int) -> float:
        """Middle of a token's lane."""
        return self.area.y + (token - self.first + 0.5) * self.lane

    def token_at(self, x: float, y: float) -> int | None:
        """Token whose lane or name a point lies on."""
        if not (x <= self.area.right and self.area.y <= y < self.area.y + self.shown * self.lane):
            return None
        return self.first + int((y - self.area.y) / self.lane)

    def layer_at(self, x: float, y: float) -> int | None:
        """Layer at a point of the pairs, their heads or the axis; a pair of several is divided evenly."""
        if not self.area.x <= x < self.area.right or y < 0:
            return None
        pair = int((x - self.area.x) / self.pair)
        inside = (x - self.area.x) / self.pair - pair
        return min(self.layers - 1, pair * self.step + int(inside * self.step))


def lanes_in(room: Box, picture: DepthPicture) -> Lanes:
    """Lanes for as many tokens around the chosen one as fit, and pairs for all layers."""
    look, small = picture.look, font(picture.look, "small", bold=True)
    metrics = QFontMetricsF(small)
    line = metrics.height()
    widest = max((metrics.horizontalAdvance(token) for token in picture.tokens), default=0.0)
    names = min(widest, NAMES_SHARE * room.w) + px(look, 8)
    top, below = line + px(look, 3), 2 * line + px(look, 4)
    height = max(line, room.h - top - below)
    shown = max(1, min(len(picture.tokens), int(height / line)))
    first = min(max(0, picture.chosen - shown // 2), len(picture.tokens) - shown)
    width = max(1.0, room.w - names)
    most = max(1, int(width / px(look, PAIR_PX)))
    step = 1
    while -(-picture.layers // step) > most:
        step *= 2
    area = Box(room.x + names, room.y + top, width, height)
    return Lanes(area, names, height / shown, first, shown, picture.layers, step)


def paint_still(painter: QPainter, picture: DepthPicture, lanes: Lanes) -> None:
    """Paint what does not move with the pass: lanes, attention, the other layers' FFNs, names and axis."""
    theme = theme_of(picture.look)
    _paint_lanes(painter, picture, lanes, theme=theme)
    here = picture.layer // lanes.step
    for pair in range(lanes.pairs):
        _paint_attention(painter, picture, lanes, pair=pair, here=pair == here)
        if pair != here:
            _paint_ffns(painter, picture, lanes, pair=pair, here=False)
    _paint_axis(painter, picture, lanes, theme=theme)


def paint_moving(painter: QPainter, picture: DepthPicture, lanes: Lanes) -> None:
    """Paint the FFNs of the layer looked at, as far as the pass has come."""
    _paint_ffns(painter, picture, lanes, pair=picture.layer // lanes.step, here=True)


def _paint_ffns(painter: QPainter, picture: DepthPicture, lanes: Lanes, *, pair: int, here: bool) -> None:
    for token in range(lanes.first, lanes.first + lanes.shown):
        _paint_ffn(painter, picture, lanes, pair=pair, token=token, here=here)


def _paint_lanes(painter: QPainter, picture: DepthPicture, lanes: Lanes, *, theme: Theme) -> None:
    look = picture.look
    area = lanes.area
    here = picture.layer // lanes.step
    mark = QRectF(area.x + here * lanes.pair, 0, lanes.pair, area.bottom).adjusted(1, 0, -1, 0)
    painter.setPen(QPen(QColor(theme.ink), line_px(look, 1.6)))
    painter.setBrush(blend(theme.ink, theme.surface, 0.05))
    painter.drawRoundedRect(mark.adjusted(0, 1, 0, 2), px(look, 5), px(look, 5))
    for token in range(lanes.first, lanes.first + lanes.shown):
        chosen = token == picture.chosen
        y = lanes.y(token)
        place = QRectF(0, y - lanes.lane / 2, area.x - px(look, 6), lanes.lane)
        if token == picture.pointed:
            painter.fillRect(
                QRectF(0, place.top(), area.right, lanes.lane), blend(theme.ink, theme.surface, 0.08)
            )
        face = font(look, "small", bold=chosen)
        colour = theme.ink if chosen or token == picture.pointed else theme.muted
        name = QFontMetricsF(face).elidedText(
            picture.tokens[token], Qt.TextElideMode.ElideRight, place.width()
        )
        draw_text(painter, name, place, font=face, colour=colour, align=RIGHT)
        painter.setPen(
            QPen(QColor(theme.ink if chosen else theme.border), line_px(look, 2.0 if chosen else 1.0))
        )
        painter.drawLine(QPointF(area.x, y), QPointF(area.right, y))


def _paint_attention(
    painter: QPainter, picture: DepthPicture, lanes: Lanes, *, pair: int, here: bool
) -> None:
    """Lines from every lane that a token reads to its own; into the chosen and pointed they stand out."""
    look, theme = picture.look, theme_of(picture.look)
    left = lanes.area.x + pair * lanes.pair
    x0, x1 = (left + share * lanes.pair for share in _ATTENTION)
    real = here and picture.mixed
    faint = QPen(blend(theme.muted, theme.surface, 0.55 if real else 0.25), line_px(look, 0.8))
    strong = QPen(QColor(theme.ink if real else theme.muted), line_px(look, 1.2))
    if not real:
        strong.setDashPattern([3.0, 3.0])
    tokens = range(lanes.first, lanes.first + lanes.shown)
    marked = (picture.chosen, picture.pointed)
    for bold in (False, True):
        painter.setPen(strong if bold else faint)
        for reads in tokens:
            if (reads in marked) != bold:
                continue
            for source in tokens:
                if source != reads and (not picture.causal or source < reads):
                    painter.drawLine(QPointF(x0, lanes.y(source)), QPointF(x1, lanes.y(reads)))


def _paint_ffn(
    painter: QPainter, picture: DepthPicture, lanes: Lanes, *, pair: int, token: int, here: bool
) -> None:
    """The FFN on one lane: narrow, wide, narrow; that of the layer looked at fills with the pass."""
    look, theme = picture.look, theme_of(picture.look)
    colour = theme.stages[Stage.HIDDEN]
    left, y = lanes.area.x + pair * lanes.pair, lanes.y(token)
    x0, x1 = (left + share * lanes.pair for share in _FFN)
    high = min(0.80 * lanes.lane, 0.9 * (x1 - x0))
    low, mid = 0.4 * high, (x0 + x1) / 2
    ends = [(x0, -low), (mid, -high), (x1, -low), (x1, low), (mid, high), (x0, low)]
    shape = QPolygonF([QPointF(x, y + dy / 2) for x, dy in ends])
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.surface))
    painter.drawPolygon(shape)
    if here and picture.done > 0.0:
        painter.save()
        painter.setClipRect(QRectF(x0, y - high, (x1 - x0) * picture.done, 2 * high))
        painter.setBrush(blend(colour, theme.surface, 0.8 if token == picture.chosen else 0.45))
        painter.drawPolygon(shape)
        painter.restore()
    painter.setBrush(Qt.BrushStyle.NoBrush)
    edge = QColor(colour) if here else blend(theme.muted, theme.surface, 0.6)
    painter.setPen(QPen(edge, line_px(look, 1.6 if here else 1.0)))
    painter.drawPolygon(shape)


def _paint_axis(painter: QPainter, picture: DepthPicture, lanes: Lanes, *, theme: Theme) -> None:
    """Heads over the pairs, the layers' numbers under them, and what the axis counts."""
    look, area = picture.look, lanes.area
    metrics = QFontMetricsF(font(look, "small", bold=True))
    line, widest = metrics.height(), metrics.horizontalAdvance(str(picture.layers)) + px(look, 4)
    here, each = picture.layer // lanes.step, 1 + int(widest / lanes.pair)
    for pair in range(lanes.pairs):
        left, strong = area.x + pair * lanes.pair, pair == here
        face, colour = font(look, "small", bold=strong), theme.ink if strong else theme.muted
        for words, (start, end) in zip(picture.heads, (_ATTENTION, _FFN)):
            wide = (end - start + 0.1) * lanes.pair
            place = QRectF(left + (start - 0.05) * lanes.pair, area.y - line - 1, wide, line)
            draw_fitting(painter, words, place, font=face, colour=colour)
        if strong or (pair % each == 0 and abs(pair - here) >= each):
            place = QRectF(left - widest, area.bottom + px(look, 3), lanes.pair + 2 * widest, line)
            shown = str(picture.layer if strong else pair * lanes.step)
            draw_text(painter, shown, place, font=face, colour=colour, align=CENTRE)
    below = QRectF(area.x, area.bottom + line + px(look, 3), area.w, line)
    names = dict(picture.pooled).get(lanes.step, picture.axis)
    draw_fitting(painter, names, below, font=font(look, "small"), colour=theme.muted)
    _paint_beyond(painter, picture, lanes, line=line)


def _paint_beyond(painter: QPainter, picture: DepthPicture, lanes: Lanes, *, line: float) -> None:
    """How many tokens stand above and below those that fit."""
    below = len(picture.tokens) - lanes.first - lanes.shown
    small, wide = font(picture.look, "small"), lanes.area.x - px(picture.look, 6)
    for arrow, count, y in (("↑", lanes.first, 0.0), ("↓", below, lanes.area.bottom)):
        if count:
            place = QRectF(0, y, wide, line)
            colour = theme_of(picture.look).muted
            draw_text(painter, f"{arrow} {count}", place, font=small, colour=colour, align=RIGHT)
