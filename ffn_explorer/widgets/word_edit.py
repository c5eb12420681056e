"""WordEdit: a line of text that speaks only when a person presses Enter, or pauses where it may."""

from PySide6.QtCore import QSize, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, Qt
from PySide6.QtWidgets import QLineEdit, QSizePolicy, QWidget

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.sizes import px

PAUSE_MS = 400
"""What is typed counts once a person pauses this long, where the field is live."""


class WordEdit(QLineEdit):
    """A short text; showing another one never makes it speak."""

    chosen = Signal(str)
    done = Signal()
    """A person pressed Enter or Escape, and is through with it."""

    def __init__(
        self, most: int, *, live: bool = False, wide: int = 150, parent: QWidget | None = None
    ) -> None:
        """Build an empty field. most: letters it takes; live: it speaks while typing; wide: its pixels."""
        super().__init__(parent)
        self._look = Appearance()
        self._wide = wide
        self._shown = ""
        self._typing = False
        self.setMaxLength(most)
        self.setClearButtonEnabled(False)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PAUSE_MS)
        self._pause.timeout.connect(self._tell)
        self.textEdited.connect(lambda _: self._note(live=live))
        self.returnPressed.connect(self._enter)
        self.ensurePolished()

    def set_look(self, look: Appearance, *, name: str, hint: str, tip: str) -> None:
        """Take another look, and words."""
        self._look = look
        self.ensurePolished()
        self.setFont(font(look, "small"))
        self.setAccessibleName(name)
        self.setPlaceholderText(hint)
        self.setToolTip(tip)
        self.setAccessibleDescription(tip)
        self.updateGeometry()

    def show_text(self, text: str) -> None:
        """Show a text, unless a person is just typing another."""
        self._shown = text
        if not self._typing and text != self.text():
            self.setText(text)
            self.setCursorPosition(0)

    def sizeHint(self) -> QSize:
        """A width of its own, whatever stands in it."""
        return QSize(px(self._look, self._wide), super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """Half of it will do."""
        return QSize(px(self._look, self._wide) // 2, super().minimumSizeHint().height())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape takes back what is typed."""
        if event.key() == Qt.Key.Key_Escape:
            self._end()
            self.setText(self._shown)
            self.done.emit()
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """What was typed and not said is said, or taken back."""
        super().focusOutEvent(event)
        if self._pause.isActive():
            self._tell()
        elif self._typing:
            self._end()
            self.setText(self._shown)

    def _note(self, *, live: bool) -> None:
        self._typing = True
        if live:
            self._pause.start()

    def _enter(self) -> None:
        self._tell()
        self.done.emit()

    def _tell(self) -> None:
        self._end()
        if self.text().strip() != self._shown:
            self.chosen.emit(self.text().strip())

    def _end(self) -> None:
        self._typing = False
        self._pause.stop()
