"""What the plot of sizes shows, and its axes."""

from dataclasses import dataclass

from ffn_explorer.core.stages import Stage
from ffn_explorer.state import numbers
from ffn_explorer.state.app_state import Appearance
from ffn_explorer.state.result import Floats
from ffn_explorer.widgets.axes import ticks
from ffn_explorer.widgets.marks import Marked
from ffn_explorer.widgets.plot import Axes

ZERO_SHARE = 0.13
"""Width that stands left of the axis for exact zeros, as a share of its powers of ten."""

HEADROOM = 1.5
"""Highest bar to height of the plot; a taller bar of zeros is cut, and says so."""


@dataclass(frozen=True, slots=True, eq=False)
class Sizes:
    """Shares in percent: `bars` `[N]` of each size, and of exact zeros."""

    bars: Floats
    zero: float


@dataclass(frozen=True, slots=True, eq=False)
class SpreadPicture:
    """All that the plot draws: edges `[N + 1]` of log10, sizes of all tokens, of the chosen one, of B."""

    look: Appearance
    stage: Stage
    edges: Floats
    every: Sizes
    token: Sizes | None
    other: Sizes | None
    progress: float
    theta: float
    """Where the line stands, as a size |hidden| (no unit)."""
    movable: bool
    theta_words: tuple[str, ...]
    """Wordings of theta, longest first."""
    below: str
    above: str
    """Words on both sides of the line; "" leaves them out."""
    legend: tuple[Marked, ...]
    x_name: tuple[str, ...]
    y_name: str


def axes_of(shown: SpreadPicture) -> Axes:
    """Axes that hold all bars but those of zeros."""
    edges = shown.edges
    known = [sizes.bars for sizes in (shown.every, shown.token, shown.other) if sizes is not None]
    highest = max((float(bars.max(initial=0.0)) for bars in known), default=0.0) * HEADROOM or 1.0
    return Axes(
        x=(float(edges[0]) - zero_width(edges), float(edges[-1])),
        y=(0.0, highest),
        x_ticks=(float(edges[-1]),),
        y_ticks=ticks(0.0, min(highest, 100.0), most=4),
        x_name=shown.x_name,
        y_name=shown.y_name,
        x_labels=(power(round(float(edges[-1]))),),
    )


def power(exponent: int) -> str:
    """A power of ten as a tick: "0.01", "1", "100", beyond that "10⁻⁵"."""
    if -3 <= exponent <= 3:
        return f"{10.0**exponent:,.{max(0, -exponent)}f}"
    return numbers.short(10.0**exponent, digits=1).removeprefix("1×")


def zero_width(edges: Floats) -> float:
    """Width that stands left of the smallest size, in powers of ten."""
    return ZERO_SHARE * float(edges[-1] - edges[0])
