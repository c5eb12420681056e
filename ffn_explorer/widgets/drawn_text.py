"""One line of text in a place: the way every picture writes its labels."""

from collections.abc import Sequence
from functools import lru_cache

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter

RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
CENTRE = Qt.AlignmentFlag.AlignCenter


def draw_text(
    painter: QPainter, text: str, place: QRectF, *, font: QFont, colour: str, align: Qt.AlignmentFlag
) -> None:
    """Paint one line of text, elided at the right where it does not fit."""
    painter.setFont(font)
    painter.setPen(QColor(colour))
    shown = elided(text, font, place.width() + 1)
    painter.drawText(place, int(align | Qt.TextFlag.TextSingleLine), shown)


def fitting(wordings: Sequence[str], font: QFont, width: float) -> str:
    """First wording that fits into a width, else the last and shortest."""
    return next((words for words in wordings if advance(words, font) <= width), wordings[-1])


@lru_cache(maxsize=8_192)
def advance(text: str, font: QFont) -> float:
    """Width of a text in pixels; measured once, since shaping it costs as much as drawing it."""
    return QFontMetricsF(font).horizontalAdvance(text)


@lru_cache(maxsize=8_192)
def elided(text: str, font: QFont, width: float) -> str:
    """The text, cut at the right with an ellipsis where it is wider than `width` pixels."""
    return QFontMetricsF(font).elidedText(text, Qt.TextElideMode.ElideRight, width)
