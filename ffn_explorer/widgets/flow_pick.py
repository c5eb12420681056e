"""What lies under the pointer: a value in a strip, or the neuron of a ribbon."""

import numpy as np

from ffn_explorer.core.stages import WIDE, Stage
from ffn_explorer.state.app_state import Cell
from ffn_explorer.widgets.flow_columns import Column
from ffn_explorer.widgets.flow_picture import FlowPicture
from ffn_explorer.widgets.flow_ribbons import y_at
from ffn_explorer.widgets.reveal import cell_share, ribbon_share

REACH_PX = 4.0
"""How near to a ribbon or a strip the pointer must come."""


def cell_at(
    picture: FlowPicture, progress: dict[Stage, float], x: float, y: float, *, scale: float
) -> Cell | None:
    """The number at a point, once it is revealed; nothing under a plate.  scale: device px per logical px."""
    if picture.covers(x, y):
        return None
    for column in picture.grid.columns:
        box = column.box
        if box.x - REACH_PX <= x <= box.right + REACH_PX and box.y <= y < box.bottom:
            if y - box.y > cell_share(progress[column.stage]) * box.h:
                return None
            return Cell(column.stage, *picture.at, _strongest(picture, column, y, scale=scale))
    return on_ribbon(picture, progress, x, y)


def _strongest(picture: FlowPicture, column: Column, y: float, *, scale: float) -> int:
    """Index of the value that gives the device pixel its colour."""
    laid = picture.laid(column, scale)
    first, last = laid.range_at(min(laid.used - 1, int((y - column.box.y) * scale)))
    values = np.abs(picture.subject.run.values[column.stage][picture.at][first:last].astype(np.float64))
    return first + int(np.where(np.isfinite(values), values, np.inf).argmax())


def on_ribbon(picture: FlowPicture, progress: dict[Stage, float], x: float, y: float) -> Cell | None:
    """The neuron of the nearest ribbon in reach, as a cell of the wide stage that it touches."""
    best: tuple[float, Cell] | None = None
    for ribbon in picture.ribbons:
        left, right = picture.grid.column(ribbon.source).box.right, picture.grid.column(ribbon.target).box.x
        if not left <= x <= left + ribbon_share(progress[ribbon.target]) * (right - left):
            continue
        at = y_at(ribbon, picture.grid, x)
        if at is None or abs(at - y) > REACH_PX or (best is not None and abs(at - y) >= best[0]):
            continue
        stage = ribbon.target if ribbon.target in WIDE else ribbon.source
        best = abs(at - y), Cell(stage, *picture.at, ribbon.neuron)
    return None if best is None else best[1]
