"""Bars: a histogram whose bars are split into two stacked parts."""

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtGui import QColor

from ffn_explorer.state.result import Floats

_GAP = 0.12
"""Share of a bar's width left free on its right."""


class StackedBars:
    """Two parts per bar, the lower one first; items for a plot's box."""

    def __init__(self) -> None:
        """Build empty bars."""
        empty: dict[str, list[float]] = {"x0": [], "x1": [], "y0": [], "height": []}
        self.items = (pg.BarGraphItem(**empty, pen=None), pg.BarGraphItem(**empty, pen=None))

    def show(
        self,
        edges: Floats,
        lower: NDArray[np.int64],
        upper: NDArray[np.int64],
        *,
        base: float,
        unit: float,
        colours: tuple[QColor, QColor],
    ) -> None:
        """Draw counts `[N]` between edges `[N + 1]` upwards from base; unit is the height of one."""
        sides = {"x0": edges[:-1], "x1": edges[1:] - _GAP * np.diff(edges)}
        for item, counts, start, colour in zip(
            self.items, (lower, upper), (0 * lower, lower), colours, strict=True
        ):
            item.setOpts(**sides, y0=base + start * unit, height=counts * unit, brush=colour, pen=None)
