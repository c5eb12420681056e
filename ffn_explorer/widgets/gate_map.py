"""GateMap: gate against up; density of all tokens, dots of one, and the quadrants in numbers beside it."""

from collections.abc import Callable, Hashable

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QMouseEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QWidget

from ffn_explorer.core.stages import Stage
from ffn_explorer.widgets.drawn_text import CENTRE, LEFT, draw_text
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.gate_map_paint import GatePainter, columns_fitting, table_width
from ffn_explorer.widgets.gate_map_picture import (
    Density,
    Dots,
    GateColumn,
    GateMapPicture,
    GateMapWords,
    axes_of,
)
from ffn_explorer.widgets.plot import Axes, Plot
from ffn_explorer.widgets.ramps import ramp
from ffn_explorer.widgets.sizes import px
from ffn_explorer.widgets.theme import Theme, theme_of

__all__ = ["Density", "Dots", "GateColumn", "GateMap", "GateMapPicture", "GateMapWords"]

LEAST_MAP_PX = 120
_REACH_PX = 12
_READOUT_LINES = 8


class GateMap(Plot[GateMapPicture]):
    """Shows a GateMapPicture; the pointer picks the nearest neuron of the chosen token."""

    pointed = Signal(object)
    """Neuron under the pointer, or None; only when it changes."""
    chosen = Signal(int)
    """Neuron clicked."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build an empty map."""
        super().__init__(parent)
        self.columns = 0
        """Columns of numbers that stand beside the map; 0 writes them into its corners."""
        self._made_from: tuple[object, ...] = ()
        self._density = pg.ImageItem(axisOrder="row-major")
        self.add_items(self._density, depth=1)
        self.moved.connect(self._report)

    def show_picture(self, picture: GateMapPicture) -> None:
        """Draw a picture."""
        before, self.picture = self.picture, picture
        self.sentence = ""
        if before is None or before.look != picture.look:
            self.set_look(picture.look)
        made_from = (picture.density.counts, theme_of(picture.look))
        known = self._made_from
        if not known or any(a is not b for a, b in zip(made_from, known, strict=True)):
            self._made_from = made_from
            self._make_image(picture.density, theme_of(picture.look))
        self._density.setOpacity(picture.progress)
        self._density.setVisible(picture.progress > 0.0)
        if before is None or (before.columns, before.words) != (picture.columns, picture.words):
            # The numbers may have become wider: the area is laid out anew even where the axes stay.
            self._laid_out = None
        line = QFontMetricsF(font(picture.look, "small")).height()
        self.set_axes(axes_of(picture, most=int((self.height() - 6 * line) / (1.6 * line))), picture.look)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Another height has room for other ticks."""
        super().resizeEvent(event)
        if event is not None and self.picture is not None:
            self.show_picture(self.picture)

    def neuron_at(self, at: QPointF) -> int | None:
        """The nearest neuron of the chosen token, where one is near."""
        shown = self.picture
        if shown is None or shown.dots is None or shown.progress < 1.0 or not self.area.contains(at):
            return None
        x, y = self.values_at(at)
        assert self.axes is not None
        wide = self.area.width() / (self.axes.x[1] - self.axes.x[0])
        high = self.area.height() / (self.axes.y[1] - self.axes.y[0])
        with np.errstate(invalid="ignore", over="ignore"):
            far = np.hypot((shown.dots.gate - x) * wide, (shown.dots.up - y) * high)
        far = np.where(np.isfinite(far), far, np.inf)
        nearest = int(far.argmin()) if far.size else -1
        return nearest if far.size and far[nearest] <= px(self.look, _REACH_PX) else None

    def paint_front(self, painter: QPainter) -> None:
        """Paint dots, marks, numbers and words."""
        super().paint_front(painter)
        if self.picture is not None and self.area.width() > 0 and self.area.height() > 0:
            GatePainter(painter, self, self.picture).paint()

    def draw_layer(
        self, painter: QPainter, name: str, key: tuple[Hashable, ...], *, paint: Callable[[QPainter], None]
    ) -> None:
        """Layers also follow the area, which the width of the numbers changes."""
        super().draw_layer(painter, name, (*key, self.area.getRect()), paint=paint)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the neuron under the pointer."""
        super().mousePressEvent(event)
        neuron = self.neuron_at(event.position())
        if neuron is not None and event.button() == Qt.MouseButton.LeftButton:
            self.chosen.emit(neuron)

    def _report(self, at: QPointF | None) -> None:
        self.tell_pointed(None if at is None else self.neuron_at(at))

    def _area(self, axes: Axes) -> QRectF:
        """Room for the numbers at the right, and for a readout below where there is height for one."""
        area = super()._area(axes)
        shown = self.picture
        if shown is None:
            return area
        line = QFontMetricsF(font(self.look, "small")).height()
        if self.height() > _READOUT_LINES * line:
            area.setHeight(max(0.0, area.height() - line - px(self.look, 2)))
        room = area.width() - px(self.look, LEAST_MAP_PX)
        self.columns = columns_fitting(shown, room)
        if self.columns:
            area.setWidth(area.width() - table_width(shown, self.columns))
        return area

    def _paint_names(self, painter: QPainter, axes: Axes) -> None:
        """Under the map itself, not under the numbers too."""
        theme, small = theme_of(self.look), font(self.look, "small")
        line = QFontMetricsF(small).height()
        below = QRectF(
            self.area.left(), self.area.bottom() + line + px(self.look, 5), self.area.width(), line
        )
        draw_text(painter, axes.x_name[0], below, font=small, colour=theme.muted, align=CENTRE)
        above = QRectF(self.area.left(), 0, self.width() - self.area.left(), line)
        draw_text(painter, axes.y_name, above, font=small, colour=theme.muted, align=LEFT)

    def _make_image(self, density: Density, theme: Theme) -> None:
        """Counts as strength of the gate's colour; the root lifts what a few neurons alone would lose."""
        most = max(1, int(density.counts.max(initial=0)))
        strength = np.sqrt(density.counts.T / most)  # [y, x]
        table = ramp(theme.surface, theme.stages[Stage.GATE])
        self._density.setImage(table[np.ceil(255 * strength).astype(np.uint8)], autoLevels=False)
        x, y = float(density.x_edges[-1]), float(density.y_edges[-1])
        self._density.setRect(QRectF(-x, -y, 2 * x, 2 * y))
