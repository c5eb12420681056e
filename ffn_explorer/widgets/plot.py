"""Plot: pyqtgraph curves and bars in a place and range that only its axes decide."""

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QWidget

from ffn_explorer.state import numbers
from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.curve_item import Curve
from ffn_explorer.widgets.drawn_text import CENTRE, LEFT, RIGHT, advance, draw_text, fitting
from ffn_explorer.widgets.flow_columns import Box
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.layers import Layers
from ffn_explorer.widgets.picture_canvas import P, PictureCanvas
from ffn_explorer.widgets.sizes import line_px, px
from ffn_explorer.widgets.theme import theme_of

LEAST_APART = 1.0
"""Least distance of the numbers at the left, as a share of a line of words."""


@dataclass(frozen=True, slots=True)
class Axes:
    """Ranges, ticks and names of both axes; a name carries its unit."""

    x: tuple[float, float]
    y: tuple[float, float]
    x_ticks: tuple[float, ...]
    y_ticks: tuple[float, ...]
    x_name: tuple[str, ...]
    """Wordings, longest first; the first that fits is shown."""
    y_name: str
    x_labels: tuple[str, ...] = ()
    """Words of the ticks where they are not their numbers, as on a logarithmic axis; a word per tick."""


class Plot(PictureCanvas[P]):
    """Base of plots: fixed ranges, grid, zero axes and tick labels; subclasses add items to `box`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build an empty plot."""
        super().__init__(parent)
        self.axes: Axes | None = None
        self.layers = Layers()
        self._laid_out: tuple[Axes | None, Appearance] | None = None
        self.area = QRectF()
        self.box = pg.ViewBox(enableMouse=False, enableMenu=False, defaultPadding=0.0)
        self.box.disableAutoRange()
        self.addItem(self.box)
        self._grid = Curve(connect="pairs")
        self._zero = Curve(connect="pairs")
        self.add_items(self._grid, depth=0)
        self.add_items(self._zero, depth=3)

    def add_items(self, *items: pg.GraphicsObject, depth: int) -> None:
        """Put items into the plot, each over the one before; the grid lies at 0, the zero axes at 3."""
        for item in items:
            item.setZValue(depth)
            self.box.addItem(item, ignoreBounds=True)

    def add_curves(self, count: int) -> tuple[Curve, ...]:
        """Smooth curves over the axes, each over the one before, with gaps where a number is missing."""
        made = tuple(Curve(antialias=True, connect="finite") for _ in range(count))
        self.add_items(*made, depth=4)
        return made

    def show_sentence(self, sentence: str, look: Appearance) -> None:
        """Draw nothing but a sentence."""
        self.picture, self.sentence = None, sentence
        self.set_look(look)
        self.set_axes(None, look)

    def set_axes(self, axes: Axes | None, look: Appearance) -> None:
        """Take other axes (None shows nothing but `sentence`) and place everything."""
        places = None if axes is None else _unnamed(axes)
        self.axes, self.look = axes, look
        if (places, look) == self._laid_out and axes is not None:
            self.front.update()
            return
        self._laid_out = (places, look)
        self.box.setVisible(axes is not None)
        if axes is not None:
            self._style_lines(axes, look)
        self.lay_out()

    def lay_out(self) -> None:
        """Divide the widget between names, ticks and area."""
        super().lay_out()
        axes = self.axes
        if axes is not None:
            self.area = self._area(axes)
            self.box.setGeometry(self.area)
            self.box.setRange(xRange=axes.x, yRange=axes.y, padding=0, disableAutoRange=True)

    def point_of(self, x: float, y: float) -> QPointF:
        """Position in the widget of a point of the plot."""
        assert self.axes is not None
        (x0, x1), (y0, y1) = self.axes.x, self.axes.y
        return QPointF(
            self.area.left() + (x - x0) / (x1 - x0) * self.area.width(),
            self.area.bottom() - (y - y0) / (y1 - y0) * self.area.height(),
        )

    def values_at(self, at: QPointF) -> tuple[float, float]:
        """Point of the plot at a position in the widget."""
        assert self.axes is not None
        (x0, x1), (y0, y1) = self.axes.x, self.axes.y
        right = (at.x() - self.area.left()) / max(1.0, self.area.width())
        up = (self.area.bottom() - at.y()) / max(1.0, self.area.height())
        return x0 + right * (x1 - x0), y0 + up * (y1 - y0)

    def y_label(self, tick: float) -> str:
        """Words of a tick at the left."""
        return numbers.axis(tick)

    def paint_front(self, painter: QPainter) -> None:
        """Paint tick labels and names."""
        if self.axes is not None and self.area.width() > 0 and self.area.height() > 0:
            # Names may tell the token, ticks do not: another token leaves the ticks as they are.
            axes, ticks = self.axes, self._laid_out
            key = (ticks, self.area.getRect())
            self.draw_layer(painter, "ticks", key, paint=lambda on: self._paint_ticks(on, axes))
            names = (axes.x_name, axes.y_name, self.area.getRect())
            self.draw_layer(painter, "names", names, paint=lambda on: self._paint_names(on, axes))
        super().paint_front(painter)

    def draw_layer(
        self, painter: QPainter, name: str, key: tuple[Hashable, ...], *, paint: Callable[[QPainter], None]
    ) -> None:
        """Draw from a layer what only changes with its key, the look or the size."""
        size = (self.width(), self.height())
        box = Box(0.0, 0.0, *size)
        self.layers.draw_newest(painter, name, (*key, self.look, size), box=box, paint=paint)

    def _area(self, axes: Axes) -> QRectF:
        metrics = QFontMetricsF(font(self.look, "small"))
        line = metrics.height()
        labels = (metrics.horizontalAdvance(self.y_label(tick)) for tick in axes.y_ticks)
        left = round(max(labels, default=0.0) + px(self.look, 12))
        last = metrics.horizontalAdvance(_x_labels(axes)[-1]) if axes.x_ticks else 0.0
        right = round(last / 2 + px(self.look, 2))
        top = round(line + px(self.look, 4))
        bottom = round(2 * line + px(self.look, 8))
        return QRectF(left, top, max(0, self.width() - left - right), max(0, self.height() - top - bottom))

    def _style_lines(self, axes: Axes, look: Appearance) -> None:
        theme = theme_of(look)
        lines = [(axes.x[0], tick, axes.x[1], tick) for tick in axes.y_ticks]
        self._grid.setData(*_ends(lines), pen=pg.mkPen(theme.grid, width=line_px(look)), antialias=False)
        zero = [(axes.x[0], 0.0, axes.x[1], 0.0), (0.0, axes.y[0], 0.0, axes.y[1])]
        self._zero.setData(*_ends(zero), pen=pg.mkPen(theme.muted, width=line_px(look)), antialias=False)

    def _paint_ticks(self, painter: QPainter, axes: Axes) -> None:
        theme, small = theme_of(self.look), font(self.look, "small")
        line = QFontMetricsF(small).height()
        for tick in self._labelled(axes, line):
            middle = self.point_of(axes.x[0], tick).y()
            place = QRectF(0, middle - line / 2, self.area.left() - px(self.look, 7), line)
            draw_text(painter, self.y_label(tick), place, font=small, colour=theme.muted, align=RIGHT)
        taken = -math.inf
        for tick, label in zip(axes.x_ticks, _x_labels(axes), strict=True):
            middle, half = self.point_of(tick, axes.y[0]).x(), advance(label, small) / 2
            if middle - half < taken:
                continue  # no number over another
            taken = middle + half + px(self.look, 3)
            place = QRectF(middle - 40, self.area.bottom() + px(self.look, 3), 80, line)
            draw_text(painter, label, place, font=small, colour=theme.muted, align=CENTRE)

    def _labelled(self, axes: Axes, line: float) -> tuple[float, ...]:
        """Ticks at the left that bear a number: where it is low not all of them, but zero always."""
        if len(axes.y_ticks) < 2:
            return axes.y_ticks
        step = axes.y_ticks[1] - axes.y_ticks[0]
        apart = self.point_of(axes.x[0], 0.0).y() - self.point_of(axes.x[0], step).y()
        every = max(1, math.ceil(line * LEAST_APART / max(apart, 1e-9)))
        return tuple(tick for tick in axes.y_ticks if round(tick / step) % every == 0)

    def _paint_names(self, painter: QPainter, axes: Axes) -> None:
        theme, small = theme_of(self.look), font(self.look, "small")
        line = QFontMetricsF(small).height()
        below = QRectF(0, self.area.bottom() + line + px(self.look, 5), self.width(), line)
        below.setLeft(self.area.left())
        x_name = fitting(axes.x_name, small, below.width())
        draw_text(painter, x_name, below, font=small, colour=theme.muted, align=CENTRE)
        # Beside the tick labels, never above them: the topmost reaches into this line.
        above = QRectF(self.area.left(), 0, self.width() - self.area.left(), line)
        draw_text(painter, axes.y_name, above, font=small, colour=theme.muted, align=LEFT)


def _unnamed(axes: Axes) -> Axes:
    """The same axes without what does not decide where anything stands."""
    return replace(axes, x_name=(), y_name="")


def _x_labels(axes: Axes) -> tuple[str, ...]:
    return axes.x_labels or tuple(numbers.axis(tick) for tick in axes.x_ticks)


def line_pen(colour: str | QColor, width: float, *, dashed: bool = False, on_axes: bool = True) -> QPen:
    """Pen of a curve, in widget pixels whatever the ranges; on_axes: for a Curve, not for a painter."""
    pen: QPen = pg.mkPen(colour, width=width, cosmetic=on_axes)
    if dashed:
        pen.setDashPattern([4.0, 3.0])
    return pen


def _ends(lines: list[tuple[float, float, float, float]]) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates of line ends, for connect="pairs"."""
    flat = np.array(lines, np.float64).reshape(-1, 2)
    return flat[:, 0], flat[:, 1]
