"""The running sum: its curves are those of the reading, and the handle changes what the pass keeps."""

from __future__ import annotations

import math

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ffn_explorer.core.edits import Edits
from ffn_explorer.core.spec_of import spec_of
from ffn_explorer.core.stages import Stage, stages_of
from ffn_explorer.panels.running_sum import RunningSumPanel
from ffn_explorer.state import changes, numbers, timeline
from ffn_explorer.state.app_state import AppState, Cell, Compare, Playback, Point
from ffn_explorer.widgets.sum_marks import clearance
from ffn_explorer.widgets.sum_plot import SumCurves, SumPicture, axes_of
from tests.ui.live import SMALL, Live, drag, memories_of, mouse, settle, state_of

F = SMALL.d_ff


def live(qtbot: QtBot, state: AppState | None = None) -> Live:
    return Live(qtbot, RunningSumPanel(), state or state_of(), width=620)


def panel_of(shown: Live) -> RunningSumPanel:
    assert isinstance(shown.panel, RunningSumPanel)
    return shown.panel


def picture_of(shown: Live) -> SumPicture:
    picture = panel_of(shown).plot.picture
    assert picture is not None
    return picture


def at_k(shown: Live, k: int) -> QPointF:
    plot = panel_of(shown).plot
    return QPointF(plot.point_of(math.log2(k), 0.5).x(), plot.area.center().y())


def test_curves_and_readout_are_those_of_the_reading(qtbot: QtBot) -> None:
    shown = live(qtbot, state_of(edits=Edits(keep=9)))
    found, picture = memories_of(shown), picture_of(shown)
    assert picture.curves.cosine is found.cosine
    assert picture.curves.error is found.error
    assert picture.k == 9
    for number in (numbers.short(found.cosine[9]), numbers.short(found.error[9]), "9"):
        assert number in panel_of(shown).readout.text
    item = panel_of(shown).plot._lines[2]
    np.testing.assert_allclose(item.xData, np.log2(np.arange(1, F + 1)))
    np.testing.assert_array_equal(item.yData, found.cosine[1:])


def test_all_are_kept_at_first(qtbot: QtBot) -> None:
    shown = live(qtbot)
    assert picture_of(shown).k == F
    assert not panel_of(shown).all.isEnabled()
    assert panel_of(shown).field.value() == F
    assert numbers.count(F) in panel_of(shown).readout.text


def test_a_click_and_a_drag_keep_so_many(qtbot: QtBot) -> None:
    shown = live(qtbot)
    drag(panel_of(shown).plot.viewport(), at_k(shown, 32), at_k(shown, 20), at_k(shown, 5))
    assert shown.state.edits.keep == 5
    scene = shown.panel.scene
    assert scene is not None
    assert scene.run is not None
    hidden = scene.run.values[Stage.HIDDEN][0, 5]
    assert 0 < np.count_nonzero(hidden) <= 5
    mouse(panel_of(shown).plot.viewport(), QEvent.Type.MouseMove, at_k(shown, 50))
    assert shown.state.edits.keep == 5, "the handle was let go"
    assert panel_of(shown).field.value() == 5


def test_dragging_past_the_ends_stays_within_1_and_all(qtbot: QtBot) -> None:
    shown = live(qtbot)
    plot = panel_of(shown).plot
    drag(plot.viewport(), at_k(shown, 8), QPointF(-500.0, 50.0))
    assert shown.state.edits.keep == 1
    drag(plot.viewport(), at_k(shown, 8), QPointF(5_000.0, 50.0))
    assert shown.state.edits.keep == 0, "keeping all is no edit"
    assert picture_of(shown).k == F


