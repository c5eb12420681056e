"""The image of a window of weights: pooled bytes and their colours at exact device pixels."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ffn_explorer.state.result import Bytes, Matrix
from ffn_explorer.widgets.map_image import shades
from ffn_explorer.widgets.pooling import ZERO, Lanes
from ffn_explorer.widgets.theme import Theme

Span = tuple[int, int]


class Hit(NamedTuple):
    """What a device pixel shows: the weights of a cell, the byte of the strongest, and its exact value."""

    rows: Span
    columns: Span
    byte: int
    value: float | None


@dataclass(frozen=True, slots=True, eq=False)
class Axis:
    """One axis of a window laid on device pixels: pixels from `start` on stand for `cells` of the matrix."""

    start: int
    cells: Lanes

    @property
    def count(self) -> int:
        """Pixels that show something."""
        return len(self.cells.low)


@dataclass(frozen=True, slots=True, eq=False)
class MatrixImage:
    """Colours `[H, W, 4]` (RGBA) of all pixels; those outside of the window known are transparent."""

    made: Matrix
    down: Axis
    across: Axis
    pixels: Bytes

    def hit(self, x: int, y: int) -> Hit | None:
        """What a device pixel shows, or None where nothing is known."""
        i, j = y - self.down.start, x - self.across.start
        if not (0 <= i < self.down.count and 0 <= j < self.across.count):
            return None
        (top, bottom), (left, right) = (
            (int(axis.cells.low[at]), int(axis.cells.high[at]))
            for axis, at in ((self.down, i), (self.across, j))
        )
        block = self.made.value[top:bottom, left:right].astype(np.int16)
        strength = np.where(block == 0, ZERO, np.abs(block - ZERO))
        # Column by column, as the image: of equal ones, the first shows its sign.
        column, row = np.unravel_index(int(strength.T.argmax()), block.T.shape)
        if self.made.exact is not None:
            part = np.abs(self.made.exact[top:bottom, left:right])
            row, column = np.unravel_index(
                int(np.where(np.isfinite(part), part, np.inf).argmax()), part.shape
            )
        return self._cell(top + int(row), left + int(column))

    def _cell(self, row: int, column: int) -> Hit:
        made = self.made
        rows = _weights(row, made.row_step, made.rows)
        columns = _weights(column, made.column_step, made.columns)
        value = None if made.exact is None else float(made.exact[row, column])
        return Hit(rows, columns, int(made.value[row, column]), value)


def matrix_image(
    made: Matrix, rows: Span, columns: Span, *, pixels: tuple[int, int], theme: Theme
) -> MatrixImage | None:
    """Lay what is known of a matrix on the pixels of the part in sight; None where nothing of it is.

    rows, columns: in sight.  pixels: width, height.
    """
    down = _laid(rows, made.rows, made.row_step, pixels=pixels[1])
    across = _laid(columns, made.columns, made.column_step, pixels=pixels[0])
    if not down.count or not across.count:
        return None
    value = first_strongest(first_strongest(made.value, down.cells, axis=0), across.cells, axis=1)
    out = np.zeros((pixels[1], pixels[0]), np.uint32)
    place = (slice(down.start, down.start + down.count), slice(across.start, across.start + across.count))
    out[place] = shades(theme)[255][value]
    return MatrixImage(made, down, across, out.view(np.uint8).reshape(pixels[1], pixels[0], 4))


def first_strongest(values: Bytes, over: Lanes, *, axis: int) -> Bytes:
    """Value of largest magnitude on each pixel; not finite wins, and of equal ones the first.

    A pixel may stand for thousands of weights, and then as a rule several are the strongest as bytes: were it
    always the positive one, random weights would look positive.
    """
    part = values.take(range(int(over.low[0]), int(over.high[-1])), axis=axis).astype(np.int32)
    signed = part - ZERO
    count = part.shape[axis] + 1
    order = np.arange(count - 1, 0, -1, dtype=np.int32).reshape((-1, 1) if axis == 0 else (1, -1))
    keys = (np.abs(signed) * count + order) * 2 + (signed > 0)
    best = np.maximum.reduceat(keys, over.low - over.low[0], axis=axis)
    magnitude = best // 2 // count
    found: Bytes = (np.where(best % 2 == 1, magnitude, -magnitude) + ZERO).astype(np.uint8)
    return found


def per_pixel(seen: Span, step: int, *, pixels: int) -> float:
    """Weights along one axis of which a device pixel shows the strongest; below 1 where one takes several."""
    each = (seen[1] - seen[0]) / max(1, pixels)
    return each if step == 1 else max(float(step), each)


def _laid(seen: Span, known: Span, step: int, *, pixels: int) -> Axis:
    edges = seen[0] + np.arange(pixels + 1, dtype=np.int64) * (seen[1] - seen[0]) // max(1, pixels)
    low, high = edges[:-1], np.maximum(edges[:-1] + 1, edges[1:])
    inside = np.flatnonzero((high > known[0]) & (low < known[1]))
    if not inside.size:
        return Axis(0, Lanes(low[:0], high[:0]))
    low, high = np.maximum(low[inside], known[0]) - known[0], np.minimum(high[inside], known[1]) - known[0]
    return Axis(int(inside[0]), Lanes(low // step, -(-high // step)))


def _weights(cell: int, step: int, known: Span) -> Span:
    first = known[0] + cell * step
    return first, min(known[1], first + step)
