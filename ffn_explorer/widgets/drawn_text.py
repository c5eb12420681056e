"""One line of text in a place: the way every picture writes its labels."""

from collections.abc import Sequence

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
    shown = QFontMetricsF(font).elidedText(text, Qt.TextElideMode.ElideRight, place.width() + 1)
    painter.drawText(place, int(align | Qt.TextFlag.TextSingleLine), shown)


def fitting(wordings: Sequence[str], font: QFont, width: float) -> str:
    """First wording that fits into a width, else the last and shortest."""
    metrics = QFontMetricsF(font)
    return next((words for words in wordings if metrics.horizontalAdvance(words) <= width), wordings[-1])
