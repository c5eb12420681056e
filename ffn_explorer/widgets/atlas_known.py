"""What a panel keeps of an atlas: rows and dots, made anew only for another layer, order or filter."""

from dataclasses import dataclass

import numpy as np

from ffn_explorer.state.app_state import View
from ffn_explorer.state.atlas_rows import (
    AtlasRows,
    Columns,
    Condition,
    across_of,
    colour_of,
    columns_of,
    conditions_in,
    sorted_by,
    symbol,
    upward_of,
)
from ffn_explorer.state.file_results import Atlas
from ffn_explorer.state.looking import AtlasAxis, Looking
from ffn_explorer.widgets.atlas_picture import Window, limit_of, part_of, range_of
from ffn_explorer.widgets.atlas_points import AtlasPoints
from ffn_explorer.widgets.axes import ticks
from ffn_explorer.widgets.plot import Axes

MOST_TICKS = 6


@dataclass(frozen=True, slots=True)
class Drawn:
    """What is drawn to the right, upwards, and as colour."""

    across: AtlasAxis
    upward: AtlasAxis
    colour: AtlasAxis

    @property
    def all(self) -> tuple[AtlasAxis, ...]:
        """Each once."""
        return tuple(dict.fromkeys((self.across, self.upward, self.colour)))


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """An atlas as it is shown; conditions: None where what is typed is no filter."""

    columns: Columns
    rows: AtlasRows
    conditions: tuple[Condition, ...] | None
    drawn: Drawn
    points: AtlasPoints


class AtlasKnown:
    """Makes a Shown, and keeps it for as long as what it follows from stays."""

    def __init__(self) -> None:
        """Nothing is known."""
        self._rows: tuple[tuple[object, ...], AtlasRows] | None = None
        self._shown: tuple[tuple[object, ...], Shown] | None = None

    @property
    def rows(self) -> AtlasRows | None:
        """The rows made last."""
        return None if self._rows is None else self._rows[1]

    def shown(self, atlas: Atlas, view: View, looking: Looking) -> Shown:
        """Rows and dots of an atlas."""
        columns = columns_of(atlas)
        sort, smallest = sorted_by(view.sort, columns, across_of(looking, columns))
        conditions = conditions_in(view.mode, sort)
        # Results compare by identity: this asks whether it is the very same atlas.
        key = (atlas, sort, smallest, conditions)
        if self._rows is None or self._rows[0] != key:
            self._rows = (key, AtlasRows(columns, sort, smallest, conditions or ()))
        rows = self._rows[1]
        drawn = Drawn(across_of(looking, columns), upward_of(looking, columns), colour_of(sort, columns))
        whole = (rows, drawn)
        if self._shown is None or self._shown[0] != whole:
            points = _points(columns, rows, drawn)
            self._shown = (whole, Shown(columns, rows, conditions, drawn, points))
        return self._shown[1]


def _points(columns: Columns, rows: AtlasRows, drawn: Drawn) -> AtlasPoints:
    """Dots; a neuron whose numbers are not all finite has no place."""
    x, y = (np.where(rows.broken, np.float32(np.nan), columns[axis]) for axis in (drawn.across, drawn.upward))
    colour = columns[drawn.colour]
    return AtlasPoints(x, y, colour, rows.kept, limit_of(colour))


def axes_of(shown: Shown, window: Window, x_name: tuple[str, ...]) -> Axes:
    """Axes of the part in sight."""
    x = part_of(range_of(shown.points.x, shown.drawn.across), *window[:2])
    y = part_of(range_of(shown.points.y, shown.drawn.upward), *window[2:])
    return Axes(
        x=x,
        y=y,
        x_ticks=ticks(*x, most=MOST_TICKS),
        y_ticks=ticks(*y, most=MOST_TICKS),
        x_name=(*x_name, symbol(shown.drawn.across)),
        y_name=symbol(shown.drawn.upward),
    )
