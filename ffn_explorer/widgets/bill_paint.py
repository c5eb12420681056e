"""How a BillPicture is painted: what the pass moves and what is chosen over a layer of all that rests."""

from collections.abc import Callable

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from ffn_explorer.core.stages import Stage
from ffn_explorer.state import numbers
from ffn_explorer.widgets.axes import ticks
from ffn_explorer.widgets.bill_hairlines import draw_hairlines
from ffn_explorer.widgets.bill_picture import (
    LINES,
    STILL,
    Bar,
    BarPlaces,
    BillPicture,
    BillPlaces,
    Piece,
    table_widths,
)
from ffn_explorer.widgets.drawn_text import CENTRE, LEFT, RIGHT, advance, draw_text, fitting
from ffn_explorer.widgets.flow_columns import Box
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.layers import Layers
from ffn_explorer.widgets.sizes import line_px, px
from ffn_explorer.widgets.theme import Theme, blend, ink_on, theme_of

_UNREAD = 0.22
"""Opacity of what the pass has not read yet."""

_NEUTRAL = {"bias": 0.8, "router": 0.65, "attention": 0.34, "projections": 0.34, "scores": 0.2}
"""Opacity of pieces without a stage colour."""

_STAGE = {"up": Stage.UP, "gate": Stage.GATE, "down": Stage.OUT}


