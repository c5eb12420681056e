"""Buttons at the right of the control bar: theme, language, and the menu that holds every action."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QHBoxLayout, QMenu, QWidget

from ffn_explorer.app.actions import GROUPS, Action
from ffn_explorer.app.keymap import shown_keys
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.text import say
from ffn_explorer.widgets.buttons import DrawnButton, IconButton, WordButton
from ffn_explorer.widgets.fonts import font

if TYPE_CHECKING:
    from ffn_explorer.app.window import Window


class Buttons(QWidget):
    """Three buttons at the right end of the control bar."""

    def __init__(self, window: "Window") -> None:
        """Build them for a window's actions."""
        super().__init__()
        self._window = window
        self.theme = IconButton("contrast")
        self.language = WordButton()
        self.menu_button = IconButton("dots")
        self.menu = QMenu(self)
        self._parts = {group: QMenu(self.menu) for group in GROUPS}
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        for button in (self.theme, self.language, self.menu_button):
            row.addWidget(button)
        self.theme.clicked.connect(lambda: self._run("dark"))
        self.language.clicked.connect(lambda: self._run("language"))
        self.menu_button.clicked.connect(self.open)

    def offer(self, scene: Scene) -> None:
        """Take the look of a scene."""
        language = scene.look.language
        self.language.set_word(say(language, "window.other_language"))
        named: tuple[tuple[DrawnButton, str], ...] = (
            (self.theme, "action.dark"),
            (self.language, "action.language"),
            (self.menu_button, "window.menu"),
        )
        for button, key in named:
            button.set_look(scene.look)
            button.explain(say(language, key), say(language, key))
        self.menu.setFont(font(scene.look))

    def open(self) -> None:
        """Open the menu under its button, right-aligned, filled for the present state."""
        self.fill()
        corner = self.menu_button.mapToGlobal(self.menu_button.rect().bottomRight())
        self.menu.popup(corner - QPoint(self.menu.sizeHint().width() - 1, -4))

    def fill(self) -> None:
        """One submenu per group, every action in it."""
        self.menu.clear()
        for group in GROUPS:
            part = self._parts[group]
            part.clear()
            part.setTitle(say(self._window.look.language, f"keys.{group}"))
            part.setFont(self.menu.font())
            self.menu.addMenu(part)
            for action in self._window.keymap.actions:
                if action.group == group and action.in_menu:
                    self._add(part, action)

    def _add(self, menu: QMenu, action: Action) -> None:
        window = self._window
        words = action.words(window)
        sentence = say(window.look.language, words or action.key).replace("&", "&&")
        row = menu.addAction(f"{sentence}\t{shown_keys(action)}")
        row.setEnabled(words is not None)
        if action.checked is not None:
            row.setCheckable(True)
            row.setChecked(action.checked(window))
        row.triggered.connect(lambda _=False: action.run(window))

    def _run(self, name: str) -> None:
        next(action for action in self._window.keymap.actions if action.name == name).run(self._window)
