"""Where the chips of a row stand: widths, scroll position and hits, as plain arithmetic."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Self


@dataclass(frozen=True, slots=True, eq=False)
class ChipLayout:
    """Chips side by side. Lengths are pixels of the unscrolled row; `zone` is the width of an end's arrow."""

    lefts: tuple[int, ...]
    widths: tuple[int, ...]
    gap: int
    zone: int

    @classmethod
    def of(cls, widths: Sequence[int], *, gap: int, zone: int) -> Self:
        """Layout of chips with these widths."""
        lefts = tuple(accumulate((width + gap for width in widths[:-1]), initial=0)) if widths else ()
        return cls(lefts, tuple(widths), gap, zone)

    @property
    def content(self) -> int:
        """Width of the whole row."""
        return self.lefts[-1] + self.widths[-1] if self.widths else 0

    def overflows(self, room: int) -> bool:
        """Whether the row is wider than its room."""
        return self.content > room

    def offset(self, first: int, room: int) -> int:
        """Scroll that puts chip `first` at the left end, just clear of the arrow."""
        if not self.overflows(room):
            return 0
        wanted = self.lefts[self._index(first)] - self.zone
        return min(max(0, wanted), self.content - room)

    def last_first(self, room: int) -> int:
        """Smallest `first` that already shows the end of the row."""
        if not self.overflows(room):
            return 0
        return self._index(self._first_from(self.content - room))

    def first_for(self, selected: int, room: int) -> int:
        """First chip with which the selected one stands in the middle, as far as the row allows."""
        if not self.overflows(room):
            return 0
        chosen = self._index(selected)
        middle = self.lefts[chosen] + self.widths[chosen] // 2
        return min(self._first_from(middle - room // 2), chosen, self.last_first(room))

    def visible(self, offset: int, room: int) -> range:
        """Chips of which any part shows."""
        start = bisect_right(self.lefts, offset)
        if start and self.lefts[start - 1] + self.widths[start - 1] > offset:
            start -= 1
        return range(start, bisect_left(self.lefts, offset + room))

    def clear(self, chip: int, offset: int, room: int) -> bool:
        """Whether a chip shows whole, with no arrow over it."""
        left = self.lefts[chip] - offset
        right = left + self.widths[chip]
        low = self.zone if offset > 0 else 0
        high = room - (self.zone if offset < self.content - room else 0)
        return low <= left and right <= high

    def nearest_first(self, chip: int, first: int, *, room: int) -> int:
        """First chip closest to `first` with which `chip` shows whole."""
        if self.clear(chip, self.offset(first, room), room):
            return first
        if chip <= first or self.widths[chip] > room - 2 * self.zone:
            return min(chip, self.last_first(room))
        end = self.lefts[chip] + self.widths[chip]
        return min(self._first_from(end - room + self.zone), chip, self.last_first(room))

    def at(self, x: float) -> int | None:
        """Chip under a pixel of the unscrolled row."""
        index = bisect_right(self.lefts, x) - 1
        return index if index >= 0 and x < self.lefts[index] + self.widths[index] else None

    def target(self, start: int, middle: float) -> int:
        """Place that the chip at `start` gets when it is dropped with its middle at a pixel.

        Another chip gives way once its own middle is reached, from either side.
        """
        middles = [left + width / 2 for left, width in zip(self.lefts, self.widths, strict=True)]
        if middle >= middles[start]:
            return max(start, bisect_right(middles, middle) - 1)
        return bisect_left(middles, middle)

    def shift(self, chip: int, start: int, *, to: int) -> int:
        """How far a chip stands from its place while the one at `start` is about to go to `to`."""
        step = self.widths[start] + self.gap
        if chip == start:
            moved = self.lefts[to] - self.lefts[start]
            return moved + self.widths[to] - self.widths[start] if to > start else moved
        if start < chip <= to:
            return -step
        return step if to <= chip < start else 0

    def _first_from(self, scroll: int) -> int:
        """First chip that a scroll of so much, or more, puts at the left end."""
        return bisect_left(self.lefts, scroll + self.zone)

    def _index(self, chip: int) -> int:
        return min(max(0, chip), len(self.lefts) - 1)
