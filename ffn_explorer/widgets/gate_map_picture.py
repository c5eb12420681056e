"""What the map of gate against up shows: density, dots of one token, quadrants in numbers."""

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.state.result import Floats
from ffn_explorer.widgets.axes import ticks
from ffn_explorer.widgets.marks import Marked
from ffn_explorer.widgets.plot import Axes


@dataclass(frozen=True, slots=True, eq=False)
class Density:
    """Counts `[N, N]` (gate, up) between edges `[N + 1]`."""

    x_edges: Floats
    y_edges: Floats
    counts: NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Dots:
    """One token's neurons: gate, up, shut `[F]` (nearly; None until act is known), those drawn `[n]`."""

    gate: Floats
    up: Floats
    shut: NDArray[np.bool_] | None
    drawn: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class GateColumn:
    """One column of numbers: its head, four quadrants (+ +, + −, − +, − −), nearly shut; "" while unknown."""

    head: str
    quadrants: tuple[str, str, str, str]
    shut: str
    kind: str
    """"all", "one" (the chosen token) or "other" (B)."""


@dataclass(frozen=True, slots=True)
class GateMapWords:
    """Every word of the map, in the person's language."""

    x_name: str
    y_name: str
    quadrants: tuple[str, str, str, str]
    shut: str
    condition: tuple[str, ...]
    """When a gate counts as nearly shut, theta printed: wordings, longest first."""
    legend: tuple[Marked, ...]
    readout: tuple[str, ...]
    empty: str
    """Said over the map where nothing was computed; "" otherwise."""


@dataclass(frozen=True, slots=True, eq=False)
class GateMapPicture:
    """All that the map draws. source: what the dots come from; while it stays, their image does too."""

    look: Appearance
    density: Density
    dots: Dots | None
    source: Hashable
    progress: float
    """Of gate and up: 0..1."""
    chosen: int | None
    pointed: int | None
    columns: tuple[GateColumn, ...]
    words: GateMapWords


def axes_of(shown: GateMapPicture, *, most: int) -> Axes:
    """Axes symmetric about 0, with at most so many ticks of up, and three at least."""
    x, y = (float(edges[-1]) for edges in (shown.density.x_edges, shown.density.y_edges))
    return Axes(
        x=(-x, x),
        y=(-y, y),
        x_ticks=ticks(-x, x, most=5),
        y_ticks=ticks(-y, y, most=min(5, max(2, most))),
        x_name=(shown.words.x_name,),
        y_name=shown.words.y_name,
    )
