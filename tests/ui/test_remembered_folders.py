"""A remembered folder, or a folder for the preferences, that cannot be: the window opens all the same."""

import json

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ffn_explorer.app.director import Director
from ffn_explorer.app.memory import Memory
from ffn_explorer.app.window import Window
from ffn_explorer.state import storage
from ffn_explorer.state.results import Results
from ffn_explorer.state.session import Session
from ffn_explorer.state.text import say


def opened(qtbot: QtBot) -> tuple[Window, Memory]:
    """A window with its memory, as `start` makes it."""
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    memory = Memory(application)
    window = Window(Director(Session(memory.first_state(None, frozenset())), Results()))
    qtbot.addWidget(window)
    memory.watch(window)
    window.director.start()
    return window, memory


@pytest.mark.parametrize("folder", ["/" + "a" * 999, "/a\0b", "/\ud800", "/dev/null/x", "relative"])
def test_a_remembered_folder_that_cannot_be_is_left_out(qtbot: QtBot, folder: str) -> None:
    storage.folder().mkdir(parents=True)
    storage.preferences_path().write_text(json.dumps({"version": 1, "layout": {"folder": folder}}))
    window, memory = opened(qtbot)
    assert window.folder.is_dir()
    window.close()
    assert window.director.close()
    memory.deleteLater()


@pytest.mark.parametrize("place", ["/" + "a" * 999, "~nosuchuser/x", "/dev/null/x"])
def test_a_folder_for_preferences_that_cannot_be_is_said(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    monkeypatch.setenv(storage.HOME, place)
    window, memory = opened(qtbot)
    memory.save()
    assert window.director._message is not None
    assert "FFN_EXPLORER_HOME" in say("en", window.director._message)
    window.close()
    assert window.director.close()
    memory.deleteLater()
