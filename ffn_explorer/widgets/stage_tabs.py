"""StageTabs: one small tab per stage, with its colour, and a first one that follows the pass."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ffn_explorer.core.stages import Stage
from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.buttons import DrawnButton
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.sizes import line_px, px
from ffn_explorer.widgets.theme import Theme

MOST_TABS = 1 + len(Stage)


@dataclass(frozen=True, slots=True)
class Tab:
    """One tab: its stage (None follows the pass), word and explanation."""

    stage: Stage | None
    word: str
    tip: str


class StageTabs(QWidget):
    """A row of tabs; where they do not all fit, those neither chosen nor shown keep only their dot."""

    chosen = Signal(object)
    """The Stage of the tab that a person chose, or None for the one that follows."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build all tabs that there may ever be, unseen."""
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._now: tuple[object, ...] = ()
        self._buttons = tuple(_TabButton(self) for _ in range(MOST_TABS))
        for button in self._buttons:
            button.hide()
            button.clicked.connect(lambda _=False, b=button: self.chosen.emit(b.tab.stage))

    def show_tabs(
        self, tabs: Sequence[Tab], *, pinned: Stage | None, shown: Stage | None, look: Appearance
    ) -> None:
        """Show these tabs; `pinned` is the chosen one (None: it follows), `shown` the stage in sight."""
        now = (tuple(tabs), pinned, shown, look)
        if now == self._now:
            return
        self._now = now
        for button, tab in zip(self._buttons, tabs, strict=False):
            button.show_tab(tab, chosen=tab.stage == pinned, lit=tab.stage is not None and tab.stage == shown)
            button.set_look(look)
        for at, button in enumerate(self._buttons):
            button.setVisible(at < len(tabs))
        self._place(len(tabs))
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        """As high as a tab."""
        return QSize(0, self._buttons[0].sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """Any width will do."""
        return self.sizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place the tabs anew."""
        super().resizeEvent(event)
        self._place(sum(not button.isHidden() for button in self._buttons))

    def _place(self, count: int) -> None:
        buttons = self._buttons[:count]
        rank = next((rank for rank in (2, 1) if self._wide(buttons, rank) <= self.width()), 0)
        bare = sum(button.rank > rank for button in buttons)
        over = max(0, self._wide(buttons, rank) - self.width())
        left = 0
        for button in buttons:
            button.bare = button.rank > rank
            width = button.bare_width() - -(-over // bare) if button.bare else button.full_width()
            button.setGeometry(left, 0, width, button.sizeHint().height())
            left += width

    @staticmethod
    def _wide(buttons: Sequence["_TabButton"], rank: int) -> int:
        """Width of all tabs, where those up to a rank keep their words."""
        return sum(button.full_width() if button.rank <= rank else button.bare_width() for button in buttons)


class _TabButton(DrawnButton):
    """A dot in the stage's colour and a word."""

    def __init__(self, parent: QWidget) -> None:
        """Build it empty."""
        super().__init__(parent)
        self.tab = Tab(None, "", "")
        self.bare = False
        self.rank = 2
        """Tabs of the highest rank lose their words first where room is short; the title tells the stage."""
        self._chosen = False
        self._lit = False

    def show_tab(self, tab: Tab, *, chosen: bool, lit: bool) -> None:
        """Take what to show."""
        self.tab, self._chosen, self._lit = tab, chosen, lit
        self.rank = 0 if tab.stage is None else 1 if chosen or lit else 2
        self.explain(tab.word, tab.tip)
        self.update()

    def full_width(self) -> int:
        """Width with its word; of the bold one, so that choosing a tab moves none."""
        word = QFontMetrics(font(self.look, "small", bold=True)).horizontalAdvance(self.tab.word)
        return self.bare_width() + word + (px(self.look, 2) if self.tab.stage else -self._dot_room())

    def bare_width(self) -> int:
        """Width with its dot alone."""
        return 2 * px(self.look, 7) + self._dot_room()

    def sizeHint(self) -> QSize:
        """A line of small type with room above and below."""
        height = QFontMetrics(font(self.look, "small")).height() + px(self.look, 8)
        return QSize(self.full_width(), height)

    def draw_face(self, painter: QPainter, theme: Theme) -> None:
        """Pill when chosen, dot filled when its stage is in sight, word."""
        painter.setPen(Qt.PenStyle.NoPen)
        if self._chosen or self.underMouse():
            painter.setBrush(QColor(theme.sunken))
            radius = self.height() / 2
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), radius, radius)
        left = (self.width() - self._dot_room()) // 2 if self.bare else px(self.look, 7)
        if self.tab.stage is not None:
            self._draw_dot(
                painter,
                theme.stage(self.tab.stage),
                centre=QPointF(left + px(self.look, 4), self.height() / 2),
            )
            left += self._dot_room() + px(self.look, 2)
        if not self.bare:
            strong = self._chosen or self._lit
            painter.setFont(font(self.look, "small", bold=strong))
            painter.setPen(QColor(theme.ink if strong else theme.muted))
            flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(QRectF(left, 0, self.width() - left, self.height()), int(flags), self.tab.word)

    def _draw_dot(self, painter: QPainter, colour: QColor, *, centre: QPointF) -> None:
        radius = px(self.look, 4) if self._lit else px(self.look, 3)
        if self._lit:
            painter.setBrush(colour)
        else:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            pen = painter.pen()
            pen.setStyle(Qt.PenStyle.SolidLine)
            pen.setColor(colour)
            pen.setWidthF(line_px(self.look, 1.5))
            painter.setPen(pen)
        painter.drawEllipse(centre, radius, radius)

    def _dot_room(self) -> int:
        return px(self.look, 9)
