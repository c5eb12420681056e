"""Output panel: the list is the true sum, and pointing, clicking and keys reach everything in it."""

import math
from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from ffn_explorer.core.readings import Contributions
from ffn_explorer.core.stages import Stage
from ffn_explorer.panels.output import OutputPanel
from ffn_explorer.state import changes, numbers
from ffn_explorer.state.app_state import Appearance, AppState, Cell, Compare, Playback, Point, Selection, View
from ffn_explorer.widgets.ranking import Row
from ffn_explorer.widgets.sum_list import TOTAL, SumList, chain
from tests.ui.live import SMALL, Live, mouse, settle, state_of

CHOSEN = Selection(token=5, dim=17)


def live_of(qtbot: QtBot, state: AppState, *, high: int = 400, wide: int = 950) -> tuple[Live, OutputPanel]:
    panel = OutputPanel()
    live = Live(qtbot, panel, state, width=wide)
    panel.resize(wide, high)
    settle()
    return live, panel


def reading(panel: OutputPanel) -> Contributions:
    assert panel.scene is not None
    assert panel.scene.contributions is not None
    return panel.scene.contributions


def rows(panel: OutputPanel) -> tuple[Row, ...]:
    assert panel.list.laid is not None
    return panel.list.laid.rows


def row_centre(shown: SumList, place: int) -> QPointF:
    assert shown.laid is not None
    return shown.laid.place(place).center()


def test_the_first_task(qtbot: QtBot) -> None:
    """Which neuron adds most to dimension 17 of the output at "are", and what is its pre-activation?"""
    _, panel = live_of(qtbot, state_of(selection=CHOSEN))
    assert panel.scene is not None
    run = panel.scene.run
    assert run is not None
    assert run.run is not None
    down = run.run.layer.down.numpy()  # type: ignore[union-attr] # a dense layer
    parts = down[17] * run.values[Stage.ACT][0, 5]
    strongest = int(np.abs(parts).argmax())
    assert panel.title.text == "Output: out[17] at “are” (5)"
    assert rows(panel)[0].key == strongest
    z = numbers.short(float(run.values[Stage.UP][0, 5, strongest]))
    assert panel.line.text.startswith(f"neuron {strongest}: pre-activation {z}, ")


@pytest.mark.parametrize(
    "settings",
    [
        SMALL,
        SMALL.with_(activation="swiglu", bias=False, norm_placement="sandwich"),
        SMALL.with_(norm_placement="post", dtype="bfloat16"),
        SMALL.with_(experts=4, top_k=2, shared_experts=1),
        SMALL.with_(dropout=0.5, training=True, residual=False),
    ],
)
@pytest.mark.parametrize("high", [210, 400])
@pytest.mark.parametrize("scroll", [0, 9, 1_000])
def test_the_rows_in_sight_add_up(qtbot: QtBot, settings: object, high: int, scroll: int) -> None:
    state = state_of(settings=settings, selection=CHOSEN, views=(("output", View(scroll=scroll)),))
    _, panel = live_of(qtbot, state, high=high)
    found = rows(panel)
    own = [row for row in found if row.key >= 0]
    tail = [row for row in found if row.key < 0]
    assert own
    assert panel.list.laid is not None
    first = panel.list.laid.first
    assert [row.value for row in own] == reading(panel).part[first : first + len(own)].tolist()
    summed = math.fsum(row.value for row in found if row.key != TOTAL)
    assert summed == pytest.approx(reading(panel).out, rel=5e-4, abs=1e-7)
    if high == 400:
        assert (tail[-1].key, tail[-1].value) == (TOTAL, reading(panel).out)
    else:
        assert len(tail) == 1


def test_bars_stand_end_to_end(qtbot: QtBot) -> None:
    live, panel = live_of(qtbot, state_of(selection=CHOSEN))
    panel.modes.buttons[1].click()
    assert live.state.view("output").mode == "sum"
    found = chain(rows(panel))
    assert found[0][0] == 0.0
    assert all(a[1] == b[0] for a, b in pairwise(found[:-1]))
    assert found[-2][1] == pytest.approx(reading(panel).out, abs=1e-6)
    assert found[-1] == (0.0, reading(panel).out)
    assert panel.list.picture is not None
    assert max(abs(end) for pair in found for end in pair) <= panel.list.picture.limit


