"""What changes from frame to frame: the smallest rectangle, and nothing where a pixel stays."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ffn_explorer.export.films.film import Frame


class Changed(NamedTuple):
    """Rectangle at column x and row y; pixels `[h, w]` with 0 where a colour stays as it was."""

    x: int
    y: int
    pixels: Frame


def changes(frames: Iterator[Frame], *, even: bool = False) -> Iterator[Changed]:
    """The first frame whole, then what differs from the one before; one pixel of 0 where nothing does.

    even: rectangles begin at even places, as WebP wants them.
    """
    before: Frame | None = None
    for frame in frames:
        yield Changed(0, 0, frame) if before is None else changed(before, frame, even=even)
        before = frame


def changed(before: Frame, frame: Frame, *, even: bool = False) -> Changed:
    """What of a frame differs from the one before, which has the same shape."""
    differs = before != frame
    rows = np.flatnonzero(differs.any(axis=1))
    if not rows.size:
        return Changed(0, 0, np.zeros((1, 1), np.uint32))
    top, bottom = int(rows[0]), int(rows[-1]) + 1
    columns = np.flatnonzero(differs[top:bottom].any(axis=0))
    left, right = int(columns[0]), int(columns[-1]) + 1
    if even:
        top, left = top & ~1, left & ~1
    place = np.s_[top:bottom, left:right]
    return Changed(left, top, np.where(differs[place], frame[place], np.uint32(0)))


def rgba(pixels: Frame) -> bytes:
    """Pixels as bytes red, green, blue, alpha, row by row; alpha is 0 where a colour is none."""
    stay, low = pixels & np.uint32(0xFF00FF00), np.uint32(0xFF)
    swapped: Frame = stay | (pixels & low) << np.uint32(16) | (pixels >> np.uint32(16)) & low
    return bytes(swapped.astype("<u4", copy=False).tobytes())
