"""BillChart: two stacked bars with their axes, whose pieces can be pointed at and chosen."""

from html import escape

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QWidget

from ffn_explorer.core.stages import Stage
from ffn_explorer.state import numbers
from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.axes import ticks
from ffn_explorer.widgets.bill_hairlines import draw_hairlines
from ffn_explorer.widgets.bill_picture import (
    LINES,
    Bar,
    BarPlaces,
    BillPicture,
    BillPlaces,
    Piece,
    bill_places,
    table_widths,
)
from ffn_explorer.widgets.canvas import Canvas
from ffn_explorer.widgets.drawn_text import CENTRE, LEFT, RIGHT, draw_text, fitting
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.sizes import line_px, px
from ffn_explorer.widgets.theme import Theme, blend, ink_on, theme_of

_UNREAD = 0.22
"""Opacity of what the pass has not read yet."""

_NEUTRAL = {"bias": 0.8, "router": 0.65, "attention": 0.34, "projections": 0.34, "scores": 0.2}
"""Opacity of pieces without a stage colour."""

_STAGE = {"up": Stage.UP, "gate": Stage.GATE, "down": Stage.OUT}


class BillChart(Canvas):
    """Shows a BillPicture."""

    pointed = Signal(object)
    """Stage of the piece under the pointer, or None; only when it changes."""
    chosen = Signal(object)
    """A click on a piece: its Stage."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build an empty chart."""
        super().__init__(parent)
        self._picture: BillPicture | None = None
        self._pointed: Stage | None = None
        self.moved.connect(self._report)

    def show_bill(self, picture: BillPicture) -> None:
        """Draw a picture."""
        self._picture, self.sentence = picture, ""
        self.set_look(picture.look)
        self.lay_out()
        self.front.update()

    def show_sentence(self, sentence: str, look: Appearance) -> None:
        """Draw nothing but a sentence."""
        self._picture, self.sentence = None, sentence
        self.set_look(look)
        self.lay_out()
        self.front.update()

    @property
    def places(self) -> BillPlaces | None:
        """Where everything stands."""
        return None if self._picture is None else bill_places(self._picture, QSizeF(self.size()))

    def piece_at(self, at: QPointF) -> Piece | None:
        """Piece of either bar, of A or of B, at a position."""
        picture, places = self._picture, self.places
        if picture is None or places is None:
            return None
        for bar, place in zip(picture.bars, places.bars, strict=True):
            for pieces, strip in ((bar.pieces, place.bar), (bar.other, place.other)):
                for piece, rect in _laid(pieces, strip, bar.most):
                    if rect.contains(at):
                        return piece
        return None

    def paint_front(self, painter: QPainter) -> None:
        """Paint bars and lines."""
        picture, places = self._picture, self.places
        if picture is not None and places is not None:
            BillPainter(painter, picture, places).paint()
        super().paint_front(painter)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the stage of the piece under the pointer."""
        super().mousePressEvent(event)
        piece = self.piece_at(event.position())
        if piece is not None and piece.stage is not None and event.button() == Qt.MouseButton.LeftButton:
            self.chosen.emit(piece.stage)

    def _report(self, at: QPointF | None) -> None:
        piece = None if at is None else self.piece_at(at)
        self.setToolTip("" if piece is None else f"<p>{escape(piece.tip)}</p>")
        stage = None if piece is None else piece.stage
        if stage != self._pointed:
            self._pointed = stage
            self.pointed.emit(stage)


class BillPainter:
    """Paints one BillPicture into its places."""

    def __init__(self, painter: QPainter, picture: BillPicture, places: BillPlaces) -> None:
        """Take what to paint, and where."""
        self.painter, self.picture, self.places = painter, picture, places
        self.look, self.theme = picture.look, theme_of(picture.look)
        self.small = font(picture.look, "small")
        self.bold = font(picture.look, "small", bold=True)

    def paint(self) -> None:
        """Paint everything."""
        self.painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        first = self.picture.bars[0]
        for bar, place in zip(self.picture.bars, self.places.bars, strict=True):
            self._line(bar.head, place.head, ink=True)
            self._line(bar.formula, place.formula)
            self._bar(bar, place)
            if bar is first:
                self._hairlines(bar, place)
            if place.ticks.height():
                self._ticks(bar, place)
        for name in LINES:
            lead = name == "counters"
            self._line(getattr(self.picture, name), getattr(self.places, name), ink=lead, bold=lead)
        if self.places.rows.height():
            self._rows()

    def _bar(self, bar: Bar, place: BarPlaces) -> None:
        for piece, rect in _laid(bar.pieces, place.bar, bar.most):
            self._piece(piece, rect)
        for piece, rect in _laid(bar.other, place.other, bar.most):
            shade = 0.5 if piece.key not in ("attention", "projections", "scores") else 0.22
            ground = blend(self.theme.muted, self.theme.surface, shade)
            self.painter.fillRect(rect.adjusted(0, 0, -1, 0), ground)
            self._inside(piece, rect, ink_on(ground.name()))
        for piece, rect in _laid(bar.pieces, place.bar, bar.most):
            self._lit(piece, rect)
        if place.bar.left():
            for name, strip in zip(self.picture.names, (place.bar, place.other), strict=True):
                side = QRectF(0, strip.top(), strip.left(), strip.height())
                draw_text(self.painter, name, side, font=self.bold, colour=self.theme.muted, align=LEFT)
        pen = QPen(QColor(self.theme.ink), line_px(self.look), Qt.PenStyle.DotLine)
        self.painter.setPen(pen)
        for value in bar.before:
            x = place.bar.left() + place.bar.width() * value / bar.most
            x = min(x, place.bar.right() - 0.5)
            self.painter.drawLine(QPointF(x, place.bar.top() - 2), QPointF(x, place.bar.bottom() + 2))

    def _hairlines(self, bar: Bar, place: BarPlaces) -> None:
        laid = _laid(bar.pieces, place.bar, bar.most)
        pieces = {piece.key: (rect, self._words(piece, rect)[1]) for piece, rect in laid}
        draw_hairlines(self.painter, self.picture.hairlines, pieces, self.look)

    def _piece(self, piece: Piece, rect: QRectF) -> None:
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
            self._inside(piece, rect, ink_on(ground.name()))
            self.painter.restore()

    def _inside(self, piece: Piece, rect: QRectF, colour: str) -> None:
        words, _ = self._words(piece, rect)
        if words:
            draw_text(self.painter, words, rect, font=self.small, colour=colour, align=CENTRE)

    def _words(self, piece: Piece, rect: QRectF) -> tuple[str, QRectF]:
        """What stands in a piece, and the letters' place; nothing where none of its wordings fits."""
        metrics = QFontMetricsF(self.small)
        room = rect.width() - px(self.look, 8)
        words = next((words for words in piece.words if metrics.horizontalAdvance(words) <= room), "")
        if not words or rect.height() < metrics.height() - 2:
            return "", QRectF()
        place = QRectF(0, 0, metrics.horizontalAdvance(words) + 4, metrics.capHeight() + 4)
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


def _laid(pieces: tuple[Piece, ...], strip: QRectF, most: int) -> list[tuple[Piece, QRectF]]:
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
