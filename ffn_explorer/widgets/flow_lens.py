"""The lens of the flow picture: the values around the pointed one in its strip, one to one."""

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from ffn_explorer.core.stages import Stage
from ffn_explorer.state import numbers
from ffn_explorer.state.app_state import Cell
from ffn_explorer.widgets.flow_marks import name_box
from ffn_explorer.widgets.flow_picture import FlowPicture
from ffn_explorer.widgets.lens import Lens, around, draw_lens
from ffn_explorer.widgets.reveal import cell_share

_LEAST_PX = 4.0
"""Height around a value that the lens leaves free, however thin its cell is."""


def draw_strip_lens(
    painter: QPainter, picture: FlowPicture, cell: Cell, progress: dict[Stage, float]
) -> None:
    """Paint the lens beside the pointed value and its name, once the value is revealed."""
    lens = strip_lens(picture, cell, progress)
    if lens is None:
        return
    column, frame = picture.grid.column(cell.stage), picture.grid.frame
    high, name = max(_LEAST_PX, column.cell), name_box(picture, cell)
    near = QRectF(column.box.x, column.y_of(cell.index) - high / 2, column.box.w, high)
    near |= QRectF(name.x, name.y, name.w, name.h)
    within = QRectF(0, 0, frame.width, frame.height).adjusted(1, 1, -1, -1)
    draw_lens(painter, lens, near=near, within=within, look=picture.look)


def strip_lens(picture: FlowPicture, cell: Cell, progress: dict[Stage, float]) -> Lens | None:
    """Lens on the values revealed around a cell, at the token shown; None while it is not among them."""
    run, column = picture.subject.run, picture.grid.column(cell.stage)
    revealed = int(cell_share(progress[cell.stage]) * column.count)
    if cell.index >= revealed:
        return None
    values = run.values[cell.stage][picture.at]  # [N]
    first, past = around(cell.index, revealed)
    return Lens(
        values=values[first:past, None],
        limit=run.pyramids[cell.stage].limit,
        at=(cell.index - first, 0),
        rows=tuple(numbers.count(index) for index in range(first, past)),
        columns=("",),
        words=numbers.short(float(values[cell.index])),
    )
