"""Points of an atlas as an image: one dot per neuron, the strongest colour on top where dots meet."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor, QImage

from ffn_explorer.state.result import Bytes
from ffn_explorer.widgets.theme import Theme, blend

Numbers = NDArray[np.float32]
Places = NDArray[np.float64]

LARGE_UNTIL, MIDDLE_UNTIL = 2_500, 20_000
"""Neurons up to which dots are large, and of middle size; more would only cover each other."""

_RADII = (3.0, 2.2, 1.6)
"""Radius of a dot in logical pixels, for few, many and very many of them."""

FAINT = 0.16
"""Opacity of dots that a filter leaves out."""

OPACITY = 0.85


@dataclass(frozen=True, slots=True, eq=False)
class AtlasPoints:
    """Where every neuron stands and what it is coloured by `[F]`; kept: those that a filter lets through.

    limit: of the colour scale, which is symmetric.
    """

    x: Numbers
    y: Numbers
    colour: Numbers
    kept: NDArray[np.bool_]
    limit: float


def radius_of(count: int) -> float:
    """Radius of the dots of so many neurons, in logical pixels at scale 1."""
    return _RADII[0 if count <= LARGE_UNTIL else 1 if count <= MIDDLE_UNTIL else 2]


@lru_cache(maxsize=8)
def shades(theme: Theme) -> NDArray[np.float32]:
    """Colours `[256, 3]` of a scale around zero on dots: 1 negative, 128 none, 255 positive, 0 not finite.

    Zero is grey and not the surface, on which a dot could not be seen.
    """
    zero, low, high = (
        _rgb(colour)
        for colour in (blend(theme.muted, theme.surface, 0.5).name(), theme.negative, theme.positive)
    )
    strength = (np.abs(np.arange(256) - 128)[:, None] / 127.0).clip(0.0, 1.0) ** 0.6
    table = zero + (np.where(np.arange(256)[:, None] < 128, low, high) - zero) * strength
    table[0] = _rgb(theme.non_finite)
    return table.astype(np.float32)


def indices(values: Numbers, limit: float) -> Bytes:
    """Place of each value in the table of colours."""
    with np.errstate(invalid="ignore"):
        place = np.rint(values / limit * 127.0).clip(-127, 127) + 128
    return np.where(np.isfinite(values), place, 0).astype(np.uint8)


def image_of(
    points: AtlasPoints, x: Places, y: Places, *, size: tuple[int, int], radius: float, theme: Theme
) -> QImage:
    """Dots at device pixels x, y `[F]` on a clear ground of that size; radius in device pixels."""
    wide, high = size
    reach = int(np.ceil(radius + 0.5))
    with np.errstate(invalid="ignore"):
        inside = (x > -reach) & (x < wide + reach) & (y > -reach) & (y < high + reach)
    there = np.flatnonzero(inside)
    table = indices(points.colour[there], points.limit)
    # Those left out first, then by strength: what is stamped later stands on top.
    strength = np.abs(table.astype(np.int32) - 128) + np.where(points.kept[there], 1_000, 0)
    order = np.argsort(strength, kind="stable")
    there, table = there[order], table[order]
    stride = wide + 4 * reach
    flat = (np.floor(y[there]).astype(np.int64) + 2 * reach) * stride
    flat += np.floor(x[there]).astype(np.int64) + 2 * reach
    opacity = np.where(points.kept[there], np.float32(OPACITY), np.float32(FAINT))
    pixels = _stamped(flat, (stride, high + 4 * reach), radius, opacity)
    best, cover = (part[2 * reach : 2 * reach + high, 2 * reach : 2 * reach + wide] for part in pixels)
    rgba = np.zeros((high, wide, 4), np.uint8)
    lit = best >= 0
    share = cover[lit][:, None]
    # Premultiplied, in the order of a little-endian ARGB32: blue, green, red, alpha.
    rgba[lit, :3] = np.rint(shades(theme)[table[best[lit]]] * share)[:, ::-1]
    rgba[lit, 3] = np.rint(255.0 * share[:, 0])
    made = QImage(rgba.tobytes(), wide, high, 4 * wide, QImage.Format.Format_ARGB32_Premultiplied)
    return made.copy()


def _stamped(
    flat: NDArray[np.int64], size: tuple[int, int], radius: float, opacity: Numbers
) -> tuple[NDArray[np.int32], Numbers]:
    """Number of the last dot over each pixel, −1 for none, and how much of the pixel dots cover."""
    wide, high = size
    best = np.full(high * wide, -1, np.int32)
    cover = np.zeros(high * wide, np.float32)
    number = np.arange(len(flat), dtype=np.int32)
    reach = int(np.ceil(radius + 0.5))
    for down in range(-reach, reach + 1):
        for right in range(-reach, reach + 1):
            part = min(1.0, radius + 0.5 - float(np.hypot(down, right)))
            if part <= 0.0:
                continue
            at = flat + (down * wide + right)
            # Of several dots at one pixel the last assignment counts, which is the one on top.
            best[at] = np.maximum(best[at], number)
            cover[at] = np.maximum(cover[at], opacity * np.float32(part))
    return best.reshape(high, wide), cover.reshape(high, wide)


def nearest(x: Places, y: Places, *, at: tuple[float, float], reach: float) -> int | None:
    """The dot nearest to a place, None where none is within reach; x, y `[F]`."""
    with np.errstate(invalid="ignore"):
        apart = np.nan_to_num((x - at[0]) ** 2 + (y - at[1]) ** 2, nan=np.inf)
    found = int(apart.argmin()) if len(apart) else 0
    return found if len(apart) and apart[found] <= reach**2 else None


def _rgb(colour: str) -> NDArray[np.float64]:
    made = QColor(colour)
    return np.array([made.red(), made.green(), made.blue()], np.float64)
