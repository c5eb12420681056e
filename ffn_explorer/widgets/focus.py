"""Focus rings: drawn where the keyboard brought the focus; a click shows by itself where it went."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.sizes import line_px
from ffn_explorer.widgets.theme import theme_of

KEYBOARD = frozenset(
    {
        Qt.FocusReason.TabFocusReason,
        Qt.FocusReason.BacktabFocusReason,
        Qt.FocusReason.ShortcutFocusReason,
    }
)
"""Reasons for which a ring is drawn."""


def draw_focus_ring(painter: QPainter, around: QRectF, look: Appearance) -> None:
    """Paint the ring just inside a rectangle."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
    width = line_px(look, 2)
    painter.setPen(QPen(QColor(theme_of(look).focus), width))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    inset = width / 2
    painter.drawRoundedRect(around.adjusted(inset, inset, -inset, -inset), 4, 4)
