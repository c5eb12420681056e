"""How the strip of neurons and the histogram of their counts are painted."""

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QImage, QPainter, QPen

from ffn_explorer.state import numbers
from ffn_explorer.widgets.axes import ticks, whole_ticks
from ffn_explorer.widgets.drawn_text import CENTRE, LEFT, RIGHT, draw_text, fitting
from ffn_explorer.widgets.flow_columns import Box
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.hatch import whole
from ffn_explorer.widgets.layers import Layers, device_scale, hatch_scale
from ffn_explorer.widgets.marks import Kind, draw_marks
from ffn_explorer.widgets.neuron_counts_picture import (
    LEAST_BAR_PX,
    CountPlaces,
    CountsPicture,
    Heights,
    heights,
)
from ffn_explorer.widgets.pooling import lanes
from ffn_explorer.widgets.ramps import ramp
from ffn_explorer.widgets.reveal import cell_share
from ffn_explorer.widgets.sizes import line_px, px
from ffn_explorer.widgets.theme import Theme, blend, theme_of

_GAP = 0.18
"""Share of a bar's place left free."""


def bars_of(shown: CountsPicture, places: CountPlaces) -> Heights:
    """As many bars as there is room for."""
    return heights(shown, most_bars=max(2, int(places.area.width() / px(shown.look, LEAST_BAR_PX))))


