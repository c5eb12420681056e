"""Rows of the position lab: one token each, with its two differences on a logarithmic axis."""

import math
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QPolygonF

from ffn_explorer.core.stages import Stage
from ffn_explorer.state import numbers
from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.drawn_text import RIGHT, draw_text, fitting
from ffn_explorer.widgets.flow_columns import Box
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.icons import draw_icon
from ffn_explorer.widgets.lab_axis import LogAxis, decades
from ffn_explorer.widgets.place_words import draw_fitting
from ffn_explorer.widgets.sizes import line_px, px
from ffn_explorer.widgets.theme import Theme, blend, theme_of

NAMES_SHARE = 0.22
NAME_SHARE = 0.7
"""Most of the axis that its name takes beside the labels."""

PLOT_SHARE = 0.36
"""Least share of the width for the axis; columns of numbers are left out sooner, the last one first."""


@dataclass(frozen=True, slots=True)
class TokenRow:
    """One token: differences alone (NaN: not run alone) and permuted."""

    token: str
    alone: float
    permuted: float


@dataclass(frozen=True, slots=True)
class RowsPicture:
    """All rows. done: how far the pass has come in its last stage; stale: numbers of an earlier pass."""

    look: Appearance
    rows: tuple[TokenRow, ...]
    tolerance: float
    chosen: int
    pointed: int | None
    done: float
    stale: bool
    heads: tuple[str, str]
    """Over the columns of numbers: alone, permuted."""
    line: tuple[str, ...]
    """Wordings at the line of the tolerance."""
    axis: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RowsPlan:
    """Where rows and columns stand. columns: right edges of the columns of numbers that fit."""

    axis: LogAxis
    row: float
    first: int
    shown: int
    columns: tuple[float, ...]
    icon: float
    beside: bool
    """Whether the axis is so low that its name stands at the end of its labels, not under them."""

    def y(self, token: int) -> float:
        """Middle of a token's row."""
        return self.axis.area.y + (token - self.first + 0.5) * self.row

    def token_at(self, y: float) -> int | None:
        """Token whose row a height lies in."""
        if not self.axis.area.y <= y < self.axis.area.y + self.shown * self.row:
            return None
        return self.first + int((y - self.axis.area.y) / self.row)


