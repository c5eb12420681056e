"""Marks: where the pointed-at or chosen neuron or dimension lies in every strip, and its name."""

from collections.abc import Iterator

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from ffn_explorer.core.stages import WIDE
from ffn_explorer.state.app_state import Cell
from ffn_explorer.state.text import say
from ffn_explorer.widgets.flow_columns import Box, Column
from ffn_explorer.widgets.flow_labels import unit_of
from ffn_explorer.widgets.flow_picture import FlowPicture
from ffn_explorer.widgets.flow_ribbons import Ribbon
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.theme import theme_of


def draw_marks(painter: QPainter, picture: FlowPicture, focus: Cell, ribbons: tuple[Ribbon, ...]) -> None:
    """Ticks beside the strips at every place of the focus, and its name where it was pointed at."""
    theme, unit = theme_of(picture.look), unit_of(picture.look)
    painter.setPen(QPen(QColor(theme.ink), 1.6 * unit))
    for column, index in _places(picture, focus, ribbons):
        _tick(painter, column, index, unit=unit)
    _name(painter, picture, focus)


def name_box(picture: FlowPicture, focus: Cell) -> Box:
    """Place of the focus's name: beside the strip, on the side and height where it covers no other words."""
    unit, metrics = unit_of(picture.look), QFontMetricsF(font(picture.look, "small", bold=True))
    column = picture.grid.column(focus.stage)
    width = metrics.horizontalAdvance(_name_of(picture, focus)) + 12.0 * unit
    height = metrics.height() + 4.0 * unit
    return _free_place(picture, column, column.y_of(focus.index), width=width, height=height)


def _name_of(picture: FlowPicture, focus: Cell) -> str:
    word = "neuron" if focus.stage in WIDE else "dim"
    return say(picture.look.language, f"panel.stage.{word}", index=f"{focus.index:,}")


def _places(picture: FlowPicture, focus: Cell, ribbons: tuple[Ribbon, ...]) -> Iterator[tuple[Column, int]]:
    wide = focus.stage in WIDE
    for column in picture.grid.columns:
        if (column.stage in WIDE) == wide and focus.index < column.count:
            yield column, focus.index
    for ribbon in ribbons:
        for stage, index in ((ribbon.source, ribbon.start), (ribbon.target, ribbon.end)):
            if (stage in WIDE) != wide:
                yield picture.grid.column(stage), index


def _tick(painter: QPainter, column: Column, index: int, *, unit: float) -> None:
    y, long = column.y_of(index), 5.0 * unit
    painter.drawLine(QPointF(column.box.x - long, y), QPointF(column.box.x - 1.0, y))
    painter.drawLine(QPointF(column.box.right + 1.0, y), QPointF(column.box.right + long, y))
    if column.cell >= 3.0:
        high = max(column.cell, 3.0)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(QRectF(column.box.x, y - high / 2, column.box.w, high))


def _name(painter: QPainter, picture: FlowPicture, focus: Cell) -> None:
    """A pill with the focus's name."""
    theme, unit = theme_of(picture.look), unit_of(picture.look)
    box = name_box(picture, focus)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.accent))
    painter.drawRoundedRect(QRectF(box.x, box.y, box.w, box.h), 5.0 * unit, 5.0 * unit)
    painter.setFont(font(picture.look, "small", bold=True))
    painter.setPen(QColor(theme.on_accent))
    painter.drawText(
        QRectF(box.x, box.y, box.w, box.h), Qt.AlignmentFlag.AlignCenter, _name_of(picture, focus)
    )


def _free_place(picture: FlowPicture, column: Column, y: float, *, width: float, height: float) -> Box:
    unit, frame = unit_of(picture.look), picture.grid.frame
    right, left = column.box.right + 7.0 * unit, column.box.x - 7.0 * unit - width
    top = min(max(0.0, y - height / 2), max(0.0, frame.height - height))
    taken = [plate.box for plate in picture.plates] + [label.box for label in picture.plan.labels]
    taken += [other.box for other in picture.grid.columns if other is not column]
    taken += [] if picture.router is None else [picture.router.box]
    # Most stand far to the left or right of both sides: only the others are asked at every height.
    taken = [other for other in taken if other.x < right + width + 2.0 and other.right > left - 2.0]
    for dy in (height * step for step in (0, -1, 1, -2, 2, -3, 3, -4, 4)):
        for x in (right, left):
            box = Box(x, top + dy, width, height)
            inside = min(x, box.y) >= 0.0 and box.right <= frame.width and box.bottom <= frame.height
            if inside and not any(box.meets(other, 2.0) for other in taken):
                return box
    return Box(min(right, max(0.0, frame.width - width)), top, width, height)
