"""Table of the position lab: one line per number format, and one each without and with the mixer."""

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from ffn_explorer.core.stages import Stage
from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.drawn_text import LEFT, RIGHT, draw_text
from ffn_explorer.widgets.flow_columns import Box
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.icons import draw_icon
from ffn_explorer.widgets.sizes import line_px, px
from ffn_explorer.widgets.theme import theme_of

VERDICT = 4
"""Column of the word beside the tick or cross."""

_OPTIONAL = (2, VERDICT)
"""Columns that are left out, in this order, where the width does not hold all: permuted, then the word."""


@dataclass(frozen=True, slots=True)
class Line:
    """One check: its cells (name, alone, permuted, tolerance, verdict); holds: None where there is none."""

    cells: tuple[str, ...]
    holds: bool | None
    strong: bool = False
    ruled: bool = False
    """Whether a rule stands above it."""


@dataclass(frozen=True, slots=True)
class TablePicture:
    """The table: heads of its columns, and lines."""

    look: Appearance
    heads: tuple[str, ...]
    lines: tuple[Line, ...]


def line_height(look: Appearance) -> float:
    """Height of a line of the table."""
    return QFontMetricsF(font(look, "small")).height() + px(look, 4)


def paint_table(painter: QPainter, picture: TablePicture, room: Box) -> None:
    """Paint the lines that fit, from the top."""
    look, theme = picture.look, theme_of(picture.look)
    edges = _columns(picture, room)
    height = min(line_height(look) * 1.4, max(1.0, room.h / (len(picture.lines) + 1)))
    height = max(height, QFontMetricsF(font(look, "small")).height())
    y = room.y
    lines = (Line(picture.heads, None), *picture.lines)
    for place, line in enumerate(lines):
        if y + height > room.bottom + 1:
            break
        if line.ruled or place == 1:
            painter.setPen(QPen(QColor(theme.border), line_px(look)))
            painter.drawLine(QPointF(room.x, y), QPointF(room.right, y))
        _paint_line(painter, picture, line, QRectF(room.x, y, room.w, height), edges=edges, head=place == 0)
        y += height


def _paint_line(
    painter: QPainter,
    picture: TablePicture,
    line: Line,
    place: QRectF,
    *,
    edges: dict[int, tuple[float, float]],
    head: bool,
) -> None:
    look, theme = picture.look, theme_of(picture.look)
    face = font(look, "small", bold=line.strong)
    ink = theme.muted if head or line.holds is None else theme.ink
    for column, (left, right) in edges.items():
        if column >= len(line.cells):
            continue
        # A line without a check says why over all its columns.
        spans = line.holds is None and not head and column > 0
        start = left + (_icon_room(look) if column == VERDICT else 0)
        cell = QRectF(start, place.top(), (place.right() if spans else right) - start, place.height())
        align = LEFT if column in (0, VERDICT) or spans else RIGHT
        draw_text(painter, line.cells[column], cell, font=face, colour=ink, align=align)
    if line.holds is not None:
        side = px(look, 12)
        left = edges[VERDICT][0] if VERDICT in edges else place.right() - side - 1
        icon = QRectF(left, place.center().y() - side / 2, side, side)
        name, colour = ("holds", theme.stages[Stage.ACT]) if line.holds else ("breaks", theme.error)
        draw_icon(painter, name, place=icon, colour=QColor(colour), line=line_px(look, 1.8))


def _icon_room(look: Appearance) -> int:
    return px(look, 16)


def _columns(picture: TablePicture, room: Box) -> dict[int, tuple[float, float]]:
    """Left and right edge of each column that fits."""
    metrics = QFontMetricsF(font(picture.look, "small", bold=True))
    gap = float(px(picture.look, 12))
    checks = [line.cells for line in picture.lines if line.holds is not None]
    rows = [picture.heads, *checks]
    wide = [max(metrics.horizontalAdvance(cells[n]) for cells in rows) + 2 for n in range(len(picture.heads))]
    names = [metrics.horizontalAdvance(line.cells[0]) + 2 for line in picture.lines]
    wide[0] = max(wide[0], *names)
    wide[VERDICT] += _icon_room(picture.look)
    shown = list(range(len(wide)))
    icon = 0.0
    for column in _OPTIONAL:
        if sum(wide[n] + gap for n in shown) - gap + icon <= room.w:
            break
        shown.remove(column)
        icon = _icon_room(picture.look) if column == VERDICT else icon
    spare = max(0.0, room.w - icon - sum(wide[n] for n in shown))
    gap = min(spare / max(1, len(shown) - 1), px(picture.look, 40))
    left, edges = room.x, {}
    for n in shown:
        edges[n] = (left, left + wide[n])
        left += wide[n] + gap
    return edges
