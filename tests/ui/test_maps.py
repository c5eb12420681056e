"""All positions at once: what is shown, what a person can do with it, and that only the Scene decides."""

from collections.abc import Callable
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from ffn_explorer.core.settings import Settings
from ffn_explorer.core.stages import Stage
from ffn_explorer.panels.maps import MapsPanel, stage_shown
from ffn_explorer.state.app_state import Appearance, AppState, Cell, Selection, Source, View
from ffn_explorer.state.change import Change
from ffn_explorer.state.scene import Scene
from ffn_explorer.widgets.flow_caption import counted
from tests.scenes import GATED, MOE, TINY, empty_scene, make_scene
from tests.ui.pictures import mouse, shown

SIZES = [(900, 280), (500, 200)]
LONG = Source(sentences=("a b", " ".join("word" for _ in range(70))), orders=((), ()))
DARK_JA = Appearance(theme="dark", language="ja")
PROJECTOR = Appearance(theme="projector")


def pinned(stage: Stage | None, *, first: int = 0, shown: int = 0) -> tuple[tuple[str, View], ...]:
    return (("maps", View(stage, first, shown)),)


SCENES: dict[str, Callable[[], Scene]] = {
    "plain": make_scene,
    "empty": empty_scene,
    "playing": lambda: make_scene(time=0.3),
    "start": lambda: make_scene(time=0.0),
    "unreached": lambda: make_scene(time=0.0, views=pinned(Stage.ACT)),
    "gated ja": lambda: make_scene(settings=GATED, time=0.4, look=DARK_JA),
    "experts": lambda: make_scene(settings=MOE, views=pinned(Stage.UP)),
    "projector": lambda: make_scene(look=PROJECTOR, views=pinned(Stage.ACT)),
    "damaged": lambda: make_scene(damaged=True, views=pinned(Stage.UP)),
    "zoomed": lambda: make_scene(views=pinned(Stage.ACT, first=10, shown=12)),
    "wide": lambda: make_scene(settings=TINY.with_(d_ff=3_000), views=pinned(Stage.ACT)),
    "long": lambda: make_scene(source=LONG, selection=Selection(sentence=1, token=60)),
    "chosen": lambda: make_scene(selection=Selection(token=1, neuron=7, stage=Stage.ACT), time=0.7),
    "pointed": lambda: make_scene(hover=Cell(Stage.INPUT, 0, 3, 9)),
    "theta": lambda: make_scene(theta=0.7, theta_relative=True, views=pinned(Stage.ACT)),
    "large type": lambda: make_scene(look=Appearance(scale=2.0)),
}


@pytest.fixture
def panel(qtbot: QtBot) -> MapsPanel:
    made = MapsPanel()
    qtbot.addWidget(made)
    made.resize(900, 280)
    made.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    made.show()
    return made


def asked_of(panel: MapsPanel) -> list[Change]:
    asked: list[Change] = []
    panel.requested.connect(asked.append)
    return asked


def place_of(panel: MapsPanel, row: int, column: int) -> QPointF:
    """Position in the map of a cell."""
    laid, places = panel.map.columns, panel.map._places
    assert laid is not None
    assert places is not None
    span = laid.pixels_of(column)
    assert span is not None
    rows = len(panel.map.picture.rows)  # type: ignore[union-attr] # it has just been drawn
    y = places.area.top() + (row + 0.5) * places.area.height() / rows
    return QPointF(places.area.left() + (span[0] + span[1]) / 2, y)


@pytest.mark.parametrize("size", SIZES)
def test_a_used_panel_shows_what_a_new_one_shows(qtbot: QtBot, size: tuple[int, int]) -> None:
    scenes = {name: make() for name, make in SCENES.items()}
    fresh = {name: shown(MapsPanel, [scene], size) for name, scene in scenes.items()}
    draw = Random(20)
    for name in SCENES:
        history = [scenes[draw.choice(sorted(SCENES))] for _ in range(4)]
        used = shown(MapsPanel, [*history, scenes[name]], size)
        assert np.array_equal(used, fresh[name]), name
    assert len({picture.tobytes() for picture in fresh.values()}) == len(fresh)


def test_it_follows_the_pass_or_stays_where_it_is_pinned() -> None:
    assert stage_shown(make_scene(time=0.0)) is Stage.INPUT
    assert stage_shown(make_scene(time=0.5)) is Stage.ACT
    assert stage_shown(make_scene(time=1.0)) is Stage.RESIDUAL
    assert stage_shown(make_scene(views=pinned(Stage.UP))) is Stage.UP
    assert stage_shown(make_scene(views=pinned(Stage.GATE))) is Stage.RESIDUAL  # no gate in this run
    assert stage_shown(empty_scene()) is None


