"""Splitters with wide handles that show on hover and on focus, and that the arrow keys move."""

from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QEnterEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSplitter, QSplitterHandle, QWidget

from ffn_explorer.widgets.theme import LIGHT, Theme

HANDLE_PX = 10
GRIP_PX = 36.0
GRIP_WIDTH_PX = 3.0
KEY_STEP_PX = 16


class Handle(QSplitterHandle):
    """One drag handle: a short grip that appears under the pointer or with the keyboard focus."""

    released = Signal()
    """A drag or a key press moved it."""
    reset = Signal()
    """Double-clicked: the default shares are wanted back."""

    def __init__(self, orientation: Qt.Orientation, parent: QSplitter) -> None:
        """Build a handle that Tab can reach."""
        super().__init__(orientation, parent)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.theme: Theme = LIGHT

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move by a step with the arrow keys of its direction."""
        across = self.orientation() == Qt.Orientation.Horizontal
        back, on = (Qt.Key.Key_Left, Qt.Key.Key_Right) if across else (Qt.Key.Key_Up, Qt.Key.Key_Down)
        if event.key() not in (back, on):
            event.ignore()
            return
        step = KEY_STEP_PX if event.key() == on else -KEY_STEP_PX
        self.moveSplitter(self.closestLegalPosition((self.x() if across else self.y()) + step))
        self.released.emit()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End of a drag."""
        super().mouseReleaseEvent(event)
        self.released.emit()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Ask for the default shares."""
        event.accept()
        self.reset.emit()

    def enterEvent(self, event: QEnterEvent) -> None:
        """Show the grip."""
        super().enterEvent(event)
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        """Hide the grip."""
        super().leaveEvent(event)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the grip while it is of use."""
        if not (self.underMouse() or self.hasFocus()):
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self.theme.focus if self.hasFocus() else self.theme.muted))
        upright = self.orientation() == Qt.Orientation.Horizontal
        width, height = (GRIP_WIDTH_PX, GRIP_PX) if upright else (GRIP_PX, GRIP_WIDTH_PX)
        grip = QRectF(0.0, 0.0, width, height)
        grip.moveCenter(QRectF(self.rect()).center())
        painter.drawRoundedRect(grip, GRIP_WIDTH_PX / 2, GRIP_WIDTH_PX / 2)
        painter.end()


class Splitter(QSplitter):
    """A splitter whose children keep their shares when the window grows, and never vanish."""

    dragged = Signal()
    """A person moved a handle."""
    reset = Signal()
    """A person double-clicked a handle."""

    def __init__(self, orientation: Qt.Orientation, parent: QWidget | None = None) -> None:
        """Build an empty splitter."""
        super().__init__(orientation, parent)
        self.setHandleWidth(HANDLE_PX)
        self.setChildrenCollapsible(False)

    def createHandle(self) -> QSplitterHandle:
        """Make one of our handles."""
        handle = Handle(self.orientation(), self)
        handle.released.connect(self.dragged)
        handle.reset.connect(self.reset)
        return handle

    def handles(self) -> tuple[Handle, ...]:
        """Handles between two children, in order."""
        found = (self.handle(i) for i in range(1, self.count()))
        return tuple(handle for handle in found if isinstance(handle, Handle))
