"""SpreadPlot: how large the values are, on a logarithmic axis, with theta as a line that can be dragged."""

import math

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QWidget

from ffn_explorer.widgets.curve_item import Curve
from ffn_explorer.widgets.drawn_text import CENTRE, LEFT, RIGHT, draw_text
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.hatch import hatched
from ffn_explorer.widgets.layers import hatch_scale
from ffn_explorer.widgets.marks import Kind, draw_marks
from ffn_explorer.widgets.plot import Axes, Plot, line_pen
from ffn_explorer.widgets.sizes import line_px, px
from ffn_explorer.widgets.spread_picture import Sizes, SpreadPicture, axes_of, power, zero_width
from ffn_explorer.widgets.theme import blend, theme_of

__all__ = ["Sizes", "SpreadPicture", "SpreadPlot"]

_REACH_PX = 9
_RADIUS_PX = 5.5


class SpreadPlot(Plot[SpreadPicture]):
    """Shows a SpreadPicture."""

    wanted = Signal(float)
    """Size |hidden| to which a person dragged the line; 0 left of all sizes."""
    released = Signal()
    """A person let the line go."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build an empty plot."""
        super().__init__(parent)
        self._held = False
        self._bars = pg.BarGraphItem(x0=[], x1=[], y0=[], height=[], pen=None)
        self._token, self._other = Curve(), Curve()
        # No size is 0 on this axis: the line through x = 0 would stand at |hidden| = 1.
        self._zero.setVisible(False)
        self.add_items(self._bars, depth=1)
        self.add_items(self._other, self._token, depth=4)
        self.moved.connect(self._drag)

    def show_picture(self, picture: SpreadPicture) -> None:
        """Draw a picture."""
        before, self.picture = self.picture, picture
        self.sentence = ""
        if before is None or before.look != picture.look:
            self.set_look(picture.look)
        self._draw_bars(picture)
        self.set_axes(axes_of(picture), picture.look)

    def paint_front(self, painter: QPainter) -> None:
        """Paint zeros, legend and the line of theta over the bars."""
        super().paint_front(painter)
        shown = self.picture
        if shown is None or self.area.width() <= 0 or self.area.height() <= 0:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        self._paint_zeros(painter, shown)
        self._paint_legend(painter, shown)
        self._paint_theta(painter, shown)

    def x_of(self, size: float) -> float:
        """Where a size stands in the widget; zero beside the bar of zeros."""
        shown = self.picture
        assert shown is not None
        edges = shown.edges
        if size <= 0.0:
            return self.point_of(float(edges[0]) - 0.12 * zero_width(edges), 0.0).x()
        place = math.log10(size) if math.isfinite(size) else math.inf
        return self.point_of(min(float(edges[-1]), max(float(edges[0]), place)), 0.0).x()

    def size_at(self, x: float) -> float:
        """The size at a place in the widget, to 2 digits; 0 left of the smallest."""
        shown = self.picture
        assert shown is not None
        place, _ = self.values_at(QPointF(x, 0.0))
        if place < float(shown.edges[0]):
            return 0.0
        return float(f"{10.0 ** min(place, float(shown.edges[-1])):.1e}")

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take hold of the line."""
        super().mousePressEvent(event)
        self._held = event.button() == Qt.MouseButton.LeftButton and self._near(event.position())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let the line go where it is."""
        if self._held:
            self._drag(event.position())
            self.released.emit()
        self._held = False
        super().mouseReleaseEvent(event)

    def _near(self, at: QPointF) -> bool:
        shown = self.picture
        if shown is None or not shown.movable:
            return False
        reach = px(self.look, _REACH_PX)
        tall = self.area.top() - reach <= at.y() <= self.area.bottom() + reach
        return tall and abs(at.x() - self.x_of(shown.theta)) <= reach

    def _drag(self, at: QPointF | None) -> None:
        if self.picture is None or at is None:
            return
        over = self._held or self._near(at)
        self.setCursor(Qt.CursorShape.SizeHorCursor if over else Qt.CursorShape.ArrowCursor)
        if self._held and self.picture.movable:
            size = self.size_at(at.x())
            if size != self.picture.theta:
                self.wanted.emit(size)

    def _draw_bars(self, shown: SpreadPicture) -> None:
        theme, edges = theme_of(shown.look), shown.edges
        fill = blend(theme.stages[shown.stage], theme.surface, 0.5)
        height = shown.every.bars * shown.progress
        sides = {"x0": edges[:-1], "x1": edges[1:] - 0.1 * np.diff(edges)}
        self._bars.setOpts(**sides, y0=0 * height, height=height, brush=fill, pen=None)
        lines = (
            (self._token, shown.token, line_pen(theme.ink, line_px(shown.look, 1.5))),
            (self._other, shown.other, line_pen(theme.muted, line_px(shown.look, 1.5), dashed=True)),
        )
        for item, sizes, pen in lines:
            item.setVisible(sizes is not None)
            if sizes is not None:
                item.setData(edges, sizes.bars * shown.progress, stepMode="center", pen=pen)

    def _paint_zeros(self, painter: QPainter, shown: SpreadPicture) -> None:
        """The bar of exact zeros, apart; a slanted cut where it is taller than the plot."""
        theme, top = theme_of(self.look), self._top()
        middle = float(shown.edges[0]) - 0.58 * zero_width(shown.edges)
        half = 0.3 * zero_width(shown.edges)
        tall = min(top, shown.every.zero * shown.progress)
        place = QRectF(self.point_of(middle - half, tall), self.point_of(middle + half, 0.0))
        painter.fillRect(place, self._hatched(painter))
        outlines = (
            (shown.token, line_pen(theme.ink, line_px(self.look, 1.5), on_axes=False)),
            (shown.other, line_pen(theme.muted, line_px(self.look, 1.5), dashed=True, on_axes=False)),
        )
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for sizes, pen in outlines:
            if sizes is not None and sizes.zero > 0.0:
                tall = min(top, sizes.zero * shown.progress)
                painter.setPen(pen)
                painter.drawRect(
                    QRectF(self.point_of(middle - half, tall), self.point_of(middle + half, 0.0))
                )
        if shown.every.zero * shown.progress > top:
            self._paint_cut(painter, place)

    def _hatched(self, painter: QPainter) -> QBrush:
        """Fill of exact zeros."""
        theme, look = theme_of(self.look), self.look
        thin = blend(theme.muted, theme.surface, 0.55)
        return hatched(hatch_scale(painter), thin, QColor(theme.sunken), step=px(look, 5), line=line_px(look))

    def _paint_cut(self, painter: QPainter, place: QRectF) -> None:
        """Two slanted lines over a bar that goes on beyond the plot."""
        theme, high = theme_of(self.look), px(self.look, 5)
        y, left, right = place.top() + 3 * high, place.left() - 3, place.right() + 3
        strokes = ((0.0, theme.surface, 5.0), (-0.5, theme.muted, 1.0), (0.5, theme.muted, 1.0))
        for shift, colour, thick in strokes:
            painter.setPen(QPen(QColor(colour), line_px(self.look, thick)))
            middle = y + shift * high
            painter.drawLine(QPointF(left, middle + high / 2), QPointF(right, middle - high / 2))

    def _paint_legend(self, painter: QPainter, shown: SpreadPicture) -> None:
        theme = theme_of(self.look)
        kinds: dict[str, Kind] = {
            "every": blend(theme.stages[shown.stage], theme.surface, 0.5),
            "zero": self._hatched(painter),
            "token": line_pen(theme.ink, line_px(self.look, 1.5), on_axes=False),
            "other": line_pen(theme.muted, line_px(self.look, 1.5), dashed=True, on_axes=False),
        }
        metrics = QFontMetricsF(font(self.look, "small"))
        left = self.area.left() + metrics.horizontalAdvance(shown.y_name) + px(self.look, 14)
        place = QRectF(left, 0, self.width() - left, metrics.height())
        draw_marks(painter, shown.legend, place, kinds=kinds, look=self.look)

    def _paint_theta(self, painter: QPainter, shown: SpreadPicture) -> None:
        """What is not active fades; line, handle and words."""
        theme, x = theme_of(self.look), self.x_of(shown.theta)
        area, line = self.area, QFontMetricsF(font(self.look, "small")).height()
        veil = QColor(theme.surface)
        veil.setAlphaF(0.55)
        painter.fillRect(QRectF(area.left(), area.top(), x - area.left(), area.height()), veil)
        painter.setPen(QPen(QColor(theme.muted), line_px(self.look)))
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        painter.setPen(QPen(QColor(theme.ink), line_px(self.look, 1.5)))
        painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
        painter.setBrush(QColor(theme.surface if shown.movable else theme.ink))
        radius = px(self.look, _RADIUS_PX) if shown.movable else px(self.look, 3)
        painter.drawEllipse(QPointF(x, area.bottom()), radius, radius)
        gap = px(self.look, 5)
        right = QRectF(x + gap, area.top(), area.right() - x - gap, line)
        left = QRectF(area.left(), area.top(), x - gap - area.left(), line)
        self._beside(painter, shown.theta_words, right, left=left)
        for text, place, align in ((shown.above, right, LEFT), (shown.below, left, RIGHT)):
            self._side(painter, text, place.translated(0, line), align=align)

    def _beside(self, painter: QPainter, wordings: tuple[str, ...], right: QRectF, *, left: QRectF) -> None:
        """The longest wording that fits right of the line, or else left of it."""
        bold = font(self.look, "small", bold=True)
        metrics = QFontMetricsF(bold)
        sides = [(text, place, align) for text in wordings for place, align in ((right, LEFT), (left, RIGHT))]
        text, place, align = next(
            (side for side in sides if metrics.horizontalAdvance(side[0]) <= side[1].width()), sides[-1]
        )
        self._clear(painter, text, place, align=align)
        draw_text(painter, text, place, font=bold, colour=theme_of(self.look).ink, align=align)

    def _side(self, painter: QPainter, text: str, place: QRectF, *, align: Qt.AlignmentFlag) -> None:
        """Words where there is room for all of them."""
        small = font(self.look, "small")
        if text and QFontMetricsF(small).horizontalAdvance(text) <= place.width():
            self._clear(painter, text, place, align=align)
            draw_text(painter, text, place, font=small, colour=theme_of(self.look).muted, align=align)

    def _clear(self, painter: QPainter, text: str, place: QRectF, *, align: Qt.AlignmentFlag) -> None:
        """Ground under words that may stand over bars."""
        wide = QFontMetricsF(font(self.look, "small", bold=True)).horizontalAdvance(text) + 4
        ground = QColor(theme_of(self.look).surface)
        ground.setAlphaF(0.8)
        left = place.left() - 2 if align == LEFT else place.right() + 2 - wide
        painter.fillRect(QRectF(left, place.top(), wide, place.height()), ground)

    def _paint_ticks(self, painter: QPainter, axes: Axes) -> None:
        """Ticks of y as usual; of x the powers of ten, as many as fit, and 0 apart."""
        shown, small = self.picture, font(self.look, "small")
        super()._paint_ticks(painter, Axes(axes.x, axes.y, (), axes.y_ticks, axes.x_name, axes.y_name))
        if shown is None:
            return
        metrics, theme = QFontMetricsF(small), theme_of(self.look)
        first, last = round(float(shown.edges[0])), round(float(shown.edges[-1]))
        zero = first - 0.58 * zero_width(shown.edges)
        taken: list[QRectF] = []
        for place, text in ((zero, "0"), *((k, power(k)) for k in range(last, first - 1, -1))):
            wide = metrics.horizontalAdvance(text) + 4
            middle = self.point_of(float(place), axes.y[0]).x()
            where = QRectF(middle - wide / 2, self.area.bottom() + px(self.look, 5), wide, metrics.height())
            if not any(where.adjusted(-4, 0, 4, 0).intersects(other) for other in taken):
                draw_text(painter, text, where, font=small, colour=theme.muted, align=CENTRE)
                taken.append(where)

    def _top(self) -> float:
        assert self.axes is not None
        return self.axes.y[1]
