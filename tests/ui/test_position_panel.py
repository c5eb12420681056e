"""The position panel: independence seen, broken by its switches, and tokens found by pointer and keyboard."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from pytestqt.qtbot import QtBot

from ffn_explorer.panels.position import PositionPanel, fits
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import Appearance, AppState, Playback, Point, View
from ffn_explorer.state.compute import tokens_of
from ffn_explorer.state.handmade_changes import use_memory
from ffn_explorer.widgets.flow_columns import Box
from ffn_explorer.widgets.lab_axis import LogAxis, decades
from tests.ui.live import SMALL, Live, mouse, picture, pixels, scene_of, settle, state_of


def opened(qtbot: QtBot, state: AppState, *, width: int = 700) -> tuple[Live, PositionPanel]:
    panel = PositionPanel()
    live = Live(qtbot, panel, state, width=width)
    panel.resize(width, 400)
    settle()
    return live, panel


def said(panel: PositionPanel) -> str:
    return " ".join(panel.view._lines)


def test_a_dense_ffn_is_independent_and_says_so(qtbot: QtBot) -> None:
    _, panel = opened(qtbot, state_of())
    assert "Each row comes out the same alone" in said(panel)
    assert "Equivariance, not invariance" in said(panel)
    rows = panel.table()
    assert rows is not None
    assert [row[0] for row in rows[1:9]] == ["The", "keys", "on", "the", "table", "are", "lost", "."]
    assert all(float(row[1]) <= float(row[3]) for row in rows[1:])
    assert [row[0] for row in rows[9:]] == ["float64", "float32", "bfloat16", "float16"]


def test_the_mixer_breaks_it_and_the_reason_is_said(qtbot: QtBot) -> None:
    live, panel = opened(qtbot, state_of())
    panel.mixer.click()
    assert live.state.settings.mixer
    assert panel.mixer.isChecked()
    assert "Not independent: 8 of 8 rows" in said(panel)
    assert "attention mixer reads the other positions" in said(panel)
    rows = panel.table()
    assert rows is not None
    assert all(float(row[1]) > float(row[3]) for row in rows[1:])
    panel.mixer.click()
    assert "Each row comes out the same alone" in said(panel)


def test_a_causal_mixer_ends_equivariance_too(qtbot: QtBot) -> None:
    _, panel = opened(qtbot, state_of(settings=SMALL.with_(mixer=True, stack="decoder")))
    assert "equivariance ends too" in said(panel)
    assert "not invariance" not in said(panel)


def test_full_experts_break_it_and_come_back(qtbot: QtBot) -> None:
    live, panel = opened(qtbot, state_of())
    panel.limited.click()
    now = live.state.settings
    assert (now.experts, now.top_k, now.capacity_factor) == (4, 1, 1.0)
    assert panel.limited.isChecked()
    assert "Not independent" in said(panel)
    assert "limited number of tokens" in said(panel)
    panel.limited.click()
    assert live.state.settings == SMALL


def test_shuffle_and_natural_order(qtbot: QtBot) -> None:
    live, panel = opened(qtbot, state_of())
    before = tokens_of(live.state.source)
    assert not panel.natural.isEnabled()
    panel.shuffle.click()
    shuffled = tokens_of(live.state.source)
    assert shuffled != before
    assert sorted(shuffled[0]) == sorted(before[0])
    rows = panel.table()
    assert rows is not None
    assert tuple(row[0] for row in rows[1:9]) == shuffled[0]
    assert panel.natural.isEnabled()
    panel.natural.click()
    assert tokens_of(live.state.source) == before
    assert live.asked == ["undo.reorder", "undo.reorder"]


def test_a_memory_built_by_hand_is_independent_too(qtbot: QtBot) -> None:
    live, panel = opened(qtbot, use_memory("facts").to(AppState()))
    assert not panel.mixer.isEnabled()
    assert not panel.limited.isEnabled()
    assert "Each row comes out the same alone" in said(panel)
    before = tokens_of(live.state.source)
    panel.shuffle.click()
    assert tokens_of(live.state.source) != before
    assert "Each row comes out the same alone" in said(panel)


def test_one_token_cannot_be_shuffled(qtbot: QtBot) -> None:
    _, panel = opened(qtbot, state_of("Lost"))
    assert not panel.shuffle.isEnabled()


def test_rows_are_pointed_at_and_chosen(qtbot: QtBot) -> None:
    live, panel = opened(qtbot, state_of())
    plan = panel.view._plan
    assert plan is not None
    pointed = []
    for at in (QPointF(100, plan.y(2)), None):
        panel.view._report(at)
        pointed.append(live.state.point)
    assert pointed == [Point(token=2), None]
    mouse(panel.view.viewport(), QEvent.Type.MouseButtonPress, QPointF(100, plan.y(1)))
    assert live.state.selection.token == 1
    qtbot.keyClick(panel.view, Qt.Key.Key_Down)
    assert live.state.selection.token == 2
    qtbot.keyClick(panel.view, Qt.Key.Key_Up)
    qtbot.keyClick(panel.view, Qt.Key.Key_Up)
    qtbot.keyClick(panel.view, Qt.Key.Key_Up)
    assert live.state.selection.token == 0


def test_tabs_show_formats_and_limits(qtbot: QtBot) -> None:
    live, panel = opened(qtbot, state_of())
    first = pixels(panel)
    panel.tabs.buttons[1].click()
    second = pixels(panel)
    panel.tabs.buttons[2].click()
    assert live.state.view("position").mode == "limits"
    assert (panel.page.isVisible(), panel.view.isVisible()) == (True, False)
    third = pixels(panel)
    assert len({shot.tobytes() for shot in (first, second, third)}) == 3
    page = " ".join(block.text for block in panel.page._page.top)
    assert "convolution" in page
    assert "token shift" in page
    assert "separate thing" in page


def test_nothing_is_claimed_before_the_pass_is_over(qtbot: QtBot) -> None:
    _, panel = opened(qtbot, state_of(playback=Playback(0.4)))
    assert said(panel) == "The rows are compared once the pass has reached its last stage."


def test_numbers_of_an_earlier_pass_are_not_judged(qtbot: QtBot) -> None:
    panel = PositionPanel()
    qtbot.addWidget(panel)
    scene = scene_of(state_of())
    panel.offer(replace(scene, lagging=frozenset({"lab"})))
    picture(panel, width=700, height=400)
    assert said(panel) == "Running every position alone…"
    panel.offer(scene)
    settle()
    assert "Each row comes out the same alone" in said(panel)


def test_a_lab_of_other_rows_is_not_drawn(qtbot: QtBot) -> None:
    one, other = scene_of(state_of()), scene_of(state_of("a b"))
    assert one.lab is not None
    assert other.run is not None
    assert not fits(one.lab, other.run)
    panel = PositionPanel()
    qtbot.addWidget(panel)
    panel.offer(replace(other, lab=one.lab))
    assert panel.table() is None
    assert panel.view.sentence


def test_long_sentences_say_what_was_left_out(qtbot: QtBot) -> None:
    live, panel = opened(qtbot, state_of("a b c d e f g h i j " * 7))
    plan = panel.view._plan
    assert plan is not None
    assert plan.shown < 70
    assert "6 of this sentence were not" in said(panel)
    for token in (0, 35, 69):
        live.change(changes.choose(token=token))
        plan = panel.view._plan
        assert plan is not None
        assert plan.first <= token < plan.first + plan.shown <= 70


def test_the_axis_keeps_order_and_zero_apart() -> None:
    values = (3e-7, 4e-6, 1.0)
    low, high = decades(values)
    axis = LogAxis(low, high, Box(50, 0, 300, 100), 40)
    places = [axis.x(value) for value in (0.0, *values, np.inf)]
    assert places == sorted(places)
    assert places[0] == 40
    assert places[1] > 50
    assert places[-1] == 350
    assert axis.x(10.0**low) == pytest.approx(50)
    assert decades((0.0, 0.0)) == (-16, 0)
    least = axis.ticks(80)
    assert all(b - a >= 2 for a, b in pairwise(least))


@pytest.mark.parametrize("mode", ["", "formats", "limits"])
@pytest.mark.parametrize("look", [Appearance(), Appearance("projector", "ja", scale=2.0)])
def test_small_and_empty_cards(qtbot: QtBot, mode: str, look: Appearance) -> None:
    panel = PositionPanel()
    qtbot.addWidget(panel)
    scene = scene_of(state_of(appearance=look, views=(("position", View(mode=mode)),)))
    panel.offer(replace(scene, run=None, lab=None))
    picture(panel, width=420, height=260)
    panel.offer(scene)
    for size in ((420, 260), (200, 90), (40, 20)):
        picture(panel, width=size[0], height=size[1])
