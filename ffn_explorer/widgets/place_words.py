"""Words inside boxes: the longest wording that fits, on one line or several, rather none than cut."""

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter

from ffn_explorer.widgets.page import wrap


def draw_fitting(
    painter: QPainter, wordings: Sequence[str], place: QRectF, *, font: QFont, colour: str
) -> bool:
    """Paint the first wording that fits a place whole, centred; whether there was one.

    A line feed in a wording breaks the line.
    """
    metrics = QFontMetricsF(font)
    for words in wordings:
        lines = words.split("\n")
        wide = max(metrics.horizontalAdvance(line) for line in lines)
        if wide <= place.width() + 1 and len(lines) * metrics.height() <= place.height() + 1:
            painter.setFont(font)
            painter.setPen(QColor(colour))
            painter.drawText(place, int(Qt.AlignmentFlag.AlignCenter), words)
            return True
    return False


def caption_lines(
    sentences: Sequence[Sequence[str]], font: QFont, *, width: float, height: float
) -> tuple[str, ...]:
    """As many whole sentences as fit one under the other, each in the longest wording that does."""
    room = int(height / QFontMetricsF(font).height())
    shown: list[str] = []
    for wordings in sentences:
        tried = (wrap(words, font, width) for words in wordings)
        lines = next((lines for lines in tried if len(shown) + len(lines) <= room), None)
        if lines is None:
            break
        shown += lines
    return tuple(shown)


def draw_lines(painter: QPainter, lines: Sequence[str], place: QRectF, *, font: QFont, colour: str) -> None:
    """Paint lines from the top left of a place."""
    painter.setFont(font)
    painter.setPen(QColor(colour))
    height = QFontMetricsF(font).height()
    flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
    for at, line in enumerate(lines):
        row = QRectF(place.left(), place.top() + at * height, place.width(), height)
        painter.drawText(row, int(flags), line)
