"""SystemLook: theme and language follow the system, each until a person chooses another."""

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QLocale, QObject, Signal
from PySide6.QtWidgets import QApplication

from ffn_explorer.app.style import system_theme
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import Appearance, AppState, Language

if TYPE_CHECKING:
    from ffn_explorer.app.window import Window

BOTH = frozenset({"theme", "language"})


def system_language() -> Language:
    """Japanese where the system speaks it, else English."""
    return "ja" if QLocale.system().language() == QLocale.Language.Japanese else "en"


def as_system(look: Appearance, follows: Iterable[str]) -> Appearance:
    """A look with what follows the system as the system has it now; the projector theme stays."""
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    if "theme" in follows and look.theme != "projector":
        look = replace(look, theme=system_theme(application))
    return replace(look, language=system_language()) if "language" in follows else look


class SystemLook(QObject):
    """Follows nothing until it is told to."""

    changed = Signal()
    """Something else follows now."""

    def __init__(self, window: "Window") -> None:
        """Listen to the system and to what a person chooses."""
        super().__init__(window)
        self._window = window
        self._own = False
        self.follows: frozenset[str] = frozenset()
        """Of BOTH, what follows the system."""
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.styleHints().colorSchemeChanged.connect(self._again)
        window.installEventFilter(self)
        window.director.state_changed.connect(self._notice)

    def recall(self, names: Iterable[object]) -> None:
        """Take over what was remembered to follow."""
        self.follows = BOTH & {name for name in names if isinstance(name, str)}

    def follow(self) -> None:
        """From now on both follow the system again."""
        self.follows = BOTH
        self.changed.emit()
        self._again()

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """The system's language may change while the program runs."""
        if event.type() == QEvent.Type.LocaleChange:
            self._again()
        return False

    def _again(self) -> None:
        look = self._window.director.state.appearance
        wanted = as_system(look, self.follows)
        if "theme" in self.follows and look.theme == "projector":
            self._window.room_theme = as_system(replace(look, theme="light"), self.follows).theme
        self._own = True
        try:
            if wanted.theme != look.theme:
                self._window.director.request(changes.set_theme(wanted.theme))
            if wanted.language != look.language:
                self._window.director.request(changes.set_language(wanted.language))
        finally:
            self._own = False

    def _notice(self, old: AppState, new: AppState) -> None:
        """Whoever chooses a theme or a language keeps it; the projector's is but for the room."""
        before, now = old.appearance, new.appearance
        if self._own or before == now:
            return
        themes = {before.theme, now.theme}
        chosen = {"theme"} if len(themes) == 2 and "projector" not in themes else set()
        chosen |= {"language"} if before.language != now.language else set()
        if chosen & self.follows:
            self.follows -= chosen
            self.changed.emit()
