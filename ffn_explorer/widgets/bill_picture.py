"""What the bill shows, as one frozen value, and the places that follow from it."""

from dataclasses import dataclass

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

STILL = ("lesson",)
"""Those that follow from the settings alone, whatever the pass or a choice does."""

BESIDE_SHARE = 0.45
"""Largest share of the width that the table takes beside the sentences; wider ones stand under them."""

LETTER_SHARE = 0.75
"""Height of a bar, in lines, from which "A" or "B" stands beside it."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a bar: one kind of matrix, the biases, or a part of attention.

    stage: in which it is read, None for what belongs to no single stage.  done: share read so far.
    words: what stands in it, longest first.  tip: all about it.
    """

    key: str
    value: int
    stage: Stage | None
    done: float
    words: tuple[str, ...]
    tip: str


@dataclass(frozen=True, slots=True)
class Bar:
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


@dataclass(frozen=True, slots=True)
class BarPlaces:
    """Lines and bars of one Bar; what is left out has no height."""

    head: QRectF
    formula: QRectF
    bar: QRectF
    other: QRectF
    ticks: QRectF


@dataclass(frozen=True, slots=True)
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

    @property
    def rects(self) -> tuple[QRectF, ...]:
        """All of them."""
        bars = (rect for bar in self.bars for rect in (bar.head, bar.formula, bar.bar, bar.other, bar.ticks))
        return (*bars, *(getattr(self, name) for name in LINES), self.rows)


def bill_places(picture: BillPicture, size: QSizeF) -> BillPlaces:
    """Divide the widget: bars and their heads always, other lines in order of weight while there is room."""
    look = picture.look
    line = QFontMetricsF(font(look, "small")).height() + px(look, 1)
    bars = (2.0 if picture.compared else 1.0) * 2
    least = LETTER_SHARE * line if picture.compared else px(look, LEAST_BAR_PX)
    wide = sum(table_widths(picture)) + px(look, _TABLE_GAP_PX)
    beside = wide <= BESIDE_SHARE * size.width()
    # Bars begin on whole pixels, and B stands one under A.
    between = 5 if picture.compared else 1
    room = size.height() - 2 * line - bars * least - between
    # A bar as high as a line holds its words.
    named = bars * max(0.0, line - least)
    shown, room = _shown(picture, room, line=line, named=named, beside=beside)
    least_gaps = 0.0
    if "names" in shown:
        least = max(least, line)
    if "gaps" in shown:
        least_gaps = 2.0 * px(look, _LEAST_GAP_PX)
        room += least_gaps
    gaps = min(max(room * 0.5, least_gaps), 3.0 * px(look, _MOST_GAP_PX))
    thick = max(1, int(min(px(look, MOST_BAR_PX), least + (room - gaps) / bars)))
    left = 0.0
    if picture.compared and thick >= LETTER_SHARE * line - 0.5:
        bold = QFontMetricsF(font(look, "small", bold=True))
        left = max(map(bold.horizontalAdvance, picture.names)) + px(look, 6)
    pen = _Column(size.width(), line, left)
    first = pen.bar(shown, thick, compared=picture.compared)
    pen.y += gaps / 3
    second = pen.bar(shown, thick, compared=picture.compared)
    pen.y += gaps / 3
    top, beside = pen.y, beside and "rows" in shown
    said = {name: pen.row(name in shown, less=wide if beside else 0.0) for name in LINES}
    table = QRectF(0, pen.y + gaps / 3, size.width(), line * len(picture.rows) if "rows" in shown else 0.0)
    if beside:
        table.moveTo(size.width() - wide + px(look, _TABLE_GAP_PX), top)
    return BillPlaces(line=line, bars=(first, second), rows=table, **said)


def _shown(
    picture: BillPicture, room: float, *, line: float, named: float, beside: bool
) -> tuple[set[str], float]:
    """What there is room for, and the room that is left; named: what bars that hold words need."""
    wanted = {
        "ticks": 2 * line,
        "counters": line,
        "names": named,
        "gaps": 2 * px(picture.look, _LEAST_GAP_PX),
        "token": line if picture.token else 0,
        "formula": line if picture.formula else 0,
        "lesson": line if picture.lesson else 0,
        "experts": line if picture.experts else 0,
        "unit": line if picture.unit else 0,
        "formulas": 2 * line,
    }
    shown = set()
    for name, height in wanted.items():
        if height and room >= height:
            shown.add(name)
            room -= height
    # Beside the sentences the table needs only the lines by which it is longer.
    there = sum(name in shown for name in LINES) if beside else -1
    table = max(0, len(picture.rows) - there) * line
    if picture.rows and room >= table:
        shown.add("rows")
        room -= table
    return shown, room


def table_widths(picture: BillPicture) -> tuple[float, ...]:
    """Width of every column of the table, in logical pixels, the gap before it included."""
    bold, small = (QFontMetricsF(font(picture.look, "small", bold=heavy)) for heavy in (True, False))
    gap = px(picture.look, 18)
    return tuple(
        max(bold.horizontalAdvance(cells[0]), *map(small.horizontalAdvance, cells[1:])) + gap
        for cells in zip(*picture.rows, strict=True)
    )


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
