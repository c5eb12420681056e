"""SumPlot: how near the sum of the k strongest memories comes to the sum of all, with a handle at k."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QWidget

from ffn_explorer.core.stages import Stage
from ffn_explorer.state.app_state import Appearance
from ffn_explorer.state.result import Floats
from ffn_explorer.widgets.axes import ticks
from ffn_explorer.widgets.drawn_text import LEFT, draw_text
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.plot import Axes, Plot, line_pen
from ffn_explorer.widgets.sizes import line_px, px
from ffn_explorer.widgets.sum_marks import SumMark, draw_sum_marks
from ffn_explorer.widgets.theme import blend, theme_of

MOST_TICKS = 7
MOST_POINTS = 2_000
"""Points of a curve; evenly along the axis, so that none between two pixels is missed."""

STEP = 2.0**0.25
"""Factor of one press of an arrow key, at least one memory."""


@dataclass(frozen=True, slots=True, eq=False)
class SumCurves:
    """Cosine and error `[F + 1]` of the k strongest, k = 0..F."""

    cosine: Floats
    error: Floats


@dataclass(frozen=True, slots=True, eq=False)
class SumPicture:
    """All that the plot draws; progress 0..1: how far the curves are drawn.  names: of cosine and error.

    marks: neurons on the curves, once these are drawn to their end.
    """

    look: Appearance
    axes: Axes
    curves: SumCurves
    other: SumCurves | None
    k: int
    names: tuple[str, str]
    progress: float
    marks: tuple[SumMark, ...] = ()


class SumPlot(Plot[SumPicture]):
    """Shows a SumPicture; the handle follows a drag, a click and the arrow keys."""

    picked = Signal(int)
    """Number of memories that a person wants to keep, 1..F."""
    released = Signal()
    """A person let the handle go."""
    pointed = Signal(object)
    """Rank k of the memory under the pointer, the strongest 1, or None; only when it changes."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build an empty plot."""
        super().__init__(parent)
        self._held = False
        self._lines = self.add_curves(4)
        self.moved.connect(self._report)

    def show_picture(self, picture: SumPicture) -> None:
        """Draw a picture."""
        self.picture, self.sentence = picture, ""
        self.set_look(picture.look)
        self.setCursor(Qt.CursorShape.SplitHCursor)
        self._draw_lines(picture)
        self.set_axes(picture.axes, picture.look)

    def show_sentence(self, sentence: str, look: Appearance) -> None:
        """Draw nothing but a sentence."""
        self.unsetCursor()
        super().show_sentence(sentence, look)

    def k_at(self, x: float) -> int:
        """Number of memories at a place along the axis, nearest and within 1..F."""
        assert self.picture is not None
        wanted, _ = self.values_at(QPointF(x, 0.0))
        last = len(self.picture.curves.cosine) - 1
        return min(last, max(1, round(math.pow(2.0, min(wanted, 40.0)))))

    def handle(self) -> QPointF:
        """Middle of the handle."""
        assert self.picture is not None
        return self.point_of(math.log2(self.picture.k), self.picture.axes.y[0])

    def paint_front(self, painter: QPainter) -> None:
        """Paint names and handle over the curves."""
        super().paint_front(painter)
        picture = self.picture
        if picture is None or self.area.width() <= 0 or self.area.height() <= 0:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        self._paint_curve_names(painter, picture)
        marks = [(mark, self.point_of(math.log2(mark.k), 0.0).x()) for mark in picture.marks]
        draw_sum_marks(painter, marks, self._heights, area=self.area, look=self.look)
        self._paint_handle(painter, picture)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Bring the handle here, and hold it."""
        super().mousePressEvent(event)
        if self.picture is not None and event.button() == Qt.MouseButton.LeftButton:
            self._held = True
            self._pick(self.k_at(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag the handle."""
        if self._held and self.picture is not None:
            self._pick(self.k_at(event.position().x()))
        else:
            super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let it go."""
        self._held = False
        super().mouseReleaseEvent(event)
        self.released.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Left and right move along the axis, down and up by one memory."""
        picture = self.picture
        moves = {
            Qt.Key.Key_Left: lambda k: min(k - 1, math.floor(k / STEP)),
            Qt.Key.Key_Right: lambda k: max(k + 1, math.ceil(k * STEP)),
            Qt.Key.Key_Down: lambda k: k - 1,
            Qt.Key.Key_Up: lambda k: k + 1,
        }
        move = moves.get(Qt.Key(event.key()))
        if move is None or picture is None:
            super().keyPressEvent(event)
            return
        self._pick(min(len(picture.curves.cosine) - 1, max(1, move(picture.k))))

    def _pick(self, k: int) -> None:
        if self.picture is not None and k != self.picture.k:
            self.picked.emit(k)

    def _report(self, at: QPointF | None) -> None:
        picture = self.picture
        inside = at is not None and picture is not None and self.area.contains(at) and not self._held
        self.tell_pointed(self.k_at(at.x()) if at is not None and inside else None)

    def _heights(self, x: float) -> tuple[float, ...]:
        """Where both curves run at an x, in pixels."""
        assert self.picture is not None
        curves, k = self.picture.curves, self.k_at(x)
        values = (float(line[k]) for line in (curves.cosine, curves.error))
        return tuple(self.point_of(0.0, value).y() for value in values if math.isfinite(value))

    def _draw_lines(self, picture: SumPicture) -> None:
        theme, look = theme_of(picture.look), picture.look
        cosine, error = _colours(look)
        faint = blend(theme.muted, theme.surface, 0.7)
        other = picture.other
        pens = (
            line_pen(faint, line_px(look, 1.3)),
            line_pen(faint, line_px(look, 1.3), dashed=True),
            line_pen(cosine, line_px(look, 2.2)),
            line_pen(error, line_px(look, 2.2), dashed=True),
        )
        values = (
            None if other is None else other.cosine,
            None if other is None else other.error,
            picture.curves.cosine,
            picture.curves.error,
        )
        end = picture.axes.x[1] * picture.progress
        for item, pen, line in zip(self._lines, pens, values, strict=True):
            item.setVisible(line is not None and picture.progress > 0.0)
            if line is not None:
                item.setData(*_points(line, end=end), pen=pen)

    def _area(self, axes: Axes) -> QRectF:
        """Room for the names of the curves at their right ends."""
        area = super()._area(axes)
        if self.picture is not None:
            metrics = QFontMetricsF(font(self.look, "small", bold=True))
            widest = max(metrics.horizontalAdvance(name) for name in self.picture.names)
            area.setRight(min(area.right(), self.width() - widest - px(self.look, 14)))
        return area

    def _paint_curve_names(self, painter: QPainter, picture: SumPicture) -> None:
        """Names at the right end of both curves, kept apart."""
        bold = font(self.look, "small", bold=True)
        line = QFontMetricsF(bold).height()
        left = self.area.right() + px(self.look, 12)
        ends = [self._end(picture.curves.cosine), self._end(picture.curves.error)]
        if abs(ends[0] - ends[1]) < line:
            ends = [(sum(ends) - line) / 2, (sum(ends) + line) / 2]
        for name, middle, colour in zip(picture.names, ends, _colours(self.look), strict=True):
            place = QRectF(left, middle - line / 2, self.width() - left, line)
            draw_text(painter, name, place, font=bold, colour=colour.name(), align=LEFT)

    def _end(self, line: Floats) -> float:
        """Height at which a curve ends; the middle where it has no number there."""
        assert self.axes is not None
        last = float(line[-1])
        return self.point_of(0.0, last).y() if math.isfinite(last) else self.area.center().y()

    def _paint_handle(self, painter: QPainter, picture: SumPicture) -> None:
        theme, at = theme_of(self.look), self.handle()
        painter.setPen(QPen(QColor(theme.ink), line_px(self.look, 1.6)))
        painter.drawLine(QPointF(at.x(), self.area.top()), at)
        painter.setBrush(QColor(theme.surface))
        if picture.progress >= 1.0:
            radius = px(self.look, 3)
            for line, colour in zip((picture.curves.cosine, picture.curves.error), _colours(self.look)):
                value = float(line[picture.k])
                if math.isfinite(value):
                    painter.setPen(QPen(colour, line_px(self.look, 2.0)))
                    painter.drawEllipse(QPointF(at.x(), self.point_of(0.0, value).y()), radius, radius)
        painter.setPen(QPen(QColor(theme.ink), line_px(self.look, 2.0)))
        painter.drawEllipse(at, px(self.look, 6), px(self.look, 6))


