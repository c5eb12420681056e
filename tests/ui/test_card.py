"""Stage card: it follows the pass, the pointer and the pin, and its example is the pass's own."""

from __future__ import annotations

from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from ffn_explorer.core.settings import ORIGINAL_2017
from ffn_explorer.core.stages import Stage
from ffn_explorer.panels.card import CardPanel, stage_shown
from ffn_explorer.state import changes, timeline
from ffn_explorer.state.app_state import Playback
from ffn_explorer.state.result import RunResult
from tests.ui.live import SMALL, Live, pixels, state_of


def live(qtbot: QtBot, **parts: Any) -> tuple[Live, CardPanel]:
    made = Live(qtbot, CardPanel(), state_of(**parts))
    assert isinstance(made.panel, CardPanel)
    return made, made.panel


def run_of(panel: CardPanel) -> RunResult:
    assert panel.scene is not None
    assert panel.scene.run is not None
    return panel.scene.run


def test_it_follows_the_pass_and_the_pointer_and_its_tabs_lead_on(qtbot: QtBot) -> None:
    made, panel = live(qtbot, playback=Playback(1.0))
    assert panel.scene is not None
    assert stage_shown(panel.scene) == Stage.RESIDUAL
    made.change(changes.point(stage=Stage.UP))
    assert stage_shown(panel.scene) == Stage.UP
    made.change(changes.hover(None))
    panel.tabs.chosen.emit(Stage.OUT)
    assert stage_shown(panel.scene) == Stage.OUT
    assert made.state.playback.time == timeline.time_of(Stage.OUT, run_of(panel).stages)


@pytest.mark.parametrize(
    "settings",
    [
        SMALL,
        SMALL.with_(activation="swiglu", norm="rms", norm_placement="sandwich"),
        ORIGINAL_2017.with_(d_model=24, d_ff=64),
        SMALL.with_(norm="none", residual=False),
        SMALL.with_(experts=4, top_k=2),
    ],
)
def test_every_stage_has_a_card_with_its_neighbours(qtbot: QtBot, settings: Any) -> None:
    made, panel = live(qtbot, settings=settings)
    seen = set()
    for stage in run_of(panel).stages:
        made.change(changes.point(stage=stage))
        words = panel.page.accessibleDescription()
        assert words not in seen
        seen.add(words)
        assert panel.title.text


def test_the_example_is_copied_whole_and_only_once_it_is_reached(qtbot: QtBot) -> None:
    made, panel = live(qtbot)
    table = panel.table()
    assert table is not None
    row = run_of(panel).values[Stage.RESIDUAL][0, 5]
    assert [float(value) for _, value in table[1:]] == row.tolist()
    late = panel.page.accessibleDescription()
    run = run_of(panel)
    made.change(changes.seek(timeline.time_of(Stage.OUT, run.stages) + 0.01))
    assert panel.page.accessibleDescription() != late


def test_another_token_changes_the_example(qtbot: QtBot) -> None:
    made, panel = live(qtbot)
    before = pixels(panel)
    made.change(changes.select_token(1))
    assert (pixels(panel) != before).any()
