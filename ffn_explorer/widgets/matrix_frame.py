"""What stands around and above the image of a weight matrix: labels, ticks, numbers, lines, the sweep."""

import math
from collections.abc import Hashable

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from ffn_explorer.widgets.axes import whole_ticks
from ffn_explorer.widgets.colourbar import draw_colour_bar
from ffn_explorer.widgets.drawn_lines import draw_lines
from ffn_explorer.widgets.drawn_text import CENTRE, LEFT, RIGHT, draw_text, fitting
from ffn_explorer.widgets.flow_columns import Box
from ffn_explorer.widgets.flow_numbers import written
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.layers import Layers
from ffn_explorer.widgets.lens import draw_lens
from ffn_explorer.widgets.matrix_picture import MatrixPicture, MatrixPlaces, Span
from ffn_explorer.widgets.sizes import line_px, px
from ffn_explorer.widgets.theme import diverging, ink_on, theme_of

UNREAD = 0.68
"""How far weights that the pass has not read yet fade into the surface."""

_GAP_FROM_PX = 7.0
"""Cells at least this large are drawn apart."""

_WIDE_CELL_PX = 6.0
_TICK_GAP_PX = 5
_DECIMALS = (4, 3, 2)


class MatrixPainter:
    """Paints everything but the image."""

    def __init__(self, painter: QPainter, picture: MatrixPicture, places: MatrixPlaces) -> None:
        """Take what to paint, and where."""
        self.painter, self.picture, self.places = painter, picture, places
        self.area, self.look = places.area, picture.look
        self.theme = theme_of(picture.look)
        self.small = font(picture.look, "small")
        self.bold = font(picture.look, "small", bold=True)
        self.line = QFontMetricsF(self.small).height()

    def paint(self, layers: Layers, *, known: bool) -> None:
        """Paint from back to front; known: whether the image shows anything of the part in sight."""
        size = self.places.size
        box = Box(0.0, 0.0, size.width(), size.height())
        layers.draw_newest(
            self.painter, "cells", self._key(False), box=box, paint=lambda on: self._onto(on)._cells()
        )
        if not known:
            words, colour = self.picture.words.waiting, self.theme.muted
            draw_lines(self.painter, words, self.area, font=self.small, colour=colour)
        self._sweep()
        self._mark_pointed()
        self._mark_chosen()
        layers.draw_newest(
            self.painter, "labels", self._key(True), box=box, paint=lambda on: self._onto(on)._labels()
        )
        self._readout()
        self._lens()

    def _onto(self, painter: QPainter) -> "MatrixPainter":
        return MatrixPainter(painter, self.picture, self.places)

    def _key(self, labels: bool) -> Hashable:
        picture, places = self.picture, self.places
        key = (picture.look, picture.made, picture.rows, picture.columns, places.area.getRect())
        words = picture.words
        said = (words.rows, words.columns, words.unit, words.chosen_row, words.chosen_column, picture.chosen)
        more = (*said, words.row_names, words.column_names, places.small.getRect(), places.size.toTuple())
        return (*key, *more) if labels else key

    def _cells(self) -> None:
        """Lines between large cells, and their numbers."""
        wide, high = self._cell_size()
        if min(wide, high) < _GAP_FROM_PX:
            return
        self.painter.setPen(QPen(QColor(self.theme.surface), max(1.0, min(2.0, 0.06 * min(wide, high)))))
        picture, places, area = self.picture, self.places, self.area
        for row in range(picture.rows[0] + 1, picture.rows[1]):
            y = places.row_edge(picture, row)
            self.painter.drawLine(QLineF(area.left(), y, area.right(), y))
        for column in range(picture.columns[0] + 1, picture.columns[1]):
            x = places.column_edge(picture, column)
            self.painter.drawLine(QLineF(x, area.top(), x, area.bottom()))
        self._numbers(wide, high)

    def _numbers(self, wide: float, high: float) -> None:
        picture, made = self.picture, self.picture.made
        if made.exact is None or high < 1.25 * self.line:
            return
        rows, columns = _shared(picture.rows, made.rows), _shared(picture.columns, made.columns)
        window = made.exact[
            rows[0] - made.rows[0] : rows[1] - made.rows[0],
            columns[0] - made.columns[0] : columns[1] - made.columns[0],
        ]
        decimals = self._decimals(window.ravel().tolist(), wide)
        if decimals is None:
            return
        table = diverging(self.theme)
        self.painter.setFont(self.small)
        for row in range(*rows):
            for column in range(*columns):
                at = (row - made.rows[0], column - made.columns[0])
                colour = QColor(*table[int(made.value[at])].tolist())
                self.painter.setPen(QColor(ink_on(colour.name())))
                text = written(float(made.exact[at]), decimals)
                self.painter.drawText(self.places.cell(picture, row, column), int(CENTRE), text)

    def _decimals(self, values: list[float], wide: float) -> int | None:
        """The most digits after the point with which all numbers fit into their cells.

        No more than three significant digits of the largest: further ones would be noise beside it.
        """
        metrics = QFontMetricsF(self.small)
        room = wide - px(self.look, 4)
        largest = max((abs(value) for value in values if value and math.isfinite(value)), default=1.0)
        enough = max(0, 2 - math.floor(math.log10(largest)))
        for decimals in dict.fromkeys(min(decimals, enough) for decimals in _DECIMALS):
            # Digits are of one width: the longest text is the widest.
            longest = max((written(value, decimals) for value in values), key=len, default="")
            if metrics.horizontalAdvance(longest) <= room:
                return decimals
        return None

    def _cell_size(self) -> tuple[float, float]:
        rows, columns = self.picture.rows, self.picture.columns
        return self.area.width() / (columns[1] - columns[0]), self.area.height() / (rows[1] - rows[0])

    def _sweep(self) -> None:
        """Rows not read yet fade; a line stands where the reading is."""
        picture = self.picture
        if picture.read >= 1.0:
            return
        y = self.places.row_edge(picture, picture.read * picture.made.shape[0])
        y = min(max(y, self.area.top()), self.area.bottom())
        veil = QColor(self.theme.surface)
        veil.setAlphaF(UNREAD)
        self.painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        below = QRectF(self.area.left(), y, self.area.width(), self.area.bottom() - y)
        self.painter.fillRect(below, veil)
        if picture.read > 0.0 and self.area.top() < y < self.area.bottom():
            front = QRectF(below.left(), y - line_px(self.look), below.width(), line_px(self.look, 2))
            self.painter.fillRect(front, self.theme.stage(picture.stage))
        self.painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)

    def _mark_chosen(self) -> None:
        row, column = self.picture.chosen
        pen = QPen(QColor(self.theme.ink), line_px(self.look, 1.5))
        self._mark(row, column, pens=(self._halo(3.5), pen), reach=px(self.look, 4))

    def _mark_pointed(self) -> None:
        colour = QColor(self.theme.ink)
        colour.setAlphaF(0.8)
        row, column = self.picture.pointed
        pens = (self._halo(3.0), QPen(colour, line_px(self.look)))
        if row is None or column is None or min(self._cell_size()) < _WIDE_CELL_PX:
            self._mark(row, column, pens=pens, reach=0.0)
            return
        # One large weight needs no lines that lead to it.
        cell = self.places.cell(self.picture, row, column) & self.area
        self.painter.setBrush(Qt.BrushStyle.NoBrush)
        for pen in (self._halo(5.0), QPen(QColor(self.theme.ink), line_px(self.look, 2.5))):
            self.painter.setPen(pen)
            self.painter.drawRect(cell)

    def _halo(self, width: float) -> QPen:
        halo = QColor(self.theme.surface)
        halo.setAlphaF(0.7)
        return QPen(halo, line_px(self.look, width))

    def _mark(self, row: int | None, column: int | None, *, pens: tuple[QPen, ...], reach: float) -> None:
        """Along a row and a column: both edges of large cells, one line through small ones."""
        picture, places, area = self.picture, self.places, self.area
        wide, high = self._cell_size()
        lines = []
        if row is not None and picture.rows[0] <= row < picture.rows[1]:
            top = places.row_edge(picture, row)
            ys = (top, top + high) if high >= _WIDE_CELL_PX else (top + high / 2,)
            lines += [QLineF(area.left() - reach, y, area.right() + reach, y) for y in ys]
        if column is not None and picture.columns[0] <= column < picture.columns[1]:
            left = places.column_edge(picture, column)
            xs = (left, left + wide) if wide >= _WIDE_CELL_PX else (left + wide / 2,)
            lines += [QLineF(x, area.top() - reach, x, area.bottom() + reach) for x in xs]
        for pen in pens:
            pen.setCapStyle(Qt.PenCapStyle.FlatCap)
            self.painter.setPen(pen)
            self.painter.drawLines(lines)

    def _labels(self) -> None:
        self.painter.setPen(QPen(QColor(self.theme.border), line_px(self.look)))
        self.painter.setBrush(Qt.BrushStyle.NoBrush)
        self.painter.drawRect(self.area.adjusted(-0.5, -0.5, 0.5, 0.5))
        self._row_ticks()
        self._column_ticks()
        draw_colour_bar(self.painter, self.places.bar, limit=self.picture.made.limit, look=self.look)
        words, right = self.picture.words, self.area.left() - px(self.look, 8)
        below = self.area.bottom() + px(self.look, 4)
        muted = self.theme.muted
        self._text(words.columns, QRectF(0, below, right, self.line), align=RIGHT, colour=muted)
        self._text(words.rows, QRectF(0, 0, right, self.line), align=RIGHT, colour=muted)
        unit = QRectF(self.area.right(), below, self.places.size.width() - self.area.right(), self.line)
        self._text(words.unit, unit, align=RIGHT, colour=muted)
        self._small_map()

    def _row_ticks(self) -> None:
        picture, words = self.picture, self.picture.words
        high, right = self._cell_size()[1], self.area.left() - px(self.look, 8)
        taken: list[QRectF] = []
        for row, strong in _marks(
            picture.rows, picture.chosen[0], high, room=self.area.height() / (1.7 * self.line)
        ):
            edge = self.places.row_edge(picture, row + (0.5 if high >= _WIDE_CELL_PX or strong else 0.0))
            place = QRectF(0, edge - self.line / 2, right, self.line)
            place.moveTop(min(max(place.top(), self.area.top() - 3), self.area.bottom() - self.line + 3))
            if any(place.intersects(other) for other in taken):
                continue
            taken.append(place)
            name = words.row_names[row] if row < len(words.row_names) else f"{row:,}"
            colour = self.theme.ink if strong else self.theme.muted
            self._text(name, place, align=RIGHT, colour=colour, bold=strong)

    def _column_ticks(self) -> None:
        picture, words = self.picture, self.picture.words
        wide = self._cell_size()[0]
        taken: list[QRectF] = []
        room = self.area.width() / px(self.look, 64)
        for column, strong in _marks(picture.columns, picture.chosen[1], wide, room=room):
            x = self.places.column_edge(picture, column + (0.5 if wide >= _WIDE_CELL_PX or strong else 0.0))
            name = words.column_names[column] if column < len(words.column_names) else f"{column:,}"
            place = self._below(words.chosen_column if strong else name, x, bold=strong)
            gap = px(self.look, _TICK_GAP_PX)
            if any(place.adjusted(-gap, 0, gap, 0).intersects(other) for other in taken):
                continue
            taken.append(place)
            text = words.chosen_column if strong else name
            colour = self.theme.ink if strong else self.theme.muted
            self._text(text, place, align=CENTRE, colour=colour, bold=strong)

    def _below(self, text: str, x: float, *, bold: bool) -> QRectF:
        width = QFontMetricsF(self.bold if bold else self.small).horizontalAdvance(text) + 2
        left = min(max(x - width / 2, self.area.left() - 2), self.area.right() + px(self.look, 4) - width)
        return QRectF(left, self.area.bottom() + px(self.look, 4), width, self.line)

    def _small_map(self) -> None:
        """The whole matrix as a frame, and in it the part in sight."""
        place, picture = self.places.small, self.picture
        if place.isEmpty():
            return
        rows, columns = picture.made.shape
        self.painter.setPen(QPen(QColor(self.theme.muted), line_px(self.look)))
        self.painter.setBrush(QColor(self.theme.sunken))
        self.painter.drawRect(place)
        least = 3.0
        wide = max(least, (picture.columns[1] - picture.columns[0]) / columns * place.width())
        high = max(least, (picture.rows[1] - picture.rows[0]) / rows * place.height())
        x = min(place.left() + picture.columns[0] / columns * place.width(), place.right() - wide)
        y = min(place.top() + picture.rows[0] / rows * place.height(), place.bottom() - high)
        self.painter.fillRect(QRectF(x, y, wide, high), QColor(self.theme.ink))

    def _readout(self) -> None:
        line = QRectF(self.area.left(), 0, self.places.size.width() - self.area.left(), self.line)
        readout = fitting(self.picture.words.readout, self.small, line.width())
        self._text(readout, line, align=LEFT, colour=self.theme.ink)

    def _lens(self) -> None:
        row, column = self.picture.pointed
        if self.picture.lens is None or row is None or column is None:
            return
        near = self.places.cell(self.picture, row, column)
        if self.area.contains(near.center()):
            within = QRectF(0, 0, self.places.size.width(), self.places.size.height()).adjusted(1, 1, -1, -1)
            draw_lens(self.painter, self.picture.lens, near=near, within=within, look=self.look)

    def _text(
        self, text: str, place: QRectF, *, align: Qt.AlignmentFlag, colour: str, bold: bool = False
    ) -> None:
        face = self.bold if bold else self.small
        draw_text(self.painter, text, place, font=face, colour=colour, align=align)


def _marks(seen: Span, chosen: int | None, size: float, *, room: float) -> list[tuple[int, bool]]:
    """Indices to label, the chosen one (True) before all others, then the first, then round ones."""
    most = max(1, int(room))
    ticks = [at for at in whole_ticks(*seen, most=most) if at < seen[1] or size < _WIDE_CELL_PX]
    strong = [(chosen, True)] if chosen is not None and seen[0] <= chosen < seen[1] else []
    return [*strong, (seen[0], False), *((at, False) for at in ticks if at not in (seen[0], chosen))]


def _shared(one: Span, other: Span) -> Span:
    first = max(one[0], other[0])
    return first, max(first, min(one[1], other[1]))