def axes_of(curves: list[SumCurves], *, x_name: tuple[str, ...], y_name: str, y_short: str = "") -> Axes:
    """Log₂ of k along x; 0 to 1 along y, or further where the curves go."""
    total = max(len(curve.cosine) for curve in curves) - 1
    every = np.concatenate([line[1:] for curve in curves for line in (curve.cosine, curve.error)])
    every = every[np.isfinite(every)]
    low, high = min(0.0, float(every.min(initial=0.0))), max(1.0, float(every.max(initial=1.0)))
    last = math.log2(total) if total > 1 else 1.0
    step = max(1, math.ceil((math.floor(last) + 1) / MOST_TICKS))
    powers = range(0, math.floor(last) + 1, step)
    return Axes(
        x=(0.0, last),
        y=(low, high),
        x_ticks=tuple(float(power) for power in powers),
        y_ticks=ticks(low, high, most=4),
        x_name=x_name,
        y_name=y_name,
        y_short=y_short,
        x_labels=tuple(f"{2**power:,}" for power in powers),
    )


def _points(line: Floats, *, end: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Log₂ k and the value there, for k = 1.. up to `end`; not more points than can be told apart."""
    k = np.arange(1, len(line))
    if len(k) > MOST_POINTS:
        k = np.unique(np.rint(np.geomspace(1, len(line) - 1, MOST_POINTS)).astype(np.int64))
    x = np.log2(k)
    shown = x <= end
    return x[shown], line[k[shown]].astype(np.float64)


def _colours(look: Appearance) -> tuple[QColor, QColor]:
    """Of cosine and error: the output's colour, and ink."""
    theme = theme_of(look)
    return theme.stage(Stage.OUT), QColor(theme.ink)