@pytest.mark.parametrize(
    ("key", "k", "wanted"),
    [
        (Qt.Key.Key_Up, 9, 10),
        (Qt.Key.Key_Down, 9, 8),
        (Qt.Key.Key_Right, 9, 11),
        (Qt.Key.Key_Left, 9, 7),
        (Qt.Key.Key_Right, 1, 2),
        (Qt.Key.Key_Left, 2, 1),
        (Qt.Key.Key_Left, 1, 1),
    ],
)
def test_arrows_move_the_handle(qtbot: QtBot, key: Qt.Key, k: int, wanted: int) -> None:
    shown = live(qtbot, state_of(edits=Edits(keep=k)))
    qtbot.keyClick(panel_of(shown).plot, key)
    assert shown.state.edits.keep == wanted


def test_a_typed_number_and_the_button(qtbot: QtBot) -> None:
    shown = live(qtbot)
    panel = panel_of(shown)
    panel.field.selectAll()
    qtbot.keyClicks(panel.field, "12")
    qtbot.keyClick(panel.field, Qt.Key.Key_Return)
    settle()
    assert shown.state.edits.keep == 12
    assert panel.all.isEnabled()
    qtbot.mouseClick(panel.all, Qt.MouseButton.LeftButton)
    assert shown.state.edits.keep == 0
    assert panel.field.value() == F


def test_more_than_there_are_is_all(qtbot: QtBot) -> None:
    """A width chosen later may be smaller than k: then nothing is cut, and k comes back with the width."""
    shown = live(qtbot, state_of(edits=Edits(keep=500)))
    assert picture_of(shown).k == F
    scene = shown.panel.scene
    assert scene is not None
    assert scene.run is not None
    assert scene.run.spec.keep == 0


def test_other_edits_stay(qtbot: QtBot) -> None:
    experts = SMALL.with_(experts=4, top_k=2)
    shown = live(qtbot, state_of(settings=experts, edits=Edits(banned=(1,))))
    panel_of(shown).plot.picked.emit(6)
    assert shown.state.edits == Edits(keep=6, banned=(1,))


def test_the_curves_grow_with_the_output(qtbot: QtBot) -> None:
    waiting = live(qtbot, state_of(playback=Playback(0.3)))
    assert panel_of(waiting).plot.sentence
    assert panel_of(waiting).readout.text == ""
    stages = stages_of(spec_of(SMALL))
    times = np.linspace(0.0, 1.0, 201).tolist()
    midway = next(t for t in times if 0.3 < dict(timeline.progress(t, stages))[Stage.OUT] < 0.7)
    growing = live(qtbot, state_of(playback=Playback(midway)))
    assert 0 < len(panel_of(growing).plot._lines[2].xData) < F
    assert panel_of(growing).readout.text == ""


def test_a_sum_of_0_has_no_curves_and_says_why(qtbot: QtBot) -> None:
    state = changes.use_memory("xor").to(AppState())
    shown = live(qtbot, changes.choose(token=3).to(state))
    assert "add up to 0" in panel_of(shown).plot.sentence
    assert panel_of(shown).readout.text == ""
    other = live(qtbot, changes.choose(token=1).to(state))
    assert panel_of(other).plot.sentence == ""
    assert panel_of(other).readout.text


def test_b_is_drawn_in_grey(qtbot: QtBot) -> None:
    shown = live(qtbot, state_of(compare=Compare(SMALL.with_(activation="gelu"))))
    b = memories_of(shown).other
    assert b is not None
    picture = picture_of(shown)
    assert picture.other is not None
    assert picture.other.cosine is b.cosine
    assert panel_of(shown).plot._lines[0].isVisible()


def test_the_table_has_every_k(qtbot: QtBot) -> None:
    shown = live(qtbot)
    table, found = panel_of(shown).table(), memories_of(shown)
    assert table is not None
    assert [float(row[1]) for row in table[1:]] == found.cosine.tolist()
    assert [float(row[2]) for row in table[1:]] == found.error.tolist()
    assert [int(row[0]) for row in table[1:]] == list(range(F + 1))


