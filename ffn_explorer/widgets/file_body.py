"""FileBody: what a panel shows of an opened file, or how one is opened."""

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QStackedWidget, QWidget

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.atlas_frame import paint_waiting
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.page import line_height, wrap
from ffn_explorer.widgets.sizes import line_px, px
from ffn_explorer.widgets.theme import blend, theme_of

MOST_PX = 420
"""Width of the lines of an empty panel."""

_PAGE = (
    ((0.18, 0.04), (0.60, 0.04), (0.82, 0.28), (0.82, 0.96), (0.18, 0.96), (0.18, 0.04)),
    ((0.60, 0.04), (0.60, 0.28), (0.82, 0.28)),
    ((0.34, 0.48), (0.66, 0.48)),
    ((0.34, 0.63), (0.66, 0.63)),
    ((0.34, 0.78), (0.54, 0.78)),
)
"""Lines of a page in the unit square."""


@dataclass(frozen=True, slots=True)
class Blank:
    """Words of a panel without numbers. what: what it would show, or why not; how: what to do, in brief too.

    waiting: it is being read, and the ground is hatched.
    """

    look: Appearance
    what: str
    how: tuple[str, ...] = ()
    waiting: bool = False


class BlankView(QWidget):
    """Draws a Blank; one that says how to open a file has the frame of a place to drop it on."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build without words."""
        super().__init__(parent)
        self.blank = Blank(Appearance(), "")

    def show_blank(self, blank: Blank) -> None:
        """Draw other words; screen readers hear them."""
        if blank != self.blank:
            self.blank = blank
            self.setAccessibleName(blank.what)
            self.setAccessibleDescription(" ".join(blank.how))
            self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint ground and words."""
        painter, blank = QPainter(self), self.blank
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if blank.waiting:
            paint_waiting(painter, QRectF(self.rect()), blank.what, blank.look)
        else:
            if blank.how:
                self._paint_frame(painter)
            self._paint_words(painter)
        painter.end()

    def _paint_frame(self, painter: QPainter) -> None:
        look = self.blank.look
        theme = theme_of(look)
        pen = QPen(blend(theme.muted, theme.surface, 0.55), line_px(look, 1.5))
        pen.setDashPattern([5.0, 4.0])
        painter.setPen(pen)
        painter.setBrush(blend(theme.sunken, theme.surface, 0.3))
        inset = px(look, 4)
        place = QRectF(self.rect()).adjusted(inset, inset, -inset, -inset)
        painter.drawRoundedRect(place, px(look, 10), px(look, 10))

    def _paint_words(self, painter: QPainter) -> None:
        """The block of lines in the middle, an icon above it where there is room."""
        blank, look, theme = self.blank, self.blank.look, theme_of(self.blank.look)
        body, small = font(look, "body"), font(look, "small")
        wide = min(px(look, MOST_PX), self.width() - 4 * px(look, 10))
        lines = [
            (line, body, theme.ink if blank.how else theme.muted) for line in wrap(blank.what, body, wide)
        ]
        for words in blank.how:
            lines += [(line, small, theme.muted) for line in wrap(words, small, wide)]
        heights = [line_height(face, look) for _, face, _ in lines]
        side, gap = px(look, 30), px(look, 8)
        room = self.height() - 2 * px(look, 10)
        while len(lines) > 1 and sum(heights) > room:
            lines.pop()
            heights.pop()
        icon = bool(blank.how) and sum(heights) + side + 2 * gap <= room
        y = (self.height() - sum(heights) - (side + gap if icon else 0)) / 2
        if icon:
            place = QRectF((self.width() - side) / 2, y, side, side)
            self._paint_page(painter, place)
            y += side + gap
        for (line, face, colour), high in zip(lines, heights, strict=True):
            painter.setFont(face)
            painter.setPen(QColor(colour))
            where = QRectF(0, y, self.width(), high)
            painter.drawText(where, int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine), line)
            y += high

    def _paint_page(self, painter: QPainter, place: QRectF) -> None:
        """A page with a folded corner, and lines of numbers on it."""
        look = self.blank.look
        pen = QPen(QColor(theme_of(look).muted), line_px(look, 1.5))
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for line in _PAGE:
            points = [QPointF(place.x() + x * place.width(), place.y() + y * place.height()) for x, y in line]
            painter.drawPolyline(points)


class FileBody(QStackedWidget):
    """The picture of a panel, or a BlankView in its place."""

    def __init__(self, main: QWidget, parent: QWidget | None = None) -> None:
        """Take the picture."""
        super().__init__(parent)
        self.main, self.blank = main, BlankView()
        self.addWidget(self.blank)
        self.addWidget(main)

    def show_blank(self, blank: Blank) -> None:
        """Show words alone."""
        self.blank.show_blank(blank)
        self.setCurrentWidget(self.blank)

    def show_main(self) -> None:
        """Show the picture."""
        self.setCurrentWidget(self.main)
