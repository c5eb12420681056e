"""The memory theatre: what stands on stage adds up, moves with the pass alone, and can be changed by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from ffn_explorer.app.director import Director
from ffn_explorer.core.edits import Edits
from ffn_explorer.core.handmade_examples import EXAMPLES
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.stages import Stage
from ffn_explorer.panels.curve import CurvePanel
from ffn_explorer.panels.maps import MapsPanel
from ffn_explorer.panels.stage import StagePanel
from ffn_explorer.panels.theatre import TheatrePanel
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import Appearance, AppState, Playback, Selection, View
from ffn_explorer.state.results import Results
from ffn_explorer.state.session import Session
from ffn_explorer.widgets.number_grid_plan import HEAD
from ffn_explorer.widgets.panel import Panel
from ffn_explorer.widgets.theatre_cast import Cast, folded
from ffn_explorer.widgets.theatre_plan import Plan
from ffn_explorer.widgets.theatre_play import Play
from ffn_explorer.widgets.theatre_time import Moment, cosine_at, landed, sums
from tests.ui.live import SMALL, Live, scene_of, settle, state_of
from tests.ui.pictures import mouse

GATED = SMALL.with_(activation="swiglu", norm="rms", bias=False)
EXPERTS = SMALL.with_(experts=4, top_k=2)
PRESS = QMouseEvent.Type.MouseButtonPress


def built(name: str = "xor", **parts: Any) -> AppState:
    """State in which a memory is chosen."""
    return replace(changes.use_memory(name).to(AppState()), **parts)


def live_of(qtbot: QtBot, state: AppState, *, width: int = 950, height: int = 500) -> Live:
    """Return a theatre in a window, joined to a state."""
    live = Live(qtbot, TheatrePanel(), state, width=width)
    live.window.resize(width + 20, height + 20)
    live.panel.resize(width, height)
    settle()
    return live


def theatre(live: Live) -> TheatrePanel:
    """Return the panel of a window."""
    assert isinstance(live.panel, TheatrePanel)
    return live.panel


def on_stage(live: Live) -> tuple[Play, Plan]:
    """Return what is drawn, and where."""
    view = theatre(live).view
    assert view.picture is not None
    assert view.plan is not None
    return view.picture, view.plan


def move_to(live: Live, time: float) -> None:
    """Go to a moment of the pass."""
    live.change(changes.seek(time))


def running(live: Live) -> tuple[float, ...]:
    """Return the sums of all lanes as drawn."""
    play, plan = on_stage(live)
    actors = [(row.actor, row.flight) for row in plan.rows]
    return sums(play.cast, actors, play.moment, flying=plan.flying)


@pytest.mark.parametrize("settings", [SMALL, GATED, EXPERTS, SMALL.with_(activation="gelu")])
def test_memories_of_any_ffn_add_up_to_the_output(qtbot: QtBot, settings: Settings) -> None:
    live = live_of(qtbot, state_of(settings=settings))
    play, plan = on_stage(live)
    scene = live.panel.scene
    assert scene is not None
    assert scene.run is not None
    assert [lane.dim for lane in play.cast.lanes] == [scene.contributions.dim]  # type: ignore[union-attr]
    lane = play.cast.lanes[0]
    out = float(scene.run.values[Stage.OUT][0, 5, lane.dim])
    assert lane.out == pytest.approx(out, abs=1e-6)
    assert sum(row.actor.parts[0] for row in plan.rows) == pytest.approx(lane.out, abs=1e-12)
    hidden = scene.run.values[Stage.HIDDEN if Stage.HIDDEN in scene.run.values else Stage.ACT]
    for row in plan.rows:
        if row.actor.neuron is not None:
            assert row.actor.m == float(hidden[0, 5, row.actor.neuron])
    strengths = [row.actor.strength for row in plan.rows if row.actor.neuron is not None]
    assert strengths == sorted(strengths, reverse=True)


def test_values_land_one_after_the_other_in_order_of_strength(qtbot: QtBot) -> None:
    live = live_of(qtbot, built("xor", playback=Playback(0.0)))
    _, plan = on_stage(live)
    assert [(row.actor.name, row.flight) for row in plan.rows] == [("a+b", 0), ("a∧b", 1)]
    seen = []
    for time in np.linspace(0.5, 0.75, 40):
        move_to(live, float(time))
        seen.append(running(live)[2])
    assert seen[0] == 0.0
    assert max(seen) == 2.0, "a+b has written 2 before a∧b takes it away again"
    assert seen[-1] == 0.0
    move_to(live, 1.0)
    assert running(live) == (0.0, 0.0, 0.0)


def test_flights_follow_one_another() -> None:
    moment = Moment(1.0, 1.0, 0.5, 0.0)
    assert [moment.flight(place, 4) for place in range(4)] == [1.0, 1.0, 0.0, 0.0]
    assert moment.flight(None, 4) == 0.0
    assert [landed(flight) for flight in (0.0, 0.7, 0.85, 1.0)] == pytest.approx([0.0, 0.0, 0.5, 1.0])


def test_the_cosine_rises_with_the_landings_and_ends_at_that_of_all(qtbot: QtBot) -> None:
    live = live_of(qtbot, state_of())
    play, plan = on_stage(live)
    reading = live.panel.scene.memories  # type: ignore[union-attr]
    assert reading is not None
    for count in range(plan.flying):
        moment = Moment(1.0, 1.0, count / plan.flying, 0.0)
        assert cosine_at(play.cast, moment, flying=plan.flying) == pytest.approx(float(reading.cosine[count]))
    assert cosine_at(play.cast, Moment(1.0, 1.0, 1.0, 0.0), flying=plan.flying) == reading.cosine[-1]


def test_a_cut_ends_at_the_cosine_of_what_is_kept(qtbot: QtBot) -> None:
    live = live_of(qtbot, state_of(edits=Edits(keep=3)))
    play, plan = on_stage(live)
    assert [row.actor.neuron is None for row in plan.rows] == [False, False, False, True]
    assert plan.rows[-1].actor.name == "the bias b"
    reading = live.panel.scene.memories  # type: ignore[union-attr]
    assert play.cast.cosine[-1] == reading.cosine[3]  # type: ignore[union-attr]


def test_hand_built_memories_keep_their_places(qtbot: QtBot) -> None:
    live = live_of(qtbot, built("facts"))
    names = [row.actor.name for row in on_stage(live)[1].rows]
    for token in (1, 3, 5):
        live.change(changes.select_token(token))
        assert [row.actor.name for row in on_stage(live)[1].rows] == names
    assert [row.flight for row in on_stage(live)[1].rows] == [None] * 4, "no key matches “capital” alone"


def test_what_has_no_room_stands_together(qtbot: QtBot) -> None:
    cast = on_stage(live_of(qtbot, built("facts")))[0].cast
    assert len(folded(cast, 4, str)) == 4
    few = folded(cast, 2, lambda key, **values: f"{key} {values}")
    assert [actor.neuron for actor in few] == [0, None]
    assert few[1].name == "others {'n': '3'}"
    assert few[1].strength == 0.0


def test_before_the_keys_have_read_nothing_is_shown(qtbot: QtBot) -> None:
    live = live_of(qtbot, built("and", playback=Playback(0.0)))
    play, _ = on_stage(live)
    assert (play.moment.read, play.moment.answered, play.moment.flown, play.moment.added) == (0, 0, 0, 0)
    assert theatre(live).side.isVisible()
    cells = theatre(live).side._grid.rows[3][1]
    assert [cell.text for cell in cells[3:]] == ["…", "1", "…"], "y is told once it is there"
    move_to(live, 1.0)
    cells = theatre(live).side._grid.rows[3][1]
    assert [cell.text for cell in cells[3:]] == ["1", "1", "as wanted"]


@pytest.mark.parametrize(("name", "truth"), [("and", "0001"), ("or", "0111"), ("xor", "0110")])
def test_the_truth_table_is_read_at_a_glance(qtbot: QtBot, name: str, truth: str) -> None:
    live = live_of(qtbot, built(name))
    live.change(changes.set_view("theatre", View(mode="patterns")))
    grid = theatre(live).grid._grid
    assert "".join(cells[3].text for _, cells in grid.rows) == truth
    assert "".join(cells[4].text for _, cells in grid.rows) == truth
    assert {(cells[5].text, cells[5].icon) for _, cells in grid.rows} == {("as wanted", "holds")}
    table = live.panel.table()
    assert table is not None
    assert [row[4] for row in table[1:]] == list(truth)
    assert [row[-1] for row in table[1:]] == ["as wanted"] * 4


def verdicts(live: Live) -> list[tuple[str, str]]:
    """Return word and icon of every row of the truth table under the stage."""
    return [(cells[-1].text, cells[-1].icon) for _, cells in theatre(live).side._grid.rows]


def test_a_pattern_that_fails_says_so_in_a_word_and_an_icon(qtbot: QtBot) -> None:
    live = live_of(qtbot, built("xor"))
    good, bad = ("as wanted", "holds"), ("deviates", "breaks")
    assert verdicts(live) == [good] * 4
    before = theatre(live).side.grab().toImage()
    live.change(changes.set_value(1, 2, value=-1.0))
    assert verdicts(live) == [good, good, good, bad]
    assert theatre(live).side.grab().toImage() != before
    theatre(live).side.go(3, 5)
    assert theatre(live).side.accessibleDescription() == "11, verdict, deviates"
    live.change(changes.add_pattern())
    assert verdicts(live)[4] == ("", "")
    live.change(changes.remove_pattern(4))
    live.change(changes.set_value(1, 2, value=-2.0))
    assert verdicts(live) == [good] * 4
    live.change(changes.set_setting("activation", "gelu"))
    assert bad in verdicts(live)


@pytest.mark.parametrize("size", [(950, 500), (1600, 900)])
@pytest.mark.parametrize("name", EXAMPLES)
def test_the_truth_table_stands_right_under_the_stage(qtbot: QtBot, name: str, size: tuple[int, int]) -> None:
    live = live_of(qtbot, built(name), width=size[0], height=size[1])
    panel = theatre(live)
    assert panel.side.isVisible()
    _, plan = on_stage(live)
    wholes = [*(row.whole for row in plan.rows), *(lane.whole for lane in plan.lanes)]
    lowest = max(whole.bottom() for whole in wholes)
    assert 0 <= panel.side.y() - (panel.view.y() + lowest) <= 60
    assert panel.side.geometry().bottom() <= panel.height()
    assert panel.side.height() >= panel.side.whole_height()


def test_the_truth_table_uses_the_room_of_a_full_board(qtbot: QtBot) -> None:
    live = live_of(qtbot, built("xor"), width=1600, height=900)
    live.change(changes.set_view("theatre", View(mode="patterns")))
    settle()
    grid = theatre(live).grid
    first, last = grid.rect_of(HEAD, HEAD), grid.rect_of(3, 5)
    assert first is not None
    assert last is not None
    assert last.bottom() >= 1.5 * grid.whole_height()
    live.panel.resize(420, 260)
    settle()
    small = grid.rect_of(HEAD, HEAD)
    assert small is not None
    assert small.height() < first.height()


@pytest.mark.parametrize("width", [420, 950])
def test_no_tab_moves_when_plus_and_minus_appear(qtbot: QtBot, width: int) -> None:
    live = live_of(qtbot, built("xor"), width=width)
    bar = theatre(live).bar
    places = []
    for mode in ("", "keys", "values", "patterns"):
        live.change(changes.set_view("theatre", View(mode=mode)))
        settle()
        places.append([button.mapTo(bar, button.rect().center()) for button in bar.tabs.buttons])
    assert bar.add.isVisible()
    assert places == [places[0]] * 4


def test_leaving_a_memory_by_the_list_brings_the_ffn_back(qtbot: QtBot) -> None:
    start = state_of(settings=GATED)
    live = live_of(qtbot, start)
    picker = theatre(live).bar.picker
    for name in ("xor", "and", ""):
        picker.activated.emit(picker.findData(name))
    assert live.state.settings == GATED
    assert (live.state.source, live.state.selection) == (start.source, start.selection)


def test_the_list_takes_a_memory_and_goes_back(qtbot: QtBot) -> None:
    live = live_of(qtbot, state_of())
    picker = theatre(live).bar.picker
    assert [picker.itemData(row) for row in range(picker.count())] == ["", *EXAMPLES]
    assert not theatre(live).bar.tabs.isVisible()
    picker.activated.emit(picker.findData("xor"))
    assert live.state.source.memory == EXAMPLES["xor"]
    assert picker.currentText() == "XOR"
    assert theatre(live).bar.tabs.isVisible()
    live.change(changes.set_bias(0, 0.5))
    assert picker.currentText() == "XOR (changed)"
    picker.activated.emit(0)
    assert live.state.source.memory is None


def test_tabs_show_the_numbers_and_typing_changes_them(qtbot: QtBot) -> None:
    live = live_of(qtbot, built("and"))
    panel = theatre(live)
    panel.bar.tabs.buttons[1].click()
    assert not panel.view.isVisible()
    assert panel.grid._grid.corner == "W_up"
    panel.grid.setFocus()
    panel.grid.go(0, 3)
    QTest.keyClick(panel.grid, Qt.Key.Key_Return)
    panel.grid.editor.setText("−0.5")
    QTest.keyClick(panel.grid.editor, Qt.Key.Key_Return)
    assert live.state.source.memory is not None
    assert live.state.source.memory.neurons[0].bias == -0.5
    panel.bar.tabs.buttons[2].click()
    panel.grid.go(0, 0)
    QTest.keyClicks(panel.grid, "2")
    QTest.keyClick(panel.grid.editor, Qt.Key.Key_Return)
    assert live.state.source.memory.neurons[0].value == (2.0, 0.0, 1.0)
    panel.bar.tabs.buttons[3].click()
    panel.grid.go(0, 1)
    QTest.keyClick(panel.grid, Qt.Key.Key_Space)
    assert live.state.source.memory.patterns[0].x == (0.0, 1.0, 0.0)
    panel.grid.go(0, HEAD)
    QTest.keyClick(panel.grid, Qt.Key.Key_F2)
    panel.grid.editor.setText("first")
    QTest.keyClick(panel.grid.editor, Qt.Key.Key_Return)
    assert live.state.source.memory.patterns[0].name == "first"


def test_neurons_and_patterns_come_and_go(qtbot: QtBot) -> None:
    live = live_of(qtbot, built("and"))
    panel = theatre(live)
    assert not panel.bar.add.isVisible()
    panel.bar.tabs.buttons[1].click()
    panel.bar.add.click()
    assert live.state.settings.d_ff == 2
    panel.grid.go(1, 0)
    panel.bar.remove.click()
    assert live.state.source.memory == EXAMPLES["and"]
    panel.bar.tabs.buttons[3].click()
    panel.bar.add.click()
    panel.grid.go(4, 0)
    assert live.state.selection.token == 4
    QTest.keyClick(panel.grid, Qt.Key.Key_Delete)
    assert live.state.source.memory == EXAMPLES["and"]


def test_pointing_and_clicking_choose_memories_and_dimensions(qtbot: QtBot) -> None:
    live = live_of(qtbot, built("xor"))
    _, plan = on_stage(live)
    view = theatre(live).view
    mouse(view, plan.rows[1].whole.center())
    qtbot.waitUntil(lambda: live.state.hover is not None)
    assert live.state.hover is not None
    assert (live.state.hover.stage, live.state.hover.token, live.state.hover.index) == (Stage.ACT, 3, 1)
    mouse(view, plan.rows[1].whole.center(), kind=PRESS, pressed=True)
    assert (live.state.selection.stage, live.state.selection.neuron) == (Stage.ACT, 1)
    mouse(view, plan.lanes[2].whole.center(), kind=PRESS, pressed=True)
    assert (live.state.selection.stage, live.state.selection.dim) == (Stage.OUT, 2)


def test_arrows_go_along_patterns_and_memories(qtbot: QtBot) -> None:
    live = live_of(qtbot, built("xor"))
    view = theatre(live).view
    view.setFocus(Qt.FocusReason.TabFocusReason)
    for key, token, neuron in (
        (Qt.Key.Key_Down, 3, 0), (Qt.Key.Key_Down, 3, 1), (Qt.Key.Key_Down, 3, 1), (Qt.Key.Key_Up, 3, 0),
        (Qt.Key.Key_Left, 2, 0), (Qt.Key.Key_Right, 3, 0), (Qt.Key.Key_Right, 3, 0),
    ):  # fmt: skip
        QTest.keyClick(view, key)
        assert (live.state.selection.token, live.state.selection.neuron) == (token, neuron)


def test_a_second_choice_expert_is_pointed_at_without_a_cell(qtbot: QtBot) -> None:
    state = state_of(settings=EXPERTS)
    run = scene_of(state).run
    assert run is not None
    assert run.expert_index is not None
    second = int(run.expert_index[0, 5, 1])
    live = live_of(qtbot, replace(state, selection=Selection(token=5, expert=second)))
    play, plan = on_stage(live)
    assert plan.rows[0].actor.expert == second
    mouse(theatre(live).view, plan.rows[0].whole.center())
    qtbot.waitUntil(lambda: live.state.point is not None)
    assert live.state.point is not None
    assert (live.state.point.neuron, live.state.point.expert) == (plan.rows[0].actor.neuron, second)
    assert live.state.hover is None
    assert play.cast.others == "others_experts"


def test_play_starts_the_pass_from_its_beginning(qtbot: QtBot) -> None:
    live = live_of(qtbot, built("and"))
    theatre(live).bar.play.click()
    assert live.state.playback == Playback(0.0, playing=True)


def test_words_are_in_the_language_of_the_window(qtbot: QtBot) -> None:
    live = live_of(qtbot, built("facts", appearance=Appearance(language="ja")))
    assert live.panel.title.text == "記憶の劇場：「フランスの首都」（0）"
    assert on_stage(live)[0].cast.lanes[4].name == "パリ"
    table = live.panel.table()
    assert table is not None
    assert table[0][:2] == ["記憶", "z"]
    assert len(table) == 5


@pytest.mark.parametrize("make", [StagePanel, CurvePanel, MapsPanel])
@pytest.mark.parametrize("name", EXAMPLES)
def test_other_panels_show_a_hand_built_memory(qtbot: QtBot, make: type[Panel], name: str) -> None:
    live = Live(qtbot, make(), built(name))
    before = live.panel.grab().toImage()
    live.change(changes.select_token(1))
    assert live.panel.grab().toImage() != before


def test_knobs_that_do_not_fit_are_refused(qtbot: QtBot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    director = Director(Session(built("and")), Results(), parent)
    refused: list[bool] = []
    director.refused.connect(lambda: refused.append(True))
    for change in (changes.set_setting("d_ff", 64), changes.set_setting("activation", "swiglu")):
        director.request(change)
        assert director.state == built("and")
    assert len(refused) == 2
    director.request(changes.set_setting("activation", "gelu"))
    assert director.state.settings.activation == "gelu"
    assert director.close()


def test_before_the_first_pass_it_says_so(qtbot: QtBot) -> None:
    from tests.scenes import empty_scene

    panel = TheatrePanel()
    qtbot.addWidget(panel)
    panel.offer(empty_scene())
    assert "first pass" in panel.view.sentence
    assert panel.table() is None


def cast_in(live: Live) -> Cast:
    """Return the cast on stage."""
    return on_stage(live)[0].cast


def test_a_frame_keeps_the_cast(qtbot: QtBot) -> None:
    live = live_of(qtbot, built("xor"))
    scene = live.panel.scene
    assert scene is not None
    cast = cast_in(live)
    live.panel.offer(replace(scene, progress=tuple((stage, 0.5) for stage, _ in scene.progress)))
    assert cast_in(live) is cast