class BillPainter:
    """Paints one BillPicture into its places."""

    def __init__(self, painter: QPainter, picture: BillPicture, places: BillPlaces) -> None:
        """Take what to paint, and where."""
        self.painter, self.picture, self.places = painter, picture, places
        self.look, self.theme = picture.look, theme_of(picture.look)
        self.small = font(picture.look, "small")
        self.bold = font(picture.look, "small", bold=True)

    def paint(self, layers: Layers, box: Box) -> None:
        """Paint everything; what neither the pass nor a choice moves comes from a layer of the whole box."""
        self.painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        picture, bars = self.picture, self.picture.bars
        moving = any(0.0 < piece.done < 1.0 for bar in bars for piece in bar.pieces)
        words = tuple((bar.head, bar.formula, bar.unit, bar.most) for bar in bars)
        lines = tuple(getattr(picture, name) for name in STILL)
        key = (self.look, box, *(rect.getRect() for rect in self.places.rects), words, lines)
        if moving:
            self._still(layers, "words", key, box, paint=BillPainter._words_around)
            self._bars()
        else:
            pieces = tuple((bar.pieces, bar.other) for bar in bars)
            key = (*key, pieces, picture.names, picture.rows)
            self._still(layers, "rest", key, box, paint=BillPainter._at_rest)
        for bar, place in zip(bars, self.places.bars, strict=True):
            self._over(bar, place)
        self._hairlines(bars[0], self.places.bars[0])
        for name in LINES:
            if name not in STILL:
                lead = name == "counters"
                self._line(getattr(picture, name), getattr(self.places, name), ink=lead, bold=lead)

    def _still(
        self,
        layers: Layers,
        name: str,
        key: tuple[object, ...],
        box: Box,
        *,
        paint: Callable[["BillPainter"], None],
    ) -> None:
        picture, places = self.picture, self.places

        def onto(painter: QPainter) -> None:
            paint(BillPainter(painter, picture, places))

        layers.draw_newest(self.painter, name, key, box=box, paint=onto, ground=self.theme.surface)

    def _at_rest(self) -> None:
        self._words_around()
        self._bars()

    def _bars(self) -> None:
        for bar, place in zip(self.picture.bars, self.places.bars, strict=True):
            self._bar(bar, place)
        if self.places.rows.height():
            self._rows()

    def _words_around(self) -> None:
        for bar, place in zip(self.picture.bars, self.places.bars, strict=True):
            self._line(bar.head, place.head, ink=True)
            self._line(bar.formula, place.formula)
            if place.ticks.height():
                self._ticks(bar, place)
        for name in STILL:
            self._line(getattr(self.picture, name), getattr(self.places, name))

    def _bar(self, bar: Bar, place: BarPlaces) -> None:
        for piece, rect in laid(bar.pieces, place.bar, bar.most):
            self._piece(piece, rect, bar.pieces)
        for piece, rect in laid(bar.other, place.other, bar.most):
            shade = 0.5 if piece.key not in ("attention", "projections", "scores") else 0.22
            ground = blend(self.theme.muted, self.theme.surface, shade)
            self.painter.fillRect(rect.adjusted(0, 0, -1, 0), ground)
            self._inside(piece, rect, bar.other, colour=ink_on(ground.name()))
        if place.bar.left():
            for name, strip in zip(self.picture.names, (place.bar, place.other), strict=True):
                side = QRectF(0, strip.top(), strip.left(), strip.height())
                draw_text(self.painter, name, side, font=self.bold, colour=self.theme.muted, align=LEFT)

    def _over(self, bar: Bar, place: BarPlaces) -> None:
        """What is chosen, pointed at or under way, and where the bar ended before the last change."""
        for piece, rect in laid(bar.pieces, place.bar, bar.most):
            self._lit(piece, rect)
        pen = QPen(QColor(self.theme.ink), line_px(self.look), Qt.PenStyle.DotLine)
        self.painter.setPen(pen)
        for value in bar.before:
            x = place.bar.left() + place.bar.width() * value / bar.most
            x = min(x, place.bar.right() - 0.5)
            self.painter.drawLine(QPointF(x, place.bar.top() - 2), QPointF(x, place.bar.bottom() + 2))

    def _hairlines(self, bar: Bar, place: BarPlaces) -> None:
        parts = laid(bar.pieces, place.bar, bar.most)
        pieces = {piece.key: (rect, self._words(piece, rect, bar.pieces)[1]) for piece, rect in parts}
        draw_hairlines(self.painter, self.picture.hairlines, pieces, self.look)

    def _piece(self, piece: Piece, rect: QRectF, beside: tuple[Piece, ...], /) -> None:
        """A pale piece, filled from the left as it is read; its words change colour at the edge."""
        colour = _colour(piece, self.theme)
        inner = rect.adjusted(0, 0, -1, 0) if rect.width() > 2 else rect
        done = QRectF(inner.left(), inner.top(), inner.width() * piece.done, inner.height())
        pale = blend(colour.name(), self.theme.surface, _UNREAD)
        for ground, part in ((pale, inner), (colour, done)):
            if part.width() <= 0:
                continue
            self.painter.fillRect(part, ground)
            self.painter.save()
            self.painter.setClipRect(part)
            self._inside(piece, rect, beside, colour=ink_on(ground.name()))
            self.painter.restore()

    def _inside(self, piece: Piece, rect: QRectF, beside: tuple[Piece, ...], /, *, colour: str) -> None:
        words, _ = self._words(piece, rect, beside)
        if words:
            draw_text(self.painter, words, rect, font=self.small, colour=colour, align=CENTRE)

    def _words(self, piece: Piece, rect: QRectF, beside: tuple[Piece, ...], /) -> tuple[str, QRectF]:
        """What stands in a piece, and the letters' place; nothing where none of its wordings fits.

        Matrices of one size have their wordings in common: else equal numbers would look different.
        """
        metrics = QFontMetricsF(self.small)
        room = rect.width() - px(self.look, 8)
        alike = [piece]
        if piece.stage is not None:
            alike = [p for p in beside if p.stage is not None and p.value == piece.value]
        levels = zip(piece.words, zip(*(p.words for p in alike), strict=True), strict=True)
        common = (own for own, every in levels if all(advance(words, self.small) <= room for words in every))
        least = piece.words[-1] if advance(piece.words[-1], self.small) <= room else ""
        words = next(common, least)
        if not words or rect.height() < metrics.height() - 2:
            return "", QRectF()
        place = QRectF(0, 0, advance(words, self.small) + 4, metrics.capHeight() + 4)
        place.moveCenter(rect.center())
        return words, place

    def _lit(self, piece: Piece, rect: QRectF) -> None:
        """A frame around the chosen piece, a thin one around the pointed; those being read are underlined."""
        if piece.stage is None:
            return
        width = 2.0 if piece.stage == self.picture.chosen else 1.0
        if piece.stage in (self.picture.chosen, self.picture.pointed):
            self.painter.setPen(QPen(QColor(self.theme.ink), line_px(self.look, width)))
            self.painter.setBrush(Qt.BrushStyle.NoBrush)
            self.painter.drawRect(rect.adjusted(0.5, 0, -1.5, 0))
        if piece.stage in self.picture.under_way:
            thick = line_px(self.look, 2)
            under = QRectF(rect.left(), rect.bottom(), rect.width() - 1, thick)
            self.painter.fillRect(under, QColor(self.theme.ink))

    def _ticks(self, bar: Bar, place: BarPlaces) -> None:
        """Axis from 0 to the largest total, its unit at the right end."""
        strip, line = place.ticks, self.places.line
        metrics = QFontMetricsF(self.small)
        unit = QRectF(strip.right() - metrics.horizontalAdvance(bar.unit) - 2, strip.top(), 0, line)
        unit.setRight(strip.right())
        draw_text(self.painter, bar.unit, unit, font=self.small, colour=self.theme.muted, align=RIGHT)
        most = max(1, int(place.bar.width() / px(self.look, 78)))
        taken = unit.left() - px(self.look, 6)
        for tick in ticks(0.0, float(bar.most), most=most):
            text = numbers.axis(tick)
            x = place.bar.left() + place.bar.width() * tick / bar.most
            width = metrics.horizontalAdvance(text) + 2
            left = max(x - width / 2, place.bar.left() - 1)
            if left + width <= taken:
                self.painter.setPen(QPen(QColor(self.theme.muted), line_px(self.look)))
                self.painter.drawLine(QPointF(x, strip.top()), QPointF(x, strip.top() + px(self.look, 2)))
                label = QRectF(left, strip.top() + px(self.look, 1), width, line)
                draw_text(self.painter, text, label, font=self.small, colour=self.theme.muted, align=CENTRE)

    def _rows(self) -> None:
        """The table: names at the left, numbers in columns aligned at their ends."""
        place, line, rows = self.places.rows, self.places.line, self.picture.rows
        widths = table_widths(self.picture)
        for at, row in enumerate(rows):
            x = place.left()
            for column, (text, width) in enumerate(zip(row, widths, strict=True)):
                cell = QRectF(x, place.top() + at * line, width, line)
                face, colour = (self.small, self.theme.ink) if at else (self.bold, self.theme.muted)
                draw_text(self.painter, text, cell, font=face, colour=colour, align=RIGHT if column else LEFT)
                x += width
        y = place.top() + line
        self.painter.setPen(QPen(QColor(self.theme.border), line_px(self.look)))
        self.painter.drawLine(QPointF(place.left(), y), QPointF(place.left() + sum(widths), y))

    def _line(
        self, wordings: tuple[str, ...], place: QRectF, *, ink: bool = False, bold: bool = False
    ) -> None:
        if not wordings or not place.height():
            return
        face = self.bold if bold else self.small
        text = fitting(wordings, face, place.width())
        colour = self.theme.ink if ink else self.theme.muted
        draw_text(self.painter, text, place, font=face, colour=colour, align=LEFT)


def laid(pieces: tuple[Piece, ...], strip: QRectF, most: int) -> list[tuple[Piece, QRectF]]:
    """Pieces from left to right, as long as they are large."""
    made, before = [], 0
    for piece in pieces:
        left = strip.left() + strip.width() * before / most
        width = strip.width() * piece.value / most
        made.append((piece, QRectF(left, strip.top(), width, strip.height())))
        before += piece.value
    return made


def _colour(piece: Piece, theme: Theme) -> QColor:
    stage = _STAGE.get(piece.key)
    return blend(theme.muted, theme.surface, _NEUTRAL[piece.key]) if stage is None else theme.stage(stage)