class CountsPainter:
    """Paints strip, bars, axes and words."""

    def __init__(self, painter: QPainter, picture: CountsPicture, places: CountPlaces) -> None:
        """Take what to paint, and where."""
        self.painter, self.picture, self.places = painter, picture, places
        self.theme: Theme = theme_of(picture.look)
        self.small = font(picture.look, "small")
        self.line = QFontMetricsF(self.small).height()
        self.scale = device_scale(painter)
        self.bars = bars_of(picture, places)
        self.colour = blend(self.theme.stages[picture.stage], self.theme.surface, 0.65)
        self.silent = blend(self.theme.muted, self.theme.surface, 0.4)
        self.grey = blend(self.theme.muted, self.theme.surface, 0.7)

    def paint(self, layers: Layers) -> None:
        """Paint everything; the strip's image is kept."""
        if self.places.strip.width() < 1 or not len(self.picture.count):
            return
        strip, look = self.places.strip, self.picture.look
        box = Box(strip.x(), strip.y(), strip.width(), strip.height())
        made_from = (self.picture.source, look, box, self.picture.most)
        layers.draw_newest(self.painter, "strip", made_from, box=box, paint=self._strip)
        self._cover()
        self.painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        known, places = self.picture.progress >= 1.0, self.places
        whole_box = Box(0.0, 0.0, places.readout.width(), places.readout.top() + self.line + 2)
        words = (
            look,
            self.picture.words,
            self.picture.most,
            len(self.picture.count),
            self.bars.tallest,
            known,
        )
        key = (*words, len(self.bars.first), places.area.getRect(), places.strip.getRect())
        layers.draw_newest(self.painter, "words", key, box=whole_box, paint=self._onto)
        self._marks()
        self._bars()

    def _onto(self, painter: QPainter) -> None:
        """Axes and words, onto a layer."""
        on = CountsPainter(painter, self.picture, self.places)
        on._strip_axis()
        on._axes()
        on._words()

    def _strip(self, painter: QPainter) -> None:
        """Mean share of tokens at which the neurons of each pixel are active, as opacity."""
        place, count = self.places.strip, self.picture.count
        over = lanes(len(count), max(1, int(place.width() * hatch_scale(painter))))
        sums = np.concatenate([[0], np.cumsum(count)])
        share = (sums[over.high] - sums[over.low]) / (over.high - over.low) / max(1, self.picture.most)
        table = ramp(self.theme.sunken, self.theme.stages[self.picture.stage])
        pixels = table[np.round(255.0 * share).astype(np.uint8)]
        image = QImage(pixels.tobytes(), len(share), 1, 4 * len(share), QImage.Format.Format_RGBA8888)
        painter.drawImage(place, image)

    def _cover(self) -> None:
        """Hide what the pass has not reached, and mark where it stands."""
        shown, strip = cell_share(self.picture.progress), self.places.strip
        if shown < 1.0:
            left = whole(strip.left() + strip.width() * shown, self.scale)
            hidden = QRectF(left, strip.top(), strip.right() - left, strip.height())
            self.painter.fillRect(hidden, QColor(self.theme.surface))
        self.painter.setPen(QPen(QColor(self.theme.border), 0))
        self.painter.setBrush(Qt.BrushStyle.NoBrush)
        self.painter.drawRect(strip)

    def _strip_axis(self) -> None:
        strip, place, count = self.places.strip, self.places.strip_ticks, len(self.picture.count)
        name = QRectF(0, strip.top(), strip.left() - px(self.picture.look, 6), strip.height())
        self._text(self.picture.words.neurons, name, align=RIGHT)
        marks = whole_ticks(0, count, most=max(1, int(strip.width() / px(self.picture.look, 84))))
        gap, taken = px(self.picture.look, 5), [QRectF()]
        for mark in (0, count, *marks[1:]):
            text = numbers.count(mark)
            wide = QFontMetricsF(self.small).horizontalAdvance(text) + 2
            x = strip.left() + mark / count * strip.width()
            left = min(max(x - wide / 2, strip.left() - 2), strip.right() + px(self.picture.look, 9) - wide)
            where = QRectF(left, place.top(), wide, place.height())
            if not any(where.adjusted(-gap, 0, gap, 0).intersects(other) for other in taken):
                self._text(text, where, align=CENTRE)
                taken.append(where)

    def _marks(self) -> None:
        """Lines through the pointed and the chosen neuron, and their bars framed."""
        strip = self.places.strip
        for neuron, thick in ((self.picture.pointed, 1.2), (self.picture.chosen, 2.0)):
            if neuron is None or not 0 <= neuron < len(self.picture.count):
                continue
            x = strip.left() + (neuron + 0.5) / len(self.picture.count) * strip.width()
            reach = px(self.picture.look, 3)
            for colour, more in ((self.theme.surface, 2.0), (self.theme.ink, 0.0)):
                self.painter.setPen(QPen(QColor(colour), line_px(self.picture.look, thick + more)))
                self.painter.drawLine(QPointF(x, strip.top()), QPointF(x, strip.bottom() + reach))

    def _axes(self) -> None:
        area, tall, look = self.places.area, self.bars.tallest, self.picture.look
        if area.height() < self.line:
            return
        self.painter.setPen(QPen(QColor(self.theme.grid), line_px(look)))
        most = max(2, int(area.height() / (2.0 * self.line)))
        for tick in ticks(0.0, float(tall), most=most):
            y = whole(area.bottom() - tick / tall * area.height(), self.scale)
            self.painter.setPen(QPen(QColor(self.theme.grid), line_px(look)))
            self.painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
            if tick == round(tick):
                place = QRectF(0, y - self.line / 2, area.left() - px(look, 6), self.line)
                self._text(numbers.axis(tick), place, align=RIGHT)
        self._count_ticks()

    def _count_ticks(self) -> None:
        """Counts under their bars: the first, the last, and those between that find room."""
        area, bars = self.places.area, self.bars
        step, last, gap = area.width() / len(bars.first), len(bars.first) - 1, px(self.picture.look, 4)
        taken: list[QRectF] = []
        for bar in (0, last, *range(1, last)):
            low, high = int(bars.first[bar]), int(bars.past[bar]) - 1
            text = numbers.count(low) if low == high else f"{low}–{high}"
            wide = QFontMetricsF(self.small).horizontalAdvance(text) + 2
            middle = area.left() + (bar + 0.5) * step
            place = QRectF(middle - wide / 2, self.places.ticks.top(), wide, self.line)
            if not any(place.adjusted(-gap, 0, gap, 0).intersects(other) for other in taken):
                self._text(text, place, align=CENTRE)
                taken.append(place)

    def _bars(self) -> None:
        area, bars, paired = self.places.area, self.bars, self.bars.other is not None
        step = area.width() / len(bars.first)
        unit = area.height() / bars.tallest * self.picture.progress
        marked = {
            bars.bar_of(int(self.picture.count[neuron])): neuron == self.picture.chosen
            for neuron in (self.picture.pointed, self.picture.chosen)
            if neuron is not None and 0 <= neuron < len(self.picture.count)
        }
        self.painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        for bar in range(len(bars.first)):
            left = whole(area.left() + (bar + _GAP / 2) * step, self.scale)
            right = whole(area.left() + (bar + 1 - _GAP / 2) * step, self.scale)
            middle = whole(left + (right - left) * (0.6 if paired else 1.0), self.scale)
            tall = whole(int(bars.neurons[bar]) * unit, self.scale)
            fill = QBrush(self.silent if bar == 0 else self.colour)
            place = QRectF(left, area.bottom() - tall, max(1.0, middle - left), tall)
            self.painter.fillRect(place, fill)
            if bars.other is not None:
                tall = whole(int(bars.other[bar]) * unit, self.scale)
                beside = QRectF(middle, area.bottom() - tall, right - middle, tall)
                self.painter.fillRect(beside, QBrush(self.grey))
            if bar in marked:
                thick = line_px(self.picture.look, 2.0 if marked[bar] else 1.0)
                self.painter.setPen(QPen(QColor(self.theme.ink), thick))
                self.painter.setBrush(Qt.BrushStyle.NoBrush)
                self.painter.drawRect(place)
        self.painter.setPen(QPen(QColor(self.theme.muted), line_px(self.picture.look)))
        self.painter.drawLine(area.bottomLeft(), area.bottomRight())
        self.painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)

    def _words(self) -> None:
        places, words, look = self.places, self.picture.words, self.picture.look
        if places.legend.height() > 0:
            beside = QRectF(0, places.legend.top(), places.area.left() - px(look, 6), self.line)
            self._text(words.counted, beside, align=RIGHT)
        if places.legend.height() > 0 and self.picture.progress >= 1.0:
            kinds: dict[str, Kind] = {
                "silent": self.silent,
                "active": self.colour,
                "other": self.grey,
            }
            draw_marks(self.painter, words.legend, places.legend, kinds=kinds, look=look)
        if places.names.height() > 0:
            self._text(fitting(words.tokens, self.small, places.names.width()), places.names, align=CENTRE)
        if places.readout.height() > 0 and self.picture.progress >= 1.0:
            text = fitting(words.readout, self.small, places.readout.width())
            self._text(text, places.readout, align=LEFT, colour=self.theme.ink)

    def _text(self, text: str, place: QRectF, *, align: Qt.AlignmentFlag, colour: str = "") -> None:
        ink = colour or self.theme.muted
        draw_text(self.painter, text, place, font=self.small, colour=ink, align=align)
