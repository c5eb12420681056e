"""DimStrip: every dimension of one row of hidden states as a bar, to choose one from."""

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QWidget

from ffn_explorer.state import numbers
from ffn_explorer.state.app_state import Appearance
from ffn_explorer.state.pyramid import rounded_up
from ffn_explorer.state.result import Floats
from ffn_explorer.widgets.axes import signed, whole_ticks
from ffn_explorer.widgets.canvas import Canvas
from ffn_explorer.widgets.drawn_text import CENTRE, RIGHT, draw_text, fitting
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.pooling import Lanes, lanes
from ffn_explorer.widgets.sizes import line_px, px
from ffn_explorer.widgets.theme import Theme, theme_of

GAP_FROM_PX = 4.0
"""Bars at least this wide stand apart."""


@dataclass(frozen=True, slots=True, eq=False)
class DimPicture:
    """All that a strip draws: values `[D]` (and B's), which is chosen and pointed at, its words.

    filled 0..1: how many bars, from the left, are there.  name: wordings of the axis, longest first.
    """

    look: Appearance
    values: Floats
    other: Floats | None
    chosen: int | None
    pointed: int | None
    filled: float
    name: tuple[str, ...]


class DimStrip(Canvas):
    """Shows a DimPicture; the pointer names the dimension under it, of those on one pixel the strongest."""

    pointed = Signal(object)
    """Dimension under the pointer, or None; only when it changes."""
    chosen = Signal(int)
    """Dimension clicked."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build an empty strip."""
        super().__init__(parent)
        self.picture: DimPicture | None = None
        self.moved.connect(self._report)

    def show_dims(self, picture: DimPicture | None, look: Appearance) -> None:
        """Draw a picture, or nothing."""
        self.picture = picture
        self.set_look(look)
        self.lay_out()

    @property
    def area(self) -> QRectF:
        """Where the bars stand."""
        if self.picture is None:
            return QRectF()
        small = QFontMetricsF(font(self.look, "small"))
        left = px(self.look, 6) + max(small.horizontalAdvance(text) for text in _ends(self.picture))
        below = small.height() + px(self.look, 3)
        right = px(self.look, 4)
        return QRectF(
            round(left), 0, max(1.0, self.width() - round(left) - right), max(1.0, self.height() - below)
        )

    def dim_at(self, at: QPointF) -> int | None:
        """Dimension at a position: of all on that pixel the one of largest magnitude."""
        picture, area = self.picture, self.area
        if picture is None or not area.contains(at):
            return None
        laid = _lanes(picture, area)
        pixel = min(len(laid.low) - 1, int((at.x() - area.left()) / area.width() * len(laid.low)))
        low, high = int(laid.low[pixel]), int(laid.high[pixel])
        if high > picture.filled * len(picture.values) + 1e-9:
            return None
        return low + int(np.argmax(np.nan_to_num(np.abs(picture.values[low:high]), nan=np.inf)))

    def paint_front(self, painter: QPainter) -> None:
        """Paint bars, axis and marks."""
        if self.picture is not None:
            theme, area = theme_of(self.look), self.area
            self._paint_axis(painter, self.picture, area)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            self._paint_bars(painter, self.picture, area)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
            for dim, strong in ((self.picture.pointed, False), (self.picture.chosen, True)):
                if dim is not None and 0 <= dim < len(self.picture.values):
                    self._paint_mark(painter, self.picture, dim, strong=strong, theme=theme)
        super().paint_front(painter)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the dimension under the pointer."""
        super().mousePressEvent(event)
        dim = self.dim_at(event.position())
        if dim is not None and event.button() == Qt.MouseButton.LeftButton:
            self.chosen.emit(dim)

    def _paint_axis(self, painter: QPainter, picture: DimPicture, area: QRectF) -> None:
        theme, small = theme_of(self.look), font(self.look, "small")
        line = QFontMetricsF(small).height()
        upper, lower = _ends(picture)
        left = QRectF(0, 0, area.left() - px(self.look, 4), line)
        draw_text(painter, upper, left, font=small, colour=theme.muted, align=RIGHT)
        left.moveBottom(area.bottom())
        if area.height() >= 2 * line:
            draw_text(painter, lower, left, font=small, colour=theme.muted, align=RIGHT)
        painter.setPen(QPen(QColor(theme.grid), line_px(self.look)))
        painter.drawLine(QPointF(area.left(), area.center().y()), QPointF(area.right(), area.center().y()))
        below = QRectF(area.left(), area.bottom() + px(self.look, 2), area.width(), line)
        metrics = QFontMetricsF(small)
        name = fitting(picture.name, small, area.width() * 0.6)
        taken = metrics.horizontalAdvance(name) + px(self.look, 12)
        draw_text(painter, name, below, font=small, colour=theme.muted, align=RIGHT)
        count = len(picture.values)
        for tick in whole_ticks(0, count, most=max(1, int(area.width() / px(self.look, 80)))):
            x = area.left() + (min(tick, count - 1) + 0.5) / count * area.width()
            if tick < count and x + px(self.look, 24) < area.right() - taken:
                place = QRectF(x - px(self.look, 24), below.top(), px(self.look, 48), line)
                draw_text(painter, numbers.axis(tick), place, font=small, colour=theme.muted, align=CENTRE)

    def _paint_bars(self, painter: QPainter, picture: DimPicture, area: QRectF) -> None:
        theme, laid, limit = theme_of(self.look), _lanes(picture, area), _limit(picture)
        count, half = len(laid.low), area.height() / 2
        wide = area.width() / count
        gap = 1.0 if wide >= GAP_FROM_PX else 0.0
        thin = line_px(self.look, 1.5)
        shown = int(picture.filled * count + 1e-9)
        values = _strongest(picture.values, laid)[:shown].tolist()
        others = [] if picture.other is None else _strongest(picture.other, laid)[:shown].tolist()
        for pixel, value in enumerate(values):
            box = QRectF(area.left() + pixel * wide, area.center().y(), max(1.0, wide - gap), 0.0)
            _fill_bar(painter, box, value, half=half, limit=limit, theme=theme)
        for pixel, value in enumerate(others):
            if np.isfinite(value):
                y = area.center().y() - half * max(-1.0, min(1.0, value / limit)) - thin / 2
                left = area.left() + pixel * wide
                painter.fillRect(QRectF(left, y, max(1.0, wide - gap), thin), QColor(theme.muted))

    def _paint_mark(
        self, painter: QPainter, picture: DimPicture, dim: int, *, strong: bool, theme: Theme
    ) -> None:
        """A frame around a dimension's bar."""
        area = self.area
        x = area.left() + (dim + 0.5) / len(picture.values) * area.width()
        wide = max(px(self.look, 5), area.width() / len(picture.values) + 2)
        painter.setPen(
            QPen(QColor(theme.ink if strong else theme.muted), line_px(self.look, 1.5 if strong else 1))
        )
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(QRectF(x - wide / 2, 0.5, wide, area.height() - 1), 2, 2)

    def _report(self, at: QPointF | None) -> None:
        self.tell_pointed(None if at is None else self.dim_at(at))


