"""WordedList: a ranked list with two columns of words behind its bars, where there is room for them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from ffn_explorer.widgets.drawn_text import LEFT, advance, draw_text, fitting
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.ranked import RankedList
from ffn_explorer.widgets.ranking import Laid, Ranking, lay_out
from ffn_explorer.widgets.sizes import px
from ffn_explorer.widgets.theme import theme_of

FROM_PX = 480
"""Width from which on there is room for words."""

WORDS_SHARE = 0.46
GAP_PX = 14
BETWEEN_PX = 9
"""Between the words of a row."""


@dataclass(frozen=True, slots=True)
class WordHead:
    """Head of a column of words, in wordings from long to short, and what it means."""

    wordings: tuple[str, ...]
    tip: str


def _none(_key: int) -> tuple[tuple[str, ...], ...]:
    return ()


@dataclass(frozen=True, slots=True, eq=False)
class WordedRanking(Ranking):
    """A ranking whose rows have words: heads, and by a row's key the words of each column, best first."""

    heads: tuple[WordHead, ...] = ()
    words: Callable[[int], Sequence[tuple[str, ...]]] = _none


class WordedList(RankedList):
    """Shows a WordedRanking; as many whole words of a row as fit."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build an empty list."""
        super().__init__(parent)
        self.places: tuple[tuple[float, float], ...] = ()
        """Left and right end of each column of words, () where they have no room."""

    @property
    def worded(self) -> WordedRanking | None:
        """What is shown, where its rows have words."""
        shown = self.picture
        return shown if isinstance(shown, WordedRanking) and shown.heads else None

    def lay_out(self) -> None:
        """Give the columns of words their share of the width, the ranking the rest."""
        super().lay_out()
        shown, self.places = self.worded, ()
        if shown is None or self.width() < px(self.look, FROM_PX):
            return
        wide = round(self.width() * WORDS_SHARE)
        laid = lay_out(shown, self.width() - wide, self.height())
        self.laid = laid._replace(width=laid.width + wide)
        gap, count = px(self.look, GAP_PX), len(shown.heads)
        each = (wide - gap) / count
        left = laid.width + gap / 2
        self.places = tuple((left + i * each, left + (i + 1) * each - gap / 2) for i in range(count))

    def paint_front(self, painter: QPainter) -> None:
        """Paint the ranking, and the words over its rows."""
        super().paint_front(painter)
        if self.worded is not None and self.laid is not None and self.places:
            self._paint_words(painter, self.worded, self.laid)

    def _paint_words(self, painter: QPainter, shown: WordedRanking, laid: Laid) -> None:
        theme, small, body = theme_of(self.look), font(self.look, "small"), font(self.look, "body")
        for (left, right), head in zip(self.places, shown.heads, strict=True):
            place = QRectF(left, 0, right - left, laid.head)
            words = fitting((*head.wordings, ""), small, place.width())
            draw_text(painter, words, place, font=small, colour=theme.muted, align=LEFT)
        for number, row in enumerate(laid.rows):
            line = laid.place(number)
            for column, words_of_row in enumerate(shown.words(row.key)):
                left, right = self.places[column]
                colour = theme.ink if column == 0 else theme.muted
                for word in words_of_row:
                    wide = advance(word, body)
                    if left + wide > right:
                        break
                    place = QRectF(left, line.top(), wide + 1, line.height())
                    draw_text(painter, word, place, font=body, colour=colour, align=LEFT)
                    left += wide + px(self.look, BETWEEN_PX)

    def _tip_at(self, at: QPointF) -> str:
        """What a head means; of a row, all its words."""
        found = super()._tip_at(at)
        shown, laid = self.worded, self.laid
        if found or shown is None or laid is None:
            return found
        for (left, right), head, column in zip(self.places, shown.heads, range(2), strict=False):
            if left <= at.x() <= right:
                if at.y() <= laid.head:
                    return head.tip
                key = self.key_at(at)
                words = () if key is None else shown.words(key)
                return "  ".join(words[column]) if column < len(words) else ""
        return ""
