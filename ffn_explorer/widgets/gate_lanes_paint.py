"""How the lanes of a gated FFN are painted."""

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter, QPen

from ffn_explorer.core.stages import Stage
from ffn_explorer.state import numbers
from ffn_explorer.widgets.axes import whole_ticks
from ffn_explorer.widgets.drawn_text import CENTRE, LEFT, RIGHT, draw_text, fitting
from ffn_explorer.widgets.flow_columns import Box
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.gate_lanes_picture import Lane, LanePlaces, LanesPicture
from ffn_explorer.widgets.layers import Layers
from ffn_explorer.widgets.pooling import Columns, mean_share, strongest
from ffn_explorer.widgets.ramps import ramp
from ffn_explorer.widgets.sizes import line_px, px
from ffn_explorer.widgets.theme import Theme, blend, diverging, theme_of


def lane_image(lane: Lane, laid: Columns, *, place: tuple[int, int], theme: Theme) -> QImage:
    """One row of pixels: the strongest value of each, or how many of its gates are nearly shut."""
    sentence, token = place
    if not laid.used or lane.share == ():
        return QImage()
    if lane.share is None:
        values = lane.made.levels[laid.level].value[sentence, token : token + 1]
        pixels = diverging(theme)[strongest(values, laid.lanes, axis=1)[0]]  # [P, 3]
        pixels = np.concatenate([pixels, np.full((len(pixels), 1), 255, np.uint8)], axis=1)
    else:
        share = mean_share(lane.share[laid.level][sentence, token : token + 1], laid.lanes, axis=1)[0]
        pixels = ramp(shut_colour(theme), open_colour(theme))[share]
    width = pixels.shape[0]
    return QImage(
        np.ascontiguousarray(pixels).tobytes(), width, 1, 4 * width, QImage.Format.Format_RGBA8888
    ).copy()


def shut_colour(theme: Theme) -> str:
    """Dark, in every theme: where the gates are nearly shut."""
    return min((theme.ink, theme.background), key=lambda colour: QColor(colour).lightnessF())


def open_colour(theme: Theme) -> str:
    """The gate's colour, light enough to stand out from what is shut."""
    light = max((theme.ink, theme.surface), key=lambda colour: QColor(colour).lightnessF())
    return blend(theme.stages[Stage.GATE], light, 0.55).name()


