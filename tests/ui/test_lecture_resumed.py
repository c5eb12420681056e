"""A lecture goes on where the program was closed: after a power cut, or in the next week's class."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ffn_explorer.app.start import open_window
from ffn_explorer.app.window import Window
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import AppState, Theta
from ffn_explorer.state.lectures.changes import answer, set_depth, to_scene
from ffn_explorer.state.lectures.model import Lecture
from ffn_explorer.state.lectures.store import LECTURES
from ffn_explorer.state.storage import preferences_path
from ffn_explorer.state.text import say
from tests.unit.test_lectures import SMALL as WRITTEN

PATIENCE_MS = 20_000

Launch = Callable[..., AbstractContextManager[Window]]


@pytest.fixture
def launch(qtbot: QtBot, style_given_back: None) -> Launch:
    @contextmanager
    def launched(state: AppState | None = None) -> Iterator[Window]:
        """The program as its command opens it."""
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        window = open_window(application, state, frozenset(), None)
        qtbot.addWidget(window)
        # Work begins with the first picture: a window closed before it would begin it then.
        qtbot.waitSignal(window.painted, timeout=PATIENCE_MS).wait()
        yield window
        window.close()
        assert window.director.close()

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


def kept() -> dict[str, Any]:
    """The place that the preferences hold."""
    found: dict[str, Any] = json.loads(preferences_path().read_text("utf-8"))["layout"]["lecture"]
    return found


def told(window: Window) -> str:
    window.director.show_now()
    assert window.scene is not None
    return "" if window.scene.message is None else say("en", window.scene.message)


def left_at(launch: Launch, scene: str, path: str = "") -> None:
    """Close the program at a scene of a lecture."""
    lecture = LECTURES.open(path)
    number = lecture.find(scene)
    assert number is not None
    with launch() as window:
        window.director.request(to_scene(lecture, number))
    assert kept()["scene"] == scene


def written(tmp_path: Path) -> Path:
    path = tmp_path / "talk.toml"
    path.write_text(WRITTEN, "utf-8")
    return path


def test_what_the_command_line_describes_comes_first_and_f5_goes_on(qtbot: QtBot, launch: Launch) -> None:
    left_at(launch, "gate")
    with launch(AppState()) as window:
        qtbot.wait(300)
        assert not in_lecture(window)
    assert kept()["scene"] == "gate"
    with launch(AppState()) as window:
        window.lecture.start()
        qtbot.waitUntil(partial(in_lecture, window), timeout=PATIENCE_MS)
        assert window.lecture.shown is not None
        assert window.lecture.shown.scene.name == "gate"


def test_a_launch_that_ends_before_it_keeps_the_place(qtbot: QtBot, launch: Launch) -> None:
    left_at(launch, "gate")
    with launch() as window:
        assert not in_lecture(window)
    assert kept()["scene"] == "gate"


def test_a_person_who_was_faster_is_not_disturbed(
    qtbot: QtBot, launch: Launch, monkeypatch: pytest.MonkeyPatch
) -> None:
    left_at(launch, "gate")
    read, really = threading.Event(), LECTURES.open

    def slow(path: str) -> Lecture:
        assert read.wait(PATIENCE_MS / 1_000)
        return really(path)

    monkeypatch.setattr(LECTURES, "open", slow)
    with launch() as window:
        # Whether the answer comes while the first change is drawn or after it, it comes too late.
        window.director.request(changes.set_theta(0.5))
        read.set()
        qtbot.waitUntil(lambda: "F5" in told(window), timeout=PATIENCE_MS)
        assert not in_lecture(window)
        window.lecture.start()
        qtbot.waitUntil(partial(in_lecture, window), timeout=PATIENCE_MS)
        assert window.lecture.shown is not None
        assert window.lecture.shown.scene.name == "gate"
        assert window.director.state.theta == Theta(0.5)
        # What is ended is over: F5 then begins from the first scene.
        window.lecture.leave()
        window.lecture.start()
        assert window.lecture.shown.beat.scene == 0


def test_after_other_work_the_lecture_waits_for_f5(qtbot: QtBot, launch: Launch) -> None:
    left_at(launch, "gate")
    with launch(AppState()) as window:
        window.director.request(changes.set_theta(0.5))
    with launch() as window:
        qtbot.wait(300)
        assert not in_lecture(window)
        assert window.director.state.theta == Theta(0.5)
        window.lecture.start()
        qtbot.waitUntil(partial(in_lecture, window), timeout=PATIENCE_MS)
        window.lecture.leave()
    with launch() as window:
        window.lecture.start()
        assert window.lecture.shown is not None
        assert window.lecture.shown.beat.scene == 0


def test_a_lecture_of_an_author_goes_on(qtbot: QtBot, launch: Launch, tmp_path: Path) -> None:
    path = written(tmp_path)
    left_at(launch, "memory", str(path))
    with launch() as window:
        qtbot.waitUntil(partial(in_lecture, window), timeout=PATIENCE_MS)
        assert window.lecture.shown is not None
        assert window.lecture.shown.scene.name == "memory"


def test_a_lecture_that_is_gone_is_told_once_and_tried_again(
    qtbot: QtBot, launch: Launch, tmp_path: Path
) -> None:
    path = written(tmp_path)
    left_at(launch, "memory", str(path))
    path.unlink()
    with launch() as window:
        qtbot.waitUntil(lambda: str(path) in told(window), timeout=PATIENCE_MS)
        assert not in_lecture(window)
        # Another lecture can be begun all the same.
        assert window.lecture.resuming is not None
        assert not window.lecture.resuming.waits
    assert kept()["scene"] == "memory"
    with launch() as window:
        qtbot.waitUntil(lambda: not window.lecture.job.under_way, timeout=PATIENCE_MS)
        assert told(window) == ""
    written(tmp_path)
    with launch() as window:
        qtbot.waitUntil(partial(in_lecture, window), timeout=PATIENCE_MS)
    assert "missed" not in kept()


def test_a_scene_that_is_gone_leads_to_the_beginning(qtbot: QtBot, launch: Launch, tmp_path: Path) -> None:
    path = written(tmp_path)
    left_at(launch, "memory", str(path))
    path.write_text(WRITTEN.replace('name = "memory"', 'name = "other"'), "utf-8")
    with launch() as window:
        qtbot.waitUntil(partial(in_lecture, window), timeout=PATIENCE_MS)
        assert window.lecture.shown is not None
        assert window.lecture.shown.beat.scene == 0
        assert "scene 1" in told(window)
