"""CurvePlot: an activation's curve over the histogram of what enters it, with neurons as dots."""

from dataclasses import dataclass

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QGraphicsItem, QWidget

from ffn_explorer.core.stages import Stage
from ffn_explorer.state.app_state import Appearance
from ffn_explorer.state.result import Floats
from ffn_explorer.widgets.bars import StackedBars
from ffn_explorer.widgets.curve_dots import draw_dots
from ffn_explorer.widgets.curve_item import Curve
from ffn_explorer.widgets.device_pixels import ratio_of
from ffn_explorer.widgets.drawn_text import LEFT, draw_text, fitting
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.legend import Entry, draw_legend
from ffn_explorer.widgets.plot import Axes, Plot, line_pen
from ffn_explorer.widgets.sizes import line_px, px
from ffn_explorer.widgets.theme import blend, theme_of

BARS_SHARE = 0.38
"""Share of the plot's height that the tallest bar takes."""

LEGEND_SHARE = 0.75
"""Share of the plot's width that the legend may take."""

_REACH_PX = 14


@dataclass(frozen=True, slots=True)
class Mark:
    """A neuron picked out: where it stands, its words, and whether it is chosen or only pointed at."""

    z: float
    value: float
    words: str
    chosen: bool
    short: str
    """Words where there is too little room beside it."""


@dataclass(frozen=True, slots=True, eq=False)
class Histogram:
    """Counts `[N]` of neurons between edges `[N + 1]`, split into active and not."""

    edges: Floats
    active: NDArray[np.int64]
    silent: NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class CurvePicture:
    """All that a curve plot draws."""

    look: Appearance
    axes: Axes
    curve: tuple[Floats, Floats]
    slope: tuple[Floats, Floats]
    other: tuple[Floats, Floats] | None
    enters: Stage
    """Stage whose values enter the function: up or gate."""
    band: float
    """Half the height of the band in which a value counts as not active."""
    histogram: Histogram | None
    every: tuple[Floats, Floats]
    """z and f(z) of all neurons `[F]`."""
    dots: NDArray[np.int64]
    """Neurons drawn as dots."""
    entered: float
    """0..1: the histogram grows."""
    progress: float
    """0..1: the dots travel from the axis onto the curve."""
    marks: tuple[Mark, ...]
    legend: tuple[Entry, ...]