@pytest.mark.parametrize("total", [1, 2, 3, 64, 11_008, 65_536])
def test_axes_hold_every_k(total: int) -> None:
    values = np.linspace(0.0, 1.0, total + 1)
    axes = axes_of([SumCurves(values, 1.0 - values)], x_name=("x",), y_name="y")
    assert axes.x == (0.0, math.log2(total) if total > 1 else 1.0)
    assert axes.y == (0.0, 1.0)
    assert len(axes.x_ticks) == len(axes.x_labels) <= 8
    assert [2**tick for tick in axes.x_ticks] == [int(label.replace(",", "")) for label in axes.x_labels]


def test_axes_follow_curves_that_leave_the_unit_range() -> None:
    curves = SumCurves(np.array([0.0, -0.4, 1.0]), np.array([1.0, 1.7, np.nan]))
    axes = axes_of([curves], x_name=("x",), y_name="y")
    assert axes.y == (-0.4, 1.7)


def test_pointing_at_k_points_at_the_k_th_strongest_everywhere(qtbot: QtBot) -> None:
    shown = live(qtbot)
    plot, found = panel_of(shown).plot, memories_of(shown)
    mouse(plot.viewport(), QEvent.Type.MouseMove, at_k(shown, 4))
    qtbot.waitUntil(lambda: shown.state.hover is not None)
    neuron = int(found.neuron[3])
    assert shown.state.hover == Cell(Stage.ACT, 0, found.token, neuron)
    (mark,) = picture_of(shown).marks
    assert (mark.k, mark.chosen) == (4, False)
    assert mark.words[0] == f"no. 4: neuron {neuron}"
    assert shown.state.edits.keep == 0, "pointing keeps what is kept"
    QApplication.sendEvent(plot, QEvent(QEvent.Type.Leave))
    qtbot.waitUntil(lambda: shown.state.hover is None)
    assert picture_of(shown).marks == ()


def test_the_second_expert_s_memories_are_pointed_at_as_its_own(qtbot: QtBot) -> None:
    shown = live(qtbot, state_of(settings=SMALL.with_(experts=4, top_k=2)))
    scene = shown.panel.scene
    assert scene is not None
    assert scene.run is not None
    assert scene.run.expert_index is not None
    second = int(scene.run.expert_index[0, 5, 1])
    shown.change(changes.select_expert(second))
    found = memories_of(shown)
    assert (found.slot, found.expert) == (1, second)
    mouse(panel_of(shown).plot.viewport(), QEvent.Type.MouseMove, at_k(shown, 1))
    qtbot.waitUntil(lambda: shown.state.point is not None)
    assert shown.state.point == Point(token=5, neuron=int(found.neuron[0]), expert=second)
    assert [mark.k for mark in picture_of(shown).marks] == [1]
    shown.change(changes.point(neuron=int(found.neuron[0]), expert=(second + 1) % 4))
    assert picture_of(shown).marks == (), "another expert's neuron has no rank among these"


def test_the_chosen_neuron_stands_at_its_rank(qtbot: QtBot) -> None:
    shown = live(qtbot)
    found = memories_of(shown)
    for rank in (1, 9, F):
        shown.change(changes.choose(neuron=int(found.neuron[rank - 1])))
        assert [(mark.k, mark.chosen) for mark in picture_of(shown).marks] == [(rank, True)]
    shown.change(changes.point(neuron=int(found.neuron[1])))
    assert [(mark.k, mark.chosen) for mark in picture_of(shown).marks] == [(F, True), (2, False)]


def test_a_name_keeps_clear_of_the_curves(qtbot: QtBot) -> None:
    def heights(x: float) -> tuple[float, ...]:
        return 100.0 - x / 10.0, 20.0

    assert clearance(QRectF(0.0, 40.0, 50.0, 20.0), heights) == pytest.approx(20.0)
    assert clearance(QRectF(0.0, 85.0, 200.0, 20.0), heights) < 0.0
    assert clearance(QRectF(0.0, 40.0, 80.0, 20.0), lambda x: (100.0 * (x > 35.0),)) < 0.0, "a steep curve"
