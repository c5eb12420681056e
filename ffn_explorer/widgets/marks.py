"""Marks: a legend in one line, each mark with its words; what does not fit takes its short wording."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetricsF, QPainter, QPen

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.drawn_text import LEFT, draw_text
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.sizes import px
from ffn_explorer.widgets.theme import theme_of


@dataclass(frozen=True, slots=True)
class Marked:
    """One mark: its kind ("" for words alone), its words, and what they shrink to."""

    kind: str
    words: str
    short: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Dot:
    """A round mark: its fill, and the pen around it."""

    fill: QColor
    pen: QPen | None = None


Kind = QColor | QBrush | QPen | Dot


def draw_marks(
    painter: QPainter,
    marks: Sequence[Marked],
    place: QRectF,
    *,
    kinds: Mapping[str, Kind],
    look: Appearance,
) -> None:
    """Paint as many marks as fit, from the left; a pen gives a line, a dot is round, all else a square."""
    theme, small = theme_of(look), font(look, "small")
    words = shown_words(marks, small, place.width(), look=look)
    side, at = px(look, 9), place.left()
    metrics = QFontMetricsF(small)
    for mark, text in zip(marks, words, strict=False):
        if mark.kind:
            box = QRectF(at, place.center().y() - side / 2, side, side)
            _draw_mark(painter, box, kinds[mark.kind])
            at += side + px(look, 5)
        wide = metrics.horizontalAdvance(text) + 1
        draw_text(
            painter,
            text,
            QRectF(at, place.top(), wide, place.height()),
            font=small,
            colour=theme.muted,
            align=LEFT,
        )
        at += wide + px(look, 12)


def shown_words(marks: Sequence[Marked], small: QFont, width: float, *, look: Appearance) -> list[str]:
    """Words of the marks that fit into a width: all in full, else all short, else the first of them."""
    metrics = QFontMetricsF(small)

    def wide(mark: Marked, text: str) -> float:
        return metrics.horizontalAdvance(text) + 1 + (px(look, 9) + px(look, 5) if mark.kind else 0)

    for texts in ([mark.words for mark in marks], [mark.short or mark.words for mark in marks]):
        total = sum(map(wide, marks, texts)) + px(look, 12) * max(0, len(texts) - 1)
        if total <= width:
            return texts
    kept: list[str] = []
    used = 0.0
    for mark in marks:
        text = mark.short or mark.words
        used += wide(mark, text) + (px(look, 12) if kept else 0)
        if used > width:
            break
        kept.append(text)
    return kept


def _draw_mark(painter: QPainter, box: QRectF, kind: Kind) -> None:
    if isinstance(kind, QPen):
        painter.setPen(kind)
        middle = box.center().y()
        painter.drawLine(QPointF(box.left(), middle), QPointF(box.right(), middle))
        return
    if isinstance(kind, Dot):
        painter.setPen(kind.pen if kind.pen is not None else QPen(Qt.PenStyle.NoPen))
        painter.setBrush(kind.fill)
        inset = box.width() * 0.15
        painter.drawEllipse(box.adjusted(inset, inset, -inset, -inset))
        return
    painter.fillRect(box, kind)
