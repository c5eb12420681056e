"""The lens: where it stands and what it shows; and what is pointed at elsewhere, in strips and curve."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QRectF
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ffn_explorer.core.settings import Settings
from ffn_explorer.core.stages import Stage
from ffn_explorer.panels.curve import CurvePanel
from ffn_explorer.panels.stage import StagePanel
from ffn_explorer.state.app_state import Appearance, Cell, Point, Selection
from ffn_explorer.widgets.flow_lens import strip_lens
from ffn_explorer.widgets.flow_picture import focus_of
from ffn_explorer.widgets.lens import Lens, _lay, around
from tests.ui.live import Live, pixels, state_of

LENS = Appearance(lens=True)


@given(st.integers(1, 40), st.integers(1, 20), st.data())
@settings(max_examples=100, deadline=None)
def test_neighbours_hold_the_index_and_are_as_many_as_there_are(
    count: int, cells: int, data: st.DataObject
) -> None:
    index = data.draw(st.integers(0, count - 1))
    first, past = around(index, count, cells)
    assert 0 <= first <= index < past <= count
    assert past - first == min(count, cells)


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_the_lens_is_inside_and_never_over_the_pointed_cell(qapp: QApplication, data: st.DataObject) -> None:
    wide, high = data.draw(st.integers(60, 900)), data.draw(st.integers(40, 600))
    rows, columns = data.draw(st.sampled_from([(15, 1), (5, 15), (7, 15), (1, 1), (2, 4)]))
    x, y = data.draw(st.integers(0, wide - 1)), data.draw(st.integers(0, high - 1))
    at = (data.draw(st.integers(0, rows - 1)), data.draw(st.integers(0, columns - 1)))
    values = np.arange(rows * columns, dtype=np.float32).reshape(rows, columns)
    labels = tuple(f"{i:,}" for i in range(1_000, 1_000 + rows))
    lens = Lens(values, 75.0, at, labels, tuple(map(str, range(columns))), "0.0123")
    near, within = QRectF(x, y, 3, 3), QRectF(0, 0, wide, high)
    laid = _lay(lens, near, within, data.draw(st.sampled_from([LENS, Appearance("projector")])))
    if laid is None:
        return
    assert within.contains(laid.box)
    assert not laid.box.intersects(near)
    assert laid.box.contains(laid.cells)
    assert laid.side >= 10
    assert laid.lens.values[laid.lens.at] == values[at]


def test_there_is_room_in_a_card(qapp: QApplication) -> None:
    values = np.zeros((5, 15), np.float32)
    lens = Lens(values, 1.0, (2, 7), ("table",) * 5, tuple(map(str, range(15))), "0")
    for x in range(0, 390, 13):
        for y in range(20, 150, 11):
            assert _lay(lens, QRectF(x, y, 1, 12), QRectF(0, 0, 390, 180), LENS) is not None, (x, y)


def stage_of(qtbot: QtBot, **parts: object) -> tuple[Live, StagePanel]:
    panel = StagePanel()
    return Live(qtbot, panel, state_of(**parts)), panel


def test_a_strip_shows_the_values_around_the_pointed_one(qtbot: QtBot) -> None:
    hover = Cell(Stage.UP, 0, 5, 40)
    kept, plain = stage_of(qtbot, hover=hover)
    live, panel = stage_of(qtbot, hover=hover, appearance=LENS)
    picture, scene = panel.view.item.picture, live.panel.scene
    assert picture is not None
    assert scene is not None
    assert scene.run is not None
    lens = strip_lens(picture, hover, dict(scene.progress))
    assert lens is not None
    assert np.array_equal(lens.values[:, 0], scene.run.values[Stage.UP][0, 5, 33:48])
    assert (lens.at, lens.rows[7]) == ((7, 0), "40")
    assert strip_lens(picture, hover, {Stage.UP: 0.4}) is None  # not revealed yet
    assert kept.state.hover == hover
    assert not np.array_equal(pixels(plain), pixels(panel))


def test_without_a_pointer_there_is_no_lens(qtbot: QtBot) -> None:
    chosen = Selection(token=5, neuron=40, stage=Stage.UP)
    lives = [stage_of(qtbot, selection=chosen, appearance=look)[0] for look in (Appearance(), LENS)]
    one, other = (pixels(live.panel) for live in lives)
    assert np.array_equal(one, other)


@pytest.mark.parametrize(
    ("point", "focus"),
    [
        (Point(neuron=9), Cell(Stage.ACT, 0, 5, 9)),
        (Point(Stage.UP, neuron=9), Cell(Stage.UP, 0, 5, 9)),
        (Point(Stage.UP, neuron=9, dim=4), Cell(Stage.UP, 0, 5, 9)),
        (Point(Stage.OUT, neuron=9, dim=4), Cell(Stage.OUT, 0, 5, 4)),
        (Point(dim=4), Cell(Stage.OUT, 0, 5, 4)),
        (Point(Stage.GATE, neuron=9), Cell(Stage.ACT, 0, 5, 9)),
        (Point(neuron=64), None),
        (Point(token=3), None),
    ],
)
def test_the_strips_mark_what_is_pointed_at_elsewhere(qtbot: QtBot, point: Point, focus: Cell | None) -> None:
    live, panel = stage_of(qtbot, point=point)
    assert panel.view.item.picture is not None
    assert live.panel.scene is not None
    assert focus_of(live.panel.scene, panel.view.item.picture) == focus


def test_the_curve_marks_a_neuron_pointed_at_elsewhere(qtbot: QtBot) -> None:
    state = state_of(settings=Settings(d_model=24, d_ff=64, activation="silu", heads=2, kv_heads=2))
    for point, marked in ((Point(neuron=9), 1), (Point(token=5, neuron=9), 1), (Point(token=2, neuron=9), 0)):
        panel = CurvePanel()
        live = Live(qtbot, panel, replace(state, point=point))
        assert live.panel.scene is not None
        assert live.panel.scene.run is not None
        marks = panel._marks(
            live.panel.scene, live.panel.scene.run, panel._neurons(live.panel.scene, live.panel.scene.run)
        )
        assert len(marks) == marked