def test_of_gate_and_up_it_shows_the_one_that_is_chosen() -> None:
    assert stage_shown(make_scene(settings=GATED, time=0.3)) is Stage.UP
    gate = Selection(token=0, neuron=3, stage=Stage.GATE)
    assert stage_shown(make_scene(settings=GATED, time=0.3, selection=gate)) is Stage.GATE


def test_a_narrow_stage_takes_its_true_share(panel: MapsPanel) -> None:
    panel.offer(make_scene(views=pinned(Stage.UP)))
    assert panel.map.columns is not None
    wide = panel.map.columns.used
    panel.offer(make_scene(views=pinned(Stage.OUT)))
    assert panel.map.columns.used == wide * TINY.d_model // TINY.d_ff


def test_the_note_tells_scale_opacity_and_what_is_not_finite(panel: MapsPanel) -> None:
    panel.offer(make_scene(settings=TINY.with_(d_ff=4_000), views=pinned(Stage.ACT)))
    assert panel.map.columns is not None
    per_pixel = 4_000 / panel.map.columns.pixels
    assert (
        panel.note.text == f"1 px = {per_pixel:.1f} neurons, strongest shown, opacity = active share (θ = 0)"
    )
    panel.offer(make_scene(damaged=True, views=pinned(Stage.UP)))
    assert panel.note.text.startswith("cells with NaN/inf: 3, 1 neuron = ")
    panel.offer(make_scene(theta=0.5, theta_relative=True, views=pinned(Stage.ACT), look=DARK_JA))
    assert "濃さ = 活性の割合（θ = 行の RMS の 0.5 倍）" in panel.note.text
    panel.offer(make_scene(settings=MOE, views=pinned(Stage.UP)))
    assert "first expert" in panel.note.text
    panel.offer(make_scene(source=LONG, selection=Selection(sentence=1, token=3)))
    panel.resize(900, 160)
    assert "tokens" in panel.note.text  # more tokens than pixels


def test_the_readout_is_the_exact_value_once_it_is_there(panel: MapsPanel) -> None:
    chosen = Selection(token=1, neuron=7, stage=Stage.ACT)
    scene = make_scene(selection=chosen, views=pinned(Stage.UP))
    panel.offer(scene)
    value = scene.value(Cell(Stage.UP, 0, 1, 7))
    assert value is not None
    said = panel.map.picture.words.readout.replace("−", "-")  # type: ignore[union-attr]
    place, _, number = said.rpartition(": ")
    assert place == "“keys”, neuron 7"
    assert float(number) == pytest.approx(value, rel=5e-3)  # 3 significant digits
    panel.offer(make_scene(selection=chosen, views=pinned(Stage.UP), time=0.0))
    assert panel.map.picture.words.readout == ""  # type: ignore[union-attr]


def test_pointing_is_told_once_per_frame_and_only_when_it_changes(panel: MapsPanel, qtbot: QtBot) -> None:
    panel.offer(make_scene(views=pinned(Stage.UP)))
    asked = asked_of(panel)
    for column in range(10):
        mouse(panel.map, place_of(panel, 2, column))
    qtbot.waitUntil(lambda: bool(asked))
    assert len(asked) == 1
    assert asked[0].to(AppState()).hover == Cell(Stage.UP, 0, 2, 9)
    mouse(panel.map, place_of(panel, 2, 9) + QPointF(2, 2))  # the same cell
    qtbot.wait(60)
    assert len(asked) == 1
    mouse(panel.map, QPointF(2, 2))
    qtbot.waitUntil(lambda: len(asked) == 2)
    assert asked[1].to(AppState(hover=Cell(Stage.UP, 0, 2, 9))).hover is None


def test_a_click_chooses_the_cell_or_the_token(panel: MapsPanel) -> None:
    panel.offer(make_scene(views=pinned(Stage.ACT)))
    asked = asked_of(panel)
    press = QMouseEvent.Type.MouseButtonPress
    mouse(panel.map, place_of(panel, 3, 21), kind=press, pressed=True)
    chosen = asked[0].to(AppState()).selection
    assert chosen == Selection(token=3, neuron=21, stage=Stage.ACT)
    mouse(panel.map, QPointF(4, place_of(panel, 1, 0).y()), kind=press, pressed=True)  # on the word itself
    assert asked[1].to(AppState(selection=chosen)).selection == Selection(token=1, neuron=21, stage=Stage.ACT)


def test_arrows_move_the_column_that_the_map_shows(panel: MapsPanel) -> None:
    chosen = Selection(token=1, neuron=7, dim=4, stage=Stage.ACT)
    for stage, moved in ((Stage.OUT, {"dim": 5}), (Stage.UP, {"neuron": 8})):
        panel.offer(make_scene(views=pinned(stage), selection=chosen))
        asked = asked_of(panel)
        QTest.keyClick(panel.map, Qt.Key.Key_Right)
        (change,) = asked
        stepped = change.to(AppState(selection=chosen)).selection
        assert stepped == replace(chosen, stage=stage, **moved)
        panel.requested.disconnect(asked.append)


