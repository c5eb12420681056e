"""Painting of a grid of named numbers."""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from ffn_explorer.widgets.drawn_text import LEFT, RIGHT, draw_text
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.icons import draw_icon
from ffn_explorer.widgets.number_grid_plan import HEAD, Grid, GridCell, GridPlan
from ffn_explorer.widgets.sizes import line_px, px
from ffn_explorer.widgets.theme import blend, theme_of

TINT = 0.45
"""Opacity of the ground of the largest number."""


def paint_grid(painter: QPainter, grid: Grid, plan: GridPlan, *, cursor: tuple[int, int] | None) -> None:
    """Paint names, numbers, rules and the cursor, where there is one."""
    theme = theme_of(grid.look)
    for row, column, place in plan.seen(len(grid.rows)):
        cell = grid.cell(row, column)
        chosen = (row == grid.row and row != HEAD) or (column == grid.column and column != HEAD)
        _ground(painter, grid, place, cell=cell, chosen=chosen)
        _text(painter, grid, place, cell=cell, role=plan.role, head=(row == HEAD, column == HEAD))
    painter.setPen(QPen(QColor(theme.border), line_px(grid.look)))
    bottom = plan.line * (1 + min(plan.rows_seen, len(grid.rows) - plan.first_row))
    right = plan.names + sum(plan.widths[plan.first_column :])
    painter.drawLine(QPointF(0, plan.line), QPointF(min(plan.width, right), plan.line))
    for column in grid.gaps:
        head = plan.rect(HEAD, column)
        if head is not None:
            painter.drawLine(QPointF(head.left(), 0), QPointF(head.left(), bottom))
    _scrolled(painter, grid, plan, bottom=bottom)
    at = None if cursor is None else plan.rect(*cursor)
    if at is not None:
        painter.setPen(QPen(QColor(theme.focus), line_px(grid.look, 2)))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(at.adjusted(1, 1, -1, -1))


def _ground(painter: QPainter, grid: Grid, place: QRectF, *, cell: GridCell, chosen: bool) -> None:
    theme = theme_of(grid.look)
    if chosen:
        painter.fillRect(place, QColor(theme.sunken))
    if cell.tint:
        hue = theme.positive if cell.tint > 0 else theme.negative
        inside = place.adjusted(2, 2, -2, -2)
        painter.fillRect(inside, blend(hue, theme.surface, TINT * min(1.0, abs(cell.tint))))


def _text(
    painter: QPainter, grid: Grid, place: QRectF, *, cell: GridCell, role: str, head: tuple[bool, bool]
) -> None:
    """Text of a cell, and its icon before that; head: whether it names a column, and a row."""
    theme = theme_of(grid.look)
    face = font(grid.look, role, bold=cell.strong)
    pad = px(grid.look, 7)
    name, right = any(head), not head[1]
    room = place.adjusted(0 if not right else pad / 2, 0, -pad, 0)
    # Names may be longer than any column: the tooltip has them whole.
    shown = QFontMetricsF(face).elidedText(cell.text, Qt.TextElideMode.ElideRight, room.width() + 1)
    ink = theme.ink if cell.strong or not name else theme.muted
    draw_text(painter, shown, room, font=face, colour=ink, align=RIGHT if right else LEFT)
    if cell.icon:
        size = QFontMetricsF(face).ascent() * 0.8
        left = room.right() - QFontMetricsF(face).horizontalAdvance(shown) - size - pad / 2
        square = QRectF(left, room.center().y() - size / 2, size, size)
        draw_icon(painter, cell.icon, place=square, colour=QColor(ink), line=line_px(grid.look, 2))


def _scrolled(painter: QPainter, grid: Grid, plan: GridPlan, *, bottom: float) -> None:
    """Thin bars that tell which part is in sight."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme_of(grid.look).muted))
    thick = px(grid.look, 3)
    if plan.most_row:
        room, rows = bottom - plan.line, len(grid.rows)
        length = room * plan.rows_seen / rows
        painter.drawRect(QRectF(plan.width - thick, plan.line + room * plan.first_row / rows, thick, length))
    if plan.most_column:
        room, columns = plan.width - plan.names, len(plan.widths)
        seen = columns - plan.most_column
        length = room * seen / columns
        left = plan.names + room * plan.first_column / columns
        painter.drawRect(QRectF(left, bottom, length, thick))
