"""A lecture goes on where the program was closed: after a power cut, or in the next week's class."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ffn_explorer.app.start import open_window
from ffn_explorer.app.window import Window
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import AppState, Theta
from ffn_explorer.state.lectures.changes import answer, set_depth, to_scene
from ffn_explorer.state.lectures.store import LECTURES
from ffn_explorer.state.storage import preferences_path
from ffn_explorer.state.text import say
from tests.unit.test_lectures import SMALL as WRITTEN

PATIENCE_MS = 20_000

Launch = Callable[..., AbstractContextManager[Window]]


@pytest.fixture
def launch(qtbot: QtBot) -> Launch:
    @contextmanager
    def launched(state: AppState | None = None) -> Iterator[Window]:
        """The program as its command opens it."""
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        palette, font = application.palette(), application.font()
        window = open_window(application, state, frozenset(), None)
        qtbot.addWidget(window)
        # Work begins with the first picture: a window closed before it would begin it then.
        qtbot.waitSignal(window.painted, timeout=PATIENCE_MS).wait()
        yield window
        window.close()
        assert window.director.close()
        application.setStyleSheet("")
        application.setPalette(palette)
        application.setFont(font)

    return launched


def in_lecture(window: Window) -> bool:
    return window.director.state.lesson is not None


def test_a_lecture_goes_on_where_it_was(qtbot: QtBot, launch: Launch) -> None:
    lecture = LECTURES.open("")
    number = lecture.find("gate")
    assert number is not None
    with launch() as window:
        window.director.request(to_scene(lecture, number))
        window.director.request(answer(lecture, 0))
        window.director.request(set_depth("shapes"))
        window.director.request(changes.set_theta(0.125))
        left = window.director.state
    with launch() as window:
        qtbot.waitUntil(partial(in_lecture, window), timeout=PATIENCE_MS)
        now = window.director.state
        assert now.lesson == left.lesson
        assert (now.settings, now.theta, now.source) == (left.settings, left.theta, left.source)
        assert not now.playback.playing
        assert set(window.board.panels) >= {"lesson", "gate"}
        window.director.show_now()
        assert window.scene is not None
        assert window.scene.lesson is not None
        assert window.scene.lesson.strayed
        assert window.scene.message is not None
        assert str(number + 1) in say("en", window.scene.message)
        # One undo leads out of it, and what was on screen stays.
        window.director.session.undo()
        assert not in_lecture(window)
        assert window.director.state.theta == Theta(0.125)
    with launch() as window:
        qtbot.wait(300)
        assert not in_lecture(window)


def test_what_the_command_line_describes_is_no_lecture(qtbot: QtBot, launch: Launch) -> None:
    with launch() as window:
        window.director.request(to_scene(LECTURES.open(""), 2))
    assert json.loads(preferences_path().read_text("utf-8"))["layout"]["lecture"]["scene"]
    with launch(AppState()) as window:
        qtbot.wait(300)
        assert not in_lecture(window)


@pytest.mark.parametrize("gone", [True, False])
def test_a_lecture_of_an_author(qtbot: QtBot, launch: Launch, tmp_path: Path, gone: bool) -> None:
    path = tmp_path / "talk.toml"
    path.write_text(WRITTEN, "utf-8")
    with launch() as window:
        window.opener.open_text(str(path))
        qtbot.waitUntil(partial(in_lecture, window), timeout=PATIENCE_MS)
        window.director.request(to_scene(LECTURES.open(str(path)), 1))
    if gone:
        path.unlink()
    with launch() as window:

        def told() -> bool:
            assert window.scene is not None
            return window.scene.message is not None

        qtbot.waitUntil(told, timeout=PATIENCE_MS)
        assert in_lecture(window) is not gone
        if not gone:
            assert window.lecture.shown is not None
            assert window.lecture.shown.scene.name == "memory"
