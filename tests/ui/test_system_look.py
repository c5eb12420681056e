"""Theme and language follow the system, each until a person chooses another, and again when asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ffn_explorer.app import system_look
from ffn_explorer.app.director import Director
from ffn_explorer.app.memory import Memory
from ffn_explorer.app.window import Window
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import AppState
from ffn_explorer.state.results import Results
from ffn_explorer.state.session import Session
from tests.ui.house import press

System = Callable[[Literal["light", "dark"], Literal["en", "ja"]], None]


@pytest.fixture
def system(monkeypatch: pytest.MonkeyPatch) -> System:
    """Sets what the desktop says; whoever listens is told as Qt tells."""

    def says(theme: Literal["light", "dark"], language: Literal["en", "ja"]) -> None:
        monkeypatch.setattr(system_look, "system_theme", lambda _: theme)
        monkeypatch.setattr(system_look, "system_language", lambda: language)
        QApplication.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Unknown)

    return says


def opened(qtbot: QtBot, given: frozenset[str] = frozenset()) -> tuple[Window, Memory]:
    """A window as `start` makes it, without computing."""
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    memory = Memory(application)
    state = memory.first_state(AppState() if given else None, given)
    window = Window(Director(Session(state), Results()))
    qtbot.addWidget(window)
    memory.watch(window)
    window.director.start()
    return window, memory


def closed(window: Window, memory: Memory) -> None:
    window.close()
    assert window.director.close()
    memory.deleteLater()


def look(window: Window) -> tuple[str, str]:
    return window.director.state.appearance.theme, window.director.state.appearance.language


def test_a_first_launch_follows_and_goes_on_following(qtbot: QtBot, system: System) -> None:
    system("dark", "ja")
    window, memory = opened(qtbot)
    assert look(window) == ("dark", "ja")
    system("light", "ja")
    assert look(window) == ("light", "ja")
    system("dark", "en")
    QCoreApplication.sendEvent(window, QEvent(QEvent.Type.LocaleChange))
    assert look(window) == ("dark", "en")
    closed(window, memory)

    system("light", "ja")
    window, memory = opened(qtbot)
    assert look(window) == ("light", "ja")
    closed(window, memory)


def test_what_a_person_chooses_stays_until_the_menu_gives_it_back(qtbot: QtBot, system: System) -> None:
    system("light", "en")
    window, memory = opened(qtbot)
    window.director.request(changes.set_theme("dark"))
    system("light", "ja")
    assert look(window) == ("dark", "ja")
    closed(window, memory)

    window, memory = opened(qtbot)
    assert window.system_look.follows == {"language"}
    assert look(window) == ("dark", "ja")
    action = next(row for row in window.keymap.actions if row.name == "system_look")
    assert action.checked is not None
    assert not action.checked(window)
    action.run(window)
    assert look(window) == ("light", "ja")
    assert action.checked(window)
    system("dark", "en")
    assert look(window) == ("dark", "en")
    closed(window, memory)


def test_the_projector_is_for_the_room_and_chooses_nothing(qtbot: QtBot, system: System) -> None:
    system("light", "en")
    window, memory = opened(qtbot)
    press(window, Qt.Key.Key_P)
    system("dark", "en")
    assert look(window)[0] == "projector"
    press(window, Qt.Key.Key_P)
    assert look(window)[0] == "dark"
    assert window.system_look.follows == {"theme", "language"}
    closed(window, memory)


def test_the_command_line_chooses_too(qtbot: QtBot, system: System) -> None:
    system("dark", "ja")
    window, memory = opened(qtbot, frozenset({"theme"}))
    assert look(window) == ("light", "ja")
    assert window.system_look.follows == {"language"}
    closed(window, memory)
