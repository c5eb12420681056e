"""Pyramid: values as bytes at several widths, so that a picture of any width reads few cells.

Each level halves the one before; a cell keeps the value of largest magnitude among those it stands for.
A value of magnitude below limit/254 is shown as zero, and so is a cell that holds nothing larger.
"""

import math
from decimal import ROUND_CEILING, Context, Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ffn_explorer.state.result import Bytes, Floats, Level, Pyramid

Counts = NDArray[np.int32]

COARSEST = 256
"""Halving stops once a level has at most this many columns."""

FINEST_CELLS = 32 * 2**20
"""Cells of the finest level kept; larger arrays start at step 2, 4, ... (the values stay exact)."""

BLOCK_VALUES = 2**20
"""Values converted at a time, so that no copy of the whole array is made."""

_TWO_DIGITS = Context(prec=2, rounding=ROUND_CEILING)
_FLOAT32_SAFE = (1e-30, 1e30)


def pyramid(values: Floats) -> Pyramid:
    """Levels of values `[B, S, N]`, their common symmetric limit, and how many are not finite.

    The limit is the largest finite magnitude rounded up to 2 significant digits, so that the scale's label is
    exact; it is 1 where all values are zero.
    """
    b, s, n = values.shape
    rows = values.reshape(b * s, n)
    peak, non_finite = _survey(rows)
    limit = rounded_up(peak)
    step = 1
    while b * s * -(-n // step) > FINEST_CELLS:
        step *= 2
    level = _quantised(rows, limit, step=step)
    levels = [Level(step, level.reshape(b, s, -1))]
    while level.shape[1] > COARSEST:
        level = _halved(level)
        step *= 2
        levels.append(Level(step, level.reshape(b, s, -1)))
    return Pyramid(tuple(levels), limit, non_finite)


def rounded_up(value: float) -> float:
    """Smallest number of 2 significant digits that is not below value; 1 for zero."""
    if value <= 0.0:
        return 1.0
    up = float(_TWO_DIGITS.create_decimal(Decimal(value)))
    return up if math.isfinite(up) else value


def as_bytes(values: Floats, limit: float) -> Bytes:
    """Bytes as in a Level, for few values: 128 + round(127 value / limit), 0 where not finite."""
    scaled = np.rint(values.astype(np.float64) / limit * 127.0)
    return (np.where(np.isfinite(scaled), scaled, -128.0) + 128.0).astype(np.uint8)


def activity_levels(mask: NDArray[np.bool_], like: Pyramid) -> tuple[Bytes, ...]:
    """Share of active values in each cell of each level of `like`: mask `[B, S, N]` -> uint8 `[B, S, C]`.

    0 means none and 255 all of the cell's values; a share between them is never shown as either.
    """
    b, s, n = mask.shape
    rows = mask.reshape(b * s, n)
    out = [np.empty((b * s, level.value.shape[2]), np.uint8) for level in like.levels]
    for block in _blocks(rows):
        counts, sizes, step = rows[block].astype(np.int32), np.ones((1, n), np.int32), 1
        for level, share in zip(like.levels, out, strict=True):
            while step < level.step:
                counts, sizes, step = _summed(counts), _summed(sizes), step * 2
            share[block] = _share(counts, sizes)
    return tuple(share.reshape(b, s, -1) for share in out)


def _share(counts: Counts, sizes: Counts) -> Bytes:
    share = np.rint(counts * (np.float32(255.0) / sizes.astype(np.float32))).clip(1, 254).astype(np.uint8)
    share[counts == 0] = 0
    share[counts == sizes] = 255
    return share


def _summed(counts: Counts) -> Counts:
    """Sums of pairs of neighbours; a last one without a neighbour stays as it is."""
    if counts.shape[1] % 2:
        counts = np.pad(counts, ((0, 0), (0, 1)))
    return counts[:, 0::2] + counts[:, 1::2]


def nbytes(made: Pyramid) -> int:
    """Bytes of all levels."""
    return sum(level.value.nbytes for level in made.levels)


def _blocks(rows: NDArray[Any]) -> list[slice]:
    per_block = max(1, BLOCK_VALUES // max(1, rows.shape[1]))
    return [slice(at, at + per_block) for at in range(0, rows.shape[0], per_block)]


def _survey(rows: Floats) -> tuple[float, int]:
    """Largest finite magnitude (0 where there is none) and the count of values that are not finite."""
    peak, non_finite = 0.0, 0
    for block in _blocks(rows):
        part = rows[block]
        top = float(max(part.max(initial=0.0), -part.min(initial=0.0)))
        if not math.isfinite(top):
            finite = np.isfinite(part)
            non_finite += part.size - int(finite.sum())
            top = float(np.abs(part[finite]).max(initial=0.0))
        peak = max(peak, top)
    return peak, non_finite


def _quantised(rows: Floats, limit: float, *, step: int) -> Bytes:
    """Bytes `[R, ceil(N/step)]`: 128 + round(127 value / limit), 0 where not finite."""
    exact32 = rows.dtype != np.float64 and _FLOAT32_SAFE[0] < limit < _FLOAT32_SAFE[1]
    out = np.empty((rows.shape[0], -(-rows.shape[1] // step)), np.uint8)
    for block in _blocks(rows):
        part = rows[block]
        cells: Floats = part.astype(np.float32 if exact32 else np.float64)
        cells[~np.isfinite(cells)] = np.nan
        cells /= limit
        cells *= 127.0
        np.nan_to_num(cells, copy=False, nan=-128.0)
        np.rint(cells, out=cells)
        cells += 128.0
        fine = cells.astype(np.uint8)
        width = 1
        while width < step:
            fine = _halved(fine)
            width *= 2
        out[block] = fine
    return out


def _halved(level: Bytes) -> Bytes:
    """Pairs of neighbours replaced by the one of larger magnitude; 0 (not finite) wins over everything."""
    if level.shape[1] % 2:
        level = np.concatenate([level, level[:, -1:]], axis=1)
    left, right = level[:, 0::2], level[:, 1::2]
    return np.where(_distance(left) >= _distance(right), left, right)


def _distance(level: Bytes) -> Bytes:
    """|v - 128| in bytes: 0 (not finite) has distance 128, more than any finite value's 127."""
    signed = (level ^ np.uint8(128)).view(np.int8)
    return np.abs(signed).view(np.uint8)
