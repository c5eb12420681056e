"""Legends: a mark and words on each line; remarks without a mark share a line as far as they fit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.drawn_text import LEFT, draw_text, fitting
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.sizes import px
from ffn_explorer.widgets.theme import theme_of

WORDS_SHARE = 0.8
"""Share of the room up to which whole wordings go; short ones may take all of it."""

PACKED_SHARE = 0.64
"""Share of the room up to which remarks are set side by side."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the legend: the key of the mark that stands before it ("" for none), and its words."""

    key: str
    words: str
    short: str = ""
    """Words where there is little room; "" shortens with an ellipsis."""


def draw_legend(
    painter: QPainter,
    entries: Sequence[Entry],
    room: QRectF,
    *,
    keys: Mapping[str, QColor | QPen],
    look: Appearance,
) -> None:
    """Paint as many lines as fit; a colour gives a square mark, a pen a line."""
    theme, small = theme_of(look), font(look, "small")
    metrics = QFontMetricsF(small)
    line = metrics.height() + px(look, 1)
    left, top = room.left() + px(look, 6), room.top() + px(look, 1)
    widest = room.right() - left
    ground = QColor(theme.surface)
    ground.setAlphaF(0.85)
    for entry in _packed(entries, small, widest * PACKED_SHARE)[: max(1, int(room.height() / line))]:
        indent = px(look, 17) if entry.key in keys else 0
        words = fitting((entry.words, entry.short or entry.words), small, widest * WORDS_SHARE - indent - 3)
        width = min(widest, metrics.horizontalAdvance(words) + indent + 3)
        painter.fillRect(QRectF(left - 3, top, width + 3, line), ground)
        if entry.key in keys:
            _draw_key(painter, keys[entry.key], QRectF(left, top, px(look, 12), line), side=px(look, 9))
        place = QRectF(left + indent, top, width - indent, line)
        draw_text(painter, words, place, font=small, colour=theme.muted, align=LEFT)
        top += line


def _draw_key(painter: QPainter, key: QColor | QPen, place: QRectF, *, side: float) -> None:
    middle = place.center().y()
    if isinstance(key, QColor):
        painter.fillRect(QRectF(place.left() + 1, middle - side / 2, side, side), key)
        return
    painter.setPen(key)
    painter.drawLine(QPointF(place.left(), middle), QPointF(place.right() + 1, middle))


def _packed(entries: Sequence[Entry], small: QFont, widest: float) -> list[Entry]:
    """Entries with remarks that have no mark set side by side as far as they fit."""
    metrics = QFontMetricsF(small)
    lines: list[Entry] = []
    for entry in entries:
        last = lines[-1] if lines else None
        if not entry.key and last is not None and not last.key:
            both = f"{last.words} · {entry.words}"
            if metrics.horizontalAdvance(both) <= widest:
                lines[-1] = Entry("", both)
                continue
        lines.append(entry)
    return lines
