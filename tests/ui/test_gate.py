"""Gate: quadrants, dots and lanes are the run's true numbers, and a plain FFN is offered a gate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from ffn_explorer.core.stages import Stage
from ffn_explorer.panels.gate import MODES, GatePanel
from ffn_explorer.state.app_state import (
    Appearance,
    AppState,
    Cell,
    Compare,
    Language,
    Playback,
    Selection,
    Theta,
    View,
)
from ffn_explorer.state.numbers import percent
from ffn_explorer.state.scene import Scene
from ffn_explorer.widgets.canvas import Canvas
from ffn_explorer.widgets.gate_lanes_paint import open_colour, shut_colour
from ffn_explorer.widgets.theme import THEMES, Theme, contrast
from tests.ui.live import SMALL, Live, scene_of, state_of
from tests.ui.pictures import mouse, shown

GATED = SMALL.with_(activation="swiglu", norm="rms", bias=False)
TIGHT = GATED.with_(experts=2, top_k=2, capacity_factor=0.01)
SIZES = [(420, 260), (700, 300)]
KINDS = ["glu", "reglu", "geglu", "swiglu", "bilinear"]
LANGUAGES: tuple[Language, ...] = ("en", "ja")


def view(mode: str, **parts: int) -> tuple[tuple[str, View], ...]:
    return (("gate", View(mode=mode, **parts)),)  # type: ignore[arg-type] # fields of View


STATES: dict[str, Callable[[], AppState]] = {
    "plain": state_of,
    "gated": lambda: state_of(settings=GATED),
    "chosen": lambda: state_of(settings=GATED, selection=Selection(token=2, neuron=9, stage=Stage.UP)),
    "entering": lambda: state_of(settings=GATED, playback=Playback(0.25)),
    "forming": lambda: state_of(settings=GATED, views=view("lanes"), playback=Playback(0.6)),
    "lanes": lambda: state_of(settings=GATED, views=view("lanes"), selection=Selection(token=2)),
    "zoomed": lambda: state_of(settings=GATED, views=view("lanes", first=20, shown=16)),
    "pointed": lambda: state_of(settings=GATED, hover=Cell(Stage.GATE, 0, 5, 30), views=view("lanes")),
    "compared": lambda: state_of(settings=GATED, compare=Compare(GATED.with_(activation="geglu"))),
    "relative": lambda: state_of(settings=GATED, theta=Theta(0.5, relative=True)),
    "tight": lambda: state_of("a b c d", settings=TIGHT, selection=Selection(token=3)),
    "ja": lambda: state_of(settings=GATED.with_(activation="glu"), appearance=Appearance("dark", "ja")),
    "projector": lambda: state_of(settings=GATED, appearance=Appearance("projector")),
}


@pytest.mark.parametrize("size", SIZES)
def test_a_used_panel_shows_what_a_new_one_shows(qtbot: QtBot, size: tuple[int, int]) -> None:
    scenes = {name: scene_of(make()) for name, make in STATES.items()}
    fresh = {name: shown(GatePanel, [scene], size) for name, scene in scenes.items()}
    draw = Random(32)
    for name in STATES:
        history = [scenes[draw.choice(sorted(STATES))] for _ in range(3)]
        assert np.array_equal(shown(GatePanel, [*history, scenes[name]], size), fresh[name]), name
    assert len({picture.tobytes() for picture in fresh.values()}) == len(fresh)


def offered(qtbot: QtBot, scene: Scene, *, width: int = 560, height: int = 340) -> GatePanel:
    panel = GatePanel()
    qtbot.addWidget(panel)
    panel.resize(width, height)
    panel.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    panel.offer(scene)
    panel.show()
    return panel


def live(qtbot: QtBot, **parts: object) -> tuple[Live, GatePanel]:
    panel = GatePanel()
    return Live(qtbot, panel, state_of(**{"settings": GATED, **parts}), width=520), panel


def press(canvas: Canvas, at: QPointF) -> None:
    mouse(canvas, at, kind=QEvent.Type.MouseButtonPress, pressed=True)
    mouse(canvas, at, kind=QEvent.Type.MouseButtonRelease)


def test_a_plain_ffn_is_offered_a_gate(qtbot: QtBot) -> None:
    panel = GatePanel()
    joined = Live(qtbot, panel, state_of(), width=520)
    assert panel.offered.isVisible()
    assert not panel.grid.isVisible()
    assert panel.table() is None
    panel.offered.button.click()
    assert joined.state.settings.activation == "swiglu"
    assert panel.grid.isVisible()
    assert not panel.offered.isVisible()


@pytest.mark.parametrize("activation", KINDS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_numbers_are_those_of_the_run(qtbot: QtBot, activation: str, language: Language) -> None:
    state = state_of(
        settings=GATED.with_(activation=activation),
        theta=Theta(0.2),
        appearance=Appearance(language=language),
    )
    scene = scene_of(state)
    picture = offered(qtbot, scene).map.picture
    assert picture is not None
    assert scene.run is not None
    gate, up, act = (scene.run.values[stage][0] for stage in (Stage.GATE, Stage.UP, Stage.ACT))
    every, here = picture.columns
    for column, rows in ((every, slice(None)), (here, scene.selection.token)):
        g, u, a = gate[rows], up[rows], act[rows]
        signs = [(g >= 0) & (u >= 0), (g >= 0) & (u < 0), (g < 0) & (u >= 0), (g < 0) & (u < 0)]
        assert column.quadrants == tuple(percent(float(part.mean())) for part in signs)
        assert column.shut == percent(float((np.abs(a) <= 0.2).mean()))
    words = picture.words.condition[0]
    assert "≤ 0.2" in words
    label = {"glu": "sigmoid", "reglu": "ReLU", "geglu": "GELU", "swiglu": "SiLU"}.get(activation)
    assert words == (f"|{label}(gate)| ≤ 0.2" if label else "|gate| ≤ 0.2")
    assert picture.words.shut == {"en": "nearly shut", "ja": "ほぼ閉じている"}[language]
    assert picture.dots is not None
    np.testing.assert_array_equal(picture.dots.shut, np.abs(act[scene.selection.token]) <= 0.2)


def test_numbers_come_as_the_pass_reaches_them(qtbot: QtBot) -> None:
    for time in (0.0, 0.3, 0.45, 1.0):
        scene = scene_of(state_of(settings=GATED, playback=Playback(time)))
        done = dict(scene.progress)
        picture = offered(qtbot, scene).map.picture
        assert picture is not None
        assert picture.progress == done[Stage.GATE]
        column = picture.columns[0]
        assert bool(column.quadrants[0]) == (done[Stage.GATE] >= 1.0)
        assert bool(column.shut) == (done[Stage.ACT] >= 1.0)
        assert picture.dots is not None
        assert (picture.dots.shut is None) == (done[Stage.ACT] < 1.0)


def test_lanes_fill_one_after_the_other(qtbot: QtBot) -> None:
    scene = scene_of(state_of(settings=GATED, playback=Playback(0.62), views=view("lanes")))
    done = dict(scene.progress)
    assert 0.3 < done[Stage.HIDDEN] < 1.0
    picture = offered(qtbot, scene).lanes.picture
    assert picture is not None
    shares = [lane.progress for lane in picture.lanes]
    assert shares[:3] == [1.0, 1.0, 1.0]
    assert 0.0 < shares[3] < 1.0
    assert shares[4] == shares[3]


def test_lanes_show_the_chosen_token(qtbot: QtBot) -> None:
    scene = scene_of(state_of(settings=GATED, selection=Selection(token=2), views=view("lanes")))
    panel = offered(qtbot, scene)
    picture = panel.lanes.picture
    assert picture is not None
    assert scene.run is not None
    for lane, stage in zip(picture.lanes, (Stage.GATE, Stage.ACT, Stage.UP, Stage.HIDDEN), strict=False):
        assert lane.stage is stage
        np.testing.assert_array_equal(lane.exact, scene.run.values[stage][0, 2])
    # One neuron to several pixels: the mask's own pixels tell which gates are nearly shut.
    image, laid = panel.lanes._images[4], panel.lanes.columns
    assert laid is not None
    act = np.abs(scene.run.values[Stage.ACT][0, 2])
    theme = THEMES["light"]
    for neuron in range(SMALL.d_ff):
        span = laid.pixels_of(neuron)
        assert span is not None
        wanted = shut_colour(theme) if act[neuron] <= 0.1 else open_colour(theme)
        assert image.pixelColor(span[0], 0).name() == wanted


@pytest.mark.parametrize("theme", THEMES.values(), ids=lambda theme: theme.name)
def test_shut_gates_are_dark_and_stand_out(theme: Theme) -> None:
    assert contrast(shut_colour(theme), open_colour(theme)) > 4.5
    assert contrast(shut_colour(theme), "#ffffff") > contrast(open_colour(theme), "#ffffff")


def test_neurons_are_pointed_at_and_chosen_on_the_map(qtbot: QtBot) -> None:
    joined, panel = live(qtbot)
    picture = panel.map.picture
    assert picture is not None
    assert picture.dots is not None
    at = panel.map.point_of(float(picture.dots.gate[11]), float(picture.dots.up[11]))
    mouse(panel.map, at)
    qtbot.waitUntil(lambda: joined.state.hover is not None)
    assert joined.state.hover == Cell(Stage.GATE, 0, 5, panel.map.neuron_at(at) or 0)
    press(panel.map, at)
    chosen = joined.state.selection.neuron
    assert chosen is not None
    near = panel.map.point_of(float(picture.dots.gate[chosen]), float(picture.dots.up[chosen]))
    assert abs(near.x() - at.x()) + abs(near.y() - at.y()) <= 1.0
    QTest.keyClick(panel.map, Qt.Key.Key_Right)
    assert joined.state.selection.neuron == min(SMALL.d_ff - 1, chosen + 1)


def lane_point(panel: GatePanel, lane: int, neuron: int) -> QPointF:
    places, laid = panel.lanes.places, panel.lanes.columns
    assert places is not None
    assert laid is not None
    span = laid.pixels_of(neuron)
    assert span is not None
    return QPointF(places.left + (span[0] + span[1]) / 2, places.lanes[lane].center().y())


def test_lanes_are_pointed_at_and_chosen(qtbot: QtBot) -> None:
    joined, panel = live(qtbot, views=view("lanes"))
    mouse(panel.lanes, lane_point(panel, 2, 40))
    qtbot.waitUntil(lambda: joined.state.hover is not None)
    assert joined.state.hover == Cell(Stage.UP, 0, 5, 40)
    press(panel.lanes, lane_point(panel, 3, 41))
    assert joined.state.selection.cell() == Cell(Stage.HIDDEN, 0, 5, 41)
    press(panel.lanes, lane_point(panel, 4, 42))
    assert joined.state.selection.neuron == 42
    assert joined.state.selection.stage is Stage.HIDDEN


def test_lanes_zoom_and_move_along(qtbot: QtBot) -> None:
    joined, panel = live(qtbot, views=view("lanes"), selection=Selection(neuron=32, stage=Stage.GATE))
    QTest.keyClicks(panel.lanes, "++")
    zoomed = joined.state.view("gate")
    assert 0 < zoomed.shown < SMALL.d_ff
    assert zoomed.first <= 32 < zoomed.first + zoomed.shown
    assert panel.lanes.columns is not None
    assert panel.lanes.columns.shown == zoomed.shown
    QTest.keyClicks(panel.lanes, "-")
    assert joined.state.view("gate").shown > zoomed.shown
    QTest.keyClicks(panel.lanes, "0")
    assert joined.state.view("gate").shown == 0


def test_b_has_its_numbers_beside_those_of_a(qtbot: QtBot) -> None:
    other = GATED.with_(activation="geglu", d_ff=48)
    scene = scene_of(state_of(settings=GATED, compare=Compare(other)))
    picture = offered(qtbot, scene, width=700).map.picture
    assert picture is not None
    assert scene.other is not None
    assert [column.kind for column in picture.columns] == ["all", "other", "one", "other"]
    act = np.abs(scene.other.values[Stage.ACT][0])
    assert picture.columns[1].shut == percent(float((act <= 0.1).mean()))
    plain = scene_of(state_of(settings=GATED, compare=Compare(SMALL)))
    alone = offered(qtbot, plain).map.picture
    assert alone is not None
    assert [column.kind for column in alone.columns] == ["all", "one"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_token_without_room_says_so(qtbot: QtBot, language: Language) -> None:
    look = Appearance(language=language)
    state = state_of("a b c d", settings=TIGHT, selection=Selection(token=3), appearance=look)
    picture = offered(qtbot, scene_of(state)).map.picture
    assert picture is not None
    assert picture.dots is None
    assert [column.kind for column in picture.columns] == ["all"]
    words = {"en": "nothing was computed", "ja": "何も計算されていません"}[language]
    assert words in picture.words.readout[0]
    panel = offered(qtbot, scene_of(replace(state, views=view("lanes"))))
    assert words in panel.lanes.sentence


def test_the_table_holds_exact_numbers(qtbot: QtBot) -> None:
    scene = scene_of(state_of(settings=GATED, selection=Selection(token=1)))
    assert scene.run is not None
    assert scene.gate_view is not None
    quadrants = offered(qtbot, scene).table()
    assert quadrants is not None
    assert [list(map(int, row[2:6])) for row in quadrants[1:]] == scene.gate_view.quadrants.tolist()
    assert [int(row[6]) for row in quadrants[1:]] == scene.gate_view.shut.tolist()
    lanes = offered(qtbot, replace(scene, views=view("lanes"))).table()
    assert lanes is not None
    for at, stage in enumerate((Stage.GATE, Stage.ACT, Stage.UP, Stage.HIDDEN), 1):
        assert [float(row[at]) for row in lanes[1:]] == scene.run.values[stage][0, 1].tolist()


def test_tabs_choose_the_picture(qtbot: QtBot) -> None:
    joined, panel = live(qtbot)
    for index, mode in enumerate(MODES):
        panel.tabs.buttons[index].click()
        assert joined.state.view("gate").mode == mode
        assert panel.grid.seen == (index,)
