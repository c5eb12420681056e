"""Palette: the 255 colours that stand for all of a film, and the one that stands for each colour."""

import numpy as np
from numpy.typing import NDArray

from ffn_explorer.export.films.film import Frame

COLOURS = 255
"""Colours of a GIF, which leaves one of its 256 for what stays as it was."""

EXACT = 96
"""The most frequent colours (grounds, lines, ink) stay as they are; the rest stands for all others."""

WEIGHTS = (2, 4, 3)
"""Of red, green and blue in the distance of two colours: the eye sees green best."""

_BLOCK = 4_096

Colours = NDArray[np.uint8]
"""`[N, 3]`: red, green, blue."""


class Counted:
    """How often each colour occurs in what changes, from frame to frame."""

    def __init__(self) -> None:
        # One place per colour: 64 MB, of which only the pages that are used are ever there.
        self._counts = np.zeros(1 << 24, np.uint32)

    def add(self, pixels: Frame) -> None:
        """Count the pixels of a rectangle, leaving out those that stay."""
        colours, counts = np.unique(pixels[pixels != 0] & np.uint32(0xFFFFFF), return_counts=True)
        self._counts[colours] += counts.astype(np.uint32)

    def found(self) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """Colours 0xRRGGBB and their counts, the most frequent first."""
        colours = np.flatnonzero(self._counts).astype(np.uint32)
        counts = self._counts[colours]
        order = np.argsort(-counts.astype(np.int64), kind="stable")
        return colours[order], counts[order]


def palette_of(colours: NDArray[np.uint32], counts: NDArray[np.uint32]) -> Colours:
    """At most COLOURS colours for these, most frequent first: all of them where they are so few."""
    if colours.size <= COLOURS:
        return split(colours)
    from PIL import Image  # not wanted before the first film

    others = split(colours[EXACT:])
    # Every colour counts, and a frequent one only a little more: a heat map has thousands, each of them rare.
    times = np.clip(np.sqrt(counts[EXACT:]), 1, 64).astype(np.int64)
    listed = np.repeat(others, times, axis=0)
    row = np.ascontiguousarray(listed).tobytes()
    image = Image.frombuffer("RGB", (len(listed), 1), row, "raw", "RGB", 0, 1)
    made = image.quantize(COLOURS - EXACT, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    rest = np.array(made.getpalette("RGB"), np.uint8).reshape(-1, 3)[: COLOURS - EXACT]
    return np.concatenate([split(colours[:EXACT]), rest])


def nearest(colours: NDArray[np.uint32], palette: Colours) -> NDArray[np.uint8]:
    """Table of every colour 0xRRGGBB that occurs -> number of the nearest one in the palette."""
    table = np.zeros(1 << 24, np.uint8)
    scale = np.sqrt(np.array(WEIGHTS, np.float32))
    chosen = palette.astype(np.float32) * scale  # [P, 3]
    lengths = (chosen**2).sum(axis=1)
    for start in range(0, colours.size, _BLOCK):
        block = colours[start : start + _BLOCK]
        wanted = split(block).astype(np.float32) * scale
        # Its own length is the same for every candidate, so that it can be left out.
        table[block] = (lengths - 2 * (wanted @ chosen.T)).argmin(axis=1)
    return table


def split(colours: NDArray[np.uint32]) -> Colours:
    """Red, green and blue of colours 0xRRGGBB."""
    return np.stack([colours >> 16 & 255, colours >> 8 & 255, colours & 255], axis=-1).astype(np.uint8)
