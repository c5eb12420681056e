"""What a LinesPlot draws: named lines, dots with words, and a place along x that can be dragged."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ffn_explorer.state import numbers
from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.plot import Axes


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """One line through points `[N]`, in the axes' coordinates; name: at its right end, longest first."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    colour: str
    name: tuple[str, ...] = ()
    width: float = 2.0
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class Dot:
    """A point that stands out; words: beside it, longest first.  strong: filled, its words bold."""

    x: float
    y: float
    colour: str
    words: tuple[str, ...] = ()
    strong: bool = False
    tip: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class LinesPicture:
    """All that the plot draws.

    cursor: where the movable line stands, None where there is none; cursor_words: beside it, longest first.
    """

    look: Appearance
    axes: Axes
    lines: tuple[Line, ...]
    dots: tuple[Dot, ...] = ()
    cursor: float | None = None
    cursor_words: tuple[str, ...] = ()


def decades(low: float, high: float, *, most: int) -> tuple[float, ...]:
    """Whole powers of ten between two exponents, not more than `most` of them."""
    first, last = int(np.ceil(low - 1e-9)), int(np.floor(high + 1e-9))
    step = max(1, -(-(last - first + 1) // most))
    return tuple(float(power) for power in range(first, last + 1, step))


def power_label(tick: float) -> str:
    """Number at a tick of a logarithmic axis: "1 K", "10 M"."""
    return numbers.axis(10.0**tick)
