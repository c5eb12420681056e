"""Lens: the cells around the pointed one, one to one, with their indices and the exact value of it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.state.pyramid import as_bytes
from ffn_explorer.state.result import Floats
from ffn_explorer.widgets.drawn_text import CENTRE, RIGHT, draw_text
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.sizes import line_px, px
from ffn_explorer.widgets.theme import diverging, theme_of

CELLS = 15
"""Cells along the axis that is looked at."""

ACROSS = 5
"""Cells along the other axis, where there is one."""

_SIDES_PX = (15, 12, 10)
"""Sides of a cell; the first that finds room."""

_COUNTS = (15, 11, 7, 5, 3, 1)
_GAP_PX = 10
_PAD_PX = 7


@dataclass(frozen=True, slots=True, eq=False)
class Lens:
    """Values `[R, C]` around the one at `at`, the labels of their rows and columns, and its value in words.

    limit: magnitude of the strongest colour, as in the picture under the lens.
    """

    values: Floats
    limit: float
    at: tuple[int, int]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    words: str


@dataclass(frozen=True, slots=True)
class _Laid:
    """A lens as large as there is room for, in a place."""

    lens: Lens
    side: float
    box: QRectF
    cells: QRectF


def around(index: int, count: int, cells: int = CELLS) -> tuple[int, int]:
    """First, and one past the last, of up to `cells` neighbours of an index, itself among them."""
    shown = min(count, cells)
    first = min(max(0, index - cells // 2), count - shown)
    return first, first + shown


def draw_lens(painter: QPainter, lens: Lens, *, near: QRectF, within: QRectF, look: Appearance) -> None:
    """Paint the lens beside `near` (the pointed cell), wholly inside `within`; nothing without room."""
    laid = _lay(lens, near, within, look)
    if laid is None:
        return
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
    theme = theme_of(look)
    painter.setPen(QPen(QColor(theme.ink), line_px(look)))
    painter.setBrush(QColor(theme.surface))
    painter.drawRoundedRect(laid.box, px(look, 6), px(look, 6))
    _draw_cells(painter, laid, look)
    _draw_labels(painter, laid, look)
    painter.restore()


def _lay(lens: Lens, near: QRectF, within: QRectF, look: Appearance) -> _Laid | None:
    """The largest lens that fits beside the cell, else None."""
    gap = px(look, _GAP_PX)
    for part in _smaller(lens):
        for side in (px(look, size) for size in _SIDES_PX):
            box = _beside(_size(part, side, look), near, within, gap=gap)
            if box is not None:
                return _Laid(part, side, box, _cells(part, side, box, look))
    return None


def _size(lens: Lens, side: float, look: Appearance) -> QSizeF:
    """Size of the whole lens."""
    line, pad = _line(look), px(look, _PAD_PX)
    bold = QFontMetricsF(font(look, "small", bold=True))
    wide = _left(lens, look) + lens.values.shape[1] * side
    below = line if any(lens.columns) else 0.0
    high = line + px(look, 3) + lens.values.shape[0] * side + below
    return QSizeF(max(wide, bold.horizontalAdvance(lens.words) + 2) + 2 * pad, high + 2 * pad)


def _cells(lens: Lens, side: float, box: QRectF, look: Appearance) -> QRectF:
    """Place of the cells, in the middle of what the labels of the rows leave."""
    pad = px(look, _PAD_PX)
    wide, high = lens.values.shape[1] * side, lens.values.shape[0] * side
    left = box.left() + pad + _left(lens, look)
    x = left + (box.right() - pad - left - wide) / 2
    return QRectF(round(x), round(box.top() + pad + _line(look) + px(look, 3)), wide, high)


def _left(lens: Lens, look: Appearance) -> float:
    """Room for the labels of the rows."""
    bold = QFontMetricsF(font(look, "small", bold=True))
    widest = max((bold.horizontalAdvance(label) for label in lens.rows), default=0.0)
    return min(widest, 90.0 * look.scale) + px(look, 5) if widest else 0.0


def _line(look: Appearance) -> float:
    return QFontMetricsF(font(look, "small")).height()


def _beside(size: QSizeF, near: QRectF, within: QRectF, *, gap: float) -> QRectF | None:
    """A place above, below or beside the cell, inside the bounds."""
    x = min(max(within.left(), near.center().x() - size.width() / 2), within.right() - size.width())
    y = min(max(within.top(), near.center().y() - size.height() / 2), within.bottom() - size.height())
    corners = (
        QPointF(x, near.top() - gap - size.height()),
        QPointF(x, near.bottom() + gap),
        QPointF(near.right() + gap, y),
        QPointF(near.left() - gap - size.width(), y),
    )
    boxes = (QRectF(corner, size) for corner in corners)
    return next((box for box in boxes if within.contains(box)), None)


def _smaller(lens: Lens) -> Iterator[Lens]:
    """The lens, then with fewer and fewer cells around the middle, the largest first."""
    sizes = [[n for n in _COUNTS if n <= size] for size in lens.values.shape]
    shapes = sorted(((r, c) for r in sizes[0] for c in sizes[1]), key=lambda s: (-s[0] * s[1], -s[1]))
    for high, wide in [lens.values.shape, *shapes]:
        (top, bottom), (left, right) = (
            around(at, size, count)
            for at, size, count in zip(lens.at, lens.values.shape, (high, wide), strict=True)
        )
        yield Lens(
            lens.values[top:bottom, left:right],
            lens.limit,
            (lens.at[0] - top, lens.at[1] - left),
            lens.rows[top:bottom],
            lens.columns[left:right],
            lens.words,
        )


def _draw_cells(painter: QPainter, laid: _Laid, look: Appearance) -> None:
    theme, lens = theme_of(look), laid.lens
    colours = diverging(theme)[as_bytes(lens.values, lens.limit)]  # [R, C, 3]
    painter.setPen(QPen(QColor(theme.border), line_px(look, 0.5)))
    for row, column in np.ndindex(*lens.values.shape):
        painter.setBrush(QColor(*colours[row, column].tolist()))
        painter.drawRect(_cell(laid, row, column))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(QColor(theme.ink), line_px(look, 2)))
    painter.drawRect(_cell(laid, *lens.at).adjusted(-0.5, -0.5, 0.5, 0.5))


def _cell(laid: _Laid, row: int, column: int) -> QRectF:
    side = laid.side
    return QRectF(laid.cells.left() + column * side, laid.cells.top() + row * side, side, side)


def _draw_labels(painter: QPainter, laid: _Laid, look: Appearance) -> None:
    theme, lens, pad = theme_of(look), laid.lens, px(look, _PAD_PX)
    bold, line = font(look, "small", bold=True), _line(look)
    above = QRectF(laid.box.left() + pad, laid.box.top() + pad - 1, laid.box.width() - 2 * pad, line)
    draw_text(painter, lens.words, above, font=bold, colour=theme.ink, align=CENTRE)
    right = laid.cells.left() - px(look, 5)
    for row in _labelled(lens.rows, lens.at[0], [line] * len(lens.rows), laid.side):
        middle = laid.cells.top() + (row + 0.5) * laid.side
        place = QRectF(laid.box.left() + pad, middle - line / 2, right - laid.box.left() - pad, line)
        _label(painter, lens.rows[row], place, strong=row == lens.at[0], look=look, align=RIGHT)
    metrics = QFontMetricsF(bold)
    widths = [metrics.horizontalAdvance(label) + px(look, 6) for label in lens.columns]
    for column in _labelled(lens.columns, lens.at[1], widths, laid.side):
        middle = laid.cells.left() + (column + 0.5) * laid.side
        place = QRectF(middle - widths[column] / 2, laid.cells.bottom() + 1, widths[column], line)
        place.moveLeft(min(max(place.left(), laid.box.left() + 2), laid.box.right() - 2 - place.width()))
        _label(painter, lens.columns[column], place, strong=column == lens.at[1], look=look, align=CENTRE)


def _labelled(labels: Sequence[str], middle: int, sizes: Sequence[float], side: float) -> list[int]:
    """Which labels are written: the middle one, and the ends where they stay clear of it."""
    chosen = [middle] if labels and labels[middle] else []
    for end in (0, len(labels) - 1):
        if chosen and labels[end] and abs(end - middle) * side >= (sizes[end] + sizes[middle]) / 2:
            chosen.append(end)
    return chosen


def _label(
    painter: QPainter, text: str, place: QRectF, *, strong: bool, look: Appearance, align: Qt.AlignmentFlag
) -> None:
    theme = theme_of(look)
    face = font(look, "small", bold=strong)
    draw_text(painter, text, place, font=face, colour=theme.ink if strong else theme.muted, align=align)