def test_a_row_leads_to_its_neuron(qtbot: QtBot) -> None:
    live, panel = live_of(qtbot, state_of(selection=CHOSEN))
    viewport = panel.list.viewport()
    mouse(viewport, QEvent.Type.MouseMove, row_centre(panel.list, 2))
    qtbot.waitUntil(lambda: live.state.hover is not None)
    third = rows(panel)[2].key
    assert live.state.hover == Cell(Stage.ACT, 0, 5, third)
    assert panel.list.picture is not None
    assert panel.list.picture.hovered == third
    assert panel.line.text.startswith(f"neuron {third}:")
    mouse(viewport, QEvent.Type.MouseButtonPress, row_centre(panel.list, 2))
    assert (live.state.selection.neuron, live.state.selection.dim) == (third, 17)
    QTest.keyClick(panel.list, Qt.Key.Key_Down)
    assert live.state.selection.neuron == rows(panel)[3].key
    QTest.keyClick(panel.list, Qt.Key.Key_Right)
    assert live.state.selection.dim == 18


def test_the_rows_of_the_sum_are_no_neurons(qtbot: QtBot) -> None:
    live, panel = live_of(qtbot, state_of(selection=CHOSEN))
    last = row_centre(panel.list, len(rows(panel)) - 1)
    mouse(panel.list.viewport(), QEvent.Type.MouseButtonPress, last)
    assert live.state.selection.neuron is None


