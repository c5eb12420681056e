"""The line above the memory theatre: which memory, which picture of it, play, add and remove."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QComboBox, QHBoxLayout, QSizePolicy, QWidget

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.buttons import IconButton, WordButton
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.mode_tabs import Mode, ModeTabs
from ffn_explorer.widgets.number_edit import Calm
from ffn_explorer.widgets.sizes import px


class _Picker(Calm, QComboBox):
    """List of the memories to choose from; the wheel acts only with the focus."""


class TheatreBar(QWidget):
    """Two groups side by side, or one under the other where that is all there is room for."""

    picked = Signal(str)
    """Name of the memory that a person chose, "" for the FFN with random weights."""
    played = Signal()
    added = Signal()
    removed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build everything, without words."""
        super().__init__(parent)
        self.picker = _Picker()
        self.picker.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.picker.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.play = IconButton("play")
        self.tabs = ModeTabs(4)
        self.add = WordButton()
        self.remove = WordButton()
        self._line = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._line.setContentsMargins(0, 0, 0, 0)
        self._line.setSpacing(4)
        self._groups = tuple(
            _group(*w) for w in ((self.picker, self.play), (self.tabs, self.add, self.remove))
        )
        for group in self._groups:
            self._line.addWidget(group)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.picker.activated.connect(lambda row: self.picked.emit(self.picker.itemData(row)))
        self.play.clicked.connect(self.played)
        self.add.clicked.connect(self.added)
        self.remove.clicked.connect(self.removed)

    def set_look(self, look: Appearance) -> None:
        """Take another look."""
        self.picker.setFont(font(look, "small"))
        for button in (self.play, self.add, self.remove):
            button.set_look(look)
        for group in self._groups:
            layout = group.layout()
            assert layout is not None
            layout.setSpacing(px(look, 4))
        self._fold()

    def show_memories(self, memories: Sequence[tuple[str, str]], chosen: str) -> None:
        """Show (name, words) of the memories, with one chosen."""
        if list(memories) != [
            (self.picker.itemData(i), self.picker.itemText(i)) for i in range(self.picker.count())
        ]:
            self.picker.clear()
            for name, words in memories:
                self.picker.addItem(words, name)
        self.picker.setCurrentIndex(self.picker.findData(chosen))
        self._fold()

    def show_modes(self, modes: Sequence[Mode], *, chosen: str, look: Appearance) -> None:
        """Show the pictures to choose from; none leaves the second group out."""
        self.tabs.show_modes(modes, chosen=chosen, look=look)
        self._groups[1].setVisible(bool(modes))
        self._fold()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fold the groups where they do not fit beside each other."""
        super().resizeEvent(event)
        self._fold()

    def minimumSizeHint(self) -> QSize:
        """Any width will do."""
        return QSize(0, self.sizeHint().height())

    def _fold(self) -> None:
        needed = sum(group.sizeHint().width() for group in self._groups if not group.isHidden())
        way = QBoxLayout.Direction
        wanted = way.LeftToRight if needed + self._line.spacing() <= self.width() else way.TopToBottom
        if wanted is not self._line.direction():
            self._line.setDirection(wanted)
        self.updateGeometry()


def _group(*widgets: QWidget) -> QWidget:
    holder = QWidget()
    row = QHBoxLayout(holder)
    row.setContentsMargins(0, 0, 0, 0)
    for widget in widgets:
        row.addWidget(widget)
    row.addStretch(1)
    return holder
