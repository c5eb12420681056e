"""Neuron panel: the card of the chosen neuron, its tokens and dimensions, in any room and language."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from ffn_explorer.core.edits import Edits
from ffn_explorer.core.readings import NeuronCard
from ffn_explorer.core.stages import Stage
from ffn_explorer.panels.neuron import NeuronPanel
from ffn_explorer.state import changes, numbers, timeline
from ffn_explorer.state.app_state import Appearance, AppState, Cell, Compare, Playback, Point, Selection, View
from ffn_explorer.widgets.ranked import RankedList
from tests.ui.live import SMALL, Live, mouse, settle, state_of

CHOSEN = Selection(token=5, neuron=17, stage=Stage.ACT)
GATED = SMALL.with_(activation="swiglu")


def live_of(qtbot: QtBot, state: AppState, *, high: int = 400, wide: int = 950) -> tuple[Live, NeuronPanel]:
    panel = NeuronPanel()
    live = Live(qtbot, panel, state, width=wide)
    live.window.resize(wide + 20, high + 20)
    panel.resize(wide, high)
    settle()
    return live, panel


def card(panel: NeuronPanel) -> NeuronCard:
    assert panel.scene is not None
    assert panel.scene.neuron_card is not None
    return panel.scene.neuron_card


def row_centre(shown: RankedList, place: int) -> QPointF:
    assert shown.laid is not None
    return shown.laid.place(place).center()


def texts(shown: RankedList) -> list[tuple[str, ...]]:
    assert shown.laid is not None
    return [row.texts for row in shown.laid.rows]


def test_the_strongest_stands_there_unasked(qtbot: QtBot) -> None:
    live, panel = live_of(qtbot, state_of())
    assert panel.scene is not None
    assert panel.scene.detail is not None
    strongest = int(panel.scene.detail.paths.neuron[0])
    assert panel.title.text == f"Neuron {strongest}"
    assert card(panel).rank[5] == 0
    panel.body.neuron.stepBy(1)
    assert live.state.selection.neuron == strongest + 1
    assert panel.title.text == f"Neuron {strongest + 1}"
    panel.body.strongest.click()
    assert live.state.selection.neuron == strongest
    assert panel.body.neuron.value() == strongest


def test_numbers_under_their_labels(qtbot: QtBot) -> None:
    _, panel = live_of(qtbot, state_of(settings=GATED, selection=CHOSEN))
    found = {fact.label: fact.value for fact in panel.body.facts.facts}
    shown = card(panel)
    assert found == {
        "m at “are”": numbers.short(float(shown.m[5])),
        "‖up‖": numbers.short(shown.up_norm),
        "‖gate‖": numbers.short(shown.gate_norm or 0.0),
        "‖down‖": numbers.short(shown.down_norm),
        "cos(up, down)": numbers.short(shown.cos_up_down),
        "cos(gate, up)": numbers.short(shown.cos_gate_up or 0.0),
        "b_up": numbers.short(shown.up_bias or 0.0),
        "b_gate": numbers.short(shown.gate_bias or 0.0),
    }
    places = panel.body.facts.places()
    assert len(places) == len(found)
    tips = [panel.body.facts.tip_at(place.center()) for place in places]
    assert len(set(tips)) == len(found)
    assert tips[1] == f"Length of the row that reads: ‖W_up[17, :]‖ = √(Σ w²) = {found['‖up‖']}"


def test_values_at_every_token(qtbot: QtBot) -> None:
    _, panel = live_of(qtbot, state_of(selection=CHOSEN))
    assert panel.scene is not None
    assert panel.scene.run is not None
    run, shown = panel.scene.run, panel.body.tokens.picture
    assert shown is not None
    for token in range(8):
        row = shown.row(token)
        m = float(run.values[Stage.ACT][0, token, 17])
        pre = float(run.values[Stage.UP][0, token, 17])
        place = numbers.count(int(card(panel).rank[token]) + 1) if m else "–"
        values = (numbers.short(m), numbers.short(pre), numbers.short(m), place)
        assert row.texts == (run.tokens[0][token], *values)
        assert row.value == m
        assert row.faded == (m == 0.0)
    assert shown.chosen == 5


def test_a_token_is_chosen_and_the_neuron_stays(qtbot: QtBot) -> None:
    live, panel = live_of(qtbot, state_of())
    neuron = card(panel).neuron
    tokens = panel.body.tokens
    mouse(tokens.viewport(), QEvent.Type.MouseMove, row_centre(tokens, 2))
    qtbot.waitUntil(lambda: live.state.hover is not None)
    assert live.state.hover == Cell(Stage.ACT, 0, 2, neuron)
    mouse(tokens.viewport(), QEvent.Type.MouseButtonPress, row_centre(tokens, 2))
    assert (live.state.selection.token, live.state.selection.neuron) == (2, neuron)
    QTest.keyClick(tokens, Qt.Key.Key_Down)
    assert (live.state.selection.token, live.state.selection.neuron) == (3, neuron)
    QTest.keyClick(tokens, Qt.Key.Key_Right)
    assert live.state.selection.neuron == neuron + 1


@pytest.mark.parametrize("settings", [SMALL, GATED.with_(norm="none")])
def test_dimensions_that_are_read_and_written(qtbot: QtBot, settings: object) -> None:
    live, panel = live_of(qtbot, state_of(settings=settings, selection=CHOSEN))
    body, shown = panel.body, card(panel)
    gated = shown.gate is not None
    for each, weights in ((body.up, shown.up), (body.gate, shown.gate), (body.down, shown.down)):
        assert each.isVisibleTo(panel) == (weights is not None)
        if weights is None:
            continue
        order = np.argsort(-np.abs(weights), kind="stable").tolist()
        assert each.laid is not None
        first = each.laid.rows[0]
        assert first.key == order[0]
        assert first.texts == (f"dim {order[0]}", numbers.short(float(weights[order[0]])))
        mouse(each.viewport(), QEvent.Type.MouseMove, row_centre(each, 1))
        qtbot.waitUntil(lambda dim=order[1]: live.state.point == Point(dim=dim))  # type: ignore[misc]
        mouse(each.viewport(), QEvent.Type.MouseMove, QPointF(-5, -5))
        mouse(each.viewport(), QEvent.Type.MouseButtonPress, row_centre(each, 1))
        read = Stage.INPUT if gated else Stage.NORM
        assert live.state.selection.stage is (Stage.OUT if each is body.down else read)
        assert (live.state.selection.dim, live.state.selection.neuron) == (order[1], 17)


def test_a_pointed_neuron_gets_a_line_and_not_the_card(qtbot: QtBot) -> None:
    live, panel = live_of(qtbot, state_of(selection=CHOSEN))
    assert panel.note.text == "W_up[17, :], W_down[:, 17]"
    live.change(changes.hover(Cell(Stage.UP, 0, 2, 9)))
    assert panel.scene is not None
    m = panel.scene.value(Cell(Stage.ACT, 0, 2, 9))
    assert m is not None
    assert panel.note.text == f"neuron 9: m = {numbers.short(m)} at “on”"
    assert panel.title.text == "Neuron 17"
    live.change(changes.point(neuron=17))
    assert panel.note.text == "W_up[17, :], W_down[:, 17]"


def test_other_experts_leave_a_blank(qtbot: QtBot) -> None:
    settings = SMALL.with_(experts=4, top_k=1)
    live, panel = live_of(qtbot, state_of(settings=settings, selection=CHOSEN))
    assert panel.scene is not None
    assert panel.scene.run is not None
    index = panel.scene.run.expert_index
    assert index is not None
    expert = int(index[0, 5, 0])
    assert panel.title.text == f"Neuron 17 of expert {expert}"
    assert panel.body.tokens.picture is not None
    for token in range(8):
        row = panel.body.tokens.picture.row(token)
        assert (row.texts[1:] == ("–",) * 4) == (int(index[0, token, 0]) != expert)
    panel.body.strongest.click()
    assert live.state.selection.expert == expert


def test_b_stands_under_a(qtbot: QtBot) -> None:
    b = Compare(SMALL.with_(activation="gelu"))
    _, panel = live_of(qtbot, state_of(selection=CHOSEN, compare=b))
    assert panel.scene is not None
    assert panel.scene.other is not None
    assert panel.body.tokens.picture is not None
    theirs = panel.scene.other.values[Stage.ACT][0, :, 17].tolist()
    assert [panel.body.tokens.picture.row(token).other for token in range(8)] == theirs
    _, panel = live_of(qtbot, state_of(selection=CHOSEN, compare=Compare(SMALL.with_(d_ff=32))))
    assert panel.body.tokens.picture is not None
    assert panel.body.tokens.picture.row(0).other is None


def test_what_the_pass_has_not_reached_is_not_told(qtbot: QtBot) -> None:
    _, panel = live_of(qtbot, state_of(settings=GATED, selection=CHOSEN, playback=Playback(0.0)))
    assert panel.body.tokens.picture is not None
    assert panel.body.tokens.picture.row(5).texts[1:] == ("", "", "", "")
    assert panel.body.tokens.picture.progress == 0.0
    assert panel.body.facts.facts[0].value == "–"
    assert panel.table() is None
    scene, seen = panel.scene, set()
    assert scene is not None
    assert scene.run is not None
    for time in np.linspace(0.0, 1.0, 41):
        panel.offer(replace(scene, progress=timeline.progress(float(time), scene.run.stages)))
        seen.add(tuple(bool(text) for text in panel.body.tokens.picture.row(5).texts[1:]))
    assert seen == {
        (False, False, False, False),
        (False, True, False, False),
        (False, True, True, False),
        (True, True, True, True),
    }


@pytest.mark.parametrize("look", [Appearance(), Appearance(theme="projector", language="ja")])
@pytest.mark.parametrize("settings", [SMALL, GATED])
def test_nothing_lies_over_anything(qtbot: QtBot, settings: object, look: Appearance) -> None:
    _, panel = live_of(qtbot, state_of(settings=settings, selection=CHOSEN, appearance=look))
    body = panel.body
    for wide, high in product((420, 600, 700, 960, 1_300), (260, 330, 420, 600, 900)):
        panel.resize(wide, high)
        settle()
        lists = (body.tokens, body.up, body.gate, body.down)
        parts: list[QWidget] = [body.controls, body.facts, body.hint, *lists]
        seen = [part for part in parts if part.isVisibleTo(panel)]
        assert {body.controls, body.facts, body.tokens} <= set(seen)
        for i, one in enumerate(seen):
            assert body.rect().contains(one.geometry())
            assert all(not one.geometry().intersects(other.geometry()) for other in seen[i + 1 :])
        assert body.tokens.laid is not None
        assert 5 in [row.key for row in body.tokens.laid.rows]


def test_the_focus_stays_while_scenes_come(qtbot: QtBot) -> None:
    live, panel = live_of(qtbot, state_of(selection=CHOSEN))
    field: QWidget = panel.body.neuron
    field.setFocus()
    live.change(changes.select_token(2))
    live.change(changes.set_view("neuron", View(scroll=3)))
    assert field.hasFocus()
    assert panel.childAt(panel.body.mapTo(panel, QPoint(1, 1))) is not None


def test_the_table_holds_values_and_weights(qtbot: QtBot) -> None:
    _, panel = live_of(qtbot, state_of(selection=CHOSEN))
    table, shown = panel.table(), card(panel)
    assert table is not None
    assert table[0] == ["token", "pre-activation", "act", "m", "place"]
    assert [float(row[3]) for row in table[1:9]] == shown.m.tolist()
    assert table[10] == ["dimension", "up", "down"]
    assert [float(row[2]) for row in table[11:]] == shown.down.tolist()


def test_a_neuron_that_is_cut_has_no_place_in_the_table(qtbot: QtBot) -> None:
    _, panel = live_of(qtbot, state_of(selection=CHOSEN, edits=Edits(keep=1)))
    table, shown = panel.table(), card(panel)
    assert table is not None
    assert 0.0 in shown.m
    assert [row[4] != "" for row in table[1:9]] == [m != 0.0 for m in shown.m]


def test_japanese(qtbot: QtBot) -> None:
    _, panel = live_of(qtbot, state_of(selection=CHOSEN, appearance=Appearance(language="ja")))
    assert panel.title.text == "ニューロン 17"
    assert panel.body.up.laid is not None
    assert panel.body.up.laid.rows[0].texts[0].startswith("次元 ")