def test_a_neuron_of_an_expert(qtbot: QtBot) -> None:
    """A row of the second expert chooses that expert; pointing names it too."""
    settings = SMALL.with_(experts=4, top_k=2)
    live, panel = live_of(qtbot, state_of(settings=settings, selection=CHOSEN))
    assert panel.scene is not None
    assert panel.scene.run is not None
    assert panel.scene.run.expert_index is not None
    second = int(panel.scene.run.expert_index[0, 5, 1])
    place = next(i for i, row in enumerate(rows(panel)) if row.key >= 0 and row.key // SMALL.d_ff == second)
    neuron = rows(panel)[place].key % SMALL.d_ff
    mouse(panel.list.viewport(), QEvent.Type.MouseMove, row_centre(panel.list, place))
    qtbot.waitUntil(lambda: live.state.point is not None)
    assert live.state.point == Point(token=5, neuron=neuron, expert=second)
    mouse(panel.list.viewport(), QEvent.Type.MouseButtonPress, row_centre(panel.list, place))
    assert (live.state.selection.neuron, live.state.selection.expert) == (neuron, second)
    assert panel.line.text.startswith(f"neuron {neuron} of expert {second}:")
    assert panel.list.picture is not None
    assert panel.list.picture.chosen == second * SMALL.d_ff + neuron


def test_a_dimension_is_chosen_in_the_strip_the_field_and_by_the_button(qtbot: QtBot) -> None:
    live, panel = live_of(qtbot, state_of())
    assert panel.scene is not None
    assert panel.scene.run is not None
    out = panel.scene.run.values[Stage.OUT][0, 5]
    largest = int(np.abs(out).argmax())
    assert reading(panel).dim == panel.dim.value() == largest
    area = panel.strip.area
    at = QPointF(area.left() + 3.5 / 24 * area.width(), area.center().y())
    mouse(panel.strip.viewport(), QEvent.Type.MouseMove, at)
    qtbot.waitUntil(lambda: live.state.hover is not None)
    assert live.state.hover == Cell(Stage.OUT, 0, 5, 3)
    mouse(panel.strip.viewport(), QEvent.Type.MouseButtonPress, at)
    assert (live.state.selection.dim, live.state.selection.stage) == (3, Stage.OUT)
    assert panel.dim.value() == 3
    panel.dim.stepBy(2)
    assert live.state.selection.dim == 5
    QTest.keyClick(panel.strip, Qt.Key.Key_Left)
    assert live.state.selection.dim == 4
    QTest.keyClick(panel.strip, Qt.Key.Key_Up)
    assert (live.state.selection.dim, live.state.selection.token) == (4, 4)
    panel.largest.click()
    assert panel.scene.run is not None
    assert live.state.selection.dim == int(np.abs(panel.scene.run.values[Stage.OUT][0, 4]).argmax())


def test_a_pixel_of_many_dimensions_names_the_strongest(qtbot: QtBot) -> None:
    _, panel = live_of(qtbot, state_of(settings=SMALL.with_(d_model=3_000)), wide=500)
    assert panel.scene is not None
    assert panel.scene.run is not None
    out, area = panel.scene.run.values[Stage.OUT][0, 5], panel.strip.area
    found = panel.strip.dim_at(QPointF(area.left() + 0.5, area.center().y()))
    per_pixel = -(-3_000 // int(area.width()))
    assert per_pixel > 1
    assert found is not None
    assert found < per_pixel
    assert abs(out[found]) == np.abs(out[: 3_000 // int(area.width())]).max()


def test_the_headline_is_what_the_residual_does(qtbot: QtBot) -> None:
    _, panel = live_of(qtbot, state_of(selection=CHOSEN))
    found = reading(panel)
    sign = "−" if found.out < 0 else "+"
    sum_ = f"{numbers.short(found.x)} {sign} {numbers.short(abs(found.out))} = {numbers.short(found.y)}"
    assert panel.sum.text == f"x + out = y: {sum_}"
    sandwich = SMALL.with_(norm_placement="sandwich")
    _, panel = live_of(qtbot, state_of(settings=sandwich, selection=CHOSEN))
    assert panel.sum.text.startswith("x + norm(out) = y: ")
    _, panel = live_of(qtbot, state_of(settings=SMALL.with_(residual=False), selection=CHOSEN))
    assert panel.sum.text == f"out = {numbers.short(reading(panel).out)}"
    b = Compare(SMALL.with_(activation="gelu"))
    _, panel = live_of(qtbot, state_of(selection=CHOSEN, compare=b))
    assert panel.scene is not None
    assert panel.scene.other is not None
    theirs = numbers.short(float(panel.scene.other.values[Stage.OUT][0, 5, 17]))
    assert panel.sum.text.endswith(f"(B: out = {theirs})")
    assert panel.strip.picture is not None
    assert panel.strip.picture.other is not None


def test_a_card_without_room_says_the_sum_beside_the_title(qtbot: QtBot) -> None:
    _, panel = live_of(qtbot, state_of(selection=CHOSEN), wide=420, high=260)
    assert not panel.strip.isVisibleTo(panel)
    assert panel.sum.text == ""
    assert panel.note.text.startswith("x + out = y: ")


def test_what_the_pass_has_not_reached_is_not_told(qtbot: QtBot) -> None:
    live, panel = live_of(qtbot, state_of(selection=CHOSEN, playback=Playback(0.3)))
    assert "not reached" in panel.list.sentence
    assert panel.strip.dim_at(panel.strip.area.center()) is None
    assert panel.table() is None
    shares = [] if panel.list.picture is None else [-1.0]
    for time in (0.62, 0.66, 0.7, 1.0):
        live.state = state_of(selection=CHOSEN, playback=Playback(time))
        live.change(changes.hover(None))
        if panel.list.picture is not None:
            shares.append(panel.list.picture.progress)
    assert min(shares) >= 0.0
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_no_expert_had_room(qtbot: QtBot) -> None:
    settings = SMALL.with_(experts=2, top_k=1, capacity_factor=0.01)
    states = [state_of(settings=settings, selection=Selection(token=token, dim=3)) for token in range(8)]
    lines = {live_of(qtbot, state)[1].line.text for state in states}
    assert "No expert had room for this token: nothing was added." in lines


def test_the_table_holds_every_part(qtbot: QtBot) -> None:
    _, panel = live_of(qtbot, state_of(selection=CHOSEN))
    table, found = panel.table(), reading(panel)
    assert table is not None
    assert table[0] == ["neuron", "pre-activation", "act", "m", "part"]
    assert len(table) == 1 + SMALL.d_ff + 5
    assert [float(row[4]) for row in table[1 : 1 + SMALL.d_ff]] == found.part.tolist()
    ends = {row[0]: float(row[4]) for row in table[1 + SMALL.d_ff :]}
    assert ends == {"bias": found.bias, "rest": found.rest, "out": found.out, "x": found.x, "y": found.y}


def test_japanese(qtbot: QtBot) -> None:
    look = Appearance(language="ja")
    _, panel = live_of(qtbot, state_of(selection=CHOSEN, appearance=look))
    assert panel.title.text == "出力：「are」（5）の out[17]"
    assert panel.line.text.startswith("ニューロン ")
