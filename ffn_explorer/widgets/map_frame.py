"""What stands around the image of a heat map: labels, ticks, frames and lines."""

from collections.abc import Callable, Hashable

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.colourbar import draw_colour_bar
from ffn_explorer.widgets.drawn_lines import draw_lines
from ffn_explorer.widgets.drawn_text import CENTRE, LEFT, RIGHT, advance, draw_text, fitting
from ffn_explorer.widgets.flow_columns import Box
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.layers import Layers
from ffn_explorer.widgets.map_picture import MapPicture, MapPlaces
from ffn_explorer.widgets.map_ticks import Tick, map_ticks
from ffn_explorer.widgets.pooling import Columns
from ffn_explorer.widgets.sizes import line_px, px
from ffn_explorer.widgets.theme import Theme, theme_of

_LOW_ROW_PX = 6


class MapPainter:
    """Paints everything but the image."""

    def __init__(
        self, painter: QPainter, picture: MapPicture, *, places: MapPlaces, columns: Columns
    ) -> None:
        """Take what to paint, and where."""
        self.painter, self.picture, self.places, self.columns = painter, picture, places, columns
        self.area = places.area
        self.look: Appearance = picture.look
        self.theme: Theme = theme_of(picture.look)
        self.small = font(picture.look, "small")
        self.bold = font(picture.look, "small", bold=True)
        self.line_height = QFontMetricsF(self.small).height()
        self.ratio = places.pixels[0] / self.area.width()

    def paint(self, layers: Layers) -> None:
        """Paint from back to front; what the pass does not move is copied from a layer."""
        painter = self.painter
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        self._cover()
        self._border()
        self._beyond()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        self._crosshair()
        self._from_layers(layers)
        self._column_line()
        self._row_frame()
        self._lens()

    def _lens(self) -> None:
        row, column = self.picture.hovered
        span = None if column is None else self.columns.pixels_of(column)
        if self.picture.lens is None or row is None or span is None:
            return
        from ffn_explorer.widgets.lens import draw_lens

        near = self.row_rect(row)
        near.setLeft(self.area.left() + span[0] / self.ratio)
        near.setRight(self.area.left() + span[1] / self.ratio)
        within = QRectF(QPointF(), self.places.size).adjusted(1, 1, -1, -1)
        draw_lens(self.painter, self.picture.lens, near=near, within=within, look=self.look)

    def _from_layers(self, layers: Layers) -> None:
        """Words in layers, so that a choice leaves all labels and ticks that it does not move."""
        picture, words, area = self.picture, self.picture.words, self.area
        wide, high = self.places.size.width(), self.places.size.height()
        placed = (picture.look, wide, high, area.getRect(), self.places.bar.getRect())
        around = (words.axis, words.unit, words.rows, picture.made.limit)
        ticks, label = self._ticks()
        below, above = area.bottom(), max(1.0, self.places.band)
        foot = Box(0.0, below, wide, high - below)
        layers_of: tuple[tuple[str, tuple[Hashable, ...], Box, Callable[[MapPainter], None]], ...] = (
            ("rows", (picture.rows, picture.row), Box(0.0, 0.0, area.left(), high), MapPainter._rows),
            ("around", around, Box(0.0, 0.0, wide, high), MapPainter._around),
            ("ticks", ticks, foot, lambda on: on._paint_ticks(ticks)),
            ("column", label, foot, lambda on: on._paint_ticks(label, chosen=True)),
            (
                "readout",
                (words.readout, words.readout_short),
                Box(area.left(), 0.0, wide - area.left(), above),
                MapPainter._said,
            ),
        )
        for name, key, box, paint in layers_of:
            layers.draw_newest(self.painter, name, (*placed, *key), box=box, paint=self._onto(paint))

    def _around(self) -> None:
        draw_colour_bar(self.painter, self.places.bar, limit=self.picture.made.limit, look=self.look)
        self._words()

    def _onto(self, paint: Callable[["MapPainter"], None]) -> Callable[[QPainter], None]:
        picture, places, columns = self.picture, self.places, self.columns
        return lambda painter: paint(MapPainter(painter, picture, places=places, columns=columns))

    @property
    def used(self) -> QRectF:
        """The part of the area that the stage takes."""
        return QRectF(self.area.topLeft(), QSizeF(self.columns.used / self.ratio, self.area.height()))

    def centre_x(self, column: int) -> float | None:
        """Middle of the pixels that stand for a column, None where it is not in sight."""
        span = self.columns.pixels_of(column)
        return None if span is None else self.area.left() + (span[0] + span[1]) / 2 / self.ratio

    def row_rect(self, row: int) -> QRectF:
        """Pixels of a row."""
        rows, high = len(self.picture.rows), self.places.pixels[1]
        top, bottom = -(-row * high // rows), -(-(row + 1) * high // rows)
        top = min(top, high - 1)
        return QRectF(
            self.area.left(),
            self.area.top() + top / self.ratio,
            self.used.width(),
            max(1, bottom - top) / self.ratio,
        )

    def _cover(self) -> None:
        progress = self.picture.progress
        if progress >= 1.0 or not self.columns.used:
            return
        done = round(self.columns.used * progress) / self.ratio
        hidden = self.used.adjusted(done, 0, 0, 0)
        self.painter.fillRect(hidden, QColor(self.theme.surface))
        if progress > 0.0:
            edge = QRectF(hidden.left(), hidden.top(), line_px(self.look, 2), hidden.height())
            self.painter.fillRect(edge, self.theme.stage(self.picture.stage))

    def _border(self) -> None:
        self.painter.setPen(QPen(QColor(self.theme.border), 0))
        self.painter.setBrush(Qt.BrushStyle.NoBrush)
        if self.columns.used < self.columns.pixels or self.picture.progress < 1.0:
            self.painter.drawRect(self.used.adjusted(-1, -1, 0, 0))

    def _beyond(self) -> None:
        picture, words = self.picture, self.picture.words
        waits = picture.progress <= 0.0 and self.columns.used > 0
        inside = advance(words.waiting, self.small) <= self.used.width()
        room = QRectF(self.used.topRight(), self.area.bottomRight()).adjusted(px(self.look, 12), 0, 0, 0)
        if self.columns.used < self.columns.pixels and room.width() > px(self.look, 40):
            self._outline(QRectF(self.used.topRight(), self.area.bottomRight()))
            if inside or not waits:
                said = fitting((*words.beyond, ""), self.small, room.width())
                self._text(said, room, align=LEFT, colour=self.theme.muted)
        if waits:
            # What waits says so beyond its edge rather than cut off.
            place = self.used if inside else self.area.adjusted(4, 0, -4, 0)
            draw_lines(self.painter, words.waiting, place, font=self.small, colour=self.theme.muted)

    def _outline(self, place: QRectF) -> None:
        """How far the widest stage reaches."""
        pen = QPen(QColor(self.theme.border), line_px(self.look))
        pen.setDashPattern([4.0, 3.0])
        self.painter.setPen(pen)
        self.painter.setBrush(Qt.BrushStyle.NoBrush)
        self.painter.drawRect(place.adjusted(0, 0, -1, -1))

    def _crosshair(self) -> None:
        row, column = self.picture.hovered
        if row is None and column is None:
            return
        colour = QColor(self.theme.ink)
        colour.setAlphaF(0.8)
        halo = QColor(self.theme.surface)
        halo.setAlphaF(0.7)
        x = None if column is None else self.centre_x(column)
        self.painter.setBrush(Qt.BrushStyle.NoBrush)
        for pen in (QPen(halo, line_px(self.look, 3)), QPen(colour, line_px(self.look))):
            self.painter.setPen(pen)
            if x is not None:
                self.painter.drawLine(QPointF(x, self.area.top()), QPointF(x, self.area.bottom()))
            if row is not None and 0 <= row < len(self.picture.rows):
                self.painter.drawRect(self.row_rect(row).adjusted(-0.5, -0.5, 0.5, 0.5))

    def _rows(self) -> None:
        count = len(self.picture.rows)
        every = max(1, -(-int(self.line_height * 0.92 * count) // max(1, int(self.area.height()))))
        chosen = self.picture.row
        right = self.area.left() - px(self.look, 8)
        for row, name in enumerate(self.picture.rows):
            strong = row == chosen
            if not strong and (row % every or (every > 1 and abs(row - chosen) < every)):
                continue
            middle = self.row_rect(row).center().y()
            place = QRectF(0, middle - self.line_height / 2, right, self.line_height)
            colour = self.theme.ink if strong else self.theme.muted
            self._text(name, place, align=RIGHT, colour=colour, bold=strong)

    def _ticks(self) -> tuple[tuple[Tick, ...], tuple[Tick, ...]]:
        """Marks of the axis, and the label of the chosen column, if one is in sight."""
        picture, chosen = self.picture, self.picture.column
        x = None if chosen is None else self.centre_x(chosen)
        label = None if x is None else (picture.words.column, x)
        span = (picture.first, picture.shown, self.columns.width)
        return map_ticks(self.look, (self.area.left(), self.area.right()), span, label)

    def _paint_ticks(self, ticks: tuple[Tick, ...], *, chosen: bool = False) -> None:
        top = self.area.bottom() + px(self.look, 4)
        colour = self.theme.ink if chosen else self.theme.muted
        for tick in ticks:
            place = QRectF(tick.left, top, tick.width, self.line_height)
            self._text(tick.text, place, align=CENTRE, colour=colour, bold=chosen)

    def _column_line(self) -> None:
        column = self.picture.column
        x = None if column is None else self.centre_x(column)
        if x is None:
            return
        self.painter.setPen(QPen(QColor(self.theme.ink), line_px(self.look, 1.5)))
        reach = px(self.look, 4)
        self.painter.drawLine(QPointF(x, self.area.top() - reach), QPointF(x, self.area.bottom() + reach))

    def _row_frame(self) -> None:
        if not 0 <= self.picture.row < len(self.picture.rows) or not self.columns.used:
            return
        row = self.row_rect(self.picture.row)
        # Around a row of a few pixels a thick frame would cover what it shows.
        low = row.height() < px(self.look, _LOW_ROW_PX)
        self.painter.setPen(QPen(QColor(self.theme.ink), line_px(self.look, 1 if low else 2)))
        self.painter.setBrush(Qt.BrushStyle.NoBrush)
        reach = px(self.look, 2) if low else 1
        frame = row.adjusted(-reach, -reach, reach, reach if low else 0)
        self.painter.drawRoundedRect(frame, px(self.look, 2), px(self.look, 2))

    def _words(self) -> None:
        words, muted = self.picture.words, self.theme.muted
        right = self.area.left() - px(self.look, 8)
        below = QRectF(0, self.area.bottom() + px(self.look, 4), right, self.line_height)
        self._text(words.axis, below, align=RIGHT, colour=muted)
        beside = QRectF(self.area.right() + px(self.look, 8), below.top(), 0, self.line_height)
        beside.setRight(self.places.size.width())
        self._text(words.unit, beside, align=RIGHT, colour=muted)
        if self.places.band:
            self._text(words.rows, QRectF(0, 0, right, self.line_height), align=RIGHT, colour=muted)

    def _said(self) -> None:
        """The value of the number in question, above the map."""
        words = self.picture.words
        if self.places.band:
            line = QRectF(self.area.left(), 0, self.places.size.width() - self.area.left(), self.line_height)
            said = fitting((words.readout, words.readout_short or words.readout), self.small, line.width())
            self._text(said, line, align=LEFT, colour=self.theme.ink)

    def _text(
        self, text: str, place: QRectF, *, align: Qt.AlignmentFlag, colour: str, bold: bool = False
    ) -> None:
        draw_text(
            self.painter, text, place, font=self.bold if bold else self.small, colour=colour, align=align
        )
