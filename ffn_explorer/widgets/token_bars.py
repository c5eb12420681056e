"""TokenBars: one bar per token, split into active, small, and exactly zero neurons."""

from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QWheelEvent
from PySide6.QtWidgets import QWidget

from ffn_explorer.widgets.layers import Layers
from ffn_explorer.widgets.picture_canvas import PictureCanvas
from ffn_explorer.widgets.plain_tip import plain_tip
from ffn_explorer.widgets.token_bars_paint import BarsPainter
from ffn_explorer.widgets.token_bars_picture import BarPlaces, TokenBar, TokenBarsPicture, bar_places

__all__ = ["TokenBar", "TokenBars", "TokenBarsPicture"]

ROWS_PER_NOTCH = 3
_NOTCH = 120.0


class TokenBars(PictureCanvas[TokenBarsPicture]):
    """Shows a TokenBarsPicture; the pointer names tokens, the wheel scrolls where not all fit."""

    pointed = Signal(object)
    """Token under the pointer, or None; only when it changes."""
    chosen = Signal(int)
    """Token clicked."""
    scrolled = Signal(int)
    """Wanted `scroll`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build empty bars."""
        super().__init__(parent)
        self.places: BarPlaces | None = None
        self._layers = Layers()
        self._laid_from: tuple[object, ...] = ()
        self.moved.connect(self._report)

    def lay_out(self) -> None:
        """Divide the widget."""
        super().lay_out()
        shown = self.picture
        # Measuring every label takes longer than a frame has, and only these change what is measured.
        laid_from = () if shown is None else (*shown.measured, self.width(), self.height())
        if laid_from != self._laid_from:
            self._laid_from = laid_from
            self.places = None if shown is None else bar_places(shown, self.width(), self.height())

    def paint_front(self, painter: QPainter) -> None:
        """Paint the bars."""
        if self.picture is not None and self.places is not None:
            BarsPainter(painter, self.picture, self.places).paint(self._layers)
        super().paint_front(painter)

    def token_at(self, at: QPointF) -> int | None:
        """Token whose row lies at a position."""
        places = self.places
        if places is None or not places.area.top() <= at.y() < places.area.bottom() or places.row <= 0:
            return None
        row = int((at.y() - places.area.top()) / places.row)
        return places.first + row if row < places.shown else None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the token."""
        super().mousePressEvent(event)
        token = self.token_at(event.position())
        if token is not None and event.button() == Qt.MouseButton.LeftButton:
            self.chosen.emit(token)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll where not all rows fit."""
        places, shown = self.places, self.picture
        if places is None or shown is None or places.shown >= len(shown.rows):
            event.ignore()
            return
        event.accept()
        notches = round(-event.angleDelta().y() / _NOTCH * ROWS_PER_NOTCH)
        self.scrolled.emit(1 + min(len(shown.rows) - places.shown, max(0, places.first + notches)))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows step, and the chosen token comes into sight again."""
        if self.picture and self.picture.scroll and event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.scrolled.emit(0)
        super().keyPressEvent(event)

    def _report(self, at: QPointF | None) -> None:
        token = None if at is None else self.token_at(at)
        shown = self.picture
        known = shown is not None and token is not None and token < len(shown.rows)
        label = shown.rows[token].label if known and shown and token is not None else ""
        self.setToolTip(plain_tip(label))
        self.tell_pointed(token)
