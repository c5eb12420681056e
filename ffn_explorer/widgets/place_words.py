"""Words inside boxes: the longest wording that fits, on one line or several, rather none than cut."""

from collections.abc import Sequence
from functools import lru_cache

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


@lru_cache(maxsize=64)
def caption_lines(
    sentences: tuple[tuple[str, ...], ...], font: QFont, *, width: float, height: float
) -> tuple[str, ...]:
    """As many whole sentences as fit one under the other, the first ones first.

    A sentence is shown in a longer wording only where that takes the room of no other.
    """
    room = int(height / QFontMetricsF(font).height())
    wrapped = [[wrap(words, font, width) for words in wordings] for wordings in sentences]
    shown: list[tuple[str, ...]] = []
    for tried in wrapped:
        least = min(tried, key=len)
        if sum(map(len, shown)) + len(least) > room:
            break
        shown.append(least)
    for at, tried in enumerate(wrapped[: len(shown)]):
        free = room - sum(map(len, shown)) + len(shown[at])
        shown[at] = next(lines for lines in (*tried, shown[at]) if len(lines) <= free)
    return tuple(line for lines in shown for line in lines)


def draw_lines(painter: QPainter, lines: Sequence[str], place: QRectF, *, font: QFont, colour: str) -> None:
    """Paint lines from the top left of a place."""
    painter.setFont(font)
    painter.setPen(QColor(colour))
    height = QFontMetricsF(font).height()
    flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
    for at, line in enumerate(lines):
        row = QRectF(place.left(), place.top() + at * height, place.width(), height)
        painter.drawText(row, int(flags), line)
