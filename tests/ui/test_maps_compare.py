"""All positions at once while comparing: A, B and A − B; the lens; and what other panels point at."""

from dataclasses import replace

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from ffn_explorer.core.settings import Settings
from ffn_explorer.core.stages import Stage
from ffn_explorer.panels.maps import MapsPanel
from ffn_explorer.state.app_state import Appearance, AppState, Cell, Compare, Playback, Point, Selection, View
from ffn_explorer.widgets.map_picture import MapPicture
from tests.ui.live import SMALL, Live, scene_of, state_of

GELU = SMALL.with_(activation="gelu")
CHOSEN = Selection(token=1, neuron=7, dim=3, stage=Stage.ACT)


def compared(other: Settings, *, mode: str = "", stage: Stage = Stage.ACT, **parts: object) -> AppState:
    views = (("maps", View(stage, mode=mode)),)
    state = state_of(selection=CHOSEN, compare=Compare(other))
    return replace(state, views=views, **parts)  # type: ignore[arg-type] # checked by AppState


def live_of(qtbot: QtBot, state: AppState) -> tuple[Live, MapsPanel]:
    panel = MapsPanel()
    return Live(qtbot, panel, state), panel


def drawn(panel: MapsPanel) -> MapPicture:
    assert panel.map.picture is not None
    return panel.map.picture


def test_the_switch_is_there_only_while_comparing(qtbot: QtBot) -> None:
    _, panel = live_of(qtbot, state_of())
    assert panel.modes.isHidden()
    live, panel = live_of(qtbot, compared(GELU))
    assert not panel.modes.isHidden()
    assert all(button.accessibleName() and button.toolTip() for button in panel.modes.buttons)
    panel.modes.buttons[2].click()
    assert live.state.view("maps") == View(Stage.ACT, mode="diff")


def test_each_mode_draws_its_own_values(qtbot: QtBot) -> None:
    scene = scene_of(compared(GELU))
    assert scene.run is not None
    assert scene.other is not None
    a, b = (run.values[Stage.ACT][0] for run in (scene.run, scene.other))
    for mode, wanted in (("", a), ("b", b), ("diff", a - b)):
        _, panel = live_of(qtbot, compared(GELU, mode=mode))
        assert np.array_equal(drawn(panel).exact, wanted)
        assert (drawn(panel).share is None) == (mode == "diff")
        table = panel.table()
        assert table is not None
        assert [float(number) for number in table[2][1:]] == pytest.approx(wanted[1].tolist(), rel=1e-6)


def test_the_readout_names_both_and_the_note_the_size_of_the_difference(qtbot: QtBot) -> None:
    live, panel = live_of(qtbot, compared(GELU, mode="diff"))
    scene = live.panel.scene
    assert scene is not None
    assert scene.run is not None
    assert scene.other is not None
    a, b = (float(run.values[Stage.ACT][0, 1, 7]) for run in (scene.run, scene.other))
    words = drawn(panel).words.readout.replace("−", "-")
    numbers = [float(part.rpartition(" ")[2]) for part in words.partition(": ")[2].split(", ")]
    assert numbers == [pytest.approx(a, rel=5e-3), pytest.approx(b, rel=5e-3), pytest.approx(a - b, rel=5e-3)]
    every_a, every_b = (run.values[Stage.ACT].astype(np.float64) for run in (scene.run, scene.other))
    relative = np.linalg.norm(every_a - every_b) / np.linalg.norm(every_b)
    said = panel.note.text.split(", ")[0]
    assert said.startswith("‖A − B‖ / ‖B‖ = ")
    assert float(said.rpartition(" = ")[2]) == pytest.approx(relative, rel=5e-3)


def test_what_b_lacks_or_has_in_another_width_is_said(qtbot: QtBot) -> None:
    _, panel = live_of(qtbot, compared(SMALL.with_(norm="none"), mode="b", stage=Stage.NORM))
    assert panel.map.sentence == "B has no stage “norm”."
    _, panel = live_of(qtbot, compared(SMALL.with_(norm="none"), mode="diff", stage=Stage.NORM))
    assert "nothing to subtract" in panel.map.sentence
    _, panel = live_of(qtbot, compared(SMALL.with_(d_ff=96), mode="diff", stage=Stage.UP))
    assert "64 columns in A and 96 in B" in panel.map.sentence
    assert panel.note.text == ""
    assert panel.table() is None
    _, panel = live_of(qtbot, compared(SMALL.with_(d_ff=96), mode="b", stage=Stage.UP))
    assert drawn(panel).exact.shape[1] == drawn(panel).axis == 96


def test_without_b_the_map_is_that_of_a(qtbot: QtBot) -> None:
    state = replace(compared(GELU, mode="diff"), compare=None)
    live, panel = live_of(qtbot, state)
    scene = live.panel.scene
    assert scene is not None
    assert scene.run is not None
    assert np.array_equal(drawn(panel).exact, scene.run.values[Stage.ACT][0])


def test_equal_runs_differ_by_nothing(qtbot: QtBot) -> None:
    _, panel = live_of(qtbot, compared(SMALL, mode="diff"))
    assert panel.note.text.startswith("‖A − B‖ / ‖B‖ = 0,")
    assert not np.any(drawn(panel).exact)


def test_what_other_panels_point_at_is_marked(qtbot: QtBot) -> None:
    cases = (
        (Point(token=3), (3, None)),
        (Point(neuron=9), (None, 9)),
        (Point(dim=9), (None, None)),
        (Point(neuron=64), (None, None)),
        (Point(Stage.UP, None, 5, 6), (None, 5)),
    )
    state = state_of(views=(("maps", View(Stage.ACT)),), selection=CHOSEN)
    for point, wanted in cases:
        _, panel = live_of(qtbot, replace(state, point=point))
        assert drawn(panel).hovered == wanted
    live, panel = live_of(qtbot, replace(state, point=Point(token=3)))
    assert live.panel.scene is not None
    assert "“the”, neuron 7: " in drawn(panel).words.readout


def test_the_lens_shows_the_neighbours_once_they_are_revealed(qtbot: QtBot) -> None:
    look = Appearance(lens=True)
    state = state_of(appearance=look, views=(("maps", View(Stage.ACT)),), hover=Cell(Stage.ACT, 0, 6, 30))
    live, panel = live_of(qtbot, state)
    scene = live.panel.scene
    assert scene is not None
    assert scene.run is not None
    lens = drawn(panel).lens
    assert lens is not None
    assert np.array_equal(lens.values, scene.run.values[Stage.ACT][0, 3:8, 23:38])
    assert lens.at == (3, 7)
    assert lens.columns[7] == "30"
    assert lens.rows == drawn(panel).rows[3:8]
    _, panel = live_of(qtbot, replace(state, playback=Playback(0.42)))
    assert drawn(panel).lens is None  # the pass has not come that far
    _, panel = live_of(qtbot, replace(state, appearance=Appearance()))
    assert drawn(panel).lens is None
