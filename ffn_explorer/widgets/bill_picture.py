"""What the bill shows, as one frozen value, and the places that follow from it."""

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from PySide6.QtCore import QRectF, QSizeF
from PySide6.QtGui import QFontMetricsF

from ffn_explorer.core.stages import Stage
from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.bill_hairlines import Hairline
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.sizes import px

LEAST_BAR_PX = 9
MOST_BAR_PX = 60
_LEAST_GAP_PX = 5
_TABLE_GAP_PX = 24
_MOST_GAP_PX = 22
LINES = ("counters", "token", "formula", "unit", "experts", "lesson")
"""Sentences under the bars, from top to bottom."""

_BY_WEIGHT = ("token", "formula", "lesson", "experts", "unit")
"""Those that give way to bars and counters, the last first."""

STILL = ("lesson",)
"""Those that follow from the settings alone, whatever the pass or a choice does."""

BESIDE_SHARE = 0.45
"""Largest share of the width that the table takes beside the sentences; wider ones stand under them."""

LETTER_SHARE = 0.75
"""Height of a bar, in lines, from which "A" or "B" stands beside it."""


class Piece(NamedTuple):
    """A piece of a bar: one kind of matrix, the biases, or a part of attention.

    stage: in which it is read, None for what belongs to no single stage.
    words: what stands in it, longest first.  tip: all about it.
    """

    key: str
    value: int
    stage: Stage | None
    words: tuple[str, ...]
    tip: str


class Bar(NamedTuple):
    """FFN and attention of A stacked, under it those of B; thin lines where A ended before the last change.

    head: line above it; formula: line of its own where there is room; unit: name of the axis.
    """

    head: tuple[str, ...]
    formula: tuple[str, ...]
    unit: str
    pieces: tuple[Piece, ...]
    other: tuple[Piece, ...]
    before: tuple[int, ...]

    @property
    def most(self) -> int:
        """End of the axis."""
        totals = [sum(piece.value for piece in pieces) for pieces in (self.pieces, self.other)]
        return max(*totals, *self.before, 1)


@dataclass(frozen=True, slots=True)
class BillPicture:
    """Both bars and the lines between them.

    The sentences (LINES) have their wordings, longest first; () where there is nothing to say.
    """

    look: Appearance
    bars: tuple[Bar, Bar]
    done: tuple[tuple[str, float], ...]
    """Share read so far of those pieces of A that the pass reads, by their keys."""
    counters: tuple[str, ...]
    token: tuple[str, ...]
    formula: tuple[str, ...]
    unit: tuple[str, ...]
    lesson: tuple[str, ...]
    experts: tuple[str, ...]
    hairlines: tuple[Hairline, ...]
    """In the pieces of A's parameters."""
    rows: tuple[tuple[str, ...], ...]
    """Table of every matrix, its head first, where there is room for all of it."""
    names: tuple[str, str]
    """"A" and "B", beside the bars while both are there."""
    chosen: Stage | None
    pointed: Stage | None
    under_way: frozenset[Stage]

    @property
    def compared(self) -> bool:
        """Whether there is a B."""
        return bool(self.bars[0].other)


# Both compared by identity: `bill_places` gives the same object for the same places.
@dataclass(frozen=True, slots=True, eq=False)
class BarPlaces:
    """Lines and bars of one Bar; what is left out has no height."""

    head: QRectF
    formula: QRectF
    bar: QRectF
    other: QRectF
    ticks: QRectF


@dataclass(frozen=True, slots=True, eq=False)
class BillPlaces:
    """Places of everything."""

    line: float
    bars: tuple[BarPlaces, BarPlaces]
    counters: QRectF
    token: QRectF
    formula: QRectF
    unit: QRectF
    lesson: QRectF
    experts: QRectF
    rows: QRectF


class _Asked(NamedTuple):
    """What the places follow from.

    names: "A" and "B", () where there is no B.  lines: those of LINES that say something.
    rows: of the table.  beside: its width, 0 where it is too wide to stand beside the sentences.
    """

    look: Appearance
    width: float
    height: float
    names: tuple[str, ...]
    lines: frozenset[str]
    rows: int
    beside: float


def bill_places(picture: BillPicture, size: QSizeF) -> BillPlaces:
    """Divide the widget: bars and their heads always, other lines in order of weight while there is room."""
    wide = sum(table_widths(picture.look, picture.rows)) + px(picture.look, _TABLE_GAP_PX)
    asked = _Asked(
        look=picture.look,
        width=size.width(),
        height=size.height(),
        names=picture.names if picture.compared else (),
        lines=frozenset(name for name in LINES if getattr(picture, name)),
        rows=len(picture.rows),
        beside=wide if wide <= BESIDE_SHARE * size.width() else 0.0,
    )
    return _divided(asked)


