"""A monkey at the window: nothing breaks, and in the end the screen shows the state."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QFileDialog
from pytestqt.qtbot import QtBot

from ffn_explorer.app.director import Director
from ffn_explorer.app.window import Window
from ffn_explorer.core.settings import Settings
from ffn_explorer.state.app_state import AppState
from ffn_explorer.state.needs import needs
from ffn_explorer.state.requests import run_of
from ffn_explorer.state.results import Failure, Results
from ffn_explorer.state.session import Session
from tests.soak.monkey import Monkey

pytestmark = pytest.mark.soak

SECONDS = float(os.environ.get("FFN_SOAK_SECONDS", "60"))
SEEDS = (1, 2, 3)
SMALL = AppState(settings=Settings(d_model=8, d_ff=32, layers=3, heads=2, kv_heads=2))


@pytest.fixture
def window(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Iterator[Window]:
    """A window, shown and computing, whose dialogs are cancelled at once: nobody is there to answer them."""
    monkeypatch.setattr(QDialog, "exec", lambda _: QDialog.DialogCode.Rejected)
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_, **__: ("", ""))
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, **__: ("", ""))
    made = Window(Director(Session(SMALL), Results()))
    qtbot.addWidget(made)
    made.painted.connect(made.director.loader.warm_up)
    made.resize(1_280, 720)
    made.director.start()
    with qtbot.waitExposed(made):
        made.show()
    yield made
    assert made.director.close()


@pytest.mark.timeout(int(SECONDS) + 120)
@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_breaks(window: Window, qtbot: QtBot, caplog: pytest.LogCaptureFixture, seed: int) -> None:
    monkey = Monkey(window, seed)
    director = window.director
    end = time.monotonic() + SECONDS
    try:
        while time.monotonic() < end:
            monkey.act()
            qtbot.wait(5 if monkey.count % 10 else 80)
            assert director.details == ""
            assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []
            assert window.isVisible()
        qtbot.waitUntil(lambda: not needs(director.state, director.results), timeout=60_000)
    except BaseException as error:
        error.add_note(f"seed {seed}, the last steps:\n" + "\n".join(monkey.steps))
        raise
    QTest.mouseMove(window, QPoint(0, 0))
    qtbot.wait(200)
    check_shown(window)
    assert monkey.count > 10


def check_shown(window: Window) -> None:
    """Hold what is on screen against the state."""
    state, scene = window.director.state, window.scene
    assert scene is not None
    assert (scene.look, scene.source, scene.settings) == (state.appearance, state.source, state.settings)
    if not isinstance(window.director.results.get(run_of(state)), Failure):
        assert scene.run is not None
        assert scene.run.request == run_of(state)
        assert not scene.stale
    assert scene.busy is None
    shown = [panel for panel in window.board.panels.values() if panel.isVisible()]
    assert shown
    assert all(panel.scene is scene for panel in shown)
