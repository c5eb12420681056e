"""What a chip looks like, and how wide it is."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QLinearGradient, QPainter, QPainterPath, QPen

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.state.scene import Chip
from ffn_explorer.widgets.chip_layout import ChipLayout
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.glyphs import shown_token
from ffn_explorer.widgets.icons import draw_icon
from ffn_explorer.widgets.sizes import line_px, px
from ffn_explorer.widgets.theme import Theme, blend, theme_of

TEXT_MAX_PX = 168
"""Longest token text; longer ones are shortened and keep their whole text in the tooltip."""


BAR_PX = 5
"""Room for the bar along the lower edge, kept whether or not there is one, so that nothing moves."""


@dataclass(frozen=True, slots=True)
class ChipLook:
    """State of one chip's face."""

    selected: bool = False
    pointed: bool = False
    lifted: bool = False
    """Following the pointer."""
    focused: bool = False


class Bar(NamedTuple):
    """The bar of a chip: its length is the magnitude of the value, -1..1, its hue the sign."""

    face: QRectF
    value: float
    selected: bool


def row_height(look: Appearance) -> int:
    """Height of the row: two lines and padding."""
    text = QFontMetrics(font(look, "title", bold=True))
    lines = text.height() + QFontMetrics(font(look, "small")).height()
    return lines + px(look, 9) + px(look, BAR_PX)


def note_of(position: int, active: float | None) -> str:
    """Second line of a chip: position and active share."""
    return f"{position} · {_percent(active)}"


@lru_cache(maxsize=8)
def layout_of(texts: tuple[str, ...], look: Appearance) -> ChipLayout:
    """Places of all chips; a chip's width does not change when its share becomes known."""
    bold = QFontMetrics(font(look, "title", bold=True))
    small = QFontMetrics(font(look, "small"))
    pad, most = 2 * px(look, 9), px(look, TEXT_MAX_PX)
    face = font(look, "title", bold=True)
    by_text = {
        text: min(most, bold.horizontalAdvance(shown_token(text, face, whole=True))) for text in set(texts)
    }
    by_digits = {n: small.horizontalAdvance(note_of(int("8" * n), 1.0)) for n in range(1, 6)}
    widths = [max(by_text[text], by_digits[len(str(i))]) + pad for i, text in enumerate(texts)]
    return ChipLayout.of(widths, gap=px(look, 6), zone=px(look, 26))


def draw_chip(
    painter: QPainter, chip: Chip, *, position: int, place: QRectF, look: Appearance, state: ChipLook
) -> None:
    """Draw one chip into `place`, which spans the row's height."""
    theme = theme_of(look)
    face = place
    _draw_ground(painter, theme, face=face, look=look, state=state)
    ink = QColor(theme.on_accent if state.selected else theme.ink)
    quiet = blend(theme.on_accent, theme.accent, 0.78) if state.selected else QColor(theme.muted)
    bold, small = font(look, "title", bold=True), font(look, "small")
    middle = face.top() + px(look, 4) + QFontMetrics(bold).height()
    painter.save()
    painter.setClipRect(face)  # stacked combining marks stay inside their chip
    painter.setFont(bold)
    painter.setPen(ink)
    pad = px(look, 4)
    top = face.top() + px(look, 4)
    line = QRectF(face.left() + pad, top, face.width() - 2 * pad, middle - top)
    right = Qt.TextElideMode.ElideRight
    shown = QFontMetrics(bold).elidedText(shown_token(chip.text, bold, whole=True), right, int(line.width()))
    painter.drawText(line, int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine), shown)
    painter.setFont(small)
    painter.setPen(quiet)
    note = QRectF(face.left(), middle, face.width(), face.bottom() - middle - px(look, 5) - px(look, BAR_PX))
    painter.drawText(note, int(Qt.AlignmentFlag.AlignCenter), note_of(position, chip.active))
    painter.restore()


