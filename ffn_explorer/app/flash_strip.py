"""FlashStrip: for a moment, what a new run changed, in the header of the first card and nowhere else."""

from PySide6.QtCore import QEasingCurve, QEvent, QObject, QPropertyAnimation, QRect, Qt
from PySide6.QtGui import QAccessible, QAccessibleEvent, QHideEvent
from PySide6.QtWidgets import QFrame, QGraphicsOpacityEffect, QHBoxLayout, QLabel

from ffn_explorer.board import Board
from ffn_explorer.state.flash import Delta, deltas
from ffn_explorer.state.result import RunResult
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.text import say
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.last_shown import LastShown
from ffn_explorer.widgets.sizes import px

FADE_MS = 160
JOINER = "  ·  "


class FlashStrip(QFrame):
    """Covers the note beside the first card's title while `scene.before` is there; never a number."""

    def __init__(self, board: Board) -> None:
        """Build it hidden, over a board."""
        super().__init__(board)
        self.setObjectName("flash")
        self._board = board
        self._runs: tuple[RunResult | None, RunResult | None] = (None, None)
        self._found: tuple[Delta, ...] = ()
        self._still = False
        self._shown = LastShown()
        self.label = QLabel()
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self._row = QHBoxLayout(self)
        self._row.addWidget(self.label)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._veil = QGraphicsOpacityEffect(self)
        self.setGraphicsEffect(self._veil)
        self._fade = QPropertyAnimation(self._veil, b"opacity", self)
        self._fade.setDuration(FADE_MS)
        self._fade.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._fade.finished.connect(self._settle)
        self.hide()
        board.installEventFilter(self)

    def show_scene(self, scene: Scene) -> None:
        """Tell what changed while the scene has the run before; go away after it."""
        self._still = scene.look.reduce_motion
        runs = (scene.before, scene.run)
        if runs != self._runs:
            self._runs = runs
            before, now = runs
            self._found = ()
            if before is not None and now is not None:
                self._found = deltas(before, now, theta=scene.theta, relative=scene.theta_relative)
        if self._found:
            self._tell(scene)
        else:
            self._go(0.0)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Another size moves the header: the strip does not follow, it goes."""
        if event.type() == QEvent.Type.Resize:
            self.hide()
        return super().eventFilter(watched, event)

    def _tell(self, scene: Scene) -> None:
        card = next((p for p in self._board.panels.values() if p.framed and p.isVisible()), None)
        if card is None:
            return
        room = card.free_header
        place = QRect(card.mapTo(self._board, room.topLeft()), room.size())
        if self._shown.differs("words", scene.look, self._found, place) or self.isHidden():
            self._lay_out(scene, place)
        self._go(1.0)

    def _lay_out(self, scene: Scene, room: QRect) -> None:
        """Say as much as there is room for, at its right end; nothing where not even the first fits."""
        pad = px(scene.look, 8)
        self.label.setFont(font(scene.look, "small"))
        self._row.setContentsMargins(pad, 0, pad, 0)
        said = [say(scene.look.language, delta.words) for delta in self._found]
        shown = said[:1]
        for phrase in said[1:]:
            if self._width([*shown, phrase]) + 2 * pad <= room.width():
                shown.append(phrase)
        width = self._width(shown) + 2 * pad
        if width > room.width():
            self.hide()
            return
        fresh = self.isHidden()
        words = JOINER.join(shown)
        if words != self.label.text() or fresh:
            self.label.setText(words)
            self.setAccessibleName(JOINER.join(said))
            QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.Alert))
        self.setGeometry(room.x() + room.width() - width, room.y(), width, room.height())
        if fresh:
            self._veil.setOpacity(1.0 if self._still else 0.0)
            self.show()
            self.raise_()

    def _width(self, phrases: list[str]) -> int:
        return self.label.fontMetrics().horizontalAdvance(JOINER.join(phrases)) + 2

    def _go(self, opacity: float) -> None:
        """Towards this opacity; at once where motion is reduced, and never again to where it is going."""
        if self.isHidden() or self._fade.endValue() == opacity:
            return
        self._fade.stop()
        self._fade.setEndValue(opacity)
        if self._still:
            self._veil.setOpacity(opacity)
            self._settle()
        else:
            self._fade.setStartValue(self._veil.opacity())
            self._fade.start()

    def _settle(self) -> None:
        if self._veil.opacity() == 0.0:
            self.hide()

    def hideEvent(self, event: QHideEvent) -> None:
        """Forget where the opacity was going."""
        self._fade.stop()
        self._fade.setEndValue(None)
        super().hideEvent(event)
