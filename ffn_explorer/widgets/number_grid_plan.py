"""A grid of named numbers: its values, and where its cells stand in a widget of some size."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.sizes import px

Place = tuple[str, int, int]
"""What a cell stands for: a kind, and two indices."""

ROOMIER, WIDER = 1.7, 2.0
"""How much higher and wider than needed lines and columns become where there is room."""

HEAD = -1
"""Row of the columns' names, and column of the rows' names."""


class GridCell(NamedTuple):
    """One cell: its text, what typing in it changes (None: nothing), and the text that an editor starts from.

    tint: -1..1, sign and strength of its ground.  icon: name of the one that stands before the text, or "".
    """

    text: str
    place: Place | None = None
    typed: str = ""
    strong: bool = False
    tint: float = 0.0
    icon: str = ""


@dataclass(frozen=True, slots=True)
class Grid:
    """Names of columns, rows of a name and its cells, and what of it is in sight.

    gaps: columns before which a rule stands.  row, column: chosen ones.  name: for screen readers.
    """

    look: Appearance
    name: str
    corner: str
    columns: tuple[GridCell, ...]
    rows: tuple[tuple[GridCell, tuple[GridCell, ...]], ...]
    gaps: frozenset[int] = frozenset()
    row: int | None = None
    column: int | None = None
    first_row: int = 0
    first_column: int = 0

    def cell(self, row: int, column: int) -> GridCell:
        """Cell at a place; HEAD gives the names."""
        if row == HEAD:
            return GridCell(self.corner) if column == HEAD else self.columns[column]
        return self.rows[row][0] if column == HEAD else self.rows[row][1][column]


@dataclass(frozen=True, slots=True)
class GridPlan:
    """Heights, widths and first cells in sight; sizes in pixels.

    role: of the font; numbers are larger where there is room both ways.
    """

    line: float
    names: float
    widths: tuple[float, ...]
    first_row: int
    first_column: int
    rows_seen: int
    most_row: int
    most_column: int
    width: float
    role: str

    def rect(self, row: int, column: int) -> QRectF | None:
        """Place of a cell, None while it is out of sight."""
        y = 0.0 if row == HEAD else (row - self.first_row + 1) * self.line
        if row != HEAD and not self.first_row <= row < self.first_row + self.rows_seen:
            return None
        if column == HEAD:
            return QRectF(0, y, self.names, self.line)
        if column < self.first_column:
            return None
        x = self.names + sum(self.widths[self.first_column : column])
        if x + self.widths[column] > self.width + 1 and column > self.first_column:
            return None
        return QRectF(x, y, self.widths[column], self.line)

    def seen(self, rows: int) -> Iterator[tuple[int, int, QRectF]]:
        """Row, column and place of every cell in sight, names included."""
        for row in (HEAD, *range(self.first_row, min(rows, self.first_row + self.rows_seen))):
            for column in (HEAD, *range(self.first_column, len(self.widths))):
                place = self.rect(row, column)
                if place is not None:
                    yield row, column, place


def plan_of(grid: Grid, width: float, height: float) -> GridPlan:
    """Places of a grid in a widget of this size; the names stay, the numbers scroll.

    Where everything is in sight and room is left, lines and columns grow, and then the type with them.
    """
    line, names, widths = _needed(grid, width, "small")
    lines, role, most = len(grid.rows) + 1, "small", line * ROOMIER
    larger = _needed(grid, width, "body")
    if larger[0] * lines <= height and larger[1] + sum(larger[2]) <= width:
        (line, names, widths), role = larger, "body"
    line = float(int(min(max(line, height / lines), most)))
    wider = min(max(1.0, width / max(1.0, names + sum(widths))), WIDER)
    names, widths = names * wider, tuple(one * wider for one in widths)
    rows_seen = max(1, int((height - line) // line))
    most_row = max(0, len(grid.rows) - rows_seen)
    most_column = _most_column(widths, width - names)
    return GridPlan(
        line=line,
        names=names,
        widths=widths,
        first_row=min(max(0, grid.first_row), most_row),
        first_column=min(max(0, grid.first_column), most_column),
        rows_seen=rows_seen,
        most_row=most_row,
        most_column=most_column,
        width=width,
        role=role,
    )


def compact_line(grid: Grid) -> float:
    """Least height of a line in pixels."""
    return _needed(grid, 0.0, "small")[0]


def _needed(grid: Grid, width: float, role: str) -> tuple[float, float, tuple[float, ...]]:
    """Height of a line, width of the names, and widths of the columns that the texts need."""
    bold = QFontMetricsF(font(grid.look, role, bold=True))
    pad = px(grid.look, 14)

    def needed(cells: list[GridCell]) -> float:
        icon = bold.height() if any(cell.icon for cell in cells) else 0.0
        return max((bold.horizontalAdvance(cell.text) for cell in cells), default=0.0) + pad + icon

    names = min(needed([GridCell(grid.corner), *(row[0] for row in grid.rows)]), width * 0.5)
    most = max(1.0, width - names)
    widths = tuple(
        min(needed([column, *(row[1][c] for row in grid.rows)]), most)
        for c, column in enumerate(grid.columns)
    )
    return float(round(bold.height() + px(grid.look, 7))), names, widths


def _most_column(widths: tuple[float, ...], room: float) -> int:
    """First column in sight when scrolled to the right end."""
    used = 0.0
    for column in range(len(widths) - 1, -1, -1):
        used += widths[column]
        if used > room + 1:
            return min(column + 1, len(widths) - 1)
    return 0
