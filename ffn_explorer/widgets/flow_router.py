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
    """One chosen expert: long and short wording, and its weight."""

    long: str
    short: str
    weight: float


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


def place_router(title: str, choices: Sequence[Choice], room: Box, look: Appearance) -> RouterBlock:
    """Block in the middle of its room, with as many choices as fit."""
    row = _row_height(look)
    fit = max(1, int((room.h - row) // row))
    shown = tuple(choices[:fit]) if len(choices) <= fit else tuple(choices[: max(1, fit - 1)])
    more = f"+ {len(choices) - len(shown)}" if len(shown) < len(choices) else ""
    head = QFontMetricsF(font(look, "small")).height()
    height = min(room.h, head + row * len(shown) + (head if more else 0.0) + 8.0 * unit_of(look))
    return RouterBlock(title, shown, more, Box(room.x, room.middle[1] - height / 2, room.w, height))


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
    _line(painter, QRectF(inner.x(), inner.y(), inner.width(), head), block.title, block.title)
    y, row = inner.y() + head, _row_height(look)
    for number, choice in enumerate(block.choices):
        painter.setFont(small if number else bold)
        painter.setPen(QColor(theme.ink))
        _line(painter, QRectF(inner.x(), y, inner.width(), head), choice.long, choice.short)
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
        _line(painter, QRectF(inner.x(), y, inner.width(), head), block.more, block.more)


def _line(painter: QPainter, box: QRectF, long: str, short: str) -> None:
    metrics = QFontMetricsF(painter.font())
    text = long if metrics.horizontalAdvance(long) <= box.width() else short
    text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, box.width())
    painter.drawText(box, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), text)


def _row_height(look: Appearance) -> float:
    return QFontMetricsF(font(look, "small")).height() + 8.0 * unit_of(look)
