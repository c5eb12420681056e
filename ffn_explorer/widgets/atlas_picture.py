"""AtlasPicture: all that the scatter of a layer's neurons draws, and the ranges of its axes."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ffn_explorer.state.app_state import Appearance, View
from ffn_explorer.state.atlas_rows import is_cosine
from ffn_explorer.state.looking import AtlasAxis
from ffn_explorer.state.pyramid import rounded_up
from ffn_explorer.widgets.atlas_points import AtlasPoints
from ffn_explorer.widgets.plot import Axes

PARTS = 10_000
"""Parts of an axis that a zoom counts in."""

LEAST_PARTS = 50
"""Parts left in sight at the deepest zoom."""

PAD = 0.05
"""Room beside the outermost dots, as a share of the range."""

Window = tuple[int, int, int, int]
"""First part and parts in sight, across and upward."""

WHOLE: Window = (0, PARTS, 0, PARTS)


@dataclass(frozen=True, slots=True)
class AtlasPicture:
    """Dots, axes, the part of them in sight, what is chosen and pointed at, and words.

    scale: name of the colours, wordings from long to short.  said: of the pointed or chosen neuron.
    """

    look: Appearance
    axes: Axes
    points: AtlasPoints
    window: Window
    chosen: int | None
    hovered: int | None
    scale: tuple[str, ...]
    said: tuple[str, ...]


def window_of(view: View) -> Window:
    """The part in sight that a view asks for, inside the whole."""
    across = _inside(view.first, view.shown)
    return (*across, *_inside(view.first_row, view.rows))


def _inside(first: int, shown: int) -> tuple[int, int]:
    shown = min(PARTS, max(LEAST_PARTS, shown)) if shown else PARTS
    return min(max(0, first), PARTS - shown), shown


def range_of(values: NDArray[np.float32], axis: AtlasAxis) -> tuple[float, float]:
    """Ends of an axis: around all finite numbers; symmetric for a cosine."""
    finite = values[np.isfinite(values)].astype(np.float64)
    if not len(finite):
        return (-1.0, 1.0) if is_cosine(axis) else (0.0, 1.0)
    if is_cosine(axis):
        most = rounded_up(float(np.abs(finite).max())) or 1.0
        return -most, most
    low, high = float(finite.min()), float(finite.max())
    pad = PAD * (high - low) or 0.05 * abs(high) or 1.0
    return max(0.0, low - pad) if low - pad > -pad / 2 else low - pad, high + pad


def part_of(whole: tuple[float, float], first: int, shown: int) -> tuple[float, float]:
    """The part of a range that is in sight."""
    low, span = whole[0], whole[1] - whole[0]
    return low + span * first / PARTS, low + span * (first + shown) / PARTS


def limit_of(colour: NDArray[np.float32]) -> float:
    """End of the scale of colours: the largest magnitude, rounded up."""
    finite = colour[np.isfinite(colour)]
    found = float(np.abs(finite).max(initial=0.0))
    return rounded_up(found) if found > 0.0 and math.isfinite(found) else 1.0