def test_few_columns_and_one_neuron_a_pixel_are_said_without_a_wrong_plural(panel: MapsPanel) -> None:
    panel.offer(make_scene(settings=TINY.with_(d_model=1, heads=1, kv_heads=1), views=pinned(Stage.OUT)))
    assert panel.map.picture is not None
    assert panel.map.picture.words.beyond[0] == "columns: 1 here, 40 in the widest stage"
    assert panel.map.columns is not None
    pixels = panel.map.columns.pixels
    panel.offer(make_scene(settings=TINY.with_(d_ff=pixels + 3), views=pinned(Stage.UP)))
    assert panel.note.text.startswith("1 neuron = 1 px")


def test_tabs_pin_and_follow(panel: MapsPanel) -> None:
    panel.offer(make_scene())
    asked = asked_of(panel)
    tabs = {button.tab.stage: button for button in panel.tabs._buttons if not button.isHidden()}
    assert list(tabs) == [None, Stage.INPUT, Stage.NORM, Stage.UP, Stage.ACT, Stage.OUT, Stage.RESIDUAL]
    tabs[Stage.UP].click()
    assert asked[0].to(AppState()).view("maps") == View(Stage.UP)
    panel.offer(make_scene(views=pinned(Stage.UP, first=4, shown=16)))
    tabs[None].click()
    assert asked[1].to(AppState()).view("maps") == View(None, 4, 16)
    assert all(button.accessibleName() and button.toolTip() for button in tabs.values())


def test_tabs_keep_only_dots_where_there_is_no_room(panel: MapsPanel) -> None:
    panel.resize(260, 200)
    panel.offer(make_scene(views=pinned(Stage.UP)))
    visible = [button for button in panel.tabs._buttons if not button.isHidden()]
    assert [button.tab.stage for button in visible if not button.bare] == [None, Stage.UP]
    assert all(button.geometry().right() <= panel.tabs.width() for button in visible)


def test_zoom_is_kept_in_the_view(panel: MapsPanel, qtbot: QtBot) -> None:
    panel.offer(make_scene(views=pinned(Stage.UP)))
    asked = asked_of(panel)
    qtbot.keyClick(panel.map, "+")
    view = asked[0].to(AppState()).view("maps")
    assert view == View(Stage.UP, 4, 32)
    panel.offer(make_scene(views=(("maps", view),)))
    assert panel.map.columns is not None
    assert panel.map.columns.range_at(0)[0] == 4
    mouse(panel.map, place_of(panel, 0, 10), kind=QMouseEvent.Type.MouseButtonDblClick, pressed=True)
    assert asked[-1].to(AppState()).view("maps") == View(Stage.UP)


def test_before_the_first_pass_it_says_so(panel: MapsPanel) -> None:
    panel.offer(empty_scene())
    assert "as soon as the first pass" in panel.map.sentence
    assert panel.note.text == ""
    mouse(
        panel.map, QPointF(100, 80), kind=QMouseEvent.Type.MouseButtonPress, pressed=True
    )  # nothing to choose


def test_it_is_redrawn_only_for_what_it_reads(panel: MapsPanel) -> None:
    panel.offer(make_scene())
    assert not panel.offer(make_scene(proof=None, busy=None, position=None))
    assert panel.offer(make_scene(time=0.9))


@pytest.mark.parametrize("settings", [TINY, GATED], ids=["plain", "gated"])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.3, 0.5, 0.72, 0.99, 1.0])
def test_as_many_columns_are_shown_as_the_stage_panel_counts(
    panel: MapsPanel, settings: Settings, share: float
) -> None:
    scene = make_scene(settings=settings)
    assert scene.run is not None
    last = Stage.HIDDEN if Stage.HIDDEN in scene.run.stages else Stage.ACT
    now = replace(scene, views=pinned(last), progress=((last, share),), current=last)
    panel.offer(now)
    count, picture = counted(now), panel.map.picture
    assert count is not None
    assert picture is not None
    assert int(picture.progress * count.total) == count.read
    waits = "the pass has not reached this stage yet"
    assert (picture.words.waiting == waits) == (share == 0.0)


def test_the_readout_of_a_long_token_keeps_its_number(panel: MapsPanel) -> None:
    source = Source(sentences=("w" * 90 + " b",), orders=((),))
    scene = make_scene(source=source, selection=Selection(token=0), hover=Cell(Stage.ACT, 0, 0, 3))
    panel.offer(replace(scene, views=pinned(Stage.ACT)))
    assert panel.map.picture is not None
    assert panel.map.picture.words.readout.startswith("“" + "w" * 23 + "…”, neuron 3: ")
    assert panel.map.picture.rows[0] == "w" * 90
