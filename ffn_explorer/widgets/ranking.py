"""Ranking: what a ranked list shows, and where its columns and rows stand."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.sizes import px

GAP_PX = 16
"""Between columns."""

LEAST_BAR_PX = 72
SHORT_BAR_PX = 40
"""Width of the bars that is enough where the first number would have no room otherwise."""

ROW_SHARE = 1.75
"""Height of a row, in heights of its type."""

MARKER_PX = 4


@dataclass(frozen=True, slots=True)
class Column:
    """A column of texts: its head, the side it keeps to, the head's tooltip."""

    head: str
    align: Literal["left", "right"] = "right"
    tip: str = ""
    widest: str = ""
    """A text as wide as any in this column, so that the width stays while the list scrolls."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row: the key that it stands for, a text per column, its bar and the bar of B (None for no bar)."""

    key: int
    texts: tuple[str, ...]
    value: float
    other: float | None = None
    faded: bool = False
    """Drawn in grey: there, but without effect."""
    colour: str = ""
    """Of its bar, where that is no value with a sign."""


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """All that a ranked list draws; rows are asked for by their place, only those in sight.

    limit: magnitude at the end of the bars.  signed: zero stands in the middle of the bars, else at their
    left; the hue is that of the value's sign either way.  percent: whether bars are shares of a whole.
    progress 0..1: how far the bars have grown.
    chosen, hovered: keys.  place: key -> row, or None, for arrow keys when the chosen row is out of sight.
    """

    look: Appearance
    columns: tuple[Column, ...]
    bar_head: str
    total: int
    row: Callable[[int], Row]
    first: int = 0
    limit: float = 1.0
    signed: bool = False
    progress: float = 1.0
    chosen: int | None = None
    hovered: int | None = None
    place: Callable[[int], int | None] | None = None
    percent: bool = False
    keeps: int = 2
    """Columns for whose sake the bars make do with SHORT_BAR_PX."""


class Laid(NamedTuple):
    """A ranking in a widget: its rows in sight, and the x range of every column shown and of the bars."""

    first: int
    rows: tuple[Row, ...]
    columns: tuple[tuple[float, float], ...]
    bar: tuple[float, float]
    head: float
    """Height of the header."""
    row: float
    """Height of a row."""
    width: float
    """Right end of rows; the scroll marker stands beyond."""
    in_sight: int
    """Rows for which there is room."""

    def place(self, index: int) -> QRectF:
        """Rectangle of a row in sight, counted from the first of them."""
        return QRectF(0.0, self.head + index * self.row, self.width, self.row)

    def index_at(self, y: float) -> int | None:
        """Row of the ranking at a height, or None."""
        index = int((y - self.head) // self.row)
        return self.first + index if 0 <= index < len(self.rows) else None


@dataclass(frozen=True, slots=True)
class Lengths:
    """Line heights of a look, and the widths of texts."""

    look: Appearance
    body: QFontMetricsF = field(init=False)
    small: QFontMetricsF = field(init=False)

    def __post_init__(self) -> None:
        """Measure with the bold face, which the chosen row has."""
        object.__setattr__(self, "body", QFontMetricsF(font(self.look, "body", bold=True)))
        object.__setattr__(self, "small", QFontMetricsF(font(self.look, "small")))


def lay_out(ranking: Ranking, width: float, height: float) -> Laid:
    """Rows and columns in a widget; the last columns give way first, the bars keep their least width."""
    lengths = Lengths(ranking.look)
    head = round(lengths.small.height() + px(ranking.look, 6))
    row = round(font(ranking.look, "body").pixelSize() * ROW_SHARE)
    in_sight = max(1, int((height - head) // row))
    first = min(max(0, ranking.first), max(0, ranking.total - in_sight))
    rows = tuple(ranking.row(i) for i in range(first, min(ranking.total, first + in_sight)))
    inside = px(ranking.look, 8)
    right = width - (px(ranking.look, MARKER_PX) + px(ranking.look, 4) if ranking.total > in_sight else 0)
    columns = _columns(ranking, rows, lengths, room=right - 2 * inside)
    left, ends = float(inside), []
    for wide in columns:
        ends.append((left, left + wide))
        left += wide + px(ranking.look, GAP_PX)
    return Laid(first, rows, tuple(ends), (left, max(left, right - inside)), head, row, right, in_sight)


def _columns(ranking: Ranking, rows: tuple[Row, ...], lengths: Lengths, *, room: float) -> list[float]:
    """Widths of the columns that fit beside the bars; the first is always there."""
    gap = px(ranking.look, GAP_PX)
    widths = []
    for i, column in enumerate(ranking.columns):
        texts = (column.widest, *(row.texts[i] for row in rows))
        widest = max(lengths.body.horizontalAdvance(text) for text in texts)
        widths.append(max(lengths.small.horizontalAdvance(column.head), widest) + 1.0)
    while len(widths) > 1:
        least = px(ranking.look, LEAST_BAR_PX if len(widths) > ranking.keeps else SHORT_BAR_PX)
        if sum(widths) + len(widths) * gap + least <= room:
            break
        widths.pop()
    if widths:
        widths[0] = max(1.0, min(widths[0], room - gap - px(ranking.look, SHORT_BAR_PX)))
    return widths
