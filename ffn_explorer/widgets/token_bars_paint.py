"""How the bars of tokens are painted."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QPainter, QPen

from ffn_explorer.core.stages import Stage
from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.drawn_text import CENTRE, LEFT, RIGHT, draw_text, fitting
from ffn_explorer.widgets.flow_columns import Box
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.hatch import hatched, whole
from ffn_explorer.widgets.layers import Layers, device_scale, hatch_scale
from ffn_explorer.widgets.marks import Kind, draw_marks
from ffn_explorer.widgets.sizes import line_px, px
from ffn_explorer.widgets.theme import Theme, blend, theme_of
from ffn_explorer.widgets.token_bars_picture import (
    NAME_GAP_PX,
    NAMED_ROW,
    BarPlaces,
    TokenBarsPicture,
)

TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)
_BAR_SHARE = 0.62
"""Height of a bar, as a share of its row."""


@dataclass(frozen=True, slots=True, eq=False)
class _Colours:
    """Fills of the bars: active at the chosen token and elsewhere, not active, exactly zero, B."""

    strong: QColor
    light: QColor
    track: QColor
    zero: QBrush
    grey: QColor


@lru_cache(maxsize=8)
def _colours(look: Appearance, stage: Stage, scale: float) -> _Colours:
    """Mixed once: a picture is painted many times."""
    theme = theme_of(look)
    track = blend(theme.ink, theme.surface, 0.08)
    thin = blend(theme.muted, theme.surface, 0.55)
    return _Colours(
        strong=theme.stage(stage),
        light=blend(theme.stages[stage], theme.surface, 0.6),
        track=track,
        zero=hatched(scale, thin, track, step=px(look, 5), line=line_px(look)),
        grey=blend(theme.muted, theme.surface, 0.7),
    )


class BarsPainter:
    """Paints legend, bars, numbers, ticks and readout."""

    def __init__(self, painter: QPainter, picture: TokenBarsPicture, places: BarPlaces) -> None:
        """Take what to paint, and where."""
        self.painter, self.picture, self.places = painter, picture, places
        self.theme: Theme = theme_of(picture.look)
        self.small = font(picture.look, "small")
        self.line = QFontMetricsF(self.small).height()
        self.scale = device_scale(painter)
        self.colours = _colours(picture.look, picture.stage, hatch_scale(painter))

    def paint(self, layers: Layers) -> None:
        """Paint everything; what neither the pass nor the choice moves comes from layers."""
        painter, places, picture = self.painter, self.places, self.picture
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        self._grid()
        self._behind()
        box = Box(0.0, 0.0, places.values.right() + px(picture.look, 8), places.readout.top() + self.line + 2)
        placed = (picture.look, box, places.row, places.first, places.area.getRect())
        if picture.progress >= 1.0:
            still = (*placed, picture.rows, picture.stage, picture.paired)
            layers.draw_newest(painter, "bars", still, box=box, paint=self._onto(BarsPainter._still_bars))
            if picture.chosen in self._in_sight():
                self._bars((picture.chosen,), chosen=picture.chosen)
        else:
            self._bars(self._in_sight(), chosen=picture.chosen)
        said = (picture.legend, picture.stage, picture.rows_name, picture.axis_name)
        around = (picture.look, box, *said, places.area.getRect(), places.legend.getRect())
        layers.draw_newest(painter, "around", around, box=box, paint=self._onto(BarsPainter._around))
        named = (*placed, picture.rows, picture.chosen, picture.progress >= 1.0)
        layers.draw_newest(painter, "names", named, box=box, paint=self._onto(BarsPainter._labels))
        if places.readout.height() > 0:
            words = fitting(picture.readout, self.small, places.readout.width())
            self._text(words, places.readout, colour=self.theme.ink)

    def _onto(self, paint: Callable[["BarsPainter"], None]) -> Callable[[QPainter], None]:
        """The same, onto a layer."""
        return lambda painter: paint(BarsPainter(painter, self.picture, self.places))

    def _in_sight(self) -> range:
        first = self.places.first
        return range(first, min(first + self.places.shown, len(self.picture.rows)))

    def _around(self) -> None:
        """Legend, ticks, and the names of rows and axis."""
        look, legend, colours = self.picture.look, self.places.legend, self.colours
        kinds: dict[str, Kind] = {
            "active": colours.light,
            "small": colours.track,
            "zero": colours.zero,
            "other": colours.grey,
        }
        if legend.height() > 0:
            draw_marks(self.painter, self.picture.legend, legend, kinds=kinds, look=look)
            beside = QRectF(0, 0, self.places.area.left() - px(look, NAME_GAP_PX), self.line)
            self._text(self.picture.rows_name, beside, align=RIGHT)
        self._ticks()

    def _still_bars(self) -> None:
        """The bars as they stand while their token is not chosen."""
        self._bars(self._in_sight())

    def _behind(self) -> None:
        """What marks a chosen or pointed token, and where the neuron in question is active."""
        picture, places, painter = self.picture, self.places, self.painter
        marked, neuron = (picture.chosen, picture.pointed), picture.neuron
        radius = min(px(picture.look, 2.5), places.row * 0.3)
        centre = QPointF(places.area.left() - px(picture.look, 5.5), 0.0)
        ink = QColor(self.theme.ink)
        pen, on, off = QPen(ink, line_px(picture.look)), QBrush(ink), QBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(pen)
        for index in self._in_sight():
            if index in marked:
                self._ground(index, chosen=index == picture.chosen)
                painter.setPen(pen)
            if neuron:
                # A dot before the bar: filled where the neuron in question is active at this token.
                painter.setBrush(on if neuron[index] else off)
                centre.setY(places.row_top(index) + places.row / 2)
                painter.drawEllipse(centre, radius, radius)

    def _ground(self, index: int, *, chosen: bool) -> None:
        theme, look, place = self.theme, self.picture.look, self.places.row_rect(index)
        self.painter.setPen(Qt.PenStyle.NoPen)
        self.painter.setBrush(QColor(theme.sunken) if chosen else blend(theme.sunken, theme.surface, 0.6))
        wide = QRectF(0, place.top(), self.places.values.right(), place.height())
        self.painter.drawRoundedRect(wide, px(look, 4), px(look, 4))

    def _bars(self, indices: Iterable[int], *, chosen: int | None = None) -> None:
        """The bars of tokens, and under each that of B; the chosen one is painted stronger."""
        picture, places, scale, colours = self.picture, self.places, self.scale, self.colours
        high = max(1.0 / scale, places.row * _BAR_SHARE)
        tall = whole(high * (0.6 if picture.paired else 1.0), scale)
        under, gap = max(1.0 / scale, whole(high * 0.4, scale)), max(1.0, line_px(picture.look)) / scale
        track = QRectF(places.area.left(), 0.0, places.area.width(), tall)
        self.painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        for index in indices:
            row = picture.rows[index]
            track.moveTop(whole(places.row_top(index) + places.row / 2 - high / 2, scale))
            self._bar(track, row.active, row.zero, colours.strong if index == chosen else colours.light)
            if picture.paired:
                below = QRectF(track.left(), track.bottom() + gap, track.width(), under)
                self._bar(below, row.other, row.other_zero, colours.grey)
        self.painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)

    def _bar(self, track: QRectF, active: float | None, zero: float, fill: QColor) -> None:
        painter, colours, grown = self.painter, self.colours, self.picture.progress
        if active is None:
            painter.setPen(QPen(colours.track, 0, Qt.PenStyle.DashLine))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(track)
            return
        painter.fillRect(track, colours.track)
        part = QRectF(track)
        if zero > 0.0:
            part.setLeft(track.right() - whole(track.width() * zero * grown, self.scale))
            painter.fillRect(part, colours.zero)
            part.setLeft(track.left())
        part.setWidth(whole(track.width() * active * grown, self.scale))
        painter.fillRect(part, fill)

    def _labels(self) -> None:
        """Names and shares: of every row where they fit, else of every so many, and of the chosen one."""
        picture, places, theme, line = self.picture, self.places, self.theme, self.line
        bold, known = font(picture.look, "small", bold=True), picture.progress >= 1.0
        every = max(1, math.ceil(line * NAMED_ROW / places.row))
        name = QRectF(0, 0, places.area.left() - px(picture.look, NAME_GAP_PX), line)
        value = QRectF(places.values.left(), 0, places.values.width(), line)
        for index in self._in_sight():
            chosen, near = index == picture.chosen, every > 1 and abs(index - picture.chosen) < every
            if not chosen and (near or (index - places.first) % every):
                continue
            middle = places.row_top(index) + places.row / 2 - line / 2
            if not chosen and middle + 0.9 * line > places.ticks.top():
                # A name of the last rows would reach into the ticks.
                continue
            face, colour = (bold, theme.ink) if chosen else (self.small, theme.muted)
            row = picture.rows[index]
            name.moveTop(middle)
            draw_text(self.painter, row.label, name, font=face, colour=colour, align=RIGHT)
            if known:
                value.moveTop(middle)
                draw_text(self.painter, row.words, value, font=face, colour=colour, align=LEFT)

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