def _lanes(picture: DimPicture, area: QRectF) -> Lanes:
    """Dimensions on pixels: one bar each where there is room."""
    count = len(picture.values)
    return lanes(count, min(count, max(1, int(area.width()))))


def _limit(picture: DimPicture) -> float:
    rows = [picture.values] if picture.other is None else [picture.values, picture.other]
    finite = np.concatenate([row[np.isfinite(row)] for row in rows])
    return rounded_up(float(np.abs(finite).max(initial=0.0)))


def _ends(picture: DimPicture) -> tuple[str, str]:
    limit = _limit(picture)
    return signed(limit), signed(-limit)


def _strongest(row: Floats, laid: Lanes) -> Floats:
    """The value of largest magnitude on each pixel `[P]`; what is not finite is infinite."""
    known = np.nan_to_num(row.astype(np.float64), nan=np.inf, posinf=np.inf, neginf=np.inf)
    top, bottom = (op.reduceat(known, laid.low) for op in (np.maximum, np.minimum))
    found: Floats = np.where(top >= -bottom, top, bottom)
    return found


def _fill_bar(
    painter: QPainter, box: QRectF, value: float, *, half: float, limit: float, theme: Theme
) -> None:
    """Paint a bar up or down from the middle; one that is not finite fills its place."""
    if not np.isfinite(value):
        painter.fillRect(box.adjusted(0, -half, 0, half), QColor(theme.non_finite))
    elif value != 0.0:
        height = max(1.0, half * min(1.0, abs(value) / limit))
        top = box.top() - height if value > 0 else box.top()
        colour = QColor(theme.negative if value < 0.0 else theme.positive)
        painter.fillRect(QRectF(box.left(), top, box.width(), height), colour)
