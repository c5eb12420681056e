"""Router block: the experts chosen for one token, with their weights as bars."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.flow_columns import Box
from ffn_explorer.widgets.flow_labels import unit_of
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.theme import Theme


@dataclass(frozen=True, slots=True)
class Choice:
    """One chosen expert: long and short wording, and its weight; 0 where it dropped the token."""

    long: str
    short: str
    weight: float
    dropped: bool = False


@dataclass(frozen=True, slots=True)
class RouterBlock:
    """Title and chosen experts, strongest choice first; more: "+ 4" when not all fit."""

    title: str
    choices: tuple[Choice, ...]
    more: str
    box: Box


def wanted_width(title: str, choices: Sequence[Choice], look: Appearance) -> float:
    """Width at which every long wording fits."""
    metrics = QFontMetricsF(font(look, "small"))
    bold = QFontMetricsF(font(look, "small", bold=True))
    texts = [bold.horizontalAdvance(title), *(bold.horizontalAdvance(choice.long) for choice in choices)]
    return max([*texts, metrics.horizontalAdvance("0")]) + 16.0 * unit_of(look)


def place_router(
    title: str, choices: Sequence[Choice], room: Box, look: Appearance, *, clear_of: Sequence[Box]
) -> RouterBlock | None:
    """Block in the middle of its room, with as many choices as fit; None where it would cover something.

    clear_of: labels and strips; the block gives way to the right, as far as its room allows.
    """
    row, unit = _row_height(look), unit_of(look)
    fit = max(1, int((room.h - row) // row))
    shown = tuple(choices[:fit]) if len(choices) <= fit else tuple(choices[: max(1, fit - 1)])
    more = f"+ {len(choices) - len(shown)}" if len(shown) < len(choices) else ""
    head = QFontMetricsF(font(look, "small")).height()
    height = head * (2 if more else 1) + row * len(shown) + 8.0 * unit
    bold = QFontMetricsF(font(look, "small", bold=True))
    least = max(bold.horizontalAdvance(text) for text in (title, *(c.short for c in shown))) + 15.0 * unit
    x = room.x
    for other in clear_of:
        if other.x < room.middle[0] and Box(x, room.middle[1] - height / 2, 1.0, height).meets(
            other, 6.0 * unit
        ):
            x = other.right + 6.0 * unit
    box = Box(x, room.middle[1] - height / 2, room.right - x, height)
    if box.w < least or height > room.h or any(box.meets(other, 2.0) for other in clear_of):
        return None
    return RouterBlock(title, shown, more, box)


def draw_router(
    painter: QPainter, block: RouterBlock, *, look: Appearance, theme: Theme, filled: float
) -> None:
    """Paint the block; the bars grow with `filled` 0..1."""
    unit = unit_of(look)
    box = QRectF(block.box.x, block.box.y, block.box.w, block.box.h)
    painter.setPen(QPen(QColor(theme.border), theme.line_px))
    painter.setBrush(QColor(theme.surface))
    painter.drawRoundedRect(box, 6.0 * unit, 6.0 * unit)
    pad = 7.0 * unit
    inner = box.adjusted(pad, pad * 0.5, -pad, -pad * 0.5)
    head = QFontMetricsF(font(look, "small")).height()
    small, bold = font(look, "small"), font(look, "small", bold=True)
    painter.setFont(bold)
    painter.setPen(QColor(theme.muted))
    _line(painter, QRectF(inner.x(), inner.y(), inner.width(), head), block.title)
    y, row = inner.y() + head, _row_height(look)
    wide = (
        max(QFontMetricsF(bold).horizontalAdvance(choice.long) for choice in block.choices) <= inner.width()
    )
    for number, choice in enumerate(block.choices):
        painter.setFont(small if number else bold)
        painter.setPen(QColor(theme.muted if choice.dropped else theme.ink))
        _line(painter, QRectF(inner.x(), y, inner.width(), head), choice.long if wide else choice.short)
        track = QRectF(inner.x(), y + head, inner.width(), 4.0 * unit)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.sunken))
        painter.drawRoundedRect(track, 2.0 * unit, 2.0 * unit)
        share = min(1.0, max(0.0, choice.weight)) if choice.weight == choice.weight else 0.0
        if share * filled > 0.0:
            painter.setBrush(QColor(theme.muted if number else theme.ink))
            bar = QRectF(track.x(), track.y(), track.width() * share * filled, track.height())
            painter.drawRoundedRect(bar, 2.0 * unit, 2.0 * unit)
        y += row
    if block.more:
        painter.setFont(small)
        painter.setPen(QColor(theme.muted))
        _line(painter, QRectF(inner.x(), y, inner.width(), head), block.more)


def _line(painter: QPainter, box: QRectF, text: str) -> None:
    shown = QFontMetricsF(painter.font()).elidedText(text, Qt.TextElideMode.ElideRight, box.width())
    painter.drawText(box, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), shown)


def _row_height(look: Appearance) -> float:
    return QFontMetricsF(font(look, "small")).height() + 8.0 * unit_of(look)
