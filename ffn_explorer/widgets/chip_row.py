"""ChipRow: chips to click, drag, and walk along with the keys."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QHelpEvent, QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QToolTip, QWidget

from ffn_explorer.widgets.chip_view import ChipView, Drag
from ffn_explorer.widgets.plain_tip import plain_tip

CHIPS_PER_NOTCH = 2
NOTCH = 120
"""Wheel units of one notch."""
EDGE_SCROLL_MS = 16
"""While a chip is held at an end of the row, the row moves once per so many milliseconds."""


class ChipRow(ChipView):
    """Asks by signals for what a person does to the row."""

    chosen = Signal(int)
    moved = Signal(int, int)
    """A chip goes from one place to another."""
    scrolled = Signal(int, int)
    """Leftmost chip that a person scrolled to, and the chip that is selected or about to be."""
    hovered = Signal(object)
    """Chip under the pointer, or None."""
    edited = Signal()
    walked = Signal(int)
    """-1 or +1: the sentence before or after."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build an empty row."""
        super().__init__(parent)
        self._wheel = 0.0
        self._tip: Callable[[int], str] = lambda index: self.picture.chips[index].text
        self._edge = QTimer(self)
        self._edge.setInterval(EDGE_SCROLL_MS)
        self._edge.timeout.connect(self._edge_scroll)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)

    def set_tip(self, tip: Callable[[int], str]) -> None:
        """Take the function that writes a chip's tooltip."""
        self._tip = tip

    def choose(self, index: int) -> None:
        """Ask for a chip, scrolling no further than it takes to show it."""
        if not self.picture.chips:
            return
        index = min(max(0, index), len(self.picture.chips) - 1)
        if index != self.picture.selected:
            self._keep_scroll(index)
            self.chosen.emit(index)

    def move_selected(self, by: int) -> None:
        """Ask to move the selected chip by so many places."""
        start = self.picture.selected
        if 0 <= start + by < len(self.picture.chips):
            self._keep_scroll(start + by)
            self.moved.emit(start, start + by)

    def let_go(self) -> None:
        """Forget the held chip."""
        self._edge.stop()
        super().let_go()

    # Pointer ------------------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the chip under the pointer and hold it; an arrow turns the page."""
        if event.button() != Qt.MouseButton.LeftButton:
            event.ignore()
            return
        x = event.position().x()
        if arrow := self.arrow_at(x):
            shown = self.places.visible(self.offset, self.room)
            self._scroll_to(self.first + arrow * max(1, len(shown) - 2))
        elif (index := self.chip_at(x)) is not None:
            held = Drag(index, x - self.chip_rect(index).left(), x, event.position(), self.offset)
            self.choose(index)
            self.drag = held

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Lift the held chip once the pointer has gone far enough; else mark the chip under the pointer."""
        if self.drag is None or not event.buttons() & Qt.MouseButton.LeftButton:
            self._point_at(self.chip_at(event.position().x()))
            return
        self.drag.x = event.position().x()
        way = (event.position() - self.drag.pressed).manhattanLength()
        if not self.drag.lifted and way >= QApplication.startDragDistance():
            self.drag.lifted = True
            self._point_at(None)
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
            self._edge.start()
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Put the held chip down."""
        drag = self.drag
        if drag is None or event.button() != Qt.MouseButton.LeftButton:
            return
        target = self.target_of(drag)
        first = self._first_at(drag.offset)
        self.let_go()
        self._point_at(self.chip_at(event.position().x()))
        if not drag.lifted:
            return
        if self.places.overflows(self.room):
            self.scrolled.emit(first, target)
        if target != drag.start:
            self.moved.emit(drag.start, target)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Edit the sentence; quick clicks on an arrow go on turning pages."""
        if event.button() == Qt.MouseButton.LeftButton and not self.arrow_at(event.position().x()):
            self.let_go()
            self.edited.emit()
        else:
            self.mousePressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll along the row; a row that fits leaves the wheel to others."""
        if not self.places.overflows(self.room) or self.drag:
            event.ignore()
            return
        delta = event.angleDelta()
        turned = delta.x() if abs(delta.x()) > abs(delta.y()) else delta.y()
        self._wheel += turned * CHIPS_PER_NOTCH / NOTCH
        chips = int(self._wheel)
        self._wheel -= chips
        self._scroll_to(self.first - chips)
        event.accept()

    def leaveEvent(self, _event: QEvent) -> None:
        """Nothing is pointed at any more."""
        self._point_at(None)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """A held chip goes back when the row loses the keyboard, as in a switch to another window."""
        self.let_go()
        super().focusOutEvent(event)

    # Keys ---------------------------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape drops a held chip where it was; other keys walk, move and edit."""
        act = self._act_of(event)
        if act is None:
            event.ignore()
        else:
            act()

    def event(self, event: QEvent) -> bool:
        """Tooltips; and keys of this row come before the window's shortcuts while it has the focus."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            index = self.chip_at(event.pos().x())
            place = QPoint(event.globalPos().x(), self.mapToGlobal(QPoint(0, self.height())).y())
            QToolTip.showText(place, "" if index is None else plain_tip(self._tip(index)), self)
            return True
        override = event.type() == QEvent.Type.ShortcutOverride
        if override and isinstance(event, QKeyEvent) and self._act_of(event) is not None:
            event.accept()
            return True
        return super().event(event)

    def _act_of(self, event: QKeyEvent) -> Callable[[], None] | None:
        here, last = self.picture.selected, len(self.picture.chips) - 1
        plain: dict[int, Callable[[], None]] = {
            Qt.Key.Key_Left: lambda: self.choose(here - 1),
            Qt.Key.Key_Right: lambda: self.choose(here + 1),
            Qt.Key.Key_Home: lambda: self.choose(0),
            Qt.Key.Key_End: lambda: self.choose(last),
            Qt.Key.Key_Up: lambda: self.walked.emit(-1),
            Qt.Key.Key_Down: lambda: self.walked.emit(1),
            Qt.Key.Key_F2: self.edited.emit,
            Qt.Key.Key_Return: self.edited.emit,
            Qt.Key.Key_Enter: self.edited.emit,
        }
        moving: dict[int, Callable[[], None]] = {
            Qt.Key.Key_Left: lambda: self.move_selected(-1),
            Qt.Key.Key_Right: lambda: self.move_selected(1),
        }
        if self.drag:
            return self.let_go if event.key() == Qt.Key.Key_Escape else None
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if modifiers == Qt.KeyboardModifier.ControlModifier:
            return moving.get(event.key())
        return None if modifiers else plain.get(event.key())

    # Scrolling ----------------------------------------------------------------------------------------------

    def _keep_scroll(self, index: int) -> None:
        if self.places.overflows(self.room):
            self.scrolled.emit(self.places.nearest_first(index, self.first, room=self.room), index)

    def _scroll_to(self, first: int) -> None:
        wanted = min(max(0, first), self.places.last_first(self.room))
        if wanted != self.first:
            self.scrolled.emit(wanted, self.picture.selected)

    def _first_at(self, offset: int) -> int:
        shown = [i for i in self.places.visible(offset, self.room) if self.places.clear(i, offset, self.room)]
        return shown[0] if shown else self.first

    def _edge_scroll(self) -> None:
        if self.drag is None:
            return
        step = max(1, self.places.zone // 4)
        low, high = self.places.zone, self.width() - self.places.zone
        by = -step if self.drag.x < low else step if self.drag.x > high else 0
        most = max(0, self.places.content - self.room)
        self.drag.offset = min(max(0, self.drag.offset + by), most)
        if by:
            self.update()

    def _point_at(self, index: int | None) -> None:
        if self.drag is None:
            self.setCursor(Qt.CursorShape.ArrowCursor if index is None else Qt.CursorShape.OpenHandCursor)
        if index != self.pointed:
            self.pointed = index
            self.hovered.emit(index)
            self.update()
