"""Keymap: which key does what, and when a key belongs to an editor instead."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QChildEvent, QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QAbstractSpinBox, QComboBox, QLineEdit, QWidget

from ffn_explorer.app.actions import ACTIONS, Action
from ffn_explorer.app.acts import typing
from ffn_explorer.app.key_names import native

if TYPE_CHECKING:
    from ffn_explorer.app.window import Window

DIGITS = range(Qt.Key.Key_1, Qt.Key.Key_9 + 1)


class Keymap:
    """Keys with Ctrl or Shift are shortcuts; plain ones act only when nothing with the focus wanted them.

    So a panel that moves a selection with the arrow keys keeps them, and an editor keeps its letters.
    """

    def __init__(self, window: "Window", actions: Sequence[Action] = ACTIONS) -> None:
        """Install the shortcuts on a window."""
        self._window = window
        self._plain: dict[str, Action] = {}
        self.actions = tuple(actions)
        for action in actions:
            for name in action.keys:
                self._install(action, name)

    def press(self, event: QKeyEvent) -> bool:
        """Do what a plain key that nobody else wanted stands for; True if it stands for something."""
        if typing() and event.key() != Qt.Key.Key_Escape:
            return False
        shift = Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier
        if event.modifiers() & ~shift:
            return False
        if event.key() in DIGITS:
            return self._window.board.focus_panel(event.key() - Qt.Key.Key_1)
        action = self._plain.get(QKeySequence(event.key()).toString())
        if action is None:
            return False
        if action.repeats or not event.isAutoRepeat():
            action.run(self._window)
        return True

    def _install(self, action: Action, name: str) -> None:
        if "+" not in name.removesuffix("+"):
            self._plain[name] = action
            return
        shortcut = QShortcut(QKeySequence(name), self._window)
        shortcut.setAutoRepeat(action.repeats)
        shortcut.activated.connect(lambda: action.run(self._window))


class UndoKeys(QObject):
    """Leaves the undo keys to the window while an editor has nothing of its own to undo.

    A line edit claims them always, and a knob just turned by typing could not be turned back by Ctrl+Z.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        """Watch over nothing yet."""
        super().__init__(parent)
        self._over: QWidget | None = None

    def watch(self, over: QWidget) -> None:
        """Watch over every editor inside a widget, and inside the children that it is given later."""
        self._over = over
        over.installEventFilter(self)
        self._watch_editors(over)

    def _watch_editors(self, parent: QObject) -> None:
        for edit in parent.findChildren(QLineEdit):
            edit.installEventFilter(self)
            # Number editors and editable lists take the keys themselves and hand them on.
            holder = edit.parentWidget()
            if isinstance(holder, QAbstractSpinBox | QComboBox):
                holder.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep the claim from an editor that has no use for it."""
        if watched is self._over:
            if event.type() == QEvent.Type.ChildPolished and isinstance(event, QChildEvent):
                self._watch_editors(event.child())
            return False
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            edit = watched if isinstance(watched, QLineEdit) else watched.findChild(QLineEdit)
            if edit is not None and event.matches(QKeySequence.StandardKey.Undo):
                return not edit.isUndoAvailable()
            if edit is not None and event.matches(QKeySequence.StandardKey.Redo):
                return not edit.isRedoAvailable()
        return super().eventFilter(watched, event)


def shown_keys(action: Action) -> str:
    """First key of an action, as this platform writes it; "" where it has none."""
    return native(action.keys[0]) if action.keys else ""
