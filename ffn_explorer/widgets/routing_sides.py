"""Painter of what stands around the routing map: load per expert, margin per token, scale and words."""

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QImage, QPainter, QPen

from ffn_explorer.state import numbers
from ffn_explorer.state.routing_table import CLOSE_CALL
from ffn_explorer.widgets.axes import signed
from ffn_explorer.widgets.drawn_text import LEFT, RIGHT, fitting
from ffn_explorer.widgets.routing_frame import MARKED_PX, RoutingFrame
from ffn_explorer.widgets.routing_image import sequential
from ffn_explorer.widgets.sizes import line_px, px
from ffn_explorer.widgets.theme import blend, diverging


class RoutingSides(RoutingFrame):
    """Paints the load under the map, the margins and the scale beside it, and all words."""

    def paint_sides(self) -> None:
        """Paint everything."""
        self.painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        if self.places.load.height():
            self._load()
        self._margins()
        self.painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        if self.places.load.height():
            self._scale()
            self._counts()
            self._legend()
        self._words()

    def _load(self) -> None:
        """Tokens per expert: served, and over them those that found no room; B as a line."""
        picture, place, table = self.picture, self.places.load, self.picture.table
        unit = place.height() * picture.share / picture.most
        ours, lost = blend(self.theme.ink, self.theme.surface, 0.6), QColor(self.theme.muted)
        gap = min(2.0, self.wide * 0.15)
        for expert in range(picture.first, picture.first + picture.shown):
            left, width = self.column_x(expert) + gap, max(1.0, self.wide - 2 * gap)
            tall, more = table.served[expert] * unit, table.dropped[expert] * unit
            self.painter.fillRect(QRectF(left, place.bottom() - tall, width, tall), ours)
            if more:
                over = QRectF(left, place.bottom() - tall - more, width, more)
                self.painter.setPen(QPen(lost, 0))
                self.painter.setBrush(QBrush(lost, Qt.BrushStyle.BDiagPattern) if width > MARKED_PX else lost)
                self.painter.drawRect(over.adjusted(0, 0, -1, 0))
            if picture.other is not None and expert < len(picture.other):
                y = place.bottom() - float(picture.other[expert]) * unit
                self.painter.setPen(QPen(QColor(self.theme.muted), line_px(self.look, 2)))
                self.painter.drawLine(QPointF(left, y), QPointF(left + width, y))
        self.painter.setBrush(Qt.BrushStyle.NoBrush)
        self.painter.setPen(QPen(QColor(self.theme.muted), 0))
        self.painter.drawLine(place.bottomLeft(), place.bottomRight())
        if table.capacity is not None and picture.share > 0.0:
            pen = QPen(QColor(self.theme.ink), line_px(self.look), Qt.PenStyle.DashLine)
            self.painter.setPen(pen)
            y = place.bottom() - place.height() * table.capacity / picture.most
            self.painter.drawLine(QPointF(place.left(), y), QPointF(place.right(), y))

    def margin_x(self, value: float) -> float:
        """Position of a margin on its axis."""
        low, high = self.picture.margins
        return self.places.margin.left() + (value - low) / (high - low) * self.places.margin.width()

    def _margins(self) -> None:
        picture, place = self.picture, self.places.margin
        zero = self.margin_x(0.0)
        self.painter.setPen(QPen(QColor(self.theme.border), 0))
        self.painter.drawLine(QPointF(zero, place.top()), QPointF(zero, place.bottom()))
        thick = max(1.0, min(self.high * 0.55, px(self.look, 9)))
        usual, close = blend(self.theme.ink, self.theme.surface, 0.35), QColor(self.theme.ink)
        for token, value in enumerate(picture.table.margin.tolist()):
            if not np.isfinite(value):
                continue
            middle = place.top() + (token + 0.5) * self.high
            end = zero + (self.margin_x(value) - zero) * picture.share
            left, width = min(zero, end), max(1.0, abs(end - zero))
            near = abs(value) < CLOSE_CALL
            self.painter.fillRect(QRectF(left, middle - thick / 2, width, thick), close if near else usual)
            if near and self.high >= self.places.line * 0.85 and picture.share >= 1.0:
                words = QRectF(
                    left + width + px(self.look, 4), middle - self.places.line / 2, 0, self.places.line
                )
                words.setRight(self.places.size.width())
                if QFontMetricsF(self.bold).horizontalAdvance(picture.words.close) <= words.width():
                    self.write(picture.words.close, words, align=LEFT, strong=True)

    def _scale(self) -> None:
        """A strip from none to most, or from minus to plus, with its ends."""
        picture, place, line = self.picture, self.places.scale, self.places.line
        weights = picture.mode == "weights"
        colours = sequential(self.theme)[2:] if weights else diverging(self.theme)[1:]
        ramp = QImage(colours.tobytes(), len(colours), 1, 3 * len(colours), QImage.Format.Format_RGB888)
        top = place.top() + line
        strip = QRectF(
            place.left(), top, place.width(), min(px(self.look, 7), max(2.0, place.height() - 2 * line))
        )
        self.write(picture.words.scale, QRectF(place.left(), place.top(), place.width(), line), align=LEFT)
        self.painter.drawImage(strip, ramp.copy())
        ends = (
            ("0", numbers.axis(picture.limit)) if weights else (signed(-picture.limit), signed(picture.limit))
        )
        below = QRectF(place.left(), strip.bottom(), place.width(), line)
        self.write(ends[0], below, align=LEFT)
        self.write(ends[1], below, align=RIGHT)

    def _words(self) -> None:
        words, places, look = self.picture.words, self.places, self.look
        line, margin = places.line, places.margin
        top = QRectF(0, 0, places.size.width(), line)
        self.write(fitting(words.readout, self.small, top.width()), top, align=LEFT, strong=False, ink=True)
        head = QRectF(margin.left(), margin.top() - line - px(look, 4), margin.width(), line)
        self.write(fitting(words.margin, self.small, head.width()), head, align=LEFT)
        rows = QRectF(0, head.top(), places.area.left() - px(look, 8), line)
        self.write(words.rows, rows, align=RIGHT)
        left = places.area.left() - px(look, 8)
        self.write(words.columns, QRectF(0, places.ticks.top() + px(look, 4), left, line), align=RIGHT)
        self._margin_ends(QRectF(margin.left(), places.ticks.top() + px(look, 2), margin.width(), line))

    def _counts(self) -> None:
        """Axis of the load."""
        words, line, load = self.picture.words, self.places.line, self.places.load
        left = self.places.area.left() - px(self.look, 8)
        counts = QRectF(0, load.top() - line * 0.3, left, line)
        self.write(numbers.count(self.picture.most), counts, align=RIGHT)
        base = QRectF(0, load.bottom() - line, left, line)
        between = base.top() - counts.bottom()
        name = fitting(words.load, self.small, left)
        if between >= line * 0.8:
            self.write(name, QRectF(0, (counts.bottom() + base.top() - line) / 2, left, line), align=RIGHT)
            self.write("0", base, align=RIGHT)
        else:
            self.write(name, base, align=RIGHT)

    def _margin_ends(self, place: QRectF) -> None:
        low, high = self.picture.margins
        self.write(numbers.axis(high), place, align=RIGHT)
        self.write(signed(low) if low else "0", place, align=LEFT)

    def _legend(self) -> None:
        """Which line is the capacity, and whose load is whose."""
        if self.picture.legend and self.places.legend.height():
            text = fitting(
                ("   ".join(self.picture.legend), self.picture.legend[0]),
                self.small,
                self.places.legend.width(),
            )
            self.write(text, self.places.legend, align=RIGHT)
