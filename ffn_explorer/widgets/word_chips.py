"""Words as chips in groups: which there are, and where they stand in a place."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.drawn_text import advance
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.sizes import px

GROUP_PX = 190
"""Least width of a group that stands beside others."""

TIGHT_PX = 95
"""The same where there is little height."""

GAP_PX = 6
LINES = (3, 2, 1)
"""Lines of chips that groups may take, where there is room."""


@dataclass(frozen=True, slots=True)
class WordChip:
    """A word to click. share 0..1: how far its bar reaches; colour: of the bar."""

    key: int
    text: str
    tip: str
    share: float
    colour: str


@dataclass(frozen=True, slots=True)
class ChipGroup:
    """Chips under a head; note: beside the head, wordings from long to short.

    sentence: what stands in place of chips.  name: what a chosen chip's key belongs to.  inline: whether the
    head stands before the chips and not above them.
    """

    name: str
    head: str
    chips: tuple[WordChip, ...]
    note: tuple[str, ...] = ()
    tip: str = ""
    sentence: str = ""
    inline: bool = False


@dataclass(frozen=True, slots=True)
class ChipRow:
    """Groups side by side; need: the row with the largest need is left out first, 0 never is."""

    groups: tuple[ChipGroup, ...]
    need: int = 0


@dataclass(frozen=True, slots=True)
class ChipBoard:
    """All that the chips draw."""

    look: Appearance
    rows: tuple[ChipRow, ...]


class PlacedChip(NamedTuple):
    """A chip and its place."""

    group: str
    chip: WordChip
    place: QRectF


class PlacedGroup(NamedTuple):
    """A group: the place of its head, and of a sentence under it."""

    group: ChipGroup
    head: QRectF
    body: QRectF


class Laid(NamedTuple):
    """Groups and chips in a place, in reading order."""

    groups: tuple[PlacedGroup, ...]
    chips: tuple[PlacedChip, ...]
    height: float


def lay_out(board: ChipBoard, width: float, height: float) -> Laid:
    """All rows with as many lines of chips as fit; else the rows that are needed least are left out."""
    rows = board.rows
    while True:
        for lines in LINES:
            found = _lay_rows(board, rows, width, lines=lines)
            if found.height <= height:
                return found
        least = max((row.need for row in rows), default=0)
        if not least:
            # Side by side with few chips each, rather than one of them out of sight.
            return _lay_rows(board, rows, width, lines=1, least=TIGHT_PX)
        rows = tuple(row for row in rows if row.need != least)


def _lay_rows(
    board: ChipBoard, rows: Sequence[ChipRow], width: float, *, lines: int, least: int = GROUP_PX
) -> Laid:
    gap, look = px(board.look, GAP_PX), board.look
    groups: list[PlacedGroup] = []
    chips: list[PlacedChip] = []
    y = 0.0
    for row in rows:
        count = len(row.groups)
        beside = width >= count * px(look, least)
        wide = (width - (count - 1) * 3 * gap) / count if beside else width
        tallest = 0.0
        for at, group in enumerate(row.groups):
            left = at * (wide + 3 * gap) if beside else 0.0
            top = y if beside else y + tallest
            placed, inside, high = _lay_group(group, look, QRectF(left, top, wide, 0.0), lines=lines)
            groups.append(placed)
            chips += inside
            tallest = max(tallest, high) if beside else tallest + high
        y += tallest + gap / 2
    return Laid(tuple(groups), tuple(chips), max(0.0, y - gap))


def _lay_group(
    group: ChipGroup, look: Appearance, place: QRectF, *, lines: int
) -> tuple[PlacedGroup, list[PlacedChip], float]:
    """Head, chips from the left in at most so many lines, and the height of all that."""
    small, gap = font(look, "small"), px(look, GAP_PX)
    head = 0.0 if group.inline else QFontMetricsF(small).height() + px(look, 3)
    high = chip_height(look)
    start = advance(group.head, small) + 2 * gap if group.inline else 0.0
    x, y, used = start, place.top() + head, 1
    found: list[PlacedChip] = []
    for chip in group.chips:
        wide = min(chip_width(chip, look), place.width())
        if x > start and x + wide > place.width():
            if used == lines:
                break
            x, y, used = start, y + high + gap, used + 1
        found.append(PlacedChip(group.name, chip, QRectF(place.left() + x, y, wide, high)))
        x += wide + gap
    body = QRectF(place.left(), place.top() + head, place.width(), high)
    words = QRectF(place.left(), place.top(), place.width(), head)
    if group.inline:
        words = QRectF(place.left(), place.top(), max(0.0, start - gap), high)
    placed = PlacedGroup(group, words, body)
    return placed, found, y + high + gap - place.top()


def chip_height(look: Appearance) -> float:
    """Height of every chip."""
    return QFontMetricsF(font(look, "body")).height() + px(look, 7)


def chip_width(chip: WordChip, look: Appearance) -> float:
    """Width of a chip: its word with room around it."""
    return max(advance(chip.text, font(look, "body")), px(look, 10)) + 2 * px(look, 8)
