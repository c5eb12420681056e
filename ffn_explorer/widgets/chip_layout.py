"""Where the chips of a row stand: widths, scroll position and hits, as plain arithmetic."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class ChipLayout:
    """Chips side by side. Lengths are pixels of the unscrolled row; `zone` is the width of an end's arrow."""

    lefts: NDArray[np.int64]
    widths: NDArray[np.int64]
    gap: int
    zone: int

    @classmethod
    def of(cls, widths: Sequence[int], *, gap: int, zone: int) -> Self:
        """Layout of chips with these widths."""
        sizes = np.asarray(widths, dtype=np.int64)
        lefts = np.concatenate([[0], np.cumsum(sizes + gap)[:-1]]) if len(sizes) else sizes
        return cls(lefts.astype(np.int64), sizes, gap, zone)

    @property
    def content(self) -> int:
        """Width of the whole row."""
        return int(self.lefts[-1] + self.widths[-1]) if len(self.widths) else 0

    def overflows(self, room: int) -> bool:
        """Whether the row is wider than its room."""
        return self.content > room

    def offset(self, first: int, room: int) -> int:
        """Scroll that puts chip `first` at the left end, just clear of the arrow."""
        if not self.overflows(room):
            return 0
        wanted = int(self.lefts[self._index(first)]) - self.zone
        return min(max(0, wanted), self.content - room)

    def last_first(self, room: int) -> int:
        """Smallest `first` that already shows the end of the row."""
        if not self.overflows(room):
            return 0
        return self._index(int(np.searchsorted(self.lefts - self.zone, self.content - room)))

    def first_for(self, selected: int, room: int) -> int:
        """First chip with which the selected one stands in the middle, as far as the row allows."""
        if not self.overflows(room):
            return 0
        chosen = self._index(selected)
        middle = int(self.lefts[chosen]) + int(self.widths[chosen]) // 2
        first = int(np.searchsorted(self.lefts - self.zone, middle - room // 2))
        return min(first, chosen, self.last_first(room))

    def visible(self, offset: int, room: int) -> range:
        """Chips of which any part shows."""
        ends = self.lefts + self.widths
        start = int(np.searchsorted(ends, offset, side="right"))
        stop = int(np.searchsorted(self.lefts, offset + room))
        return range(start, stop)

    def clear(self, chip: int, offset: int, room: int) -> bool:
        """Whether a chip shows whole, with no arrow over it."""
        left = int(self.lefts[chip]) - offset
        right = left + int(self.widths[chip])
        low = self.zone if offset > 0 else 0
        high = room - (self.zone if offset < self.content - room else 0)
        return low <= left and right <= high

    def nearest_first(self, chip: int, first: int, *, room: int) -> int:
        """First chip closest to `first` with which `chip` shows whole."""
        if self.clear(chip, self.offset(first, room), room):
            return first
        if chip <= first or int(self.widths[chip]) > room - 2 * self.zone:
            return min(chip, self.last_first(room))
        end = int(self.lefts[chip]) + int(self.widths[chip])
        found = int(np.searchsorted(self.lefts - self.zone, end - room + self.zone))
        return min(found, chip, self.last_first(room))

    def at(self, x: float) -> int | None:
        """Chip under a pixel of the unscrolled row."""
        index = int(np.searchsorted(self.lefts, x, side="right")) - 1
        return index if index >= 0 and x < int(self.lefts[index]) + int(self.widths[index]) else None

    def target(self, start: int, middle: float) -> int:
        """Place that the chip at `start` gets when it is dropped with its middle at a pixel.

        Another chip gives way once its own middle is reached, from either side.
        """
        middles = self.lefts + self.widths / 2
        if middle >= middles[start]:
            return max(start, int(np.searchsorted(middles, middle, side="right")) - 1)
        return int(np.searchsorted(middles, middle, side="left"))

    def shift(self, chip: int, start: int, *, to: int) -> int:
        """How far a chip stands from its place while the one at `start` is about to go to `to`."""
        step = int(self.widths[start]) + self.gap
        if chip == start:
            moved = self.lefts[to] - self.lefts[start]
            return int(moved + self.widths[to] - self.widths[start] if to > start else moved)
        if start < chip <= to:
            return -step
        return step if to <= chip < start else 0

    def _index(self, chip: int) -> int:
        return min(max(0, chip), len(self.lefts) - 1)
