"""Over the window: a blank screen while people look at the speaker, and a ring around the mouse."""

from PySide6.QtCore import QEvent, QObject, QPointF, Qt
from PySide6.QtGui import (
    QColor,
    QCursor,
    QHideEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QShowEvent,
)
from PySide6.QtWidgets import QApplication, QWidget

from ffn_explorer.widgets.sizes import line_px, px
from ffn_explorer.widgets.theme import BLANK, theme_of

MODIFIERS = (Qt.Key.Key_Control, Qt.Key.Key_Shift, Qt.Key.Key_Alt, Qt.Key.Key_Meta)
RING_PX = 30
"""Radius of the pointer's ring."""


class _Over(QWidget):
    """Covers a window, whatever size it takes."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._under = window
        window.installEventFilter(self)
        self.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep the size of the window."""
        if watched is self._under and event.type() == QEvent.Type.Resize:
            self.setGeometry(self._under.rect())
        return False

    def toggle(self) -> None:
        """Show it, or take it away."""
        if self.isVisible():
            self.hide()
            return
        self.setGeometry(self._under.rect())
        self.show()
        self.raise_()


class Blank(_Over):
    """Nothing to look at; any key or click brings the picture back."""

    def __init__(self, window: QWidget) -> None:
        """Build it hidden."""
        super().__init__(window)
        self._before: QWidget | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.BlankCursor)

    def toggle(self) -> None:
        """Take the keyboard while it is there, and give it back."""
        if not self.isVisible():
            self._before = QApplication.focusWidget()
        super().toggle()
        if self.isVisible():
            self.setFocus()
        elif self._before is not None:
            self._before.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Any key brings the picture back; those with Ctrl act as ever, as that of the speaker's notes."""
        if event.key() in MODIFIERS or event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            event.ignore()
        else:
            self.toggle()

    def mousePressEvent(self, _event: QMouseEvent) -> None:
        """So does a click."""
        self.toggle()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """One ground for everything."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(BLANK))
        painter.end()


class Pointer(_Over):
    """A ring around the mouse that a class can follow; clicks go through it."""

    def __init__(self, window: QWidget) -> None:
        """Build it hidden."""
        super().__init__(window)
        self._at = QPointF()
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the mouse wherever in the window it is."""
        if event.type() in (QEvent.Type.MouseMove, QEvent.Type.HoverMove):
            self._follow()
        return super().eventFilter(watched, event)

    def showEvent(self, event: QShowEvent) -> None:
        """Begin where the mouse is; only while it is there, every event of the program is looked at."""
        super().showEvent(event)
        application = QApplication.instance()
        assert application is not None
        application.installEventFilter(self)
        self._follow()

    def hideEvent(self, event: QHideEvent) -> None:
        """Leave the mouse alone."""
        super().hideEvent(event)
        application = QApplication.instance()
        assert application is not None
        application.removeEventFilter(self)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """The ring, in the accent of the theme, with a light edge so that it shows on any ground."""
        from ffn_explorer.app.window import Window

        window = self.window()
        if not isinstance(window, Window):
            return
        look = window.look
        theme, radius = theme_of(look), px(look, RING_PX)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for colour, width in ((theme.surface, 7), (theme.focus, 4)):
            painter.setPen(QPen(QColor(colour), line_px(look, width)))
            painter.drawEllipse(self._at, radius, radius)
        painter.end()

    def _follow(self) -> None:
        at = QPointF(self.mapFromGlobal(QCursor.pos()))
        if at != self._at:
            self._at = at
            self.update()
