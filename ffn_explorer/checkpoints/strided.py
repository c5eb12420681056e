"""Reads of numbers that lie apart: rows with gaps, columns for rows, any steps, by few and small reads."""

from collections.abc import Callable, Sequence

import numpy as np

from ffn_explorer.checkpoints.codec import Bytes

Read = Callable[[int, int], Bytes]
"""Bytes `[count]` at an offset: (offset, count) -> bytes."""

FREE_BYTES = 2**16
"""A stretch not longer than this is read whole, however little of it is wanted."""

MOST_WASTE = 4
"""A longer stretch is read whole where at most this many times the bytes wanted come with it."""


def gather(read: Read, shape: Sequence[int], strides: Sequence[int], *, first: int, past: int) -> Bytes:
    """Rows first..past of a tensor seen as `[rows, columns]` -> bytes `[past - first, columns, size]`.

    shape: its axes, then the bytes of a number.  strides: bytes from one place to the next along each of its
    axes; the first number lies at 0.
    """
    *lead, columns, size = shape
    *steps, step = strides
    height, down = (lead[-1], steps[-1]) if lead else (1, 0)
    into = np.empty((past - first, columns, size), np.uint8)
    at = first
    while at < past:
        block, row = divmod(at, height)
        count = min(height - row, past - at)
        start = row * down
        for length, stride in zip(reversed(lead[:-1]), reversed(steps[:-1])):
            block, index = divmod(block, length)
            start += index * stride
        found = _matrix(read, start, (count, down), (columns, step), size=size)
        into[at - first : at - first + count] = found
        at += count
    return into


def _matrix(read: Read, start: int, rows: tuple[int, int], columns: tuple[int, int], *, size: int) -> Bytes:
    """A matrix -> bytes `[rows, columns, size]`; rows, columns: how many, and the bytes between them."""
    (height, down), (width, across) = rows, columns
    if height == 0 or width == 0:
        return np.empty((height, width, size), np.uint8)
    across_bytes, down_bytes = (width - 1) * across, (height - 1) * down
    span = across_bytes + down_bytes + size
    if span <= max(FREE_BYTES, MOST_WASTE * height * width * size):
        raw = read(start, span)
        return np.lib.stride_tricks.as_strided(raw, (height, width, size), (down, across, 1), writeable=False)
    if down_bytes < across_bytes:
        return _matrix(read, start, columns, rows, size=size).swapaxes(0, 1)
    into = np.empty((height, width, size), np.uint8)
    # The longer way is cut: into what one stretch may hold where that is more than one row, else row by row.
    count = max(1, (FREE_BYTES - across_bytes) // down)
    for at in range(0, height, count):
        part = min(count, height - at)
        into[at : at + part] = _matrix(read, start + at * down, (part, down), columns, size=size)
    return into


def span_of(shape: Sequence[int], strides: Sequence[int], *, size: int) -> int:
    """Bytes from the first number to past the last, 0 where there is none."""
    if 0 in shape:
        return 0
    return sum((length - 1) * stride for length, stride in zip(shape, strides)) + size
