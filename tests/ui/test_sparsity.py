"""Sparsity: bars and counts are the run's true numbers, theta is set in every way, the Scene decides."""

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
from ffn_explorer.panels.sparsity import MODES, SparsityPanel
from ffn_explorer.state.app_state import (
    Appearance,
    AppState,
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
from tests.ui.live import SMALL, Live, scene_of, state_of
from tests.ui.pictures import mouse, shown

GATED = SMALL.with_(activation="swiglu", norm="rms", bias=False)
GELU = SMALL.with_(activation="gelu")
TIGHT = SMALL.with_(experts=2, top_k=2, capacity_factor=0.01)
SIZES = [(420, 260), (700, 300), (1_000, 420)]
LANGUAGES: tuple[Language, ...] = ("en", "ja")


def view(mode: str, **parts: int) -> tuple[tuple[str, View], ...]:
    return (("sparsity", View(mode=mode, **parts)),)  # type: ignore[arg-type] # fields of View


STATES: dict[str, Callable[[], AppState]] = {
    "plain": state_of,
    "playing": lambda: state_of(playback=Playback(0.5)),
    "gated": lambda: state_of(settings=GATED, views=view("values")),
    "forming": lambda: state_of(settings=GATED, views=view("values"), playback=Playback(0.6)),
    "neurons": lambda: state_of(views=view("neurons"), selection=Selection(neuron=7, stage=Stage.ACT)),
    "compared": lambda: state_of(settings=GATED, compare=Compare(GATED.with_(activation="geglu"))),
    "relative": lambda: state_of(settings=GATED, theta=Theta(0.5, relative=True), views=view("values")),
    "tight": lambda: state_of("a b c d", settings=TIGHT, selection=Selection(token=3)),
    "batch": lambda: state_of(
        "a b c", "d e", selection=Selection(sentence=1, token=1), views=view("neurons")
    ),
    "many": lambda: state_of(" ".join("word" for _ in range(90)), selection=Selection(token=70)),
    "scrolled": lambda: state_of(
        " ".join("word" for _ in range(90)), selection=Selection(token=70), views=view("tokens", scroll=4)
    ),
    "ja": lambda: state_of(settings=GELU, appearance=Appearance("dark", "ja")),
    "projector": lambda: state_of(settings=GELU, appearance=Appearance("projector"), views=view("values")),
}


@pytest.mark.parametrize("size", SIZES)
def test_a_used_panel_shows_what_a_new_one_shows(qtbot: QtBot, size: tuple[int, int]) -> None:
    scenes = {name: scene_of(make()) for name, make in STATES.items()}
    fresh = {name: shown(SparsityPanel, [scene], size) for name, scene in scenes.items()}
    draw = Random(31)
    for name in STATES:
        history = [scenes[draw.choice(sorted(STATES))] for _ in range(3)]
        assert np.array_equal(shown(SparsityPanel, [*history, scenes[name]], size), fresh[name]), name
    assert len({picture.tobytes() for picture in fresh.values()}) == len(fresh)


def live(qtbot: QtBot, *, width: int = 420, **parts: object) -> tuple[Live, SparsityPanel]:
    panel = SparsityPanel()
    return Live(qtbot, panel, state_of(**parts), width=width), panel


def offered(qtbot: QtBot, scene: Scene, *, width: int = 420, height: int = 300) -> SparsityPanel:
    panel = SparsityPanel()
    qtbot.addWidget(panel)
    panel.resize(width, height)
    panel.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    panel.offer(scene)
    panel.show()
    return panel


def test_one_picture_or_all_of_them(qtbot: QtBot) -> None:
    scene = scene_of(state_of(views=view("values")))
    assert offered(qtbot, scene).grid.seen == (2,)
    assert offered(qtbot, scene, width=680).grid.seen == (1, 2)
    wide = offered(qtbot, scene, width=1_000)
    assert wide.grid.seen == (0, 1, 2)
    assert not wide.tabs.isVisible()


def test_bars_are_the_shares_of_the_run(qtbot: QtBot) -> None:
    scene = scene_of(state_of(settings=GATED))
    picture = offered(qtbot, scene).bars.picture
    assert picture is not None
    assert scene.run is not None
    hidden = np.abs(scene.run.values[Stage.HIDDEN][0].astype(np.float64))
    assert picture.stage is Stage.HIDDEN
    for token, row in enumerate(picture.rows):
        share = float((hidden[token] > 0.1).mean())
        assert row.active == pytest.approx(share, abs=1e-15)
        assert row.zero == float((hidden[token] == 0).mean())
        assert row.words == percent(share)
    assert "0.1" in picture.legend[0].words


def test_bars_fill_as_the_stage_acts(qtbot: QtBot) -> None:
    for settings, stage in ((SMALL, Stage.ACT), (GATED, Stage.HIDDEN)):
        for time in (0.0, 0.5, 0.62, 1.0):
            scene = scene_of(state_of(settings=settings, playback=Playback(time)))
            picture = offered(qtbot, scene).bars.picture
            assert picture is not None
            assert picture.progress == dict(scene.progress)[stage]
            assert bool(picture.readout[0]) == (picture.progress >= 1.0)


def test_counts_are_those_of_the_neurons(qtbot: QtBot) -> None:
    scene = scene_of(state_of("a b c", "d e", views=view("neurons")))
    picture = offered(qtbot, scene).counts.picture
    assert picture is not None
    assert scene.run is not None
    rows = scene.run.values[Stage.ACT][scene.run.computed]
    assert picture.most == 5
    np.testing.assert_array_equal(picture.count, (rows > 0).sum(axis=0))
    never = int(((rows > 0).sum(axis=0) == 0).sum())
    assert f"not active here: {never}" in picture.words.legend[0].words


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_token_without_room_is_no_row_of_zeros(qtbot: QtBot, language: Language) -> None:
    look = Appearance(language=language)
    state = state_of("a b c d", settings=TIGHT, selection=Selection(token=3), appearance=look)
    panel = offered(qtbot, scene_of(state))
    picture = panel.bars.picture
    assert picture is not None
    assert [row.active is None for row in picture.rows] == [False, True, True, True]
    assert picture.rows[3].words == {"en": "no room", "ja": "枠なし"}[language]
    assert {"en": "nothing was computed", "ja": "何も計算されていません"}[language] in picture.readout[0]
    values = offered(qtbot, scene_of(replace(state, views=view("values")))).plot.picture
    assert values is not None
    assert values.token is None
    assert panel.table() is not None


def test_b_stands_under_a(qtbot: QtBot) -> None:
    other = GATED.with_(activation="geglu", d_ff=48)
    scene = scene_of(state_of(settings=GATED, compare=Compare(other)))
    assert scene.other_activity is not None
    picture = offered(qtbot, scene).bars.picture
    assert picture is not None
    assert picture.paired
    assert [row.other for row in picture.rows] == scene.other_activity.per_token[0].tolist()
    values = offered(qtbot, scene, width=1_000).plot.picture
    assert values is not None
    assert values.other is not None
    assert values.other.bars.sum() + values.other.zero == pytest.approx(100.0)


def at_row(panel: SparsityPanel, token: int) -> QPointF:
    assert panel.bars.places is not None
    return panel.bars.places.row_rect(token).center()


def test_tokens_are_pointed_at_and_chosen(qtbot: QtBot) -> None:
    joined, panel = live(qtbot)
    mouse(panel.bars, at_row(panel, 2))
    qtbot.waitUntil(lambda: joined.state.point is not None)
    assert joined.state.point is not None
    assert joined.state.point.token == 2
    assert panel.bars.picture is not None
    assert panel.bars.picture.pointed == 2
    press(panel.bars, at_row(panel, 1))
    assert joined.state.selection.token == 1
    QTest.keyClick(panel.bars, Qt.Key.Key_Down)
    assert joined.state.selection.token == 2


def press(canvas: Canvas, at: QPointF) -> None:
    mouse(canvas, at, kind=QEvent.Type.MouseButtonPress, pressed=True)
    mouse(canvas, at, kind=QEvent.Type.MouseButtonRelease)


def test_neurons_are_chosen_on_the_strip_and_by_their_bars(qtbot: QtBot) -> None:
    joined, panel = live(qtbot, views=view("neurons"))
    places, picture = panel.counts.places, panel.counts.picture
    assert places is not None
    assert picture is not None
    x = places.strip.left() + (20 + 0.5) / 64 * places.strip.width()
    press(panel.counts, QPointF(x, places.strip.center().y()))
    assert joined.state.selection.neuron == 20
    QTest.keyClick(panel.counts, Qt.Key.Key_Right)
    assert joined.state.selection.neuron == 21
    count = int(np.bincount(picture.count).argmax())
    bar = places.area.left() + (count + 0.5) / 9 * places.area.width()
    same = np.flatnonzero(picture.count == count)
    press(panel.counts, QPointF(bar, places.area.bottom() - 3))
    assert joined.state.selection.neuron == next((n for n in same if n > 21), same[0])
    before = joined.state.selection.neuron
    press(panel.counts, QPointF(bar, places.area.bottom() - 3))
    assert joined.state.selection.neuron == next((n for n in same if n > before), same[0])


def test_theta_is_dragged_to_where_the_line_is_let_go(qtbot: QtBot) -> None:
    joined, panel = live(qtbot, settings=GATED, views=view("values"))
    plot = panel.plot
    start = QPointF(plot.x_of(0.1), plot.area.center().y())
    mouse(plot, start, kind=QEvent.Type.MouseButtonPress, pressed=True)
    goal = QPointF(plot.x_of(0.5), start.y())
    mouse(plot, goal, kind=QEvent.Type.MouseButtonRelease)
    assert joined.state.theta.value == pytest.approx(0.5, rel=0.06)
    assert panel.theta.field.value() == joined.state.theta.value
    hidden = np.abs(panel.scene.run.values[Stage.HIDDEN][0])  # type: ignore[union-attr] # there is a run
    assert panel.scene.activity.overall == (hidden > joined.state.theta.value).mean()  # type: ignore[union-attr]
    held = QPointF(plot.x_of(joined.state.theta.value), start.y())
    mouse(plot, held, kind=QEvent.Type.MouseButtonPress, pressed=True)
    mouse(plot, QPointF(plot.area.left() + 2, start.y()), kind=QEvent.Type.MouseButtonRelease)
    assert joined.state.theta.value == 0.0
    press(plot, goal)  # far from the line: nothing is held
    assert joined.state.theta.value == 0.0


def test_theta_is_set_by_keys_field_and_buttons(qtbot: QtBot) -> None:
    joined, panel = live(qtbot, width=560, settings=GATED, views=view("values"))
    QTest.keyClick(panel.plot, Qt.Key.Key_Right)
    assert joined.state.theta == Theta(0.12)
    QTest.keyClick(panel.plot, Qt.Key.Key_Left)
    assert joined.state.theta == Theta(0.1)
    field = panel.theta.field
    field.lineEdit().selectAll()
    QTest.keyClicks(field, "0.25")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert joined.state.theta == Theta(0.25)
    panel.theta.kind.click()
    assert joined.state.theta == Theta(0.25, relative=True)
    assert "RMS" in panel.note.text
    assert panel.theta.default.isEnabled()
    panel.theta.default.click()
    assert joined.state.theta == Theta()
    assert not panel.theta.default.isEnabled()


def test_a_relative_theta_stands_at_the_tokens_own_rms(qtbot: QtBot) -> None:
    scene = scene_of(state_of(settings=GATED, theta=Theta(0.5, relative=True), views=view("values")))
    picture = offered(qtbot, scene).plot.picture
    assert picture is not None
    assert scene.run is not None
    row = scene.run.values[Stage.HIDDEN][0, scene.selection.token].astype(np.float64)
    assert picture.theta == pytest.approx(0.5 * np.sqrt((row**2).mean()), rel=1e-12)
    assert all("RMS" in words for words in picture.theta_words)


def test_tabs_choose_the_picture(qtbot: QtBot) -> None:
    joined, panel = live(qtbot)
    for index, mode in enumerate(MODES):
        panel.tabs.buttons[index].click()
        assert joined.state.view("sparsity").mode == mode
        assert panel.grid.seen == (index,)


def test_the_wheel_scrolls_and_arrows_come_back(qtbot: QtBot) -> None:
    panel = SparsityPanel()
    words = " ".join("word" for _ in range(90))
    joined = Live(qtbot, panel, state_of(words, selection=Selection(token=70)), width=420)
    assert panel.bars.places is not None
    assert panel.bars.places.first <= 70 < panel.bars.places.first + panel.bars.places.shown
    panel.bars.scrolled.emit(1)
    assert panel.bars.places.first == 0
    QTest.keyClick(panel.bars, Qt.Key.Key_Down)
    assert joined.state.selection.token == 71
    assert panel.bars.places.first <= 71 < panel.bars.places.first + panel.bars.places.shown


@pytest.mark.parametrize("mode", MODES)
def test_the_table_holds_exact_numbers(qtbot: QtBot, mode: str) -> None:
    scene = scene_of(state_of(views=view(mode)))
    table = offered(qtbot, scene).table()
    assert table is not None
    assert scene.activity is not None
    assert scene.spread is not None
    assert all(len(row) == len(table[0]) for row in table)
    if mode == "tokens":
        assert [float(row[2]) for row in table[1:]] == scene.activity.per_token[0].tolist()
    elif mode == "neurons":
        assert sum(int(row[1]) for row in table[1:]) == round(float(scene.activity.per_neuron.sum() * 8))
    else:
        assert [int(row[2]) for row in table[2:]] == scene.spread.counts.tolist()


def test_before_the_first_pass_it_says_so(qtbot: QtBot) -> None:
    scene = scene_of(state_of())
    panel = offered(qtbot, replace(scene, run=None, activity=None, spread=None))
    assert "first pass" in panel.bars.sentence
    assert panel.table() is None
