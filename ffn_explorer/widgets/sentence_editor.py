"""SentenceEditor: an inline editor of one or several sentences, laid over the window below the chips."""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetrics,
    QGuiApplication,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QTextCursor,
)
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.buttons import WordButton
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.labels import ElidedLabel
from ffn_explorer.widgets.sizes import line_px, px
from ffn_explorer.widgets.theme import theme_of

LINES = (3, 6)
"""Fewest and most lines of text that the editor is high."""
COUNT_DELAY_MS = 60
"""Pause in typing after which tokens are counted."""


@dataclass(frozen=True, slots=True)
class EditorWords:
    """Texts of the editor in the person's language."""

    name: str
    placeholder: str
    apply: str
    cancel: str
    restore: str
    keys: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is said of the typed text: a count, or why it cannot be used."""

    sentence: str
    usable: bool


class SentenceEditor(QFrame):
    """A real text field, so that input methods work; one line is one sentence of the batch."""

    applied = Signal(str)
    closed = Signal()

    def __init__(self, home: QWidget, *, judge: Callable[[str], Verdict], default: str) -> None:
        """Build it; `judge` says what it thinks of a text, `default` is what "restore" types.

        home: owner while closed; while open, the editor lies over the whole window.
        """
        super().__init__(home)
        self._home = home
        self._judge = judge
        self._default = default
        self._look = Appearance()
        self._anchor: QWidget | None = None
        self.field = QPlainTextEdit(self)
        self.field.setTabChangesFocus(True)
        self.field.setFrameShape(QFrame.Shape.NoFrame)
        self.verdict = ElidedLabel(self)
        self.restore, self.cancel = WordButton(self), WordButton(self)
        self.apply = WordButton(self, strong=True)
        self._counting = QTimer(self)
        self._counting.setSingleShot(True)
        self._counting.setInterval(COUNT_DELAY_MS)
        self._counting.timeout.connect(self.count)
        self._arrange()
        self.field.textChanged.connect(self._changed)
        self.apply.clicked.connect(self.finish)
        self.cancel.clicked.connect(self.close_editor)
        self.restore.clicked.connect(lambda: self.field.setPlainText(self._default))
        self.hide()

    def _arrange(self) -> None:
        self._column = QVBoxLayout(self)
        self._column.addWidget(self.field, 1)
        self._bottom = QHBoxLayout()
        self._bottom.addWidget(self.verdict, 1)
        for button in (self.restore, self.cancel, self.apply):
            self._bottom.addWidget(button)
        self._column.addLayout(self._bottom)

    def set_look(self, look: Appearance, words: EditorWords) -> None:
        """Take a look and its language's words."""
        self._look = look
        theme = theme_of(look)
        self.field.setFont(font(look, "title"))
        palette = self.field.palette()
        for role, colour in (
            (QPalette.ColorRole.Base, theme.surface),
            (QPalette.ColorRole.Text, theme.ink),
            (QPalette.ColorRole.PlaceholderText, theme.muted),
            (QPalette.ColorRole.Highlight, theme.accent),
            (QPalette.ColorRole.HighlightedText, theme.on_accent),
        ):
            palette.setColor(role, QColor(colour))
        self.field.setPalette(palette)
        self.field.setPlaceholderText(words.placeholder)
        self.field.setAccessibleName(words.name)
        pairs = ((self.apply, words.apply), (self.cancel, words.cancel), (self.restore, words.restore))
        for button, word in pairs:
            button.set_look(look)
            button.set_word(word)
            button.explain(word, words.keys if button is self.apply else "")
        pad = px(look, 10)
        self._column.setContentsMargins(pad, pad, pad, pad)
        self._column.setSpacing(px(look, 8))
        self._bottom.setSpacing(px(look, 8))
        self.count()

    def open_under(self, anchor: QWidget, text: str) -> None:
        """Show the editor over the anchor's window, under the anchor and as wide, with a text to change."""
        self._anchor = anchor
        self.setParent(anchor.window())
        self.field.setPlainText(text)
        self.field.moveCursor(QTextCursor.MoveOperation.End)
        self.field.selectAll()
        self.count()
        self._place()
        self.show()
        self.raise_()
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)
        application = QApplication.instance()
        if application is not None:
            application.installEventFilter(self)

    def finish(self) -> None:
        """Apply what is typed, a text still in the input method included; an unusable one stays open."""
        if self.isHidden():
            return
        QGuiApplication.inputMethod().commit()
        self.count()
        typed = self.field.toPlainText()
        if not self._judge(typed).usable:
            self.field.setFocus()
            return
        self.close_editor()
        self.applied.emit(typed)

    def close_editor(self) -> None:
        """Go away without applying."""
        self._counting.stop()
        application = QApplication.instance()
        if application is not None:
            application.removeEventFilter(self)
        if not self.isHidden():
            self.hide()
            self.setParent(self._home)
            self.closed.emit()

    def count(self) -> None:
        """Say how many tokens are typed, or what is wrong with them."""
        self._counting.stop()
        verdict = self._judge(self.field.toPlainText())
        theme = theme_of(self._look)
        self.verdict.set_look(font(self._look, "small"), theme.muted if verdict.usable else theme.error)
        self.verdict.set_text(verdict.sentence)
        self.apply.setEnabled(verdict.usable)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """A press outside applies; Ctrl+Enter applies and Escape cancels; the anchor's window may resize."""
        if self.isHidden():
            return False
        if event.type() == QEvent.Type.MouseButtonPress and isinstance(event, QMouseEvent):
            if isinstance(watched, QWidget) and not self._owns(watched):
                self.finish()
        elif watched is self.field and isinstance(event, QKeyEvent):
            return self._key(event)
        elif event.type() == QEvent.Type.Resize and watched is self._anchor:
            self._place()
        return False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape cancels from the buttons too; no key of the editor reaches the window."""
        if event.key() == Qt.Key.Key_Escape:
            self.close_editor()
        event.accept()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the card; the field inside shows the focus."""
        theme = theme_of(self._look)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        width = line_px(self._look)
        painter.fillRect(self.rect(), QColor(theme.background))
        painter.setPen(QPen(QColor(theme.muted), width))
        painter.setBrush(QColor(theme.surface))
        face = QRectF(self.rect()).adjusted(width / 2, width / 2, -width / 2, -width / 2)
        painter.drawRoundedRect(face, px(self._look, 8), px(self._look, 8))
        painter.end()

    def _key(self, event: QKeyEvent) -> bool:
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        applies = enter and bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if not applies and event.key() != Qt.Key.Key_Escape:
            return False
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        if event.type() == QEvent.Type.KeyPress:
            if applies:
                self.finish()
            else:
                self.close_editor()
        return True

    def _owns(self, widget: QWidget) -> bool:
        """Whether a widget is the editor, inside it, or a window of its own such as a context menu."""
        return self.isAncestorOf(widget) or widget is self or widget.window() is not self.window()

    def _changed(self) -> None:
        self._counting.start()
        self._place()

    def _place(self) -> None:
        if self._anchor is None:
            return
        window = self._anchor.window()
        corner = self._anchor.mapTo(window, QPoint(0, self._anchor.height() + px(self._look, 4)))
        width = min(self._anchor.width(), window.width())
        lines = min(LINES[1], max(LINES[0], self._lines(width)))
        text = lines * QFontMetrics(self.field.font()).lineSpacing() + 2 * round(
            self.field.document().documentMargin()
        )
        margins = self._column.contentsMargins()
        height = (
            text + self.apply.sizeHint().height() + self._column.spacing() + margins.top() + margins.bottom()
        )
        top = max(0, min(corner.y(), window.height() - height))
        self.setGeometry(QRect(max(0, corner.x()), top, width, height))

    def _lines(self, width: int) -> int:
        """Lines that the text needs at this width."""
        metrics = QFontMetrics(self.field.font())
        room = max(1, width - 4 * px(self._look, 10))
        typed = self.field.toPlainText().split("\n", maxsplit=LINES[1])
        return sum(1 + metrics.horizontalAdvance(line[:2_000]) // room for line in typed)
