"""How the bars of tokens are painted."""

import math

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QPainter, QPen

from ffn_explorer.widgets.drawn_text import CENTRE, LEFT, RIGHT, draw_text, fitting
from ffn_explorer.widgets.flow_columns import Box
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.hatch import hatched, whole
from ffn_explorer.widgets.layers import Layers, device_scale
from ffn_explorer.widgets.marks import Kind, draw_marks
from ffn_explorer.widgets.sizes import line_px, px
from ffn_explorer.widgets.theme import Theme, blend, theme_of
from ffn_explorer.widgets.token_bars_picture import (
    NAME_GAP_PX,
    NAMED_ROW,
    BarPlaces,
    TokenBar,
    TokenBarsPicture,
)

TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)
_BAR_SHARE = 0.62
"""Height of a bar, as a share of its row."""


class BarsPainter:
    """Paints legend, bars, numbers, ticks and readout."""

    def __init__(self, painter: QPainter, picture: TokenBarsPicture, places: BarPlaces) -> None:
        """Take what to paint, and where."""
        self.painter, self.picture, self.places = painter, picture, places
        self.theme: Theme = theme_of(picture.look)
        self.small, self.bold = font(picture.look, "small"), font(picture.look, "small", bold=True)
        self.line = QFontMetricsF(self.small).height()
        self.scale = device_scale(painter)
        self.strong = self.theme.stage(picture.stage)
        self.light = blend(self.theme.stages[picture.stage], self.theme.surface, 0.6)
        self.track = blend(self.theme.ink, self.theme.surface, 0.08)
        thin = blend(self.theme.muted, self.theme.surface, 0.55)
        self.zero = hatched(painter, thin, self.track, step=px(picture.look, 5), line=line_px(picture.look))
        self.grey = blend(self.theme.muted, self.theme.surface, 0.7)

    def paint(self, layers: Layers) -> None:
        """Paint everything; words that the pass does not move come from a layer."""
        painter, places, picture = self.painter, self.places, self.picture
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        self._grid()
        for index in self._in_sight():
            self._behind(index)
        box = Box(0.0, 0.0, places.values.right() + px(picture.look, 8), places.readout.top() + self.line + 2)
        if picture.progress >= 1.0:
            still = (picture.look, picture.rows, picture.stage, picture.paired, places.row, places.first)
            area = places.area.getRect()
            layers.draw_newest(painter, "bars", (*still, area), box=box, paint=self._still_bars)
            if picture.chosen in self._in_sight():
                self._row(picture.chosen)
        else:
            for index in self._in_sight():
                self._row(index)
        shown = (picture.look, picture.rows, picture.legend, picture.chosen, picture.stage)
        key = (*shown, picture.progress >= 1.0, places.row, places.first, places.area.getRect())
        layers.draw_newest(painter, "words", key, box=box, paint=self._words)
        if places.readout.height() > 0:
            words = fitting(picture.readout, self.small, places.readout.width())
            self._text(words, places.readout, colour=self.theme.ink)

    def _in_sight(self) -> range:
        first = self.places.first
        return range(first, min(first + self.places.shown, len(self.picture.rows)))

    def _words(self, painter: QPainter) -> None:
        """Legend, ticks, and the names and shares of the rows, onto a layer."""
        on, look, legend = (
            BarsPainter(painter, self.picture, self.places),
            self.picture.look,
            self.places.legend,
        )
        kinds: dict[str, Kind] = {
            "active": on.light,
            "small": on.track,
            "zero": on.zero,
            "other": on.grey,
        }
        if legend.height() > 0:
            draw_marks(painter, self.picture.legend, legend, kinds=kinds, look=look)
            beside = QRectF(0, 0, self.places.area.left() - px(look, NAME_GAP_PX), self.line)
            on._text(self.picture.rows_name, beside, align=RIGHT)
        on._ticks()
        for index in self._in_sight():
            on._labels(index, self.picture.rows[index], self.places.row_rect(index))

    def _still_bars(self, painter: QPainter) -> None:
        """The bars as they stand while their token is not chosen, onto a layer."""
        on = BarsPainter(painter, self.picture, self.places)
        for index in self._in_sight():
            on._row(index, plain=True)

    def _behind(self, index: int) -> None:
        """What marks a chosen or pointed token, and where the neuron in question is active."""
        picture, place = self.picture, self.places.row_rect(index)
        chosen, pointed = index == picture.chosen, index == picture.pointed
        if chosen or pointed:
            ground = self.theme.sunken if chosen else blend(self.theme.sunken, self.theme.surface, 0.6).name()
            self.painter.setPen(Qt.PenStyle.NoPen)
            self.painter.setBrush(QColor(ground))
            wide = QRectF(0, place.top(), self.places.values.right(), place.height())
            self.painter.drawRoundedRect(wide, px(picture.look, 4), px(picture.look, 4))
        if picture.neuron:
            self._neuron(place, picture.neuron[index])

    def _row(self, index: int, *, plain: bool = False) -> None:
        """The bar of a token, and under it that of B."""
        picture, place, row = self.picture, self.places.row_rect(index), self.picture.rows[index]
        bar = QRectF(place)
        high = max(1.0 / self.scale, place.height() * _BAR_SHARE)
        bar.setHeight(whole(high, self.scale))
        bar.moveTop(whole(place.center().y() - high / 2, self.scale))
        if picture.paired:
            bar.setHeight(whole(high * 0.6, self.scale))
        self._bar(bar, row.active, row.zero, strong=index == picture.chosen and not plain)
        if picture.paired:
            under = QRectF(bar)
            under.setTop(bar.bottom() + max(1.0, line_px(picture.look)) / self.scale)
            under.setHeight(max(1.0 / self.scale, whole(high * 0.4, self.scale)))
            self._bar(under, row.other, row.other_zero, strong=False, other=True)

    def _neuron(self, place: QRectF, active: bool) -> None:
        """A dot before the bar: filled where the neuron in question is active at this token."""
        radius = min(px(self.picture.look, 2.5), place.height() * 0.3)
        centre = QPointF(place.left() - px(self.picture.look, 5.5), place.center().y())
        self.painter.setPen(QPen(QColor(self.theme.ink), line_px(self.picture.look)))
        self.painter.setBrush(QColor(self.theme.ink) if active else Qt.BrushStyle.NoBrush)
        self.painter.drawEllipse(centre, radius, radius)

    def _bar(
        self, track: QRectF, active: float | None, zero: float, *, strong: bool, other: bool = False
    ) -> None:
        painter, grown = self.painter, self.picture.progress
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        if active is None:
            painter.setPen(QPen(self.track, 0, Qt.PenStyle.DashLine))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(track)
        else:
            painter.fillRect(track, self.track)
            wide = whole(track.width() * zero * grown, self.scale)
            painter.fillRect(QRectF(track.right() - wide, track.top(), wide, track.height()), self.zero)
            wide = whole(track.width() * active * grown, self.scale)
            fill = QBrush(self.grey if other else self.strong if strong else self.light)
            painter.fillRect(QRectF(track.left(), track.top(), wide, track.height()), fill)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)

    def _labels(self, index: int, row: TokenBar, place: QRectF) -> None:
        if not self._labelled(index):
            return
        chosen = index == self.picture.chosen
        face, colour = (self.bold, self.theme.ink) if chosen else (self.small, self.theme.muted)
        middle = place.center().y() - self.line / 2
        if not chosen and middle + 0.9 * self.line > self.places.ticks.top():
            # A name of the last rows would reach into the ticks.
            return
        name = QRectF(0, middle, self.places.area.left() - px(self.picture.look, NAME_GAP_PX), self.line)
        draw_text(self.painter, row.label, name, font=face, colour=colour, align=RIGHT)
        if self.picture.progress >= 1.0:
            value = QRectF(self.places.values.left(), middle, self.places.values.width(), self.line)
            draw_text(self.painter, row.words, value, font=face, colour=colour, align=LEFT)

    def _labelled(self, index: int) -> bool:
        """Whether a row bears words: every one where they fit, else every so many, and the chosen one."""
        every = max(1, math.ceil(self.line * NAMED_ROW / self.places.row))
        chosen = self.picture.chosen
        if index == chosen or every == 1:
            return True
        return (index - self.places.first) % every == 0 and abs(index - chosen) >= every

    def _grid(self) -> None:
        area, look = self.places.area, self.picture.look
        self.painter.setPen(QPen(QColor(self.theme.grid), line_px(look)))
        for tick in TICKS:
            x = whole(area.left() + tick * area.width(), self.scale)
            self.painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom() + px(look, 2)))

    def _ticks(self) -> None:
        area, look = self.places.area, self.picture.look
        reach = px(look, 60)
        for tick in TICKS:
            x = whole(area.left() + tick * area.width(), self.scale)
            if tick in (0.25, 0.75) and area.width() < px(look, 220):
                continue
            place = QRectF(x - reach / 2, self.places.ticks.top(), reach, self.line)
            self._text(f"{100 * tick:.0f} %", place, align=CENTRE)
        self._names()

    def _names(self) -> None:
        left = self.places.area.left() - px(self.picture.look, 16)
        self._text(self.picture.axis_name, QRectF(0, self.places.ticks.top(), left, self.line), align=RIGHT)

    def _text(self, text: str, place: QRectF, *, align: Qt.AlignmentFlag = LEFT, colour: str = "") -> None:
        ink = colour or self.theme.muted
        draw_text(self.painter, text, place, font=self.small, colour=ink, align=align)
