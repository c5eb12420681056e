"""How a BillPicture is painted: what the pass moves and what is chosen over layers of all that rests."""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from ffn_explorer.core.stages import Stage
from ffn_explorer.widgets.bill_hairlines import draw_hairlines
from ffn_explorer.widgets.bill_parts import Part, Parts, parts_of
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
from ffn_explorer.widgets.drawn_text import CENTRE, LEFT, RIGHT, draw_text, fitting
from ffn_explorer.widgets.flow_columns import Box
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.layers import Layers
from ffn_explorer.widgets.sizes import line_px
from ffn_explorer.widgets.stacked_bar import draw_ticks
from ffn_explorer.widgets.theme import Theme, blend, ink_on, theme_of

_UNREAD = 0.22
"""Opacity of what the pass has not read yet."""

_NEUTRAL = {"bias": 0.8, "router": 0.65, "attention": 0.34, "projections": 0.34, "scores": 0.2}
"""Opacity of pieces without a stage colour."""

_OVER = (*(name for name in LINES if name not in (*STILL, "token")), "token")
"""Sentences that a choice or the pass changes; a token comes last, for its letters may leave their line."""

_SO_FAR = 2
"""Column of the table that the pass moves."""

_STAGE = {"up": Stage.UP, "gate": Stage.GATE, "down": Stage.OUT}


