"""Numbers printed into the cells of a strip, where its cells are large enough to hold them."""

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.state.numbers import MINUS, short
from ffn_explorer.state.result import Floats
from ffn_explorer.widgets.flow_columns import Column
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.theme import ink_on

LEAST_LINES = 1.4
"""Height of a cell that bears a number, in lines of the small font."""

DECIMALS = (2, 1)
"""Digits after the point, the most that fit; one strip writes all its numbers alike."""

_MARGIN_PX = 2.0


def cell_numbers(values: Floats, column: Column, look: Appearance) -> tuple[str, ...]:
    """Each value `[N]` of a strip in words, or () where they do not all fit into their cells."""
    metrics = QFontMetricsF(font(look, "small"))
    if column.cell < LEAST_LINES * metrics.height():
        return ()
    for decimals in DECIMALS:
        texts = tuple(written(float(value), decimals) for value in values)
        if max(map(metrics.horizontalAdvance, texts)) + _MARGIN_PX <= column.box.w:
            return texts
    return ()


def written(value: float, decimals: int) -> str:
    """Value with a fixed number of decimals: "−1.06"; an exact zero is "0", what only rounds to it "0.00"."""
    if value == 0.0 or not np.isfinite(value):
        return short(value)
    return f"{value:,.{decimals}f}".replace("-", MINUS)


def draw_numbers(
    painter: QPainter, column: Column, texts: Sequence[str], *, image: QImage, filled: float, look: Appearance
) -> None:
    """Paint the numbers of the cells that are filled, in the ink that stands out from the cell's colour.

    image: the strip's colours, one row per device pixel.  filled: share of its height that is revealed.
    """
    painter.setFont(font(look, "small"))
    for index, text in enumerate(texts):
        if (index + 1) / column.count > filled:
            return
        row = int((index + 0.5) / column.count * image.height())
        painter.setPen(QColor(ink_on(image.pixelColor(0, row).name())))
        place = QRectF(column.box.x, column.box.y + index * column.cell, column.box.w, column.cell)
        painter.drawText(place, int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextDontClip), text)