def draw_bars(painter: QPainter, bars: Sequence[Bar], *, look: Appearance) -> None:
    """Tracks and bars along the lower edges of chips, all of one colour at once: none touches another."""
    theme = theme_of(look)
    height, side, radius = px(look, 3), px(look, 8), px(look, 3) / 2
    above = height + px(look, 4)
    resting, selected, negative, positive = (QPainterPath() for _ in range(4))
    for bar in bars:
        left, top = bar.face.left() + side, bar.face.bottom() - above
        room = bar.face.width() - 2 * side
        (selected if bar.selected else resting).addRoundedRect(left, top, room, height, radius, radius)
        length = room * min(1.0, abs(bar.value))
        if length >= 1:
            path = negative if bar.value < 0 else positive
            path.addRoundedRect(left, top, length, height, radius, radius)
    painter.fillPath(resting, blend(theme.muted, theme.surface, 0.3))
    painter.fillPath(selected, blend(theme.muted, theme.accent, 0.3))
    painter.fillPath(negative, QColor(theme.negative))
    painter.fillPath(positive, QColor(theme.positive))


def draw_slot(painter: QPainter, *, place: QRectF, look: Appearance) -> None:
    """Mark the place into which the lifted chip would go."""
    theme = theme_of(look)
    painter.setPen(QPen(QColor(theme.focus), line_px(look, 1.5), Qt.PenStyle.DashLine))
    painter.setBrush(QColor(theme.sunken))
    face = place.adjusted(1, 1, -1, -1)
    painter.drawRoundedRect(face, px(look, 7), px(look, 7))


def draw_arrow(painter: QPainter, icon: str, *, zone: QRectF, look: Appearance) -> None:
    """Fade the row out towards an end ("left" or "right") and say that it goes on there."""
    theme = theme_of(look)
    solid = QColor(theme.background)
    clear = QColor(solid)
    clear.setAlpha(0)
    outer, inner = (zone.left(), zone.right()) if icon == "left" else (zone.right(), zone.left())
    fade = QLinearGradient(outer, 0, inner, 0)
    fade.setColorAt(0.0, solid)
    fade.setColorAt(0.62, solid)
    fade.setColorAt(1.0, clear)
    painter.fillRect(zone, fade)
    side = px(look, 14)
    place = QRectF(0, 0, side, side)
    place.moveCenter(zone.center())
    place.translate((-1 if icon == "left" else 1) * px(look, 5), 0)
    draw_icon(painter, icon, place=place, colour=QColor(theme.ink), line=line_px(look, 1.5))


def _draw_ground(painter: QPainter, theme: Theme, *, face: QRectF, look: Appearance, state: ChipLook) -> None:
    width, radius = line_px(look), px(look, 7)
    if state.focused:
        # The ring stands at the chip's own edge and the fill draws in, so that no chip needs room around it.
        painter.setPen(QPen(QColor(theme.focus), 2 * width))
        painter.setBrush(QColor(theme.background))
        painter.drawRoundedRect(face.adjusted(width, width, -width, -width), radius, radius)
        gap = 3 * width
        face, radius = face.adjusted(gap, gap, -gap, -gap), max(1, radius - 2)
    border = theme.focus if state.lifted else theme.accent if state.selected else theme.border
    if state.pointed and not state.selected and not state.lifted:
        border = theme.muted
    thick = 2 * width if state.lifted else width
    painter.setPen(QPen(QColor(border), thick))
    painter.setBrush(QColor(theme.accent if state.selected else theme.surface))
    inset = thick / 2
    painter.drawRoundedRect(face.adjusted(inset, inset, -inset, -inset), radius, radius)


def _percent(share: float | None) -> str:
    """Whole percent, for want of room; some is never shown as none, nor almost all as all."""
    if share is None:
        return "…"
    if 0.0 < share < 0.005:
        return "< 1 %"
    return "> 99 %" if 0.995 <= share < 1.0 else f"{round(100 * share)} %"
