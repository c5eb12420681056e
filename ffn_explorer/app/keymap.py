"""Keymap: which key does what, and when a key belongs to an editor instead."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QComboBox, QLineEdit, QPlainTextEdit, QTextEdit

from ffn_explorer.app.actions import ACTIONS, Action
from ffn_explorer.app.dialogs import native

if TYPE_CHECKING:
    from ffn_explorer.app.window import Window

EDITORS = (QAbstractSpinBox, QComboBox, QLineEdit, QPlainTextEdit, QTextEdit)
DIGITS = range(Qt.Key.Key_1, Qt.Key.Key_9 + 1)


class Keymap:
    """Keys with Ctrl are shortcuts; plain ones act only when nothing with the keyboard focus wanted them.

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
        if typing():
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
        if not name.startswith("Ctrl+"):
            self._plain[name] = action
            return
        shortcut = QShortcut(QKeySequence(name), self._window)
        shortcut.setAutoRepeat(action.repeats)
        shortcut.activated.connect(lambda: action.run(self._window))


def typing() -> bool:
    """Whether an editor holds the keyboard."""
    return isinstance(QApplication.focusWidget(), EDITORS)


def shown_keys(action: Action) -> str:
    """First key of an action, as this platform writes it; "" where it has none."""
    return native(action.keys[0]) if action.keys else ""
