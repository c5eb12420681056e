"""Switch: a small button that is on or off; the knob's side and a word say which."""

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QWidget

from ffn_explorer.widgets.buttons import DrawnButton
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.sizes import line_px, px
from ffn_explorer.widgets.theme import Theme, blend


class Switch(DrawnButton):
    """Knob and word; a narrow one leaves the word to its tooltip."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build it off."""
        super().__init__(parent)
        self.setCheckable(True)
        self._words: tuple[str, str] = ("", "")

    def show_state(self, on: bool, /, words: tuple[str, str]) -> None:
        """Show whether it is on; words: for off and on."""
        self._words = words
        self.setChecked(on)
        self.updateGeometry()
        self.update()

    def nextCheckState(self) -> None:
        """Whether it is on is the Scene's to say."""

    def knob_width(self) -> int:
        """Width of the switch without its word."""
        return 2 * px(self.look, 3) + px(self.look, 24)

    def sizeHint(self) -> QSize:
        """Room for the longer word."""
        metrics = QFontMetrics(font(self.look, "small"))
        word = max(metrics.horizontalAdvance(each) for each in self._words)
        return QSize(self.knob_width() + word + px(self.look, 5), metrics.height() + px(self.look, 4))

    def draw_face(self, painter: QPainter, theme: Theme) -> None:
        """Track, knob and word."""
        on, look = self.isChecked(), self.look
        high, wide, left = px(look, 13), px(look, 24), px(look, 3)
        track = QRectF(left, (self.height() - high) / 2, wide, high)
        share = 0.12 if self.underMouse() else 0.0
        edge = theme.border if not self.isEnabled() else theme.ink if on else theme.muted
        painter.setPen(QPen(QColor(edge), line_px(look)))
        painter.setBrush(
            blend(theme.surface, theme.ink, share) if on else blend(theme.ink, theme.surface, share)
        )
        painter.drawRoundedRect(track, high / 2, high / 2)
        radius = high / 2 - px(look, 2.5)
        middle = track.right() - high / 2 if on else track.left() + high / 2
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.surface if on else theme.muted if self.isEnabled() else theme.border))
        painter.drawEllipse(QPointF(middle, track.center().y()), radius, radius)
        if self.width() >= self.sizeHint().width():
            painter.setFont(font(look, "small"))
            painter.setPen(QColor(theme.ink if on else theme.muted))
            room = QRectF(track.right() + px(look, 4), 0, self.width(), self.height())
            flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(room, int(flags), self._words[on])