class CurvePlot(Plot[CurvePicture]):
    """Shows a CurvePicture; the pointer picks the nearest neuron."""

    pointed = Signal(object)
    """Neuron under the pointer, or None; only when it changes."""
    chosen = Signal(int)
    """Neuron clicked."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build an empty plot."""
        super().__init__(parent)
        self._settled = 0
        """Counts the tokens, so that dots at rest are drawn from one layer."""
        self._bars = StackedBars()
        self._band = pg.BarGraphItem(x0=[], x1=[], y0=[], height=[], pen=None)
        self._slope, self._other, self._curve = (Curve(antialias=True) for _ in range(3))
        self.add_items(self._band, *self._bars.items, depth=1)
        self.add_items(self._slope, self._other, self._curve, depth=4)
        for item in (self._slope, self._other, self._curve):
            item.setCacheMode(QGraphicsItem.CacheMode.DeviceCoordinateCache)
        self.moved.connect(self._report)

    def show_picture(self, picture: CurvePicture) -> None:
        """Draw a picture."""
        before, self.picture = self.picture, picture
        self.sentence = ""
        if before is None or not _same_dots(before, picture):
            self._settled += 1
        if before is None or before.look != picture.look:
            self.set_look(picture.look)
        if before is None or _curves_of(before) != _curves_of(picture):
            self._draw_curves(picture)
        if before is None or _bars_of(before) != _bars_of(picture):
            self._draw_bars(picture)
        self.set_axes(picture.axes, picture.look)

    def neuron_at(self, at: QPointF) -> int | None:
        """Neuron nearest along z, where the pointer is on the bars or near the dots."""
        picture = self.picture
        if picture is None or picture.entered < 1.0 or not self.area.contains(at):
            return None
        z, y = self.values_at(at)
        entering, value = picture.every
        with np.errstate(invalid="ignore"):
            far = np.abs(entering - z)
        far[~np.isfinite(entering) | (np.abs(entering) > picture.axes.x[1])] = np.inf
        if not far.size or not np.isfinite(far.min()):
            return None
        nearest = int(far.argmin())
        height = self.point_of(float(entering[nearest]), float(value[nearest]) * picture.progress)
        reach = px(self.look, _REACH_PX)
        near = abs(height.x() - at.x()) <= reach and abs(height.y() - at.y()) <= reach
        return nearest if near or self._on_bar(picture, z, y) else None

    def paint_front(self, painter: QPainter) -> None:
        """Paint legend and marks over the curve."""
        super().paint_front(painter)
        if self.picture is None or self.area.width() <= 0 or self.area.height() <= 0:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        picture = self.picture
        if picture.progress >= 1.0:
            key = (self._settled, self.area.getRect())
            self.draw_layer(painter, "dots", key, paint=lambda on: self._paint_dots(on, picture))
        else:
            self._paint_dots(painter, picture)
        coloured = (picture.enters, picture.progress)
        self.draw_layer(
            painter,
            "legend",
            (picture.legend, coloured, self.area.getRect()),
            paint=lambda on: self._paint_legend(on, picture),
        )
        for mark in self.picture.marks:
            self._paint_mark(painter, self.picture, mark)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the neuron under the pointer."""
        super().mousePressEvent(event)
        neuron = self.neuron_at(event.position())
        if neuron is not None and event.button() == Qt.MouseButton.LeftButton:
            self.chosen.emit(neuron)

    def _draw_curves(self, picture: CurvePicture) -> None:
        theme, look = theme_of(picture.look), picture.look
        self._curve.setData(*picture.curve, pen=line_pen(theme.stage(Stage.ACT), line_px(look, 2.5)))
        faint = blend(theme.muted, theme.surface, 0.75)
        self._slope.setData(*picture.slope, pen=line_pen(faint, line_px(look, 1.2), dashed=True))
        self._other.setVisible(picture.other is not None)
        if picture.other is not None:
            self._other.setData(*picture.other, pen=line_pen(theme.muted, line_px(look, 1.5)))
        x0, x1 = picture.axes.x
        band = blend(theme.stages[Stage.ACT], theme.surface, 0.12)
        height = [2 * picture.band]
        self._band.setOpts(x0=[x0], x1=[x1], y0=[-picture.band], height=height, brush=band, pen=None)

    def _draw_bars(self, picture: CurvePicture) -> None:
        for item in self._bars.items:
            item.setVisible(picture.histogram is not None and picture.entered > 0.0)
        shown = picture.histogram
        if shown is None:
            return
        colours = _bar_colours(picture)
        base, unit = picture.axes.y[0], _count_height(picture, shown)
        self._bars.show(shown.edges, shown.active, shown.silent, base=base, unit=unit, colours=colours)

    def _on_bar(self, picture: CurvePicture, z: float, y: float) -> bool:
        shown = picture.histogram
        if shown is None:
            return False
        place = int(np.searchsorted(shown.edges, z, side="right")) - 1
        if not 0 <= place < len(shown.active):
            return False
        count = int(shown.active[place] + shown.silent[place])
        return y <= picture.axes.y[0] + count * _count_height(picture, shown)

    def _report(self, at: QPointF | None) -> None:
        self.tell_pointed(None if at is None else self.neuron_at(at))

    def _paint_dots(self, painter: QPainter, picture: CurvePicture) -> None:
        """Neurons, on their way from the axis to the curve."""
        if picture.progress <= 0.0:
            return
        theme = theme_of(picture.look)
        z, value = (array[picture.dots].astype(np.float64) for array in picture.every)
        (x0, x1), (y0, y1) = picture.axes.x, picture.axes.y
        inside = np.abs(z) <= x1
        x = self.area.left() + (z[inside] - x0) / (x1 - x0) * self.area.width()
        y = self.area.bottom() - (value[inside] * picture.progress - y0) / (y1 - y0) * self.area.height()
        colour = blend(theme.ink, theme.stages[Stage.ACT], 0.25)
        draw_dots(painter, x, y, size=px(self.look, 4), colour=colour, ratio=ratio_of(self))

    def _paint_legend(self, painter: QPainter, picture: CurvePicture) -> None:
        """Legend in the upper left, where rising curves leave room."""
        theme, (active, silent) = theme_of(self.look), _bar_colours(picture)
        faint = blend(theme.muted, theme.surface, 0.75)
        keys: dict[str, QColor | QPen] = {
            "active": active,
            "silent": silent,
            "slope": line_pen(faint, line_px(self.look, 1.2), dashed=True, on_axes=False),
            "other": line_pen(theme.muted, line_px(self.look, 1.5), on_axes=False),
        }
        room = QRectF(self.area.topLeft(), self.area.size())
        room.setWidth(self.area.width() * LEGEND_SHARE)
        room.setHeight(self.area.height() * (1.0 - BARS_SHARE * 0.9))
        draw_legend(painter, picture.legend, room, keys=keys, look=self.look)

    def _paint_mark(self, painter: QPainter, picture: CurvePicture, mark: Mark) -> None:
        theme = theme_of(self.look)
        (x0, x1), (y0, y1) = picture.axes.x, picture.axes.y
        value = mark.value * picture.progress
        at = self.point_of(min(x1, max(x0, mark.z)), min(y1, max(y0, value)))
        painter.setPen(QPen(QColor(theme.ink), line_px(self.look, 2.0 if mark.chosen else 1.2)))
        painter.setBrush(QColor(theme.surface))
        radius = px(self.look, 5.5 if mark.chosen else 4)
        painter.drawEllipse(at, radius, radius)
        bold = font(self.look, "small", bold=mark.chosen)
        metrics = QFontMetricsF(bold)
        gap = radius + px(self.look, 4)
        words = fitting((mark.words, mark.short), bold, self.area.right() - at.x() - gap - 6)
        width = metrics.horizontalAdvance(words) + 6
        # On rising curves the free side is below right; the legend has the upper left.
        left = max(self.area.left(), min(at.x() + gap, self.area.right() - width))
        top = at.y() + (2 if left == at.x() + gap else gap)
        if top + metrics.height() > self.area.bottom():
            top = at.y() - gap - metrics.height()
        place = QRectF(left, top, width, metrics.height())
        ground = QColor(theme.surface)
        ground.setAlphaF(0.85)
        painter.fillRect(place, ground)
        draw_text(painter, words, place.adjusted(3, 0, 0, 0), font=bold, colour=theme.ink, align=LEFT)


def _curves_of(picture: CurvePicture) -> tuple[object, ...]:
    """What the curves are drawn from; arrays by identity, since they have no single answer to ==."""
    arrays = (*picture.curve, *picture.slope, *(picture.other or ()))
    return (*map(id, arrays), picture.band, picture.look, picture.axes.x)


def _same_dots(one: CurvePicture, other: CurvePicture) -> bool:
    """Whether the dots of both are the same neurons of the same token; arrays by identity."""
    pairs = zip((*one.every, one.dots), (*other.every, other.dots), strict=True)
    return all(a is b for a, b in pairs)


def _bars_of(picture: CurvePicture) -> tuple[object, ...]:
    """What the bars are drawn from."""
    shown = None if picture.histogram is None else id(picture.histogram)
    axes = (picture.axes.x, picture.axes.y)
    return (shown, picture.entered, picture.progress, picture.enters, picture.look, axes)


def _count_height(picture: CurvePicture, shown: Histogram) -> float:
    """Height of one neuron in the histogram, in units of the y axis."""
    y0, y1 = picture.axes.y
    x0, x1 = picture.axes.x
    inside = (shown.edges[1:] > x0) & (shown.edges[:-1] < x1)
    tallest = int((shown.active + shown.silent)[inside].max(initial=1))
    return BARS_SHARE * (y1 - y0) * picture.entered / max(1, tallest)


def _bar_colours(picture: CurvePicture) -> tuple[QColor, QColor]:
    """Active in the stage's colour; not active in grey, as far as the activation has acted."""
    theme = theme_of(picture.look)
    active = blend(theme.stages[picture.enters], theme.surface, 0.45)
    grey = blend(theme.muted, theme.surface, 0.35)
    return active, blend(grey.name(), active.name(), min(1.0, max(0.0, picture.progress)))
