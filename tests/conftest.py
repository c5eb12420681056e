"""What every test gets: no screen, own settings, a pinned style, a check that nothing is left behind."""

from __future__ import annotations

import gc
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import pytest

from ffn_explorer.cli.messages import choose_language

# No deadline: the first call of torch, or a busy machine, would miss it. CI always draws the same examples.
hypothesis.settings.register_profile("ffn", deadline=None, derandomize=bool(os.environ.get("CI")))
hypothesis.settings.load_profile("ffn")

# Before anything imports Qt: the tests need no screen, unless a person asks for another platform.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# A scale factor of the desktop would change every picture.
os.environ.pop("QT_SCALE_FACTOR", None)

if TYPE_CHECKING:
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QApplication, QWidget
    from pytestqt.qtbot import QtBot

THREAD_PATIENCE = 2.0  # seconds a pool may take to end its threads
NEW_MODULES = 20  # imported since the last time, until it is worth setting their objects aside
FOREIGN_THREADS = ("tqdm", "TMonitor", "pytest_timeout", "QueueFeederThread", "QueueManagerThread")


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each test its own folder for preferences and sessions, so that none reads another's."""
    monkeypatch.setenv("FFN_EXPLORER_HOME", str(tmp_path / "home"))
    # An earlier test may have chosen Japanese; the locale of the machine must not matter either.
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    choose_language(())


@pytest.fixture(scope="session")
def qapp(qapp: QApplication) -> QApplication:
    """Return the application in Fusion, which looks alike on every machine."""
    qapp.setStyle("Fusion")
    return qapp


@pytest.fixture
def qtbot(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> QtBot:
    """Return a bot that holds its widgets until it has closed them.

    Its own references are weak. Once the test function has returned, a widget in a cycle could be collected
    while it paints itself, which ends the process.
    """
    held: list[QWidget] = []
    add = qtbot.addWidget

    def hold(widget: QWidget, *, before_close_func: Callable[[QWidget], None] | None = None) -> None:
        held.append(widget)
        add(widget, before_close_func=before_close_func)

    monkeypatch.setattr(qtbot, "addWidget", hold)
    return qtbot


def uses_qt(request: pytest.FixtureRequest) -> bool:
    """Say whether a test asked for the application, directly or through another fixture."""
    return "qapp" in request.fixturenames or "qtbot" in request.fixturenames


def python_threads() -> set[threading.Thread]:
    """Return the running threads that Python code started; Qt's own appear as dummies and stay."""
    dummy = threading._DummyThread  # the class has no public name
    return {
        thread
        for thread in threading.enumerate()
        if not isinstance(thread, dummy) and not thread.name.startswith(FOREIGN_THREADS)
    }


def top_widgets() -> set[QWidget]:
    """Return the top-level widgets that belong to nobody, after Qt deleted what was marked for it."""
    from PySide6.QtCore import QCoreApplication, QEvent
    from PySide6.QtWidgets import QApplication

    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    return {widget for widget in QApplication.topLevelWidgets() if widget.parent() is None}


def set_imports_aside() -> None:
    """Leave what imports have brought out of every later search: it lives as long as the process.

    Looking through the 200,000 objects of torch for timers took 0.09 s, twice for each test of the window.
    """
    if len(sys.modules) > _aside.modules + NEW_MODULES:
        _aside.modules = len(sys.modules)
        gc.collect()
        gc.freeze()


@dataclass
class Aside:
    """How many modules there were when objects were last set aside."""

    modules: int = 0


_aside = Aside()


def running_timers() -> set[QTimer]:
    """Return the timers that still tick, wherever they are, made since imports were last set aside."""
    from PySide6.QtCore import QTimer
    from shiboken6 import isValid

    # By type and not isinstance, which would ask lazy proxies for their class and wake them.
    timers = [thing for thing in gc.get_objects() if issubclass(type(thing), QTimer)]
    return {timer for timer in timers if isValid(timer) and timer.isActive()}


def left_behind(before: set[threading.Thread]) -> list[str]:
    """Name the threads a test started and did not end, after a short wait."""
    deadline = time.monotonic() + THREAD_PATIENCE
    while (left := python_threads() - before) and time.monotonic() < deadline:
        time.sleep(0.01)
    return [f"thread {thread.name}" for thread in left]


@pytest.fixture(autouse=True)
def nothing_left_behind(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test that leaves a top-level widget, a running timer or a thread behind."""
    threads = python_threads()
    qt = uses_qt(request)
    if qt:
        request.getfixturevalue("qapp")
        set_imports_aside()
    widgets = top_widgets() if qt else set()
    timers = running_timers() if qt else set()
    yield
    left = left_behind(threads)
    if "PySide6.QtWidgets" in sys.modules and qt:
        new = top_widgets() - widgets
        if new:  # a cycle may still hold what nobody uses; collecting costs 50 ms, so only then
            new.clear()
            gc.collect()
            new = top_widgets() - widgets
        left += [f"top-level widget {type(widget).__name__} {widget.objectName()!r}" for widget in new]
        left += [f"running timer of {timer.parent()!r}" for timer in running_timers() - timers]
    if left:
        pytest.fail("the test left behind: " + "; ".join(left), pytrace=False)