class LanesPainter:
    """Paints images, covers, marks and words."""

    def __init__(
        self, painter: QPainter, picture: LanesPicture, *, places: LanePlaces, columns: Columns
    ) -> None:
        """Take what to paint, and where."""
        self.painter, self.picture, self.places, self.columns = painter, picture, places, columns
        self.theme: Theme = theme_of(picture.look)
        self.small, self.bold = font(picture.look, "small"), font(picture.look, "small", bold=True)
        self.line = QFontMetricsF(self.small).height()
        self.ratio = places.pixels / places.width

    def paint(self, images: tuple[QImage, ...], layers: Layers) -> None:
        """Paint everything; words that the pass does not move come from a layer."""
        self.painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        for lane, place, image in zip(self.picture.lanes, self.places.lanes, images, strict=True):
            self._lane(lane, place, image)
        self.painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        size = Box(0.0, 0.0, self.places.readout.width(), self.places.readout.top() + self.line + 2)
        shown = self.picture
        names = tuple((lane.name, lane.scale, lane.stage) for lane in shown.lanes)
        key = (
            shown.look,
            names,
            shown.words,
            shown.first,
            shown.shown,
            shown.chosen,
            self.places.ticks.getRect(),
        )
        layers.draw_newest(self.painter, "words", key, box=size, paint=self._words)
        self._lines()

    def _lane(self, lane: Lane, place: QRectF, image: QImage) -> None:
        used = QRectF(place)
        used.setWidth(self.columns.used / self.ratio)
        if lane.progress > 0.0 and not image.isNull():
            self.painter.drawImage(used, image)
        if lane.progress < 1.0:
            done = round(self.columns.used * lane.progress) / self.ratio
            hidden = used.adjusted(done, 0, 0, 0)
            self.painter.fillRect(hidden, QColor(self.theme.surface))
            if lane.progress > 0.0:
                edge = QRectF(hidden.left(), hidden.top(), line_px(self.picture.look, 2), hidden.height())
                self.painter.fillRect(edge, self.theme.stage(lane.stage))
        self.painter.setPen(QPen(QColor(self.theme.border), 0))
        self.painter.setBrush(Qt.BrushStyle.NoBrush)
        self.painter.drawRect(used.adjusted(-1 / self.ratio, -1 / self.ratio, 0, 0))

    def _words(self, painter: QPainter) -> None:
        look, right = self.picture.look, self.places.left - px(self.picture.look, 8)
        for lane, place in zip(self.picture.lanes, self.places.lanes, strict=True):
            middle = place.center().y() - self.line / 2
            colour = self.theme.stages[lane.stage] if lane.share is None else self.theme.ink
            name = QRectF(0, middle, right, self.line)
            draw_text(painter, lane.name, name, font=self.bold, colour=colour, align=RIGHT)
            scale = QRectF(place.right() + px(look, 6), middle, self.places.readout.width(), self.line)
            draw_text(painter, lane.scale, scale, font=self.small, colour=self.theme.muted, align=LEFT)
        self._ticks(painter)
        below = QRectF(0, self.places.ticks.top(), right, self.line)
        draw_text(
            painter, self.picture.words.axis, below, font=self.small, colour=self.theme.muted, align=RIGHT
        )
        if self.places.readout.height() > 0:
            text = fitting(self.picture.words.readout, self.small, self.places.readout.width())
            draw_text(painter, text, self.places.readout, font=self.small, colour=self.theme.ink, align=LEFT)

    def _ticks(self, painter: QPainter) -> None:
        shown, gap = self.picture, px(self.picture.look, 5)
        first, past = shown.first, shown.first + shown.shown
        most = max(1, int(self.places.width / px(shown.look, 84)))
        marks: list[tuple[float, str, bool]] = [(float(first), numbers.count(first), False)]
        if shown.chosen is not None and first <= shown.chosen < past and shown.words.chosen:
            marks.append((shown.chosen + 0.5, shown.words.chosen, True))
        marks += [
            (float(at), numbers.count(at), False) for at in (past, *whole_ticks(first, past, most=most))
        ]
        taken: list[QRectF] = []
        for at, text, strong in marks:
            face = self.bold if strong else self.small
            wide = QFontMetricsF(face).horizontalAdvance(text) + 2
            x = self.places.left + (at - first) / shown.shown * self.places.width
            left = min(
                max(x - wide / 2, self.places.left - 2), self.places.left + self.places.width + gap - wide
            )
            if strong and taken:
                left = max(left, taken[0].right() + gap)
            place = QRectF(left, self.places.ticks.top(), wide, self.line)
            if not any(place.adjusted(-gap, 0, gap, 0).intersects(other) for other in taken):
                colour = self.theme.ink if strong else self.theme.muted
                draw_text(painter, text, place, font=face, colour=colour, align=CENTRE)
                taken.append(place)

    def _lines(self) -> None:
        """Through all lanes at the pointed and the chosen neuron."""
        top, bottom = self.places.lanes[0].top(), self.places.lanes[-1].bottom()
        reach = px(self.picture.look, 3)
        for neuron, thick in ((self.picture.pointed, 1.0), (self.picture.chosen, 1.5)):
            span = None if neuron is None else self.columns.pixels_of(neuron)
            if span is None:
                continue
            x = self.places.left + (span[0] + span[1]) / 2 / self.ratio
            halo = QColor(self.theme.surface)
            halo.setAlphaF(0.7)
            for colour, more in ((halo, 2.0), (QColor(self.theme.ink), 0.0)):
                self.painter.setPen(QPen(colour, line_px(self.picture.look, thick + more)))
                self.painter.drawLine(QPointF(x, top - 1), QPointF(x, bottom + reach))
