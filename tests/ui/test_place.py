"""The place panel: stages, the other stack, the mixer's switch, layers and lanes, by pointer and keyboard."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from pytestqt.qtbot import QtBot

from ffn_explorer.core.stages import Stage
from ffn_explorer.panels.place import PlacePanel, sublayers_of
from ffn_explorer.state import changes, timeline
from ffn_explorer.state.app_state import Appearance, AppState, Playback, Point, Selection, View
from ffn_explorer.state.handmade_changes import use_memory
from ffn_explorer.widgets.place_marks import LayerMark
from ffn_explorer.widgets.place_plan import Plan
from ffn_explorer.widgets.place_view import Row
from tests.ui.live import SMALL, Live, mouse, picture, pixels, scene_of, settle, state_of

DEEP = (("place", View(mode="depth")),)


def opened(qtbot: QtBot, state: AppState, *, width: int = 700) -> tuple[Live, PlacePanel]:
    panel = PlacePanel()
    return Live(qtbot, panel, state, width=width), panel


def plan_of(panel: PlacePanel) -> Plan:
    return panel.view._plans[0]


def row_of(panel: PlacePanel) -> Row:
    assert panel.view._picture is not None
    return panel.view._picture.rows[0]


def middle(panel: PlacePanel, stage: Stage) -> QPointF:
    box = next(cell.box for cell in plan_of(panel).cells if cell.stage is stage)
    return QPointF(*box.middle)


def click(panel: PlacePanel, at: QPointF) -> None:
    mouse(panel.view.viewport(), QEvent.Type.MouseButtonPress, at)
    settle()


@pytest.mark.parametrize("activation", ["relu", "swiglu"])
@pytest.mark.parametrize("placement", ["pre", "post", "sandwich"])
def test_every_stage_has_a_cell_of_its_own(qtbot: QtBot, activation: str, placement: str) -> None:
    settings = SMALL.with_(activation=activation, norm_placement=placement)
    live, panel = opened(qtbot, state_of(settings=settings))
    stages = live.panel.scene.run.stages if live.panel.scene and live.panel.scene.run else ()
    cells = plan_of(panel).cells
    assert tuple(cell.stage for cell in cells) == stages
    for stage in stages:
        assert panel.view.hit_at(middle(panel, stage)).stage is stage
    for at, one in enumerate(cells):
        assert not any(one.box.meets(other.box) for other in cells[at + 1 :])


def test_a_click_on_a_stage_chooses_it_and_goes_there(qtbot: QtBot) -> None:
    live, panel = opened(qtbot, state_of())
    for stage in (Stage.ACT, Stage.NORM, Stage.RESIDUAL):
        click(panel, middle(panel, stage))
        assert live.state.selection.stage is stage
        run = panel.scene.run if panel.scene else None
        assert run is not None
        assert live.state.playback.time == timeline.time_of(stage, run.stages)


def test_pointing_tells_the_stage_and_leaving_takes_it_back(qtbot: QtBot) -> None:
    live, panel = opened(qtbot, state_of())
    panel.view._report(middle(panel, Stage.UP))
    assert live.state.point == Point(stage=Stage.UP)
    panel.view._report(None)
    assert live.state.point is None


def test_the_norm_stands_at_its_true_place(qtbot: QtBot) -> None:
    for placement, before, after in (("pre", True, False), ("post", False, True), ("sandwich", True, True)):
        _, panel = opened(qtbot, state_of(settings=SMALL.with_(norm_placement=placement)))
        ffn = plan_of(panel).ffn
        assert (ffn.before is not None, ffn.after is not None) == (before, after)
        assert ffn.plus is not None
        if ffn.before is not None:
            assert ffn.fork < ffn.before.x < ffn.block.x
        if ffn.after is not None:
            on_stream = ffn.after.x > ffn.plus.right
            assert on_stream == (placement == "post")
    _, panel = opened(qtbot, state_of(settings=SMALL.with_(norm="none", residual=False)))
    ffn = plan_of(panel).ffn
    assert (ffn.before, ffn.after, ffn.plus) == (None, None, None)


def test_the_ffn_is_the_last_sublayer_and_only_the_decoder_has_cross_attention(qtbot: QtBot) -> None:
    _, panel = opened(qtbot, state_of())
    run = panel.scene.run if panel.scene else None
    assert run is not None
    assert [one.kind for one in sublayers_of(run, "encoder")] == ["self", "ffn"]
    assert [one.kind for one in sublayers_of(run, "decoder")] == ["self", "cross", "ffn"]


def test_the_mixer_keeps_its_own_norm(qtbot: QtBot) -> None:
    settings = SMALL.with_(norm_placement="post", residual=False, mixer=True)
    _, panel = opened(qtbot, state_of(settings=settings))
    run = panel.scene.run if panel.scene else None
    assert run is not None
    first, last = sublayers_of(run, "encoder")
    assert (first.norm.placement, first.residual) == ("pre", True)
    assert (last.norm.placement, last.residual) == ("post", False)
    assert sublayers_of(run, "decoder")[0].norm.placement == "post"


def test_buttons_change_stack_and_mixer(qtbot: QtBot) -> None:
    live, panel = opened(qtbot, state_of())
    panel.view.switch.click()
    assert live.state.settings.mixer
    assert panel.view.switch.isChecked()
    panel.view.other.click()
    assert live.state.settings.stack == "decoder"
    panel.view.switch.click()
    panel.view.other.click()
    assert live.state.settings == SMALL


def test_a_memory_built_by_hand_has_neither_mixer_nor_decoder(qtbot: QtBot) -> None:
    live, panel = opened(qtbot, use_memory("facts").to(AppState()))
    assert not panel.view.switch.isEnabled()
    assert not panel.view.other.isEnabled()
    assert "built by hand" in " ".join(panel.view._lines)
    qtbot.keyClick(panel.view, Qt.Key.Key_Down)
    assert (live.state.settings.stack, live.asked) == ("encoder", [])


def test_a_click_on_the_other_stack_goes_there(qtbot: QtBot) -> None:
    live, panel = opened(qtbot, state_of())
    panel.resize(700, 400)
    settle()
    block = panel.view._plans[1].ffn.block
    click(panel, QPointF(*block.middle))
    assert live.state.settings.stack == "decoder"


def test_arrows_go_from_stage_to_stage(qtbot: QtBot) -> None:
    live, panel = opened(qtbot, state_of(playback=Playback(0.0)))
    run = panel.scene.run if panel.scene else None
    assert run is not None
    for stage in run.stages[1:]:
        qtbot.keyClick(panel.view, Qt.Key.Key_Right)
        assert live.state.selection.stage is stage
    qtbot.keyClick(panel.view, Qt.Key.Key_Right)
    assert live.state.selection.stage is run.stages[-1]
    qtbot.keyClick(panel.view, Qt.Key.Key_Left)
    assert live.state.selection.stage is run.stages[-2]
    qtbot.keyClick(panel.view, Qt.Key.Key_Down)
    assert live.state.settings.stack == "decoder"


def test_tabs_change_the_picture_and_depth_chooses_layer_and_token(qtbot: QtBot) -> None:
    live, panel = opened(qtbot, state_of())
    panel.tabs.buttons[1].click()
    assert live.state.view("place").mode == "depth"
    assert not panel.view.switch.isVisible()
    lanes = panel.view._lanes
    assert lanes is not None
    click(panel, QPointF(lanes.area.x + 3.5 * lanes.pair, lanes.y(2)))
    assert (live.state.settings.layer, live.state.selection.token) == (3, 2)
    click(panel, QPointF(2.0, lanes.y(4)))
    assert (live.state.settings.layer, live.state.selection.token) == (3, 4)
    for key, layer, token in ((Qt.Key.Key_Right, 4, 4), (Qt.Key.Key_Up, 4, 3), (Qt.Key.Key_Left, 3, 3)):
        qtbot.keyClick(panel.view, key)
        assert (live.state.settings.layer, live.state.selection.token) == (layer, token)
    panel.tabs.buttons[0].click()
    assert live.state.view("place") == View()


@pytest.mark.parametrize("layers", [1, 2, 6, 37, 128])
def test_every_layer_can_be_reached_by_pointer(qtbot: QtBot, layers: int) -> None:
    _, panel = opened(qtbot, state_of(settings=SMALL.with_(layers=layers), views=DEEP))
    lanes = panel.view._lanes
    assert lanes is not None
    assert lanes.pair >= 40 or lanes.pairs == 1
    y = lanes.y(lanes.first)
    steps = np.linspace(lanes.area.x, lanes.area.right - 1e-6, 4_000)
    assert {lanes.layer_at(x, y) for x in steps.tolist()} == set(range(layers))
    assert lanes.layer_at(lanes.area.x - 1, y) is None


def test_long_sentences_keep_the_chosen_token_in_sight(qtbot: QtBot) -> None:
    state = state_of("a b c d e f g h i j k l m n o p q r s t u v w x y z", views=DEEP)
    for token in (0, 13, 25):
        _, panel = opened(qtbot, replace(state, selection=Selection(token=token)), width=420)
        lanes = panel.view._lanes
        assert lanes is not None
        assert lanes.first <= token < lanes.first + lanes.shown <= 26


def test_stages_fill_as_the_pass_goes_on(qtbot: QtBot) -> None:
    shots = []
    for time in (0.0, 0.3, 0.5, 0.9, 1.0):
        for views in ((), DEEP):
            panel = PlacePanel()
            qtbot.addWidget(panel)
            panel.offer(scene_of(state_of(playback=Playback(time), views=views)))
            shots.append(picture(panel, width=700, height=400).tobytes())
    assert len(set(shots)) == len(shots)


def test_pointed_and_chosen_lanes_are_seen(qtbot: QtBot) -> None:
    live, panel = opened(qtbot, state_of(views=DEEP))
    before = pixels(panel)
    live.change(changes.point(token=1))
    pointed = pixels(panel)
    live.change(changes.choose(token=1))
    assert len({shot.tobytes() for shot in (before, pointed, pixels(panel))}) == 3


def test_counts_are_those_of_the_bill(qtbot: QtBot) -> None:
    _, panel = opened(qtbot, AppState())
    rows = panel.table()
    assert rows is not None
    assert rows[1][1:] == ["2099712", str(2 * 8 * 2 * 512 * 2_048), str(6 * 2_099_712)]
    assert rows[2][1] == "1048576"


@pytest.mark.parametrize("views", [(), DEEP])
@pytest.mark.parametrize("look", [Appearance(), Appearance("projector", "ja", scale=2.0)])
def test_small_and_empty_cards(qtbot: QtBot, views: tuple[tuple[str, View], ...], look: Appearance) -> None:
    panel = PlacePanel()
    qtbot.addWidget(panel)
    scene = scene_of(state_of(views=views, appearance=look))
    panel.offer(replace(scene, run=None))
    assert panel.table() is None
    picture(panel, width=420, height=260)
    panel.offer(scene)
    for size in ((420, 260), (200, 90), (40, 20)):
        picture(panel, width=size[0], height=size[1])


def test_the_token_that_enters_is_named(qtbot: QtBot) -> None:
    live, panel = opened(qtbot, state_of(selection=Selection(token=1)))
    before = pixels(panel)
    words = row_of(panel).picture.token
    assert words is not None
    assert words[0] == "x of"
    assert words[1][:2] == ("“keys”", "“key…”")
    live.change(changes.point(token=4))
    words = row_of(panel).picture.token
    assert words is not None
    assert words[1][0] == "“table”"
    assert (pixels(panel) != before).any()
    assert panel.view._picture is not None
    assert panel.view._picture.rows[1].picture.token is None, "the other stack computes no token"


def test_its_name_takes_the_same_room_for_every_token(qtbot: QtBot) -> None:
    live, panel = opened(qtbot, state_of(selection=Selection(token=1)))
    placed = plan_of(panel)
    live.change(changes.point(token=4))
    assert plan_of(panel) == placed


def test_neurons_and_dimensions_lie_in_the_rows_of_their_stages(qtbot: QtBot) -> None:
    live, panel = opened(qtbot, state_of())
    assert row_of(panel).picture.marks == ()
    live.change(changes.choose(neuron=9, dim=23, stage=Stage.ACT))
    chosen = (LayerMark(9.5 / 64, True, True), LayerMark(23.5 / 24, False, True))
    assert row_of(panel).picture.marks == chosen
    before = pixels(panel)
    live.change(changes.point(neuron=40))
    assert row_of(panel).picture.marks == (*chosen, LayerMark(40.5 / 64, True, False))
    changed = np.argwhere((pixels(panel) != before).any(axis=2))
    cells = {cell.stage: cell.box for cell in plan_of(panel).cells}
    at = panel.view.mapTo(panel, panel.view.rect().topLeft())
    y = at.y() + cells[Stage.UP].y + cells[Stage.UP].h * 40.5 / 64
    assert abs(changed[:, 0] - y).max() <= 2.0, "one line at its height"
    assert changed[:, 1].min() < at.x() + cells[Stage.UP].middle[0]
    assert changed[:, 1].max() > at.x() + cells[Stage.ACT].middle[0]
