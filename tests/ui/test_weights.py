"""The weights panel: what is shown at any zoom, and what a person can do with it."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ffn_explorer.core.handmade_examples import EXAMPLES
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.stages import Stage
from ffn_explorer.panels.weights import WeightsPanel
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import Appearance, AppState, Cell, Playback, Point, Selection, View
from ffn_explorer.state.handmade_changes import use_memory
from ffn_explorer.state.handmade_words import hand_word
from ffn_explorer.state.result import Matrix
from ffn_explorer.widgets.map_image import shades
from ffn_explorer.widgets.matrix_image import first_strongest, matrix_image
from ffn_explorer.widgets.matrix_picture import MatrixPicture, MatrixPlaces
from ffn_explorer.widgets.pooling import ZERO, Lanes
from ffn_explorer.widgets.theme import THEMES
from tests.scenes import empty_scene, make_scene
from tests.ui.live import Live, drag, mouse, pixels, scene_of, settle, state_of

WIDE = Settings(d_model=640, d_ff=1_280, heads=2, kv_heads=2)
GATED = Settings(d_model=24, d_ff=64, activation="swiglu", heads=2, kv_heads=2)


def pinned(**view: object) -> tuple[tuple[str, View], ...]:
    return (("weights", View(**view)),)  # type: ignore[arg-type] # checked by View


def laid(live: Live) -> tuple[MatrixPicture, MatrixPlaces]:
    assert isinstance(live.panel, WeightsPanel)
    picture, places = live.panel.view.picture, live.panel.view._places
    assert picture is not None
    assert places is not None
    return picture, places


def place_of(live: Live, row: int, column: int) -> QPointF:
    picture, places = laid(live)
    return places.cell(picture, row, column).center()


def matrix_of(live: Live) -> Matrix:
    return laid(live)[0].made


def exact_of(live: Live) -> np.ndarray:
    made = matrix_of(live)
    assert made.exact is not None
    return np.asarray(made.exact)


def live_of(qtbot: QtBot, state: AppState) -> tuple[Live, WeightsPanel]:
    panel = WeightsPanel()
    return Live(qtbot, panel, state), panel


def wheel(panel: WeightsPanel, at: QPointF, up: int, *, held: Qt.KeyboardModifier) -> None:
    view = panel.view.viewport()
    none = Qt.MouseButton.NoButton
    place = view.mapToGlobal(at)
    phase = Qt.ScrollPhase.NoScrollPhase
    event = QWheelEvent(at, place, QPoint(), QPoint(0, up), none, held, phase, False)
    QApplication.sendEvent(view, event)
    settle()


def test_pointing_names_the_exact_weight_and_points_everywhere(qtbot: QtBot) -> None:
    live, panel = live_of(qtbot, state_of(views=pinned(mode="up")))
    QTest.mouseMove(panel.view.viewport(), place_of(live, 40, 7).toPoint())
    qtbot.waitUntil(lambda: live.state.point is not None)
    assert live.state.point == Point(Stage.UP, None, 40, 7)
    weight = exact_of(live)[40, 7]
    words = laid(live)[0].words.readout[0].replace("−", "-")
    assert words.startswith("W_up[40, 7] = ")
    assert float(words.rpartition(" = ")[2]) == pytest.approx(weight, rel=5e-3)  # 3 significant digits
    QApplication.sendEvent(panel.view, QEvent(QEvent.Type.Leave))
    qtbot.waitUntil(lambda: live.state.point is None)


def test_of_a_pooled_cell_the_weight_is_still_exact_and_the_strongest_is_told(qtbot: QtBot) -> None:
    state = state_of(settings=WIDE, views=pinned(mode="down"), point=Point(Stage.OUT, None, 777, 333))
    live, _ = live_of(qtbot, state)
    made = matrix_of(live)
    assert (made.row_step, made.column_step, made.exact) == (2, 2, None)
    scene = live.panel.scene
    assert scene is not None
    assert scene.spot is not None
    assert scene.spot.exact is not None
    weight = float(scene.spot.exact[333 - scene.spot.rows[0], 777 - scene.spot.columns[0]])
    long, short, brief = laid(live)[0].words.readout
    assert short.endswith(brief)
    assert short.startswith("W_down[333, 777] = ")
    assert float(short.rpartition(" = ")[2].replace("−", "-")) == pytest.approx(weight, rel=5e-3)
    strongest = float(long.rpartition(" ≈ ")[2].replace("−", "-"))
    assert "2 × 2" in long
    assert abs(strongest) >= abs(weight) - made.limit / 127


def test_a_click_chooses_neuron_and_dimension(qtbot: QtBot) -> None:
    for role, stage in (("up", Stage.UP), ("gate", Stage.GATE), ("down", Stage.OUT)):
        live, panel = live_of(qtbot, state_of(settings=GATED, views=pinned(mode=role)))
        at = (11, 30) if role == "down" else (30, 11)
        QTest.mouseClick(panel.view.viewport(), Qt.MouseButton.LeftButton, pos=place_of(live, *at).toPoint())
        chosen = live.state.selection
        assert (chosen.neuron, chosen.dim, chosen.stage) == (30, 11, stage)
        assert laid(live)[0].chosen == at
        assert matrix_of(live).role == role


def test_arrows_step_and_the_chosen_weight_stays_in_sight(qtbot: QtBot) -> None:
    view = pinned(mode="up", first=4, shown=8, first_row=10, rows=6)
    chosen = Selection(token=1, neuron=15, dim=5, stage=Stage.UP)
    live, panel = live_of(qtbot, state_of(views=view, selection=chosen))
    QTest.keyClick(panel.view, Qt.Key.Key_Down)
    assert live.state.selection.neuron == 16
    assert live.state.view("weights").first_row == 11
    QTest.keyClick(panel.view, Qt.Key.Key_Left)
    QTest.keyClick(panel.view, Qt.Key.Key_Left)
    assert live.state.selection.dim == 3
    assert live.state.view("weights").first == 3
    QTest.keyClick(panel.view, Qt.Key.Key_Down, Qt.KeyboardModifier.ControlModifier)
    assert live.state.selection.neuron == 16
    assert live.state.view("weights").first_row == 12


def test_keys_and_wheel_zoom_both_axes_around_their_point(qtbot: QtBot) -> None:
    live, panel = live_of(qtbot, state_of(views=pinned(mode="up")))
    whole = laid(live)[0]
    assert not whole.zoomed
    at = place_of(live, 48, 6)
    picture, places = laid(live)
    before = (places.row_at(picture, at.y()), places.column_at(picture, at.x()))
    none = Qt.KeyboardModifier.NoModifier
    for _ in range(3):
        wheel(panel, at, 120, held=none)
    picture, places = laid(live)
    assert picture.zoomed
    assert picture.rows[1] - picture.rows[0] == 33
    assert places.row_at(picture, at.y()) == pytest.approx(before[0], abs=1.5)  # rounded to whole rows
    assert places.column_at(picture, at.x()) == pytest.approx(before[1], abs=1.5)
    shown = live.state.view("weights")
    wheel(panel, at, -120, held=Qt.KeyboardModifier.ShiftModifier)
    assert live.state.view("weights").first > shown.first
    wheel(panel, at, -120, held=Qt.KeyboardModifier.ControlModifier)
    assert live.state.view("weights").first_row > shown.first_row
    qtbot.keyClick(panel.view, "0")
    assert live.state.view("weights") == View(mode="up")
    for _ in range(40):
        qtbot.keyClick(panel.view, "+")
    assert (live.state.view("weights").rows, live.state.view("weights").shown) == (4, 4)
    double = QTest.mouseDClick
    double(panel.view.viewport(), Qt.MouseButton.LeftButton, pos=place_of(live, *_first(live)).toPoint())
    assert live.state.view("weights") == View(mode="up")


def _first(live: Live) -> tuple[int, int]:
    picture = laid(live)[0]
    return picture.rows[0], picture.columns[0]


def test_dragging_moves_the_matrix_and_chooses_nothing(qtbot: QtBot) -> None:
    view = pinned(mode="up", first=4, shown=8, first_row=20, rows=10)
    live, panel = live_of(qtbot, state_of(views=view))
    chosen = live.state.selection
    start, stop = place_of(live, 24, 8), place_of(live, 26, 6)
    drag(panel.view.viewport(), start, stop, drop=False)
    qtbot.waitUntil(lambda: live.state.view("weights").first_row != 20)
    drag(panel.view.viewport(), stop, drop=True)
    moved = live.state.view("weights")
    assert (moved.first_row, moved.first) == (18, 6)
    assert live.state.selection == chosen


def test_the_same_neurons_stay_in_sight_from_up_to_down(qtbot: QtBot) -> None:
    view = View(mode="up", first=4, shown=8, first_row=20, rows=10)
    live, panel = live_of(qtbot, state_of(views=(("weights", view),)))
    assert (laid(live)[0].rows, laid(live)[0].columns) == ((20, 30), (4, 12))
    down = next(button for button in panel.tabs._buttons if button.tab.stage is Stage.OUT)
    down.click()
    assert live.state.view("weights") == replace(view, mode="down")
    assert (laid(live)[0].rows, laid(live)[0].columns) == ((4, 12), (20, 30))


def test_tabs_are_those_of_the_matrices_there_are(qtbot: QtBot) -> None:
    for settings, stages in (
        (None, [None, Stage.UP, Stage.OUT]),
        (GATED, [None, Stage.UP, Stage.GATE, Stage.OUT]),
    ):
        state = state_of() if settings is None else state_of(settings=settings)
        _, panel = live_of(qtbot, state)
        shown = [button for button in panel.tabs._buttons if not button.isHidden()]
        assert [button.tab.stage for button in shown] == stages
        assert all(button.accessibleName() and button.toolTip() for button in shown)


def test_the_small_map_moves_to_where_it_is_clicked(qtbot: QtBot) -> None:
    view = pinned(mode="up", first=0, shown=4, first_row=0, rows=4)
    live, panel = live_of(qtbot, state_of(views=view))
    _, places = laid(live)
    assert not places.small.isEmpty()
    QTest.mouseClick(
        panel.view.viewport(),
        Qt.MouseButton.LeftButton,
        pos=places.small.bottomRight().toPoint() - QPoint(1, 1),
    )
    assert live.state.view("weights").first_row >= 58
    assert live.state.view("weights").first >= 18


def test_rows_are_read_as_the_pass_reads_them(qtbot: QtBot) -> None:
    live, panel = live_of(qtbot, state_of(playback=Playback(0.3)))
    scene = live.panel.scene
    assert scene is not None
    picture, _ = laid(live)
    assert picture.made.role == "up"
    assert 0.0 < picture.read < 1.0
    rows = int(picture.read * 64)
    assert panel.note.text == f"weights read: {rows * 24:,} of 1,536"
    done = live_of(qtbot, state_of(playback=Playback(1.0), views=pinned(mode="up")))
    assert laid(done[0])[0].read == 1.0
    assert "px" in done[1].note.text


def test_numbers_stand_in_large_cells_only(qtbot: QtBot) -> None:
    near, _ = live_of(qtbot, state_of(views=pinned(mode="up", first=3, shown=4, first_row=9, rows=4)))
    window = exact_of(near)[9:13, 3:7]
    table = near.panel.table()
    assert table is not None
    assert table[0] == ["W_up", "3", "4", "5", "6"]
    assert [float(number) for number in table[1][1:]] == pytest.approx(window[0].tolist(), rel=1e-7)
    assert [row[0] for row in table[1:]] == ["9", "10", "11", "12"]
    far, _ = live_of(qtbot, state_of(settings=WIDE))
    assert far.panel.table() is None


def test_every_weight_known_is_drawn_at_its_own_place(qtbot: QtBot) -> None:
    """While a newer window is computed, the old one stays where it is."""
    live, _ = live_of(qtbot, state_of(views=pinned(mode="up")))
    made = matrix_of(live)
    part = replace(
        made, rows=(8, 24), columns=(4, 12), value=made.value[8:24, 4:12], exact=exact_of(live)[8:24, 4:12]
    )
    image = matrix_image(part, (0, 64), (0, 24), pixels=(240, 640), theme=THEMES["light"])
    assert image is not None
    assert image.hit(39, 100) is None
    assert image.hit(40, 79) is None
    hit = image.hit(40, 80)
    assert hit is not None
    assert (hit.rows, hit.columns) == ((8, 9), (4, 5))
    assert hit.value == exact_of(live)[8, 4]
    last = image.hit(119, 239)
    assert last is not None
    assert last.value == exact_of(live)[23, 11]
    assert image.hit(120, 239) is None
    assert matrix_image(part, (30, 60), (0, 24), pixels=(240, 640), theme=THEMES["light"]) is None


def test_of_equally_strong_weights_the_first_gives_the_sign() -> None:
    cells = np.full((6, 8), 128, np.uint8)
    cells[0:3, 0:4] = [[128, 1, 255, 128], [255, 128, 128, 1], [128, 128, 128, 128]]
    cells[4, 6], cells[5, 7] = 0, 255
    down, across = Lanes(np.array([0, 3]), np.array([3, 6])), Lanes(np.array([0, 4]), np.array([4, 8]))
    rows = first_strongest(cells, down, axis=0)
    assert rows[0, :4].tolist() == [255, 1, 255, 1]
    assert first_strongest(rows, across, axis=1).tolist() == [[255, 128], [128, 0]]


def test_random_weights_look_as_negative_as_positive(qtbot: QtBot) -> None:
    """However many weights a pixel stands for."""
    wide = Settings(d_model=1_024, d_ff=4_096, heads=2, kv_heads=2)
    live, _ = live_of(qtbot, state_of(settings=wide, views=pinned(mode="up")))
    made = matrix_of(live)
    image = matrix_image(made, (0, 4_096), (0, 1_024), pixels=(32, 32), theme=THEMES["light"])
    assert image is not None
    bytes_ = np.array([image.hit(x, y).byte for x in range(32) for y in range(32)])  # type: ignore[union-attr]
    assert 0.4 < (bytes_ > ZERO).mean() < 0.6
    ramp = shades(THEMES["light"])[255]
    shown = image.pixels.view(np.uint32)[..., 0]
    assert (shown == ramp[bytes_].reshape(32, 32).T).all()


def test_a_hand_built_memory_names_its_axes(qtbot: QtBot) -> None:
    name = next(iter(EXAMPLES))
    state = use_memory(name).to(AppState())
    live, _ = live_of(qtbot, replace(state, views=pinned(mode="up")))
    words, memory = laid(live)[0].words, EXAMPLES[name]
    assert words.column_names == tuple(hand_word("en", feature) for feature in memory.features)
    assert words.row_names == tuple(hand_word("en", neuron.name) for neuron in memory.neurons)


def test_the_lens_shows_single_weights_and_never_covers_the_pointed_one(qtbot: QtBot) -> None:
    look = Appearance(lens=True)
    state = state_of(settings=WIDE, views=pinned(mode="up"), appearance=look)
    plain, _ = live_of(qtbot, replace(state, point=Point(Stage.UP, None, 700, 300), appearance=Appearance()))
    live, _ = live_of(qtbot, replace(state, point=Point(Stage.UP, None, 700, 300)))
    lens = laid(live)[0].lens
    assert lens is not None
    scene = live.panel.scene
    assert scene is not None
    assert scene.spot is not None
    assert scene.spot.exact is not None
    top, left = scene.spot.rows[0], scene.spot.columns[0]
    assert lens.values[lens.at] == scene.spot.exact[700 - top, 300 - left]
    assert lens.values.shape == (7, 15)
    assert laid(plain)[0].lens is None
    one, other = pixels(plain.panel), pixels(live.panel)
    assert not np.array_equal(one, other)
    at = live.panel.mapFromGlobal(live.panel.view.viewport().mapToGlobal(place_of(live, 700, 300)))  # type: ignore[attr-defined]
    x, y = round(at.x()), round(at.y())
    around = (slice(y - 4, y + 5), slice(x - 4, x + 5))
    assert np.array_equal(one[around], other[around])


def test_what_another_panel_points_at_is_marked(qtbot: QtBot) -> None:
    state = state_of(views=pinned(mode="down"))
    live, _ = live_of(qtbot, replace(state, point=Point(neuron=9)))
    assert laid(live)[0].pointed == (None, 9)
    live, _ = live_of(qtbot, replace(state, point=Point(dim=9)))
    assert laid(live)[0].pointed == (9, None)
    live, _ = live_of(qtbot, replace(state, point=Point(neuron=64, dim=24)))
    assert laid(live)[0].pointed == (None, None)


def test_before_the_first_pass_it_says_so(qtbot: QtBot) -> None:
    panel = WeightsPanel()
    qtbot.addWidget(panel)
    panel.offer(empty_scene())
    assert "as soon as the first pass" in panel.view.sentence
    panel.offer(make_scene())
    assert panel.view.sentence == "Reading the weights…"
    panel.offer(scene_of(state_of()))
    assert panel.view.sentence == ""


def test_the_matrix_of_the_stage_pointed_at_is_shown_until_a_tab_is_pinned(qtbot: QtBot) -> None:
    live, _ = live_of(qtbot, state_of(settings=GATED, selection=Selection(stage=Stage.ACT)))
    assert matrix_of(live).role == "up"
    for point in (changes.point(stage=Stage.OUT), changes.hover(Cell(Stage.OUT, 0, 1, 3))):
        live.change(point)
        assert matrix_of(live).role == "down"
        live.change(changes.hover(None))
        assert matrix_of(live).role == "up"
    live.change(changes.point(stage=Stage.GATE))
    assert matrix_of(live).role == "gate"
    live.change(changes.point(stage=Stage.RESIDUAL))
    assert matrix_of(live).role == "up", "a stage that reads no matrix leads nowhere"
    live.change(changes.set_view("weights", View(mode="up")))
    live.change(changes.point(stage=Stage.OUT))
    assert matrix_of(live).role == "up"


def test_a_weight_of_an_expert_names_the_expert(qtbot: QtBot) -> None:
    settings = GATED.with_(experts=4, top_k=2)
    live, panel = live_of(qtbot, state_of(settings=settings, views=pinned(mode="up")))
    expert = matrix_of(live).expert
    assert expert is not None
    mouse(panel.view.viewport(), QEvent.Type.MouseMove, place_of(live, 40, 7))
    qtbot.waitUntil(lambda: live.state.point is not None)
    assert live.state.point == Point(Stage.UP, None, 40, 7, expert)
    QTest.mouseClick(panel.view.viewport(), Qt.MouseButton.LeftButton, pos=place_of(live, 30, 11).toPoint())
    assert (live.state.selection.neuron, live.state.selection.expert) == (30, expert)
    assert matrix_of(live).expert == expert
