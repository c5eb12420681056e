"""The memory panel: its rows are the token's true memories, and acting on them acts on the state."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QEvent, Qt
from pytestqt.qtbot import QtBot

from ffn_explorer.core.edits import Edits
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.spec_of import spec_of
from ffn_explorer.core.stages import Stage, stages_of
from ffn_explorer.panels.memory import NONE, MemoryPanel
from ffn_explorer.state import numbers, timeline
from ffn_explorer.state.app_state import Appearance, AppState, Cell, Compare, Playback, Point, Selection, View
from ffn_explorer.widgets.ranked import Ranking, Row
from tests.ui.live import SMALL, Live, memories_of, mouse, settle, state_of

EXPERTS = SMALL.with_(experts=4, top_k=2, activation="swiglu")
TIGHT = SMALL.with_(experts=2, top_k=1, capacity_factor=0.01)


def live(qtbot: QtBot, state: AppState | None = None) -> Live:
    return Live(qtbot, MemoryPanel(), state or state_of(), width=520)


def panel_of(shown: Live) -> MemoryPanel:
    assert isinstance(shown.panel, MemoryPanel)
    return shown.panel


def ranking_of(shown: Live) -> Ranking:
    ranking = panel_of(shown).list.picture
    assert ranking is not None
    return ranking


def rows_of(shown: Live) -> list[Row]:
    ranking = ranking_of(shown)
    return [ranking.row(i) for i in range(ranking.total)]


def midway(stage: Stage) -> float:
    """Moment at which a stage of the plain pass is under way."""
    stages = stages_of(spec_of(SMALL))
    times: list[float] = np.linspace(0.0, 1.0, 201).tolist()
    return next(t for t in times if 0.3 < dict(timeline.progress(t, stages))[stage] < 0.7)


def looking(state: AppState, **view: Any) -> AppState:
    return replace(state, views=(("memory", View(**view)),))


def test_rows_are_the_true_memories(qtbot: QtBot) -> None:
    shown = live(qtbot)
    found, rows = memories_of(shown), rows_of(shown)
    assert [row.key for row in rows] == found.neuron.tolist()
    np.testing.assert_array_equal([abs(row.value) for row in rows], found.strength)
    np.testing.assert_array_equal(np.sign([row.value for row in rows]), np.sign(found.m))
    first = rows[0]
    assert first.texts[0] == numbers.count(int(found.neuron[0]))
    assert first.texts[1:3] == (numbers.short(found.m[0]), numbers.short(found.strength[0]))
    assert not any(row.faded for row in rows)
    assert "are" in panel_of(shown).title.text


@pytest.mark.parametrize("sort", ["strength", "m", "neuron"])
def test_orders(qtbot: QtBot, sort: str) -> None:
    shown = live(qtbot)
    names = ["strength", "m", "neuron"]
    qtbot.mouseClick(panel_of(shown).sorts.buttons[names.index(sort)], Qt.MouseButton.LeftButton)
    found, rows = memories_of(shown), rows_of(shown)
    keys = [row.key for row in rows]
    by = {
        "strength": -found.strength,
        "m": -np.abs(found.m),
        "neuron": found.neuron,
    }[sort]
    assert keys == found.neuron[np.argsort(by, kind="stable")].tolist()
    place = ranking_of(shown).place
    assert place is not None
    assert [place(key) for key in keys] == list(range(len(keys)))
    assert place(len(keys)) is None


def test_what_the_pass_cuts_is_faded(qtbot: QtBot) -> None:
    shown = live(qtbot, looking(state_of(edits=Edits(keep=7)), sort="neuron"))
    found = memories_of(shown)
    kept = {row.key for row in rows_of(shown) if not row.faded}
    assert kept == set(found.neuron[:7].tolist())
    assert "7" in panel_of(shown).note.text
    assert "64" in panel_of(shown).note.text


def test_a_click_chooses_the_neuron_and_the_pointer_shows_its_value(qtbot: QtBot) -> None:
    shown = live(qtbot)
    listed = panel_of(shown).list
    assert listed.laid is not None
    key = listed.laid.rows[2].key
    mouse(listed.viewport(), QEvent.Type.MouseMove, listed.laid.place(2).center())
    qtbot.waitUntil(lambda: shown.state.hover == Cell(Stage.ACT, 0, 5, key))
    assert ranking_of(shown).hovered == key
    mouse(listed.viewport(), QEvent.Type.MouseButtonPress, listed.laid.place(2).center())
    assert (shown.state.selection.neuron, shown.state.selection.stage) == (key, Stage.ACT)
    assert ranking_of(shown).chosen == key
    assert panel_of(shown).field.value() == key


def test_the_second_expert_has_its_own_memories(qtbot: QtBot) -> None:
    state = state_of(settings=EXPERTS)
    first = live(qtbot, state)
    assert first.panel.scene is not None
    run = first.panel.scene.run
    assert run is not None
    assert run.expert_index is not None
    second = int(run.expert_index[0, 5, 1])
    shown = live(qtbot, replace(state, selection=Selection(expert=second)))
    assert memories_of(shown).expert == second
    assert str(second) in panel_of(shown).title.text
    listed = panel_of(shown).list
    assert listed.laid is not None
    mouse(listed.viewport(), QEvent.Type.MouseMove, listed.laid.place(1).center())
    wanted = Point(token=5, neuron=listed.laid.rows[1].key, expert=second)
    qtbot.waitUntil(lambda: shown.state.point == wanted)


def test_arrows_step_through_rows_and_tokens(qtbot: QtBot) -> None:
    shown = live(qtbot)
    neurons = memories_of(shown).neuron.tolist()
    for _ in range(2):
        qtbot.keyClick(panel_of(shown).list, Qt.Key.Key_Down)
    assert shown.state.selection.neuron == neurons[1]
    qtbot.keyClick(panel_of(shown).list, Qt.Key.Key_Left)
    assert shown.state.selection.token == 4
    assert memories_of(shown).token == 4
    assert shown.state.selection.neuron == neurons[1]


def test_a_number_leads_to_its_row(qtbot: QtBot) -> None:
    shown = live(qtbot)
    panel = panel_of(shown)
    assert panel.field.value() == NONE
    last = int(memories_of(shown).neuron[-1])
    panel.field.selectAll()
    qtbot.keyClicks(panel.field, str(last))
    qtbot.keyClick(panel.field, Qt.Key.Key_Return)
    settle()
    assert shown.state.selection.neuron == last
    assert panel.list.laid is not None
    assert last in [row.key for row in panel.list.laid.rows]
    assert str(last) in panel.source.text


def test_scrolling_is_kept_in_the_view(qtbot: QtBot) -> None:
    shown = live(qtbot)
    panel_of(shown).list.scrolled.emit(5)
    assert shown.state.view("memory").scroll == 5
    laid = panel_of(shown).list.laid
    assert laid is not None
    assert laid.first == 5
    qtbot.mouseClick(panel_of(shown).sorts.buttons[2], Qt.MouseButton.LeftButton)
    assert (shown.state.view("memory").scroll, shown.state.view("memory").sort) == (0, "neuron")


def test_nothing_is_shown_before_the_pass_is_there(qtbot: QtBot) -> None:
    shown = live(qtbot, state_of(playback=Playback(0.0)))
    assert panel_of(shown).list.picture is None
    assert panel_of(shown).list.sentence
    acting = live(qtbot, state_of(playback=Playback(midway(Stage.ACT))))
    assert 0.0 < ranking_of(acting).progress < 1.0
    assert set(rows_of(acting)[0].texts[1:]) == {""}


def test_an_expert_without_room_has_no_memories(qtbot: QtBot) -> None:
    state = state_of(settings=TIGHT)
    scene = live(qtbot, state).panel.scene
    assert scene is not None
    assert scene.run is not None
    assert scene.run.expert_dropped is not None
    token = int(np.flatnonzero(scene.run.expert_dropped[0, :, 0])[0])
    shown = live(qtbot, replace(state, selection=Selection(token=token)))
    assert panel_of(shown).list.picture is None
    assert panel_of(shown).list.sentence


@pytest.mark.parametrize(
    ("other", "paired"), [(SMALL.with_(activation="gelu"), True), (SMALL.with_(d_ff=32), False)]
)
def test_b_stands_beside_a_where_both_have_the_same_neurons(
    qtbot: QtBot, other: Settings, paired: bool
) -> None:
    shown = live(qtbot, state_of(compare=Compare(other)))
    rows = rows_of(shown)
    assert all((row.other is not None) == paired for row in rows)
    assert ("grey" in shown.panel.note.text) == paired
    if paired:
        b = memories_of(shown).other
        assert b is not None
        values = dict(zip(b.neuron.tolist(), np.copysign(b.strength, b.m).tolist(), strict=True))
        assert [row.other for row in rows] == [values[row.key] for row in rows]
        assert ranking_of(shown).limit == max(b.strength.max(), memories_of(shown).strength.max())


def test_the_table_has_every_number(qtbot: QtBot) -> None:
    shown = live(qtbot)
    table = panel_of(shown).table()
    found = memories_of(shown)
    assert table is not None
    assert len(table) == 1 + len(found.neuron)
    assert [float(row[4]) for row in table[1:]] == found.strength.tolist()
    assert [int(row[1]) for row in table[1:]] == found.neuron.tolist()


@pytest.mark.parametrize("language", ["en", "ja"])
def test_words_say_where_the_numbers_come_from(qtbot: QtBot, language: Any) -> None:
    shown = live(qtbot, state_of(appearance=Appearance(language=language)))
    assert "W_down" in panel_of(shown).source.text
    assert "act[0, 5, i]" in panel_of(shown).source.text
    assert panel_of(shown).reading.text
