"""The line above the memory theatre: which memory, which picture of it, play, add and remove."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QComboBox, QSizePolicy, QWidget

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.buttons import IconButton, WordButton
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.mode_tabs import Mode, ModeTabs
from ffn_explorer.widgets.number_edit import Calm
from ffn_explorer.widgets.sizes import px


class _Picker(Calm, QComboBox):
    """List of the memories to choose from; the wheel acts only with the focus."""

    done = Signal()
    """The list was opened and closed again."""

    def hidePopup(self) -> None:
        """Close the list, and say that the choice is made."""
        super().hidePopup()
        self.done.emit()


class TheatreBar(QWidget):
    """Controls from left to right, on as many lines as they need."""

    picked = Signal(str)
    """Name of the memory that a person chose, "" for the FFN with random weights."""
    left = Signal()
    """A person is done with the list: the keyboard goes back to the picture."""
    played = Signal()
    added = Signal()
    removed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build everything, without words."""
        super().__init__(parent)
        self._look = Appearance()
        self.picker = _Picker(self)
        self.picker.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        # Any other policy lets Qt resize it by itself, after a change of style for one.
        self.picker.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.play = IconButton("play", self)
        self.tabs = ModeTabs(4, self)
        self.add = WordButton(self)
        self.remove = WordButton(self)
        self._items: tuple[QWidget, ...] = (self.picker, self.play, self.tabs, self.add, self.remove)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.picker.activated.connect(lambda row: self.picked.emit(self.picker.itemData(row)))
        self.picker.done.connect(self.left)
        self.play.clicked.connect(self.played)
        self.add.clicked.connect(self.added)
        self.remove.clicked.connect(self.removed)

    def set_look(self, look: Appearance) -> None:
        """Take another look."""
        self._look = look
        self.picker.setFont(font(look, "small"))
        for button in (self.play, self.add, self.remove):
            button.set_look(look)

    def show_memories(self, memories: Sequence[tuple[str, str]], chosen: str) -> None:
        """Show (name, words) of the memories, with one chosen."""
        shown = [(self.picker.itemData(i), self.picker.itemText(i)) for i in range(self.picker.count())]
        if list(memories) != shown:
            self.picker.clear()
            for name, words in memories:
                self.picker.addItem(words, name)
        self.picker.setCurrentIndex(self.picker.findData(chosen))

    def show_modes(self, modes: Sequence[Mode], *, chosen: str) -> None:
        """Show the pictures to choose from; none leaves the tabs out."""
        self.tabs.show_modes(modes, chosen=chosen, look=self._look)
        self.tabs.setVisible(bool(modes))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place the controls anew."""
        super().resizeEvent(event)
        self.place()

    def minimumSizeHint(self) -> QSize:
        """Any width will do."""
        return QSize(0, 0)

    def place(self) -> None:
        """Lines of controls, each in the middle of its line; to be called once all have their words."""
        gap, x, y = px(self._look, 6), 0, 0
        # As high with the buttons as without: nothing moves when they appear.
        high = max(self._size_of(item).height() for item in self._items)
        line: list[QWidget] = []
        for item in self._items:
            if item.isHidden():
                continue
            size = self._size_of(item)
            if line and x + size.width() > self.width():
                y += _settle(line, y, high=high) + px(self._look, 3)
                x, line = 0, []
            item.setGeometry(x, y, min(size.width(), max(1, self.width())), size.height())
            x += size.width() + gap
            line.append(item)
        self.setFixedHeight(y + _settle(line, y, high=high))

    def _size_of(self, item: QWidget) -> QSize:
        """Size that a control asks for; that of a list follows from its words and type alone.

        Qt keeps a list's size from before the last change of style.
        """
        if item is not self.picker:
            return item.sizeHint()
        metrics = QFontMetrics(font(self._look, "small"))
        words = (metrics.horizontalAdvance(self.picker.itemText(i)) for i in range(self.picker.count()))
        return QSize(max(words, default=0) + px(self._look, 44), metrics.height() + px(self._look, 12))


def _settle(line: list[QWidget], y: int, *, high: int) -> int:
    """Bring the controls of one line of this height to its middle; the height again."""
    for item in line:
        item.move(item.x(), y + (high - item.height()) // 2)
    return high