@lru_cache(maxsize=8)
def _divided(asked: _Asked) -> BillPlaces:
    look, compared = asked.look, bool(asked.names)
    line = QFontMetricsF(font(look, "small")).height() + px(look, 1)
    bars = (2.0 if compared else 1.0) * 2
    least = LETTER_SHARE * line if compared else px(look, LEAST_BAR_PX)
    # Bars begin on whole pixels, and B stands one under A.
    between = 5 if compared else 1
    room = asked.height - 2 * line - bars * least - between
    # A bar as high as a line holds its words.
    named = bars * max(0.0, line - least)
    shown, room = _shown(asked, room, line=line, named=named)
    least_gaps = 0.0
    if "names" in shown:
        least = max(least, line)
    if "gaps" in shown:
        least_gaps = 2.0 * px(look, _LEAST_GAP_PX)
        room += least_gaps
    gaps = min(max(room * 0.5, least_gaps), 3.0 * px(look, _MOST_GAP_PX))
    thick = max(1, int(min(px(look, MOST_BAR_PX), least + (room - gaps) / bars)))
    left = 0.0
    if compared and thick >= LETTER_SHARE * line - 0.5:
        bold = QFontMetricsF(font(look, "small", bold=True))
        left = max(map(bold.horizontalAdvance, asked.names)) + px(look, 6)
    pen = _Column(asked.width, line, left)
    first = pen.bar(shown, thick, compared=compared)
    pen.y += gaps / 3
    second = pen.bar(shown, thick, compared=compared)
    pen.y += gaps / 3
    top, beside = pen.y, asked.beside if "rows" in shown else 0.0
    said = {name: pen.row(name in shown, less=beside) for name in LINES}
    table = QRectF(0, pen.y + gaps / 3, asked.width, line * asked.rows if "rows" in shown else 0.0)
    if beside:
        table.moveTo(asked.width - beside + px(look, _TABLE_GAP_PX), top)
    return BillPlaces(line=line, bars=(first, second), rows=table, **said)


def _shown(asked: _Asked, room: float, *, line: float, named: float) -> tuple[set[str], float]:
    """What there is room for, and the room that is left; named: what bars that hold words need."""
    wanted = {
        "ticks": 2 * line,
        "counters": line,
        "names": named,
        "gaps": 2 * px(asked.look, _LEAST_GAP_PX),
        **{name: line for name in _BY_WEIGHT if name in asked.lines},
        "formulas": 2 * line,
    }
    shown = set()
    for name, height in wanted.items():
        if height and room >= height:
            shown.add(name)
            room -= height
    # Beside the sentences the table needs only the lines by which it is longer.
    there = sum(name in shown for name in LINES) if asked.beside else -1
    table = max(0, asked.rows - there) * line
    if asked.rows and room >= table:
        shown.add("rows")
        room -= table
    return shown, room


@lru_cache(maxsize=8)
def table_widths(look: Appearance, rows: tuple[tuple[str, ...], ...]) -> tuple[float, ...]:
    """Width of every column of the table, in logical pixels, the gap before it included."""
    return tuple(_column_width(look, cells) for cells in zip(*rows, strict=True))


# By columns: the pass changes only one of them.
@lru_cache(maxsize=32)
def _column_width(look: Appearance, cells: tuple[str, ...]) -> float:
    bold, small = (QFontMetricsF(font(look, "small", bold=heavy)) for heavy in (True, False))
    return max(bold.horizontalAdvance(cells[0]), *map(small.horizontalAdvance, cells[1:])) + px(look, 18)


class _Column:
    """Places one thing under the other."""

    def __init__(self, width: float, line: float, left: float) -> None:
        self._width, self._line, self._left = width, line, left
        self.y = 0.0

    def row(self, on: bool, /, *, less: float = 0.0) -> QRectF:
        """One line of text, narrower by `less`, or nothing."""
        place = QRectF(0, self.y, self._width - less, self._line if on else 0.0)
        self.y += place.height()
        return place

    def bar(self, shown: set[str], thick: int, *, compared: bool) -> BarPlaces:
        """Head, formula, bar, bar of B and ticks."""
        head, formula = self.row(True), self.row("formulas" in shown)
        bar = QRectF(self._left, round(self.y), self._width - self._left, thick)
        other = QRectF(bar.left(), bar.bottom() + 1, bar.width(), thick if compared else 0)
        self.y = other.bottom() + (1 if compared else 0)
        return BarPlaces(head, formula, bar, other, self.row("ticks" in shown))
