"""The menu under the name of the source: what can be opened, what was, and what an opened file allows."""

from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from ffn_explorer.app.keymap import shown_keys
from ffn_explorer.state.quoting import WIDEST_PLACE, quoted
from ffn_explorer.state.text import say
from ffn_explorer.widgets.fonts import font

if TYPE_CHECKING:
    from ffn_explorer.app.window import Window

OPENING = ("open", "open_folder", "open_link")
OPENED = ("hidden_states", "embeddings", "copy_link", "correct")
MOST_LETTERS = 60
"""Letters of a file's name and folder in the menu; the tip has the rest."""


class SourceMenu(QObject):
    """Fills the menu of the bar's source button for the state it is opened in."""

    def __init__(self, window: "Window", menu: QMenu) -> None:
        """Take over an empty menu."""
        super().__init__(menu)
        self._window = window
        self.menu = menu
        self.recent = QMenu(menu)
        self.recent.setToolTipsVisible(True)
        self._rows: dict[str, QAction] = {}
        menu.aboutToShow.connect(self._open)
        window.opener.recent.looked.connect(self._grey)

    def fill(self) -> None:
        """Put in what can be done now."""
        menu = self.menu
        menu.clear()
        menu.setFont(font(self._window.look))
        for name in OPENING:
            self._add(name)
        self._fill_recent()
        menu.addSeparator()
        self._add("random")
        menu.addSeparator()
        for name in OPENED:
            self._add(name)

    def _open(self) -> None:
        self.fill()
        self._window.opener.recent.look()

    def _add(self, name: str) -> None:
        window = self._window
        action = next(action for action in window.keymap.actions if action.name == name)
        words = action.words(window)
        row = self.menu.addAction(f"{self._say(words or action.key)}\t{shown_keys(action)}")
        row.setEnabled(words is not None)
        row.triggered.connect(lambda: action.run(window))

    def _fill_recent(self) -> None:
        menu, recent = self.recent, self._window.opener.recent
        menu.clear()
        menu.setTitle(self._say("source.recent"))
        menu.setFont(self.menu.font())
        menu.setEnabled(bool(recent.paths))
        self._rows = {}
        for path in recent.paths:
            row = self._rows[path] = menu.addAction(recent_words(path).replace("&", "&&"))
            row.setToolTip(quoted(path, WIDEST_PLACE))
            row.triggered.connect(partial(self._window.opener.open_path, path))
        menu.addSeparator()
        self._drop = menu.addAction(self._say("source.drop_missing"))
        self._drop.triggered.connect(recent.drop_missing)
        menu.addAction(self._say("source.clear")).triggered.connect(recent.clear)
        self._grey()
        self.menu.addMenu(menu)

    def _grey(self) -> None:
        """Show those that are missing as such; the menu may be open."""
        if not self._rows:
            return
        missing = self._window.opener.recent.missing
        for path, row in self._rows.items():
            row.setEnabled(path not in missing)
            gone = say(self._window.look.language, "source.missing", file=recent_words(path))
            row.setText((gone if path in missing else recent_words(path)).replace("&", "&&"))
        self._drop.setEnabled(bool(missing & self._rows.keys()))

    def _say(self, what: object) -> str:
        return say(self._window.look.language, what).replace("&", "&&")  # type: ignore[arg-type]


def recent_words(path: str) -> str:
    """Name of a file and the folder it lies in, as a menu has room for them."""
    place = PurePath(path)
    return quoted(f"{place.name or path} — {place.parent}", MOST_LETTERS)
