"""A stacked bar: where its pieces lie, and the axis under it."""

from collections.abc import Sequence
from typing import Protocol, TypeVar

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter, QPen

from ffn_explorer.state import numbers
from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.axes import ticks
from ffn_explorer.widgets.drawn_text import CENTRE, RIGHT, advance, draw_text
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.sizes import line_px, px
from ffn_explorer.widgets.theme import theme_of

_TICK_PX = 78
"""Least distance of two ticks."""


class _Sized(Protocol):
    @property
    def value(self) -> int:
        """How much it is."""
        ...


Sized = TypeVar("Sized", bound=_Sized)


def laid(pieces: Sequence[Sized], strip: QRectF, most: int) -> list[tuple[Sized, QRectF]]:
    """Pieces from left to right, as long as they are large; most: what the whole strip stands for."""
    made, before = [], 0
    for piece in pieces:
        left = strip.left() + strip.width() * before / most
        width = strip.width() * piece.value / most
        made.append((piece, QRectF(left, strip.top(), width, strip.height())))
        before += piece.value
    return made


def draw_ticks(
    painter: QPainter, most: int, *, bar: QRectF, below: QRectF, unit: str, look: Appearance
) -> None:
    """Axis of a bar from 0 to `most`, in a line below it; its unit stands at the right end."""
    muted, small = theme_of(look).muted, font(look, "small")
    end = QRectF(below.right() - advance(unit, small) - 2, below.top(), 0, below.height())
    end.setRight(below.right())
    draw_text(painter, unit, end, font=small, colour=muted, align=RIGHT)
    taken = end.left() - px(look, 6)
    for tick in ticks(0.0, float(most), most=max(1, int(bar.width() / px(look, _TICK_PX)))):
        text, x = numbers.axis(tick), bar.left() + bar.width() * tick / most
        width = advance(text, small) + 2
        left = max(x - width / 2, bar.left() - 1)
        if left + width <= taken:
            painter.setPen(QPen(QColor(muted), line_px(look)))
            painter.drawLine(QPointF(x, below.top()), QPointF(x, below.top() + px(look, 2)))
            label = QRectF(left, below.top() + px(look, 1), width, below.height())
            draw_text(painter, text, label, font=small, colour=muted, align=CENTRE)
