"""Strips: one stage's values at one token as a column of coloured cells, pooled to device pixels."""

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QImage, QPainter, QPen

from ffn_explorer.state.result import Activity, RunResult
from ffn_explorer.widgets.flow_columns import Column
from ffn_explorer.widgets.map_image import shades
from ffn_explorer.widgets.pooling import Columns, columns, mean_share, strongest
from ffn_explorer.widgets.theme import Theme

GAP_FROM_PX = 5.0
"""Cells at least this high are drawn apart."""


def cells_on(run: RunResult, column: Column, scale: float) -> Columns:
    """Which values stand on which device pixel of a strip; scale: device pixels per logical pixel."""
    rows = max(1, round(column.box.h * scale))
    return columns(run.pyramids[column.stage], column.count, first=0, shown=column.count, pixels=rows)


def strip_image(
    run: RunResult,
    activity: Activity | None,
    column: Column,
    *,
    at: tuple[int, int],
    scale: float,
    theme: Theme,
    laid: Columns | None = None,
) -> QImage:
    """Image one pixel wide, a row per device pixel; where activity knows the stage, it sets the opacity.

    laid: what `cells_on` finds, for one who has it: it is the same for all tokens.
    """
    laid = cells_on(run, column, scale) if laid is None else laid
    row = (*at, np.newaxis)
    value = strongest(run.pyramids[column.stage].levels[laid.level].value[row], laid.lanes, axis=1)[0]
    table = shades(theme)
    colours = table[255][value]
    if activity is not None and column.stage in activity.share:
        colours = table[
            mean_share(activity.share[column.stage][laid.level][row], laid.lanes, axis=1)[0], value
        ]
    image = QImage(np.ascontiguousarray(colours).tobytes(), 1, len(colours), 4, QImage.Format.Format_RGBA8888)
    return image.convertToFormat(QImage.Format.Format_RGB32)


def draw_strip(painter: QPainter, column: Column, image: QImage, *, filled: float, theme: Theme) -> None:
    """Paint the cells of a strip from the top down to the share `filled` of its height."""
    box = column.box
    rows = round(image.height() * filled)
    painter.fillRect(QRectF(box.x, box.y, box.w, box.h), QColor(theme.surface))
    if rows <= 0:
        return
    height = box.h * rows / image.height()
    painter.drawImage(QRectF(box.x, box.y, box.w, height), image, QRectF(0, 0, 1, rows))
    if column.cell >= GAP_FROM_PX:
        painter.setPen(QPen(QColor(theme.surface), max(1.0, min(2.0, 0.08 * column.cell))))
        for index in range(1, column.count):
            y = box.y + index * column.cell
            if y < box.y + height:
                painter.drawLine(QPointF(box.x, y), QPointF(box.right, y))
    if rows < image.height():
        front = QColor(theme.stage(column.stage))
        painter.fillRect(QRectF(box.x, box.y + height - 1.0, box.w, 2.0), front)
