"""The menu of a card: another panel in its place, more room, its numbers, its picture, what it is."""

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPoint
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from ffn_explorer.app import acts
from ffn_explorer.app.key_names import native
from ffn_explorer.panels.table import PANELS
from ffn_explorer.state.layouts import PANEL_GROUPS
from ffn_explorer.state.text import Text, say, text
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.panel import Panel

if TYPE_CHECKING:
    from ffn_explorer.app.window import Window


class PanelMenu(QMenu):
    """One menu for all cards, filled for the one it is opened for."""

    def __init__(self, window: "Window") -> None:
        """Build it empty."""
        super().__init__(window)
        self._window = window
        self.others = QMenu(self)
        """Panels that can stand in the place of the one it is opened for."""

    def open_for(self, panel: Panel, at: QPoint) -> None:
        """Open it for a card at a place on the screen."""
        self.fill(panel)
        self.popup(at)

    def fill(self, panel: Panel) -> None:
        """Put in all that can be done with a card."""
        window = self._window
        self.clear()
        self.setFont(font(window.look))
        self._add_others(panel)
        alone = window.board.alone is not None
        room = self._add(self, "share" if alone else "fill", keys="X")
        room.triggered.connect(lambda: window.arrangement.fill_or_share(panel.name))
        self.addSeparator()
        numbers = self._add(self, "numbers", keys=native("Ctrl+Shift+N"))
        numbers.setEnabled(panel.table() is not None)
        numbers.triggered.connect(lambda: window.director.attempt(lambda: acts.copy_numbers(window, panel)))
        picture = self._add(self, "picture", keys=native("Ctrl+Shift+I"))
        picture.triggered.connect(lambda: acts.copy_picture(window, panel))
        export = self._add(self, "export", keys=native("Ctrl+Shift+E"))
        export.triggered.connect(lambda: acts.export_card(window, panel))
        self.addSeparator()
        about = self._add(self, "about")
        about.triggered.connect(lambda: window.director.tell(text(f"panel.{panel.name}.about")))

    def _add_others(self, panel: Panel) -> None:
        """Every panel that can stand here, group by group; the digit of those that are on the board."""
        window, language = self._window, self._window.look.language
        others = self.others
        others.clear()
        others.setTitle(say(language, "menu.instead"))
        others.setFont(self.font())
        self.addMenu(others)
        digits = {name: str(place) for place, name in enumerate(window.board.panels, 1) if place < 10}
        for group in PANEL_GROUPS.values():
            others.addSeparator()
            for name in (name for name in group if name in PANELS):
                row = others.addAction(f"{say(language, f'panel_name.{name}')}\t{digits.get(name, '')}")
                row.setCheckable(True)
                row.setChecked(name == panel.name)
                row.triggered.connect(
                    lambda _=False, name=name: window.arrangement.stand_instead(panel.name, name)
                )

    def _add(self, menu: QMenu, key: str, *, keys: str = "") -> QAction:
        return menu.addAction(f"{self._say(f'menu.{key}')}\t{keys}")

    def _say(self, what: Text | str, /, **values: Any) -> str:  # noqa: ANN401 - numbers and strings alike
        return say(self._window.look.language, what, **values)
