"""AtlasPlot: every neuron of a layer as a dot, with pointer, keys, zoom and drags that move it."""

import math
from collections.abc import Hashable

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPen, QWheelEvent
from PySide6.QtWidgets import QWidget

from ffn_explorer.widgets.atlas_frame import paint_edges, paint_plate, paint_scale
from ffn_explorer.widgets.atlas_picture import LEAST_PARTS, PARTS, WHOLE, AtlasPicture, Window
from ffn_explorer.widgets.atlas_points import Places, image_of, nearest, radius_of
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.layers import hatch_scale
from ffn_explorer.widgets.plot import Axes, Plot
from ffn_explorer.widgets.sizes import line_px, px
from ffn_explorer.widgets.theme import theme_of

REACH_PX = 12.0
"""How far from a dot a pointer or click still means it."""

DRAG_PX = 5.0
EDGE_PX = 24
"""Height of the histograms along the edges."""

EDGES_FROM_PX = 170
"""Least side of the area that leaves room for them."""

ZOOM_PER_NOTCH = 1.25
_NOTCH = 120.0
_STEPS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Up: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Down: 1}


class AtlasPlot(Plot[AtlasPicture]):
    """Shows an AtlasPicture; the dots are an image that is made anew only when they or the axes change."""

    chosen = Signal(int)
    """A neuron was clicked."""
    walked = Signal(int)
    """An arrow key: −1 or 1 along the list."""
    zoomed = Signal(object)
    """Wanted part of the axes, a Window."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build an empty plot."""
        super().__init__(parent)
        self._pressed: tuple[QPointF, Window] | None = None
        self._dragging = False
        self._known: tuple[tuple[object, ...], tuple[Places, Places]] | None = None
        self.moved.connect(self._report)

    def show_picture(self, picture: AtlasPicture) -> None:
        """Draw a picture."""
        self.picture, self.sentence = picture, ""
        self.set_look(picture.look)
        self.set_axes(picture.axes, picture.look)

    def places(self) -> tuple[Places, Places]:
        """Places of all dots in the widget `[F]` each."""
        shown, axes = self.picture, self.axes
        assert shown is not None
        assert axes is not None
        key = (shown.points, axes.x, axes.y, self.area.getRect())
        if self._known is None or self._known[0] != key:
            (x0, x1), (y0, y1), area = axes.x, axes.y, self.area
            x = area.left() + (shown.points.x - np.float64(x0)) * (area.width() / (x1 - x0))
            y = area.bottom() - (shown.points.y - np.float64(y0)) * (area.height() / (y1 - y0))
            self._known = (key, (x, y))
        return self._known[1]

    def neuron_at(self, at: QPointF) -> int | None:
        """The neuron whose dot is nearest to a place, None where none is near."""
        if self.picture is None or self.axes is None or not self.area.contains(at):
            return None
        x, y = self.places()
        # What is not in sight cannot be meant.
        area = self.area
        seen = (x >= area.left()) & (x <= area.right()) & (y >= area.top()) & (y <= area.bottom())
        return nearest(np.where(seen, x, np.nan), y, at=(at.x(), at.y()), reach=px(self.look, REACH_PX))

    def paint_front(self, painter: QPainter) -> None:
        """Paint dots, edges, scale, rings and words."""
        shown, axes = self.picture, self.axes
        if shown is not None and axes is not None and self.area.width() > 1 and self.area.height() > 1:
            key = (shown.points, axes.x, axes.y, self.area.getRect())
            scale = hatch_scale(painter)
            self.draw_layer(painter, "dots", (*key, scale), paint=lambda on: self._paint_dots(on, scale))
            self._layer(painter, shown, axes)
        super().paint_front(painter)
        if shown is not None and axes is not None:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
            self._paint_rings(painter, shown)

    def _layer(self, painter: QPainter, shown: AtlasPicture, axes: Axes) -> None:
        edges: tuple[Hashable, ...] = (shown.points, axes.x, axes.y, self.area.getRect())
        if self._has_edges(self.area):
            high = px(self.look, EDGE_PX)
            self.draw_layer(
                painter, "edges", edges,
                paint=lambda on: paint_edges(on, shown, axes, area=self.area, high=high),
            )  # fmt: skip
        left = self.area.left() + QFontMetricsF(font(self.look, "small")).horizontalAdvance(axes.y_name)
        line = QRectF(left + px(self.look, 14), 0, 0, QFontMetricsF(font(self.look, "small")).height())
        line.setRight(self.width())
        said = (shown.scale, shown.points.limit, axes.y_name, self.area.getRect())
        self.draw_layer(painter, "scale", said, paint=lambda on: paint_scale(on, shown, line))

    def _area(self, axes: Axes) -> QRectF:
        """Room for the edges above and beside, where there is enough."""
        area = super()._area(axes)
        high = px(self.look, EDGE_PX) + px(self.look, 2)
        smaller = area.adjusted(0, high, -high, 0)
        return smaller if self._has_edges(smaller) else area

    def _has_edges(self, area: QRectF) -> bool:
        return min(area.width(), area.height()) >= px(self.look, EDGES_FROM_PX)

    def _paint_dots(self, painter: QPainter, scale: float) -> None:
        shown, area = self.picture, self.area
        if shown is None:
            return
        x, y = self.places()
        size = (max(1, round(area.width() * scale)), max(1, round(area.height() * scale)))
        radius = radius_of(len(x)) * px(self.look, 10) / 10 * scale
        image = image_of(
            shown.points, (x - area.left()) * scale, (y - area.top()) * scale,
            size=size, radius=radius, theme=theme_of(self.look),
        )  # fmt: skip
        painter.drawImage(QRectF(area.topLeft(), QSizeF(area.size())), image)

    def _paint_rings(self, painter: QPainter, shown: AtlasPicture) -> None:
        """Rings around the chosen and the pointed neuron, and the words of one of them."""
        theme, (x, y) = theme_of(self.look), self.places()
        radius = radius_of(len(x)) * px(self.look, 10) / 10 + px(self.look, 4)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        told: QPointF | None = None
        for neuron, colour in ((shown.chosen, theme.ink), (shown.hovered, theme.focus)):
            if neuron is None or not 0 <= neuron < len(x):
                continue
            at = QPointF(float(x[neuron]), float(y[neuron]))
            if not (math.isfinite(at.x()) and math.isfinite(at.y()) and self.area.contains(at)):
                continue
            for ink, thick in ((theme.surface, 4.5), (colour, 2.0)):
                painter.setPen(QPen(QColor(ink), line_px(self.look, thick)))
                painter.drawEllipse(at, radius, radius)
            told = at
        if told is not None and shown.said:
            paint_plate(painter, shown.said, told, radius=radius, area=self.area, look=self.look)

    # What a person does -------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a click or a drag."""
        super().mousePressEvent(event)
        inside = self.picture is not None and self.area.contains(event.position())
        if inside and self.picture is not None and event.button() == Qt.MouseButton.LeftButton:
            self._pressed = (event.position(), self.picture.window)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Report the pointer with the next frame; a drag moves the axes along."""
        if self._pressed is not None and not self._dragging:
            self._dragging = (event.position() - self._pressed[0]).manhattanLength() > DRAG_PX
        super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Choose the neuron that was clicked, unless the axes were dragged."""
        super().mouseReleaseEvent(event)
        pressed, dragged = self._pressed, self._dragging
        self._pressed, self._dragging = None, False
        if pressed is None or dragged or event.button() != Qt.MouseButton.LeftButton:
            return
        neuron = self.neuron_at(event.position())
        if neuron is not None:
            self.chosen.emit(neuron)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Show all neurons again."""
        super().mouseDoubleClickEvent(event)
        if event.button() == Qt.MouseButton.LeftButton:
            self._ask(WHOLE)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom around the pointer."""
        if self.picture is None or not self.area.contains(event.position()):
            event.ignore()
            return
        event.accept()
        at, area = event.position(), self.area
        around = ((at.x() - area.left()) / area.width(), (area.bottom() - at.y()) / area.height())
        self._zoom(event.angleDelta().y() / _NOTCH, around)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Plus and minus zoom, 0 shows all, arrows go along the list."""
        step = _STEPS.get(Qt.Key(event.key()))
        if self.picture is None:
            super().keyPressEvent(event)
        elif event.text() in ("+", "=", "-", "_") and event.text():
            self._zoom(1.0 if event.text() in "+=" else -1.0, self._middle())
        elif event.text() == "0":
            self._ask(WHOLE)
        elif step is not None:
            self.walked.emit(step)
        else:
            super().keyPressEvent(event)

    def _middle(self) -> tuple[float, float]:
        """Shares of the area around which keys zoom: the chosen neuron, else the middle."""
        shown = self.picture
        if shown is not None and shown.chosen is not None:
            x, y = (float(part[shown.chosen]) for part in self.places())
            if self.area.contains(QPointF(x, y)):
                area = self.area
                return (x - area.left()) / area.width(), (area.bottom() - y) / area.height()
        return 0.5, 0.5

    def _report(self, at: QPointF | None) -> None:
        if self._dragging and at is not None and self._pressed is not None:
            start, (first, shown, row, rows) = self._pressed
            right = (start.x() - at.x()) / max(1.0, self.area.width()) * shown
            up = (at.y() - start.y()) / max(1.0, self.area.height()) * rows
            self._ask((round(first + right), shown, round(row + up), rows))
        elif not self._dragging:
            self.tell_pointed(None if at is None else self.neuron_at(at))

    def _zoom(self, notches: float, around: tuple[float, float]) -> None:
        """Zoom so that the point at these shares of the area stays where it is."""
        if self.picture is None:
            return
        asked: list[int] = []
        first, shown, row, rows = self.picture.window
        for (start, now), share in zip(((first, shown), (row, rows)), around, strict=True):
            wanted = min(PARTS, max(LEAST_PARTS, round(now / ZOOM_PER_NOTCH**notches)))
            asked += [round(start + share * (now - wanted)), wanted]
        self._ask((asked[0], asked[1], asked[2], asked[3]))

    def _ask(self, wanted: Window) -> None:
        if self.picture is None:
            return
        first, shown, row, rows = wanted
        inside = (min(max(0, first), PARTS - shown), shown, min(max(0, row), PARTS - rows), rows)
        if inside != self.picture.window:
            self.zoomed.emit(inside)
