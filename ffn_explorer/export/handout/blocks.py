"""Blocks: what stands under each other on a page, in rows that no page break cuts."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import zip_longest
from typing import Literal, NamedTuple

from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF

from ffn_explorer.export.handout.paper import Style
from ffn_explorer.widgets.page import wrap

Kind = Literal["line", "frame", "ground", "ring", "bar"]

_UNSEEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""Characters that no line of a page can hold, but for the line feed."""

SHORT = 0.12
"""A last line below this share of the width looks lost: the lines above it are set a little narrower."""

NARROWER = (0.97, 0.94, 0.91, 0.88)


class Line(NamedTuple):
    """A line of words: where it begins, its base line below the top of its row, and its column."""

    x: float
    base: float
    text: str
    style: Style
    lane: int = 0


class Shape(NamedTuple):
    """A shape behind or beside words, in the colour of a name of the theme."""

    kind: Kind
    place: QRectF
    colour: str


class Row(NamedTuple):
    """What stands beside each other, and how high it is; a page break never cuts it."""

    height: float
    lines: tuple[Line, ...] = ()
    shapes: tuple[Shape, ...] = ()


@dataclass(frozen=True, slots=True)
class Block:
    """Rows that belong together.

    gap: above it, but on top of a page.  leads: it stays with what follows.  box: what is drawn behind it
    all, from left to right of the frame.  picture: the scene whose picture fills it.  mark: a name by which
    its page is found.
    """

    rows: tuple[Row, ...]
    gap: float = 0.0
    leads: bool = False
    box: tuple[Kind, str] | None = None
    picture: int | None = None
    mark: str = ""

    @property
    def height(self) -> float:
        """Height of all rows."""
        return sum(row.height for row in self.rows)


def clean(text: str) -> str:
    """A text with what cannot be set as spaces."""
    return _UNSEEN.sub(" ", text)


def width_of(text: str, style: Style) -> float:
    """Width of a line."""
    return QFontMetricsF(style.font).horizontalAdvance(text)


@lru_cache(maxsize=16_384)
def lines_of(text: str, style: Style, width: float) -> tuple[str, ...]:
    """A text in lines, the last of which is no lost end."""
    whole = wrap(clean(text), style.font, width)
    if len(whole) < 2 or "\n" in text or width_of(whole[-1], style) > SHORT * width:
        return whole
    for share in NARROWER:
        tried = wrap(clean(text), style.font, share * width)
        if len(tried) == len(whole) and width_of(tried[-1], style) > SHORT * width:
            return tried
    return whole


def rows_of(text: str, style: Style, width: float, *, x: float = 0.0, lane: int = 0) -> tuple[Row, ...]:
    """One row for each line of a text."""
    metrics = QFontMetricsF(style.font)
    base = (style.step + metrics.capHeight()) / 2
    return tuple(
        Row(style.step, (Line(x, base, line, style, lane),)) for line in lines_of(text, style, width)
    )


def right(text: str, style: Style, edge: float, *, lane: int = 0) -> tuple[Row, ...]:
    """One row with a line that ends at an edge."""
    (row,) = rows_of(text, style, 1e9, lane=lane)
    line = row.lines[0]
    return (Row(row.height, (line._replace(x=edge - width_of(line.text, style)),)),)


def beside(*columns: Sequence[Row]) -> tuple[Row, ...]:
    """Rows of several columns next to each other, on common base lines.

    Each column is read to its end before the next.
    """
    made = []
    for cells in zip_longest(*columns, fillvalue=Row(0.0)):
        base = max((line.base for cell in cells for line in cell.lines), default=0.0)
        moved = [_moved(cell, base) for cell in cells]
        lines = [
            line._replace(lane=max(line.lane, at)) for at, cell in enumerate(moved) for line in cell.lines
        ]
        shapes = [shape for cell in moved for shape in cell.shapes]
        made.append(Row(max(cell.height for cell in cells), tuple(lines), tuple(shapes)))
    return tuple(made)


def _moved(cell: Row, base: float) -> Row:
    """A cell with its words, and what is drawn around them, down to a base line."""
    if not cell.lines:
        return cell
    by = base - cell.lines[0].base
    return Row(
        cell.height,
        tuple(line._replace(base=line.base + by) for line in cell.lines),
        tuple(shape._replace(place=shape.place.translated(0.0, by)) for shape in cell.shapes),
    )


def in_order(rows: Sequence[Row]) -> tuple[Row, ...]:
    """Rows that are read from left to right, one after the other."""
    return tuple(row._replace(lines=tuple(line._replace(lane=0) for line in row.lines)) for row in rows)


def space(height: float) -> tuple[Row, ...]:
    """Room without anything."""
    return (Row(height),)


def indented(rows: Sequence[Row], by: float) -> tuple[Row, ...]:
    """Rows moved to the right."""
    return tuple(
        Row(
            row.height,
            tuple(line._replace(x=line.x + by) for line in row.lines),
            tuple(shape._replace(place=shape.place.translated(by, 0.0)) for shape in row.shapes),
        )
        for row in rows
    )


def boxed(rows: Sequence[Row], *, box: tuple[Kind, str], pad: float, gap: float) -> Block:
    """Rows inside a box, with room around them."""
    return Block((*space(pad), *indented(rows, pad + 20.0), *space(pad)), gap=gap, box=box)


def heading(text: str, style: Style, width: float, *, gap: float, mark: str = "") -> Block:
    """A heading, which stays with what follows."""
    return replace(Block(rows_of(text, style, width)), gap=gap, leads=True, mark=mark)