class BillPainter:
    """Paints one BillPicture into its places."""

    def __init__(self, painter: QPainter, picture: BillPicture, places: BillPlaces) -> None:
        """Take what to paint, and where."""
        self.painter, self.picture, self.places = painter, picture, places
        self.look, self.theme = picture.look, theme_of(picture.look)
        self.small = font(picture.look, "small")
        self.bold = font(picture.look, "small", bold=True)
        self.done = dict(picture.done)
        self.moving = any(0.0 < share < 1.0 for share in self.done.values())
        self.bars = tuple(
            (bar, place, parts_of(bar, place, self.look))
            for bar, place in zip(picture.bars, places.bars, strict=True)
        )

    def paint(self, layers: Layers, box: Box) -> None:
        """Paint everything; what neither the pass nor a choice moves comes from layers."""
        self.painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        self._rest(layers, box)
        if self.moving:
            self._move()
        for bar, place, parts in self.bars:
            self._over(bar, place, parts)
        self._hairlines(self.bars[0][2])
        for name in _OVER:
            self._sentence(name, layers)

    def _rest(self, layers: Layers, box: Box) -> None:
        """All that only another run, size or look changes, and pieces before and after they are read."""
        picture, places, rows = self.picture, self.places, self.picture.rows
        if self.moving:
            rows = tuple((*row[:_SO_FAR], *row[_SO_FAR + 1 :]) for row in rows)
        read = tuple(share if share in (0.0, 1.0) else None for share in self.done.values())
        lines = tuple(getattr(picture, name) for name in STILL)
        key: tuple[object, ...] = (self.look, box, places, picture.bars, picture.names, read, lines)
        if places.rows.height():
            key = (*key, rows, table_widths(self.look, picture.rows))

        def onto(painter: QPainter) -> None:
            BillPainter(painter, picture, places)._at_rest()

        layers.draw_newest(self.painter, "rest", key, box=box, paint=onto, ground=self.theme.surface)

    def _at_rest(self) -> None:
        for bar, place, _ in self.bars:
            self._line(bar.head, place.head, ink=True)
            self._line(bar.formula, place.formula)
            if place.ticks.height():
                draw_ticks(
                    self.painter, bar.most, bar=place.bar, below=place.ticks, unit=bar.unit, look=self.look
                )
        for name in STILL:
            self._line(getattr(self.picture, name), getattr(self.places, name))
        for _, place, parts in self.bars:
            self._bar(place, parts)
        if self.places.rows.height():
            self._rows()

    def _bar(self, place: BarPlaces, parts: Parts) -> None:
        later = self._later(parts)
        for part in parts.mine:
            share = self.done.get(part.piece.key, 1.0)
            if part.piece.key not in later:
                self._piece(part, share if share == 1.0 else 0.0)
        for part in parts.other:
            shade = 0.5 if part.piece.key not in ("attention", "projections", "scores") else 0.22
            ground = blend(self.theme.muted, self.theme.surface, shade)
            self.painter.fillRect(part.rect.adjusted(0, 0, -1, 0), ground)
            self._inside(part, colour=ink_on(ground.name()))
        if place.bar.left():
            for name, strip in zip(self.picture.names, (place.bar, place.other), strict=True):
                side = QRectF(0, strip.top(), strip.left(), strip.height())
                draw_text(self.painter, name, side, font=self.bold, colour=self.theme.muted, align=LEFT)

    def _later(self, parts: Parts) -> set[str]:
        """Slivers that the pass moves, and what follows them, by key: they share a column of pixels."""
        found: set[str] = set()
        joined = False
        for part in parts.mine:
            moves = 0.0 < self.done.get(part.piece.key, 1.0) < 1.0
            joined = joined or (moves and part.is_sliver)
            if joined:
                found.add(part.piece.key)
            joined = joined and part.is_sliver
        return found

    def _move(self) -> None:
        """What the pass moves: the filled part of the pieces under way, and the numbers read so far."""
        for _, _, parts in self.bars:
            later = self._later(parts)
            for part in parts.mine:
                share = self.done.get(part.piece.key, 1.0)
                if part.piece.key in later:
                    self._piece(part, share)
                elif 0.0 < share < 1.0:
                    self._read(part, share)
        if self.places.rows.height():
            self._columns({_SO_FAR})

    def _over(self, bar: Bar, place: BarPlaces, parts: Parts) -> None:
        """What is chosen, pointed at or under way, and where the bar ended before the last change."""
        for part in parts.mine:
            self._lit(part.piece, part.rect)
        if not bar.before:
            return
        most = bar.most
        self.painter.setPen(QPen(QColor(self.theme.ink), line_px(self.look), Qt.PenStyle.DotLine))
        for value in bar.before:
            x = place.bar.left() + place.bar.width() * value / most
            x = min(x, place.bar.right() - 0.5)
            self.painter.drawLine(QPointF(x, place.bar.top() - 2), QPointF(x, place.bar.bottom() + 2))

    def _hairlines(self, parts: Parts) -> None:
        if self.picture.hairlines:
            pieces = {part.piece.key: (part.rect, part.letters) for part in parts.mine}
            draw_hairlines(self.painter, self.picture.hairlines, pieces, self.look)

    def _piece(self, part: Part, share: float) -> None:
        """A pale piece, filled from the left as it is read; its words change colour at the edge."""
        if share < 1.0:
            # Under a piece read as a whole its words would stand twice in a file of shapes and words.
            pale = blend(_colour(part.piece, self.theme).name(), self.theme.surface, _UNREAD)
            self._filled(part, part.inner, pale)
        self._read(part, share)

    def _read(self, part: Part, share: float) -> None:
        inner = part.inner
        done = QRectF(inner.left(), inner.top(), inner.width() * share, inner.height())
        self._filled(part, done, _colour(part.piece, self.theme))

    def _filled(self, part: Part, place: QRectF, ground: QColor) -> None:
        if place.width() <= 0:
            return
        self.painter.fillRect(place, ground)
        if part.words and place.right() > part.letters.left():
            self.painter.save()
            self.painter.setClipRect(place)
            self._inside(part, colour=ink_on(ground.name()))
            self.painter.restore()

    def _inside(self, part: Part, *, colour: str) -> None:
        if part.words:
            draw_text(self.painter, part.words, part.rect, font=self.small, colour=colour, align=CENTRE)

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

    def _rows(self) -> None:
        """The table: names at the left, numbers in columns aligned at their ends."""
        columns = set(range(len(self.picture.rows[0])))
        self._columns(columns - {_SO_FAR} if self.moving else columns)
        place, line = self.places.rows, self.places.line
        wide = sum(table_widths(self.look, self.picture.rows))
        y = place.top() + line
        self.painter.setPen(QPen(QColor(self.theme.border), line_px(self.look)))
        self.painter.drawLine(QPointF(place.left(), y), QPointF(place.left() + wide, y))

    def _columns(self, columns: set[int]) -> None:
        """Some columns of the table."""
        place, line, rows = self.places.rows, self.places.line, self.picture.rows
        widths = table_widths(self.look, rows)
        for column in columns:
            x = place.left() + sum(widths[:column])
            for at, row in enumerate(rows):
                cell = QRectF(x, place.top() + at * line, widths[column], line)
                face, colour = (self.small, self.theme.ink) if at else (self.bold, self.theme.muted)
                align = RIGHT if column else LEFT
                draw_text(self.painter, row[column], cell, font=face, colour=colour, align=align)

    def _sentence(self, name: str, layers: Layers) -> None:
        """A line under the bars; from a layer of its own where nothing else reaches into it."""
        wordings, place = getattr(self.picture, name), getattr(self.places, name)
        if not wordings or not place.height():
            return
        lead = name == "counters"
        # Marks of a bar reach below it, letters of a token out of their line; and running numbers are new.
        apart = bool(self.places.bars[1].ticks.height())
        if not apart or name == "token" or (lead and self.moving):
            self._line(wordings, place, ink=lead, bold=lead)
            return
        picture, places = self.picture, self.places

        def onto(painter: QPainter) -> None:
            BillPainter(painter, picture, places)._line(wordings, place, ink=lead, bold=lead)

        # The last letter may reach a little beyond its advance.
        box = Box(place.left(), place.top(), place.width() + 2, place.height())
        key = (self.look, places, wordings)
        layers.draw_newest(self.painter, name, key, box=box, paint=onto, ground=self.theme.surface)

    def _line(
        self, wordings: tuple[str, ...], place: QRectF, *, ink: bool = False, bold: bool = False
    ) -> None:
        if not wordings or not place.height():
            return
        face = self.bold if bold else self.small
        text = fitting(wordings, face, place.width())
        colour = self.theme.ink if ink else self.theme.muted
        draw_text(self.painter, text, place, font=face, colour=colour, align=LEFT)


def _colour(piece: Piece, theme: Theme) -> QColor:
    stage = _STAGE.get(piece.key)
    return blend(theme.muted, theme.surface, _NEUTRAL[piece.key]) if stage is None else theme.stage(stage)
