"""Code panel: the running line is lit and in sight, a click leads to its stage, the copy runs."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from ffn_explorer.core.stages import Stage
from ffn_explorer.panels.code import CodePanel
from ffn_explorer.state.app_state import Playback, Selection
from ffn_explorer.state.timeline import time_of
from ffn_explorer.widgets.code_view import CodeView, row_height
from tests.ui.live import Live, mouse, pixels, scene_of, settle, state_of


def live(qtbot: QtBot, **parts: object) -> tuple[Live, CodeView]:
    made = Live(qtbot, CodePanel(), state_of(**parts))
    assert isinstance(made.panel, CodePanel)
    return made, made.panel.code


def place_of(code: CodeView, stage: Stage) -> QPointF:
    """Return the middle of the first line of a stage in sight."""
    look = code.look
    rows = range(int(code.height() // row_height(look)))
    middles = (QPointF(60.0, (row + 0.5) * row_height(look)) for row in rows)
    return next(at for at in middles if code.stage_at(at) == stage)


def test_a_click_goes_to_the_stage(qtbot: QtBot) -> None:
    made, code = live(qtbot, selection=Selection(token=2, neuron=7, stage=Stage.ACT))
    mouse(code.viewport(), QEvent.Type.MouseButtonPress, place_of(code, Stage.UP))
    assert made.state.selection.stage == Stage.UP
    run = made.panel.scene.run  # type: ignore[union-attr]
    assert run is not None
    assert made.state.playback.time == time_of(Stage.UP, run.stages)


def test_pointing_tells_the_stage_and_leaving_takes_it_back(qtbot: QtBot) -> None:
    made, code = live(qtbot)
    code.moved.emit(place_of(code, Stage.OUT))
    assert made.state.point is not None
    assert made.state.point.stage == Stage.OUT
    code.moved.emit(None)
    assert made.state.point is None


def test_keys_walk_through_the_stages(qtbot: QtBot) -> None:
    made, code = live(qtbot, playback=Playback(0.0))
    times = []
    for _ in range(4):
        qtbot.keyClick(code, Qt.Key.Key_Down)
        times.append(made.state.playback.time)
    assert times == sorted(times)
    assert times[-1] > 0.5


def test_the_running_line_is_in_sight_in_a_low_card(qtbot: QtBot) -> None:
    made, code = live(qtbot)
    made.panel.resize(420, 150)
    for stage in (Stage.UP, Stage.ACT, Stage.OUT, Stage.RESIDUAL):
        run = made.panel.scene.run  # type: ignore[union-attr]
        assert run is not None
        made.state = replace(made.state, playback=Playback(time_of(stage, run.stages)))
        made.panel.offer(scene_of(made.state))
        settle()
        assert code.stage_at(place_of(code, stage)) == stage


def test_the_other_library_looks_different_and_is_what_is_copied(qtbot: QtBot) -> None:
    made, _ = live(qtbot)
    panel = made.panel
    assert isinstance(panel, CodePanel)
    before = pixels(panel)
    panel.copy.click()
    assert QGuiApplication.clipboard().text().startswith("import torch\n")
    panel.tabs.buttons[1].click()
    assert (pixels(panel) != before).any()
    panel.copy.click()
    copied = QGuiApplication.clipboard().text()
    assert copied.startswith("import numpy as np\n")
    compile(copied, "copied", "exec")


def test_the_chosen_number_is_told_once_the_pass_has_reached_it(qtbot: QtBot) -> None:
    chosen = Selection(token=2, neuron=7, stage=Stage.ACT)
    made, _ = live(qtbot, selection=chosen)
    panel = made.panel
    assert isinstance(panel, CodePanel)
    assert panel.value.text.startswith("act[0, 2, 7] = ")
    early, _ = live(qtbot, selection=chosen, playback=Playback(0.2))
    assert isinstance(early.panel, CodePanel)
    assert early.panel.value.text == ""
