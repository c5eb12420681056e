"""What both painters of the routing map share: places of cells, and lines of text."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter

from ffn_explorer.widgets.drawn_text import draw_text
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.routing_picture import RoutingPicture, RoutingPlaces
from ffn_explorer.widgets.theme import theme_of

MARKED_PX = 5.0
"""Cells smaller than this carry no lines of their own."""


class RoutingFrame:
    """A painter with a RoutingPicture and its places."""

    def __init__(self, painter: QPainter, picture: RoutingPicture, places: RoutingPlaces) -> None:
        """Take what to paint, and where."""
        self.painter, self.picture, self.places = painter, picture, places
        self.look, self.theme = picture.look, theme_of(picture.look)
        self.small = font(picture.look, "small")
        self.bold = font(picture.look, "small", bold=True)
        self.high = places.area.height() / picture.table.tokens
        self.wide = places.area.width() / picture.shown

    def column_x(self, expert: float) -> float:
        """Left edge of an expert's column."""
        return self.places.area.left() + (expert - self.picture.first) * self.wide

    def cell(self, token: int, expert: int) -> QRectF:
        """Place of one cell."""
        top = self.places.area.top() + token * self.high
        return QRectF(self.column_x(expert), top, self.wide, self.high)

    def in_sight(self, expert: int | None) -> bool:
        """Whether an expert has a column here."""
        first = self.picture.first
        return expert is not None and first <= expert < first + self.picture.shown

    def write(
        self, text: str, place: QRectF, *, align: Qt.AlignmentFlag, strong: bool = False, ink: bool = False
    ) -> None:
        """Paint one line in the small type."""
        colour = self.theme.ink if strong or ink else self.theme.muted
        draw_text(
            self.painter, text, place, font=self.bold if strong else self.small, colour=colour, align=align
        )
