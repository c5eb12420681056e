"""A sentence in the middle of a place, over several lines where one has no room for it."""

from PySide6.QtCore import QRectF
from PySide6.QtGui import QFont, QFontMetricsF, QPainter

from ffn_explorer.widgets.drawn_text import CENTRE, advance, draw_text
from ffn_explorer.widgets.page import wrap


def draw_lines(painter: QPainter, text: str, place: QRectF, *, font: QFont, colour: str) -> None:
    """Paint a sentence centred in a place, its words broken only where a single one is too wide."""
    lines = (text,) if advance(text, font) <= place.width() else wrap(text, font, place.width())
    high = QFontMetricsF(font).height()
    top = place.center().y() - len(lines) * high / 2
    for number, line in enumerate(lines):
        at = QRectF(place.left(), top + number * high, place.width(), high)
        draw_text(painter, line, at, font=font, colour=colour, align=CENTRE)
