"""Finder: one line to type in, and under it all that fits: panels, actions, tokens, numbers."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDialog, QHeaderView, QLineEdit, QTreeWidget, QTreeWidgetItem, QVBoxLayout

from ffn_explorer.app.find import Find
from ffn_explorer.app.finds import finds
from ffn_explorer.app.key_names import native
from ffn_explorer.state.text import say
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.sizes import px

if TYPE_CHECKING:
    from ffn_explorer.app.window import Window

SIZE_PX = (520, 420)
BELOW_TOP_PX = 90
STEPS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1, Qt.Key.Key_PageUp: -8, Qt.Key.Key_PageDown: 8}


class Finder(QDialog):
    """Opens over the window; arrows move, Enter does, Escape leaves everything as it was."""

    def __init__(self, window: "Window") -> None:
        """Build it for a window; `open` fills it."""
        super().__init__(window)
        self._window = window
        self._finds: list[Find] = []
        self.edit = QLineEdit()
        self.edit.setClearButtonEnabled(True)
        self.list = QTreeWidget()
        self.list.setColumnCount(2)
        self.list.setHeaderHidden(True)
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        header = self.list.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        column = QVBoxLayout(self)
        column.addWidget(self.edit)
        column.addWidget(self.list)
        self.edit.textChanged.connect(self._narrow)
        self.edit.returnPressed.connect(self.take)
        self.list.itemClicked.connect(lambda _: self.take())

    def open(self) -> None:
        """Open it empty, for the present state and look."""
        look = self._window.look
        self.setWindowTitle(say(look.language, "find.title"))
        self.edit.setFont(font(look, "title"))
        self.edit.setPlaceholderText(say(look.language, "find.hint"))
        self.edit.setAccessibleName(say(look.language, "find.hint"))
        self.list.setFont(font(look))
        self.list.setAccessibleName(say(look.language, "find.title"))
        self.edit.clear()
        self._narrow("")
        self.resize(px(look, SIZE_PX[0]), min(px(look, SIZE_PX[1]), self._window.height() - BELOW_TOP_PX))
        middle = self._window.mapToGlobal(QPoint((self._window.width() - self.width()) // 2, BELOW_TOP_PX))
        self.move(middle)
        super().open()
        self.edit.setFocus()

    def take(self) -> None:
        """Do what the marked line stands for."""
        row = self.list.currentIndex().row()
        run = self._finds[row].run if 0 <= row < len(self._finds) else None
        if run is None:
            return
        self.accept()
        self._window.director.attempt(run)

    def done(self, result: int) -> None:
        """Close, and give the keyboard back to where it was."""
        super().done(result)
        self._window.activateWindow()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows and pages move the mark while the typing goes on."""
        step = STEPS.get(Qt.Key(event.key()))
        total = self.list.topLevelItemCount()
        if step is None or not total:
            super().keyPressEvent(event)
            return
        row = self.list.currentIndex().row() + step
        # One step beyond an end comes in again at the other; a page stops there.
        row = row % total if abs(step) == 1 else max(0, min(total - 1, row))
        self._mark(row)

    def _narrow(self, typed: str) -> None:
        self._finds = finds(self._window, typed)
        self.list.clear()
        for find in self._finds:
            item = QTreeWidgetItem(self.list, [find.words, native(find.keys) if find.keys else ""])
            item.setDisabled(find.run is None)
        self._mark(0)

    def _mark(self, row: int) -> None:
        self.list.setCurrentIndex(self.list.model().index(row, 0))
