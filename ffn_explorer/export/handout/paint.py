"""Booklet: pages painted one after the other into a PDF, shapes and words with their fonts embedded."""

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMarginsF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPageSize, QPainter, QPdfWriter, QPen

from ffn_explorer.export.handout.blocks import Shape, clean, width_of
from ffn_explorer.export.handout.pages import Page
from ffn_explorer.export.handout.paper import FAINT, FOOT, HEAD, PER_INCH, SIDE, Style
from ffn_explorer.export.handout.scenes import picture_px
from ffn_explorer.export.handout.words import HandoutWish
from ffn_explorer.export.notes_xml import packet
from ffn_explorer.export.vector import LOSSLESS, kept
from ffn_explorer.widgets.drawn_text import elided
from ffn_explorer.widgets.theme import Theme, theme_of

PaintPicture = Callable[[QPainter], None]
"""Paints the panels of a scene from the painter's origin on, in logical pixels."""

LINE, BAR, ROUND = 6.0, 24.0, 40.0
"""Thickness of lines and bars, and the radius of the corners of boxes."""


class Booklet:
    """Pages in order; a picture is asked for when its page is painted. Used on the GUI thread."""

    def __init__(
        self, pages: Sequence[Page], wish: HandoutWish, *, title: str, notes: Mapping[str, str]
    ) -> None:
        """Begin a document. title: of the lecture.  notes: what stands inside the file, as in a picture."""
        self.pages = pages
        self.done = 0
        """Pages that are painted."""
        self._wish, self._title = wish, clean(title)
        self._data = QBuffer()
        self._data.open(QIODevice.OpenModeFlag.WriteOnly)
        writer = self._writer = QPdfWriter(self._data)
        # Panels draw some lines one device pixel thin, as on a screen: both pixels are to be alike.
        self._picture_px = picture_px(wish.look)
        writer.setResolution(round(self._picture_px / wish.sheet.frame.width() * PER_INCH))
        writer.setPageSize(QPageSize(wish.sheet.size))
        writer.setPageMargins(QMarginsF())
        writer.setTitle(self._title)
        writer.setCreator(notes.get("Software", ""))
        language = wish.look.language
        writer.setDocumentXmpMetadata(QByteArray(packet(notes, title=self._title, language=language)))
        self._painter = QPainter(writer)
        self._painter.setRenderHint(LOSSLESS)

    def close(self) -> None:
        """Let go of the document, finished or not: a painter left on its device would end the program."""
        if self._painter.isActive():
            self._painter.end()

    def content(self) -> bytes:
        """The whole file; every page must be painted."""
        assert self.done == len(self.pages)
        self.close()
        return bytes(self._data.data().data())

    def paint_next(self, pictures: Mapping[int, PaintPicture]) -> None:
        """Paint the next page, with the pictures that stand on it, by the numbers of their scenes."""
        if self.done:
            self._writer.newPage()
        page, painter = self.pages[self.done], self._painter
        self.done += 1
        theme = theme_of(self._wish.look)
        with kept(painter):
            scale = self._writer.resolution() / PER_INCH
            painter.scale(scale, scale)
            self._draw_ground(painter, theme)
            for shape in page.shapes:
                _draw_shape(painter, shape, theme)
            for line in page.lines:
                _draw_words(painter, line.x, line.base, line.text, line.style, theme)
            for number, place in page.pictures.items():
                _draw_picture(painter, place, pictures[number], theme, pixels=self._picture_px)
            self._draw_edges(painter, page, theme)

    def _draw_ground(self, painter: QPainter, theme: Theme) -> None:
        """White paper needs no ink; a dark one is painted to its edges."""
        sheet = self._wish.sheet
        if QColor(theme.surface).lightness() < 255:
            whole = QRectF(0.0, 0.0, sheet.width, sheet.height).adjusted(-50.0, -50.0, 50.0, 50.0)
            painter.fillRect(whole, QColor(theme.surface))

    def _draw_edges(self, painter: QPainter, page: Page, theme: Theme) -> None:
        """The lecture and the chapter in the head line, the page's number in the foot line; none in front."""
        if self.done == 1:
            return
        sheet = self._wish.sheet
        edge, half = sheet.width - SIDE, sheet.frame.width() / 2 - 100.0
        top, bottom = HEAD - 240.0, sheet.height - FOOT + 270.0
        _draw_words(painter, SIDE, top, elided(self._title, FAINT.font, half), FAINT, theme)
        self._draw_right(painter, edge, top, elided(clean(page.chapter), FAINT.font, half), theme)
        _draw_shape(painter, Shape("line", QRectF(SIDE, top + 70.0, edge - SIDE, 0.0), "border"), theme)
        _draw_words(painter, SIDE, bottom, "FFN Explorer", FAINT, theme)
        self._draw_right(painter, edge, bottom, f"{self.done} / {len(self.pages)}", theme)

    def _draw_right(self, painter: QPainter, edge: float, base: float, said: str, theme: Theme) -> None:
        _draw_words(painter, edge - width_of(said, FAINT), base, said, FAINT, theme)


def _draw_words(painter: QPainter, x: float, base: float, said: str, style: Style, theme: Theme) -> None:
    painter.setFont(style.font)
    painter.setPen(QColor(getattr(theme, style.colour)))
    painter.drawText(QPointF(x, base), said)


def _draw_shape(painter: QPainter, shape: Shape, theme: Theme) -> None:
    colour, place = QColor(getattr(theme, shape.colour)), shape.place
    width = BAR if shape.kind == "bar" else LINE
    with kept(painter):
        painter.setPen(QPen(colour, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if shape.kind in ("line", "bar"):
            painter.drawLine(place.topLeft(), place.topRight())
        elif shape.kind == "ring":
            painter.drawEllipse(place)
        else:
            if shape.kind == "ground":
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(colour)
            painter.drawRoundedRect(place, ROUND, ROUND)


def _draw_picture(
    painter: QPainter, place: QRectF, paint: PaintPicture, theme: Theme, *, pixels: int
) -> None:
    with kept(painter):
        painter.translate(place.topLeft())
        scale = place.width() / pixels
        painter.scale(scale, scale)
        paint(painter)
    _draw_shape(painter, Shape("line", QRectF(place.topLeft(), place.topRight()), "border"), theme)
    _draw_shape(painter, Shape("line", QRectF(place.bottomLeft(), place.bottomRight()), "border"), theme)
