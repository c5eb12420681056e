"""Pooling: which cells each screen pixel stands for, and the strongest of them, in plain numpy."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ffn_explorer.state.result import Bytes, Pyramid

Indices = NDArray[np.int64]

ZERO = 128
"""Byte of a pyramid that stands for zero; 0 stands for NaN or infinity."""


@dataclass(frozen=True, slots=True, eq=False)
class Lanes:
    """Cells laid on pixels along one axis: pixel p stands for cells low[p] to high[p] - 1, each `[P]`."""

    low: Indices
    high: Indices

    def pixels_of(self, cell: int) -> tuple[int, int] | None:
        """First pixel that stands for a cell and one past the last, or None where the cell is not shown."""
        first = int(np.searchsorted(self.high, cell, side="right"))
        past = int(np.searchsorted(self.low, cell, side="right"))
        return (first, past) if past > first else None


def lanes(count: int, pixels: int, *, start: int = 0) -> Lanes:
    """Lay `count` cells from `start` on pixels: each on one pixel at least, or one on each pixel."""
    at = np.arange(pixels + 1, dtype=np.int64) * count // max(1, pixels) + start
    return Lanes(at[:-1], np.maximum(at[:-1] + 1, at[1:]))


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Columns of one stage as shown: the pyramid level, and which of its cells stand on which device pixel.

    The axis is common to all stages, so that a narrow stage takes its true share of the pixels.
    """

    width: int
    """Columns of the stage, N."""
    first: int
    shown: int
    """Columns of the axis in sight; the stage may end before."""
    pixels: int
    """Device pixels of the whole axis."""
    level: int
    step: int
    lanes: Lanes

    @property
    def used(self) -> int:
        """Device pixels that the stage takes, from the left."""
        return len(self.lanes.low)

    @property
    def per_pixel(self) -> float:
        """Columns of the axis on one device pixel."""
        return self.shown / max(1, self.pixels)

    def range_at(self, pixel: int) -> tuple[int, int]:
        """First column that a pixel stands for, and one past the last."""
        low, high = int(self.lanes.low[pixel]), int(self.lanes.high[pixel])
        return low * self.step, min(self.width, high * self.step)

    def pixels_of(self, column: int) -> tuple[int, int] | None:
        """First pixel of a column and one past the last, or None where it is not in sight."""
        return self.lanes.pixels_of(column // self.step) if 0 <= column < self.width else None


def columns(made: Pyramid, width: int, *, first: int, shown: int, pixels: int) -> Columns:
    """Choose the coarsest level that still has a cell for every pixel, and lay it on the pixels."""
    visible = max(0, min(width - first, shown))
    used = min(pixels, max(1, visible * pixels // shown)) if visible and pixels > 0 else 0
    chosen = 0
    for number, level in enumerate(made.levels):
        if _cells(first, visible, level.step) >= used:
            chosen = number
    step = made.levels[chosen].step
    count = _cells(first, visible, step)
    return Columns(width, first, shown, pixels, chosen, step, lanes(count, used, start=first // step))


def _cells(first: int, visible: int, step: int) -> int:
    """Cells of a level that hold some of the visible columns."""
    return -(-(first + visible) // step) - first // step if visible else 0


def strongest(values: Bytes, over: Lanes, *, axis: int) -> Bytes:
    """Value of largest magnitude on each pixel; not finite wins, and of equal ones the positive."""
    if _one_each(over):
        return np.take(values, over.low, axis=axis)
    part = values.take(range(int(over.low[0]), int(over.high[-1])), axis=axis)
    signed = part.astype(np.int16) - ZERO
    signed[signed == -ZERO] = ZERO  # not finite: above every magnitude
    at = over.low - over.low[0]
    top = np.maximum.reduceat(signed, at, axis=axis)
    bottom = np.minimum.reduceat(signed, at, axis=axis)
    # 128 + 128 wraps to 0, the byte of what is not finite.
    return (np.where(top >= -bottom, top, bottom) + ZERO).astype(np.uint8)


def mean_share(share: Bytes, over: Lanes, *, axis: int) -> Bytes:
    """Active share of each pixel: the mean of its cells' shares, rounded up so that little is never none."""
    if _one_each(over):
        return np.take(share, over.low, axis=axis)
    part = share.take(range(int(over.low[0]), int(over.high[-1])), axis=axis)
    total = np.add.reduceat(part.astype(np.int64), over.low - over.low[0], axis=axis)
    count = (over.high - over.low).reshape((-1, 1) if axis == 0 else (1, -1))
    mean: Bytes = (-(-total // count)).astype(np.uint8)
    return mean


def _one_each(over: Lanes) -> bool:
    return bool((over.high - over.low == 1).all())
