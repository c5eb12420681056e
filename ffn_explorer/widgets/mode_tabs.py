"""ModeTabs: a row of small words, one of them chosen; what a panel with several pictures is switched with."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QPainter
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.buttons import DrawnButton
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.sizes import px
from ffn_explorer.widgets.theme import Theme


@dataclass(frozen=True, slots=True)
class Mode:
    """One tab: the name kept in View.mode, its word, and what it shows."""

    name: str
    word: str
    tip: str


class ModeTabs(QWidget):
    """Tabs as wide as their words, from the left."""

    chosen = Signal(str)
    """Name of the tab that a person chose."""

    def __init__(self, count: int, parent: QWidget | None = None) -> None:
        """Build room for so many tabs."""
        super().__init__(parent)
        self._now: tuple[object, ...] = ()
        self._names: tuple[str, ...] = ()
        self.buttons = tuple(_ModeButton(self) for _ in range(count))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        for at, button in enumerate(self.buttons):
            row.addWidget(button)
            button.clicked.connect(lambda _=False, at=at: self.chosen.emit(self._names[at]))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_modes(self, modes: Sequence[Mode], *, chosen: str, look: Appearance) -> None:
        """Show these tabs, at most as many as there is room for."""
        now = (tuple(modes), chosen, look)
        if now == self._now:
            return
        self._now = now
        self._names = tuple(mode.name for mode in modes)
        for button, mode in zip(self.buttons, modes, strict=False):
            button.set_look(look)
            button.show_mode(mode, chosen=mode.name == chosen)
        for at, button in enumerate(self.buttons):
            button.setVisible(at < len(modes))


class _ModeButton(DrawnButton):
    """A word, on a pill while it is the chosen one."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setCheckable(True)
        self._word = ""

    def show_mode(self, mode: Mode, *, chosen: bool) -> None:
        """Take what to show."""
        self._word = mode.word
        self.explain(mode.word, mode.tip)
        self.setChecked(chosen)
        self.updateGeometry()
        self.update()

    def nextCheckState(self) -> None:
        """Which tab is chosen is the Scene's to say."""

    def sizeHint(self) -> QSize:
        """The bold word with room around it, so that choosing a tab moves none."""
        word = QFontMetrics(font(self.look, "small", bold=True))
        return QSize(
            word.horizontalAdvance(self._word) + 2 * px(self.look, 8), word.height() + px(self.look, 8)
        )

    def draw_face(self, painter: QPainter, theme: Theme) -> None:
        """Pill and word."""
        if self.isChecked() or self.underMouse():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(theme.sunken))
            radius = self.height() / 2
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), radius, radius)
        strong = self.isChecked()
        painter.setFont(font(self.look, "small", bold=strong))
        painter.setPen(QColor(theme.ink if strong else theme.muted))
        painter.drawText(self.rect(), int(Qt.AlignmentFlag.AlignCenter), self._word)
