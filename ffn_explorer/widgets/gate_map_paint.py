"""How dots, marks and numbers of the map of gate against up are painted."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetricsF, QPainter, QPen, QPixmap

from ffn_explorer.core.stages import Stage
from ffn_explorer.widgets.drawn_text import CENTRE, LEFT, RIGHT, draw_text, fitting
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.gate_map_picture import Dots, GateColumn, GateMapPicture
from ffn_explorer.widgets.layers import device_scale
from ffn_explorer.widgets.marks import Dot, Kind, draw_marks
from ffn_explorer.widgets.sizes import line_px, px
from ffn_explorer.widgets.theme import Theme, blend, theme_of
from ffn_explorer.widgets.vector import is_vector

if TYPE_CHECKING:
    from ffn_explorer.widgets.gate_map import GateMap

HEAD_PX = 76
"""Heads of columns are no wider; a longer token ends in "…"."""

DOT_PX = 3.2
_ROW = 1.3
"""Height of a row of numbers, in lines."""


def columns_fitting(shown: GateMapPicture, room: float) -> int:
    """How many columns of numbers fit beside the map."""
    return next((n for n in range(len(shown.columns), 0, -1) if table_width(shown, n) <= room), 0)


def table_width(shown: GateMapPicture, count: int) -> float:
    """Width of the numbers with their labels and the room before them."""
    look = shown.look
    small, bold = (QFontMetricsF(font(look, "small", bold=bold)) for bold in (False, True))
    labels = max(map(small.horizontalAdvance, (*shown.words.quadrants, shown.words.shut)))
    columns = sum(_column_width(column, bold, look_px=px(look, HEAD_PX)) for column in shown.columns[:count])
    wide = labels + columns + count * px(look, 10) + px(look, 18)
    return max(wide, small.horizontalAdvance(shown.words.condition[-1]) + px(look, 18))


def _column_width(column: GateColumn, bold: QFontMetricsF, *, look_px: float) -> float:
    widest = max(map(bold.horizontalAdvance, (*column.quadrants, column.shut, "100.0 %")))
    return max(min(bold.horizontalAdvance(column.head) + 2, look_px), widest) + 2


class GatePainter:
    """Paints what stands over the density."""

    def __init__(self, painter: QPainter, plot: "GateMap", picture: GateMapPicture) -> None:
        """Take what to paint, and where."""
        self.painter, self.plot, self.picture = painter, plot, picture
        self.theme: Theme = theme_of(picture.look)
        self.small, self.bold = font(picture.look, "small"), font(picture.look, "small", bold=True)
        self.line = QFontMetricsF(self.small).height()

    def paint(self) -> None:
        """Paint everything."""
        self.painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        self._frame()
        self._dots()
        if self.plot.columns:
            self._table()
        else:
            self._corners()
        self._marks()
        self._words()

    def _frame(self) -> None:
        self.painter.setPen(QPen(QColor(self.theme.border), line_px(self.picture.look)))
        self.painter.setBrush(Qt.BrushStyle.NoBrush)
        self.painter.drawRect(self.plot.area)

    def _dots(self) -> None:
        shown = self.picture
        if shown.dots is None or shown.progress <= 0.0:
            return
        dots, axes = shown.dots, self.plot.axes
        key = (shown.source, axes, shown.dots.shut is None)
        self.painter.save()
        self.painter.setOpacity(shown.progress)
        self.plot.draw_layer(self.painter, "dots", key, paint=lambda on: self._stamp(on, dots))
        self.painter.restore()

    def _stamp(self, painter: QPainter, dots: Dots) -> None:
        """One stamp many times: far faster than round points of a pen."""
        scale = device_scale(painter)
        look = self.picture.look
        open_ink = blend(self.theme.ink, self.theme.stages[Stage.GATE], 0.75)
        shut_ink = blend(self.theme.muted, self.theme.surface, 0.8)
        faces = (
            _Face(px(look, DOT_PX), QBrush(open_ink)),
            _Face(px(look, DOT_PX), QBrush(QColor(self.theme.surface)), QPen(shut_ink, line_px(look))),
        )
        places = (self.plot.point_of(float(dots.gate[i]), float(dots.up[i])) for i in dots.drawn.tolist())
        kinds = (int(dots.shut is not None and bool(dots.shut[i])) for i in dots.drawn.tolist())
        if is_vector(painter):
            for at, kind in zip(places, kinds, strict=True):
                faces[kind].draw(painter, at)
            return
        stamps = [face.stamp(scale) for face in faces]
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        for at, kind in zip(places, kinds, strict=True):
            stamp = stamps[kind]
            half = stamp.width() / scale / 2
            place = QPointF(round((at.x() - half) * scale) / scale, round((at.y() - half) * scale) / scale)
            painter.drawPixmap(place, stamp)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)

    def _table(self) -> None:
        """Quadrants and nearly shut gates in rows, one column each for all, the token, and B."""
        words, look, count = self.picture.words, self.picture.look, self.plot.columns
        wide = table_width(self.picture, count) - px(look, 18)
        left, top = self.plot.width() - wide, self.plot.area.top() - self.line * 0.2
        step = min(self.line * _ROW, max(self.line * 0.95, self.plot.area.height() / 7))
        right = left + wide
        for column in reversed(self.picture.columns[:count]):
            width = _column_width(column, QFontMetricsF(self.bold), look_px=px(look, HEAD_PX))
            self._column(column, QRectF(right - width, top, width, self.line), step=step)
            right -= width + px(look, 10)
        rows = (*((text, i + 1.0) for i, text in enumerate(words.quadrants)), (words.shut, 5.3))
        for text, row in rows:
            place = QRectF(left, top + row * step, right - left, self.line)
            self._text(text, place, align=LEFT)
        condition = fitting(words.condition, self.small, wide)
        self._text(condition, QRectF(left, top + 6.3 * step, wide, self.line), align=LEFT)

    def _column(self, column: GateColumn, place: QRectF, *, step: float) -> None:
        head = self.bold if column.kind == "one" else self.small
        ink = self.theme.muted if column.kind == "other" else self.theme.ink
        quiet = "" if column.kind != "one" else ink
        self._text(column.head, place, align=RIGHT, face=head, colour=quiet)
        for text, row in (*((text, i + 1.0) for i, text in enumerate(column.quadrants)), (column.shut, 5.3)):
            face = self.small if column.kind == "other" else self.bold
            self._text(text, place.translated(0, row * step), align=RIGHT, face=face, colour=ink)

    def _corners(self) -> None:
        """Where there is no room beside the map, the shares stand in their quadrants, for all tokens."""
        area, shown, gap = self.plot.area, self.picture, px(self.picture.look, 3)
        if not shown.columns:
            return
        column, half = shown.columns[0], area.width() / 2 - 2 * gap
        lefts = (area.center().x() + gap, area.center().x() + gap, area.left() + gap, area.left() + gap)
        tops = (area.top() + gap, area.bottom() - self.line - gap) * 2
        for i, text in enumerate(column.quadrants):
            align = RIGHT if i < 2 else LEFT
            place = QRectF(lefts[i], tops[i], half, self.line)
            wide = QFontMetricsF(self.bold).horizontalAdvance(text) + 4
            under = QRectF(
                place.right() + 2 - wide if align == RIGHT else place.left() - 2, place.top(), wide, self.line
            )
            ground = QColor(self.theme.surface)
            ground.setAlphaF(0.8)
            self.painter.fillRect(under, ground)
            self._text(text, place, align=align, face=self.bold, colour=self.theme.ink)

    def _marks(self) -> None:
        """The pointed and the chosen neuron as rings, with their numbers below."""
        shown, dots = self.picture, self.picture.dots
        if dots is None or shown.progress < 1.0:
            return
        for neuron, thick, radius in ((shown.pointed, 1.2, 4.0), (shown.chosen, 2.0, 5.5)):
            if neuron is None or not 0 <= neuron < len(dots.gate):
                continue
            gate, up = float(dots.gate[neuron]), float(dots.up[neuron])
            if np.isfinite(gate) and np.isfinite(up):
                self.painter.setPen(QPen(QColor(self.theme.ink), line_px(shown.look, thick)))
                self.painter.setBrush(QColor(self.theme.surface))
                size = px(shown.look, radius)
                self.painter.drawEllipse(self.plot.point_of(gate, up), size, size)

    def _words(self) -> None:
        words, plot, look = self.picture.words, self.plot, self.picture.look
        metrics = QFontMetricsF(self.small)
        left = plot.area.left() + metrics.horizontalAdvance(words.y_name) + px(look, 14)
        gate = self.theme.stages[Stage.GATE]
        ring = QPen(blend(self.theme.muted, self.theme.surface, 0.8), line_px(look))
        kinds: dict[str, Kind] = {
            "density": blend(gate, self.theme.surface, 0.6),
            "dot": Dot(blend(self.theme.ink, gate, 0.75)),
            "shut": Dot(QColor(self.theme.surface), ring),
        }
        place = QRectF(left, 0, plot.width() - left, self.line)
        draw_marks(self.painter, words.legend, place, kinds=kinds, look=look)
        if plot.height() > 8 * self.line:
            place = QRectF(0, plot.height() - self.line - 1, plot.width(), self.line)
            self._text(
                fitting(words.readout, self.small, place.width()), place, align=LEFT, colour=self.theme.ink
            )
        if words.empty:
            self._text(words.empty, plot.area, align=CENTRE)

    def _text(
        self,
        text: str,
        place: QRectF,
        *,
        align: Qt.AlignmentFlag,
        face: QFont | None = None,
        colour: str = "",
    ) -> None:
        ink = colour or self.theme.muted
        draw_text(self.painter, text, place, font=face or self.small, colour=ink, align=align)


class _Face(NamedTuple):
    """A round dot of `size` logical pixels."""

    size: float
    fill: QBrush
    pen: QPen | None = None

    def draw(self, painter: QPainter, at: QPointF) -> None:
        """Paint it around a point."""
        painter.setPen(self.pen if self.pen is not None else QPen(Qt.PenStyle.NoPen))
        painter.setBrush(self.fill)
        painter.drawEllipse(at, self.size / 2, self.size / 2)

    def stamp(self, ratio: float) -> QPixmap:
        """On clear ground; ratio: device pixels per logical pixel."""
        side = int(np.ceil((self.size + 3) * ratio))
        image = QPixmap(side, side)
        image.setDevicePixelRatio(ratio)
        image.fill(Qt.GlobalColor.transparent)
        painter = QPainter(image)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.draw(painter, QPointF(side / ratio / 2, side / ratio / 2))
        painter.end()
        return image