def rows_in(room: Box, picture: RowsPicture) -> RowsPlan:
    """As many rows around the chosen token as fit, the axis beside them, numbers where there is room."""
    look = picture.look
    metrics = QFontMetricsF(font(look, "small", bold=True))
    line, gap = metrics.height(), px(look, 8)
    names = min(max(metrics.horizontalAdvance(row.token) for row in picture.rows), NAMES_SHARE * room.w) + gap
    icon = px(look, 16)
    wide = (
        max(metrics.horizontalAdvance(words) for words in ("8.88×10⁻⁸⁸", *picture.heads)) + gap + px(look, 8)
    )
    zero = px(look, 16)
    fit = next(n for n in (2, 1, 0) if n == 0 or room.w - names - icon - n * wide >= PLOT_SHARE * room.w)
    width = max(1.0, room.w - names - icon - fit * wide - 1.5 * zero)
    top = line + px(look, 3)
    beside = room.h < top + 3 * line + px(look, 3)
    below = (line if beside else 2 * line) + px(look, 3)
    height = max(line, room.h - top - below)
    shown = max(1, min(len(picture.rows), int(height / line)))
    first = min(max(0, picture.chosen - shown // 2), len(picture.rows) - shown)
    area = Box(room.x + names + zero, room.y + top, width, height)
    values = (*(v for row in picture.rows for v in (row.alone, row.permuted)), picture.tolerance)
    low, high = decades(values)
    columns = tuple(area.right + zero / 2 + (n + 1) * wide - px(look, 4) for n in range(fit))
    axis = LogAxis(low, high, area, room.x + names + zero / 3)
    return RowsPlan(axis, height / shown, first, shown, columns, room.right - icon, beside)


def paint_rows(painter: QPainter, picture: RowsPicture, plan: RowsPlan) -> None:
    """Paint axis, tolerance and rows."""
    theme = theme_of(picture.look)
    for token, share in ((picture.pointed, 0.06), (picture.chosen, 0.10)):
        if token is not None and plan.first <= token < plan.first + plan.shown:
            top = plan.y(token) - plan.row / 2
            ground = QRectF(0.0, top, plan.icon + px(picture.look, 16), plan.row)
            painter.fillRect(ground, blend(theme.ink, theme.surface, share))
    _paint_axis(painter, picture, plan, theme=theme)
    for token in range(plan.first, plan.first + plan.shown):
        _paint_row(painter, picture, plan, token)
    _paint_heads(painter, picture, plan, theme=theme)


def _paint_axis(painter: QPainter, picture: RowsPicture, plan: RowsPlan, *, theme: Theme) -> None:
    """Grid, tick labels, the zero's place, and the ground on which differences are more than rounding."""
    look, axis = picture.look, plan.axis
    area, small = axis.area, font(look, "small")
    metrics = QFontMetricsF(small)
    line = metrics.height()
    limit = axis.x(picture.tolerance)
    beyond = QColor(theme.ink)
    beyond.setAlphaF(0.05)
    painter.fillRect(QRectF(limit, area.y, area.right - limit, area.h), beyond)
    painter.setPen(QPen(QColor(theme.grid), line_px(look)))
    right = _name_beside(painter, picture, plan, theme=theme) if plan.beside else math.inf
    least = max(metrics.horizontalAdvance(numbers.axis(10.0**axis.low)), px(look, 20)) + px(look, 8)
    for decade in axis.ticks(least):
        x = area.x + (decade - axis.low) / (axis.high - axis.low) * area.w
        painter.setPen(QPen(QColor(theme.grid), line_px(look)))
        painter.drawLine(QPointF(x, area.y), QPointF(x, area.bottom))
        words = numbers.axis(10.0**decade)
        half = metrics.horizontalAdvance(words) / 2 + 1
        if x - half > axis.zero + px(look, 10) and x + half <= right:
            place = QRectF(x - half, area.bottom + 2, 2 * half, line)
            draw_fitting(painter, (words,), place, font=small, colour=theme.muted)
    painter.setPen(QPen(QColor(theme.muted), line_px(look)))
    painter.drawLine(QPointF(axis.zero, area.y), QPointF(axis.zero, area.bottom))
    zero = QRectF(axis.zero - 8, area.bottom + 2, 16, line)
    draw_fitting(painter, ("0",), zero, font=small, colour=theme.muted)
    pen = QPen(QColor(theme.ink), line_px(look, 1.4))
    pen.setDashPattern([4.0, 3.0])
    painter.setPen(pen)
    painter.drawLine(QPointF(limit, area.y - 2), QPointF(limit, area.bottom))
    if not plan.beside:
        name = QRectF(axis.zero, area.bottom + line + 3, area.right - axis.zero, line)
        draw_fitting(painter, picture.axis, name, font=small, colour=theme.muted)


def _name_beside(painter: QPainter, picture: RowsPicture, plan: RowsPlan, *, theme: Theme) -> float:
    """Paint the axis' name at the end of its labels; where these have to end."""
    area, small = plan.axis.area, font(picture.look, "small")
    metrics = QFontMetricsF(small)
    words = fitting(picture.axis, small, area.w * NAME_SHARE)
    wide = metrics.horizontalAdvance(words) + 2
    place = QRectF(area.right - wide, area.bottom + 2, wide, metrics.height())
    draw_text(painter, words, place, font=small, colour=theme.muted, align=RIGHT)
    return area.right - wide - px(picture.look, 6)


def _paint_row(painter: QPainter, picture: RowsPicture, plan: RowsPlan, token: int) -> None:
    look, theme, row, y = picture.look, theme_of(picture.look), picture.rows[token], plan.y(token)
    chosen, pointed = token == picture.chosen, token == picture.pointed
    face = font(look, "small", bold=chosen)
    ink = theme.ink if chosen or pointed else theme.muted
    place = QRectF(0, y - plan.row / 2, plan.axis.zero - px(look, 10), plan.row)
    token_words = QFontMetricsF(face).elidedText(row.token, Qt.TextElideMode.ElideRight, place.width())
    draw_text(painter, token_words, place, font=face, colour=ink, align=RIGHT)
    if picture.done > 0.0:
        for value, alone in ((row.permuted, False), (row.alone, True)):
            _paint_mark(painter, picture, plan, value, y=y, alone=alone)
    ready = picture.done >= 1.0 and not picture.stale
    for value, edge in zip((row.alone, row.permuted), plan.columns):
        words = "…" if not ready else "–" if math.isnan(value) else numbers.short(value)
        column = QRectF(edge - 200, y - plan.row / 2, 200, plan.row)
        draw_text(painter, words, column, font=face, colour=ink, align=RIGHT)
    _paint_icon(painter, picture, plan, row, y=y, ready=ready)


def _paint_mark(
    painter: QPainter, picture: RowsPicture, plan: RowsPlan, value: float, *, y: float, alone: bool
) -> None:
    """A line from zero to the difference with a disc (alone) or a diamond (permuted) at its end."""
    if math.isnan(value):
        return
    look, theme = picture.look, theme_of(picture.look)
    x = plan.axis.zero + (plan.axis.x(value) - plan.axis.zero) * picture.done
    strong = theme.muted if picture.stale else theme.error if value > picture.tolerance else theme.ink
    painter.setPen(QPen(blend(strong, theme.surface, 0.5), line_px(look, 1.4)))
    if alone:
        painter.drawLine(QPointF(plan.axis.zero, y), QPointF(x, y))
    size = min(px(look, 4), plan.row * 0.36) if alone else min(px(look, 6), plan.row * 0.48)
    painter.setPen(QPen(QColor(strong), line_px(look, 1.2)))
    if alone:
        painter.setBrush(QColor(strong))
        painter.drawEllipse(QPointF(x, y), size, size)
    else:
        painter.setBrush(QColor(theme.surface))
        corners = [(0, -size), (size, 0), (0, size), (-size, 0)]
        painter.drawPolygon(QPolygonF([QPointF(x + dx, y + dy) for dx, dy in corners]))


def _paint_icon(
    painter: QPainter, picture: RowsPicture, plan: RowsPlan, row: TokenRow, *, y: float, ready: bool
) -> None:
    """A tick, a cross, or a dash while it cannot be told."""
    theme, side = theme_of(picture.look), px(picture.look, 12)
    worst = max(value for value in (row.alone, row.permuted) if not math.isnan(value))
    known = ready and (worst > picture.tolerance or not math.isnan(row.alone))
    name = "waits" if not known else "holds" if worst <= picture.tolerance else "breaks"
    colour = {"waits": theme.muted, "holds": theme.stages[Stage.ACT], "breaks": theme.error}[name]
    place = QRectF(plan.icon + px(picture.look, 3), y - side / 2, side, side)
    draw_icon(painter, name, place=place, colour=QColor(colour), line=line_px(picture.look, 1.8))


def _paint_heads(painter: QPainter, picture: RowsPicture, plan: RowsPlan, *, theme: Theme) -> None:
    """Marks and words over the columns, the tolerance over its line, and how many rows are out of sight."""
    look, axis = picture.look, plan.axis
    small = font(look, "small")
    metrics = QFontMetricsF(small)
    line = metrics.height()
    top = axis.area.y - line - px(look, 2)
    for words, edge, alone in zip(picture.heads, plan.columns, (True, False)):
        place = QRectF(edge - 200, top, 200, line)
        draw_text(painter, words, place, font=small, colour=theme.muted, align=RIGHT)
        x = edge - metrics.horizontalAdvance(words) - px(look, 8)
        size = px(look, 3.5) if alone else px(look, 4.5)
        painter.setPen(QPen(QColor(theme.ink), line_px(look)))
        painter.setBrush(QColor(theme.ink if alone else theme.surface))
        at = QPointF(x, top + line / 2)
        corners = [(0, -size), (size, 0), (0, size), (-size, 0)]
        if alone:
            painter.drawEllipse(at, size, size)
        else:
            painter.drawPolygon(QPolygonF([at + QPointF(dx, dy) for dx, dy in corners]))
    limit, free = axis.x(picture.tolerance), (axis.zero, axis.area.right + px(look, 4))
    for words in picture.line:
        wide = metrics.horizontalAdvance(words) + 2
        left = min(max(free[0], limit - wide / 2), free[1] - wide)
        if left >= free[0]:
            place = QRectF(left, top, wide, line)
            draw_text(painter, words, place, font=small, colour=theme.ink, align=RIGHT)
            break
    below = len(picture.rows) - plan.first - plan.shown
    for arrow, count, y in (("↑", plan.first, top), ("↓", below, axis.area.bottom + 1)):
        if count:
            place = QRectF(0, y, axis.zero - px(look, 10), line)
            draw_text(painter, f"{arrow} {count}", place, font=small, colour=theme.muted, align=RIGHT)
