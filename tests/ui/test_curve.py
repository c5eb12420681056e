"""The activation's curve: its dots and bars are the token's true neurons, and only the Scene decides."""

from collections.abc import Callable
from random import Random

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QMouseEvent
from pytestqt.qtbot import QtBot

from ffn_explorer.core.settings import Settings
from ffn_explorer.core.stages import Stage
from ffn_explorer.panels.curve import LIMIT, MOST_DOTS, CurvePanel
from ffn_explorer.state.app_state import Appearance, AppState, Cell, Language, Selection
from ffn_explorer.state.change import Change
from ffn_explorer.state.scene import Scene
from ffn_explorer.widgets import legend, plot
from ffn_explorer.widgets.curve_plot import CurvePicture
from ffn_explorer.widgets.theme import LIGHT, blend
from tests.scenes import GATED, MOE, TINY, empty_scene, make_scene
from tests.ui.pictures import mouse, shown

SIZES = [(460, 270), (500, 200)]
DARK_JA = Appearance(theme="dark", language="ja")
CHOSEN = Selection(token=2, neuron=5, stage=Stage.ACT)

SCENES: dict[str, Callable[[], Scene]] = {
    "plain": make_scene,
    "empty": empty_scene,
    "start": lambda: make_scene(time=0.0),
    "entering": lambda: make_scene(time=0.3),
    "travelling": lambda: make_scene(time=0.5),
    "gated ja": lambda: make_scene(settings=GATED, look=DARK_JA),
    "experts": lambda: make_scene(settings=MOE),
    "identity": lambda: make_scene(settings=TINY.with_(activation="identity")),
    "square": lambda: make_scene(settings=TINY.with_(activation="relu2"), look=Appearance(theme="projector")),
    "compared": lambda: make_scene(compare=TINY.with_(activation="gelu")),
    "chosen": lambda: make_scene(selection=CHOSEN),
    "pointed": lambda: make_scene(hover=Cell(Stage.UP, 0, 2, 11)),
    "damaged": lambda: make_scene(damaged=True, selection=Selection(token=0)),
    "no detail": lambda: make_scene(detail=None),
    "theta": lambda: make_scene(theta=0.5, theta_relative=True),
    "many": lambda: make_scene(settings=TINY.with_(d_ff=3_000)),
    "large type": lambda: make_scene(look=Appearance(scale=2.0)),
}


@pytest.fixture
def panel(qtbot: QtBot) -> CurvePanel:
    made = CurvePanel()
    qtbot.addWidget(made)
    made.resize(460, 270)
    made.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    made.show()
    return made


def drawn(panel: CurvePanel, scene: Scene) -> CurvePicture:
    panel.offer(scene)
    picture = panel.plot.picture
    assert picture is not None
    return picture


def words_of(picture: CurvePicture) -> list[str]:
    return [entry.words for entry in picture.legend]


@pytest.mark.parametrize("size", SIZES)
def test_a_used_panel_shows_what_a_new_one_shows(qtbot: QtBot, size: tuple[int, int]) -> None:
    scenes = {name: make() for name, make in SCENES.items()}
    fresh = {name: shown(CurvePanel, [scene], size) for name, scene in scenes.items()}
    draw = Random(21)
    for name in SCENES:
        history = [scenes[draw.choice(sorted(SCENES))] for _ in range(4)]
        used = shown(CurvePanel, [*history, scenes[name]], size)
        assert np.array_equal(used, fresh[name]), name
    assert len({picture.tobytes() for picture in fresh.values()}) == len(fresh)


@pytest.mark.parametrize("settings", [TINY, GATED, MOE, TINY.with_(activation="gelu")])
def test_the_histogram_counts_every_neuron_once(panel: CurvePanel, settings: object) -> None:
    scene = make_scene(settings=settings)  # type: ignore[arg-type]
    picture = drawn(panel, scene)
    assert scene.run is not None
    assert scene.detail is not None
    z = scene.run.values[scene.run.enters_act][0, 2]
    value = scene.run.values[Stage.ACT][0, 2]
    assert picture.histogram is not None
    np.testing.assert_array_equal(picture.histogram.active + picture.histogram.silent, scene.detail.counts)
    active = int((np.abs(value) > scene.theta).sum())
    assert picture.histogram.active.sum() == active
    assert f"{active} of {len(z)} (θ = {scene.theta:g})" in words_of(picture)[0]
    assert picture.enters is scene.run.enters_act


def test_a_gate_is_open_or_nearly_shut(panel: CurvePanel) -> None:
    words = words_of(drawn(panel, make_scene(settings=GATED)))
    assert words[0].startswith("open: ")
    assert words[1].startswith("nearly shut: ")


def test_dots_are_evenly_chosen_neurons_and_counted(panel: CurvePanel) -> None:
    assert drawn(panel, make_scene()).dots.tolist() == list(range(40))
    picture = drawn(panel, make_scene(settings=TINY.with_(d_ff=3_000)))
    assert len(picture.dots) == MOST_DOTS
    assert np.diff(picture.dots).max() <= 6
    assert "dots: 600 of 3,000" in words_of(picture)


def test_dots_travel_from_the_axis_onto_the_curve(panel: CurvePanel) -> None:
    at: dict[float, float] = {}
    for time in (0.45, 0.5, 1.0):
        picture = drawn(panel, make_scene(settings=TINY.with_(activation="identity"), time=time))
        assert 0.0 < picture.progress <= 1.0
        z, value = picture.every
        highest = int(value.argmax())
        there = panel.plot.point_of(float(z[highest]), float(value[highest]) * picture.progress)
        seen = panel.plot.grab().toImage().pixelColor(round(there.x() - 0.5), round(there.y() - 0.5))
        assert seen == blend(LIGHT.ink, LIGHT.stages[Stage.ACT], 0.25)
        at[time] = there.y()
    assert at[0.45] > at[0.5] > at[1.0]


def test_before_the_activation_acts_there_are_bars_and_no_dots(panel: CurvePanel) -> None:
    picture = drawn(panel, make_scene(time=0.4))
    assert (picture.entered, picture.progress) == (1.0, 0.0)
    assert not any(words.startswith(("dots", "active")) for words in words_of(picture))
    assert any(words.startswith("neurons in the tallest bar: ") for words in words_of(picture))


def test_what_lies_beyond_is_counted(panel: CurvePanel) -> None:
    scene = make_scene(settings=TINY.with_(d_ff=3_000, norm="none"))
    assert scene.run is not None
    beyond = int((np.abs(scene.run.values[Stage.UP][0, 2]) > LIMIT).sum())
    assert beyond > 0
    assert f"{beyond} beyond ±4" in words_of(drawn(panel, scene))


def test_not_finite_neurons_are_counted_and_not_drawn(panel: CurvePanel) -> None:
    picture = drawn(panel, make_scene(damaged=True, selection=Selection(token=0)))
    assert "neurons with NaN/inf: 3" in words_of(picture)
    assert picture.dots.tolist() == list(range(3, 40))


def test_the_band_is_theta_or_theta_times_the_rows_rms(panel: CurvePanel) -> None:
    assert drawn(panel, make_scene(theta=0.3)).band == 0.3
    scene = make_scene(theta=0.3, theta_relative=True)
    assert scene.run is not None
    rms = np.sqrt((scene.run.values[Stage.ACT][0, 2].astype(float) ** 2).mean())
    assert drawn(panel, scene).band == pytest.approx(0.3 * rms, rel=1e-6)


def test_note_and_axis_say_what_is_shown(panel: CurvePanel) -> None:
    picture = drawn(panel, make_scene())
    assert panel.note.text == "ReLU(z) = max(0, z)"
    assert picture.axes.x_name[0] == "pre-activation of each neuron at “are” (no unit)"
    assert picture.axes.x == (-4.0, 4.0)
    japanese = drawn(panel, make_scene(settings=TINY.with_(activation="gelu"), look=DARK_JA))
    assert japanese.axes.x_name[0] == "「are」での各ニューロンの活性化前の値（単位なし）"
    assert panel.note.text.startswith("GELU(z) = z · Φ(z)")
    assert drawn(panel, make_scene(compare=TINY.with_(activation="gelu"))).other is not None


def test_marks_are_the_chosen_and_the_pointed_neuron(panel: CurvePanel) -> None:
    scene = make_scene(selection=CHOSEN, hover=Cell(Stage.HIDDEN, 0, 2, 11))
    picture = drawn(panel, scene)
    assert [mark.chosen for mark in picture.marks] == [True, False]
    assert picture.marks[0].value == scene.value(Cell(Stage.ACT, 0, 2, 5))
    assert picture.marks[1].z == scene.value(Cell(Stage.UP, 0, 2, 11))
    assert drawn(panel, make_scene(hover=Cell(Stage.UP, 0, 3, 11))).marks == ()  # another token's
    assert drawn(panel, make_scene(selection=CHOSEN, time=0.2)).marks == ()  # not computed yet
    assert "z = " in drawn(panel, make_scene(selection=CHOSEN, time=0.4)).marks[0].words


def test_pointing_at_a_dot_or_a_bar_picks_the_nearest_neuron(panel: CurvePanel, qtbot: QtBot) -> None:
    picture = drawn(panel, make_scene())
    asked: list[Change] = []
    panel.requested.connect(asked.append)
    z, value = picture.every
    neuron = int(np.argsort(z)[-1])
    mouse(panel.plot, panel.plot.point_of(float(z[neuron]), float(value[neuron])) + QPointF(0, 6))
    qtbot.waitUntil(lambda: bool(asked))
    assert asked[0].to(AppState()).hover == Cell(Stage.UP, 0, 2, neuron)
    assert panel.plot.neuron_at(panel.plot.point_of(-3.5, 3.5)) is None
    assert picture.histogram is not None
    tallest = int((picture.histogram.active + picture.histogram.silent).argmax())
    middle = float(picture.histogram.edges[tallest : tallest + 2].mean())
    on_bar = panel.plot.point_of(middle, picture.axes.y[0] + 0.05)
    assert panel.plot.neuron_at(on_bar) == int(np.abs(z - middle).argmin())


def test_a_click_chooses_the_neuron(panel: CurvePanel) -> None:
    picture = drawn(panel, make_scene(settings=GATED))
    asked: list[Change] = []
    panel.requested.connect(asked.append)
    z, value = picture.every
    at = panel.plot.point_of(float(z[8]), float(value[8]))
    mouse(panel.plot, at, kind=QMouseEvent.Type.MouseButtonPress, pressed=True)
    chosen = asked[0].to(AppState()).selection
    assert (chosen.stage, chosen.token, chosen.neuron) == (Stage.GATE, 2, 8)


def test_points_and_positions_agree(panel: CurvePanel) -> None:
    drawn(panel, make_scene())
    x, y = panel.plot.values_at(panel.plot.point_of(1.25, 0.5))
    assert (x, y) == pytest.approx((1.25, 0.5))
    box = panel.plot.box.mapViewToDevice(QPointF(1.25, 0.5))
    ours = panel.plot.point_of(1.25, 0.5)
    assert (box.x(), box.y()) == pytest.approx((ours.x(), ours.y()))


def test_before_the_first_pass_it_says_so(panel: CurvePanel) -> None:
    panel.offer(empty_scene())
    assert "as soon as the first pass" in panel.plot.sentence
    assert panel.plot.neuron_at(QPointF(200, 100)) is None


def test_the_short_legend_keeps_the_words_that_tell_what_is_counted(panel: CurvePanel) -> None:
    words = {"en": (("active", "not active"), ("open", "nearly shut")),
             "ja": (("活性", "非活性"), ("開", "ほぼ閉"))}  # fmt: skip
    languages: tuple[Language, ...] = ("en", "ja")
    for language in languages:
        for settings, (first, second) in zip((TINY, GATED), words[language]):
            scene = make_scene(settings=settings, look=Appearance(language=language))
            entries = drawn(panel, scene).legend
            short = {entry.key: entry.short for entry in entries if entry.key in ("active", "silent")}
            assert short["active"].startswith(first)
            assert short["silent"].startswith(second)
            assert "θ" in short["active"]


@pytest.mark.parametrize("look", [Appearance(), DARK_JA, Appearance(theme="projector")])
def test_the_name_of_the_y_axis_touches_no_tick(
    panel: CurvePanel, monkeypatch: pytest.MonkeyPatch, look: Appearance
) -> None:
    scene = make_scene(settings=TINY.with_(activation="relu"), look=look)
    axes = drawn(panel, scene).axes
    assert axes.y_ticks[-1] == axes.y[1]
    found: dict[str, QRectF] = {}

    def record(_painter: object, text: str, place: QRectF, *, font: QFont, **_style: object) -> None:
        found[text] = QRectF(place.left(), place.top(), place.width(), QFontMetricsF(font).height())

    monkeypatch.setattr(plot, "draw_text", record)
    panel.plot.layers.clear()
    panel.grab()
    assert not found[axes.y_name].intersects(found[f"{axes.y_ticks[-1]:g}"])


def test_bars_stay_wide_enough_to_be_seen(panel: CurvePanel) -> None:
    """Values near 0 would give 64 bars narrower than a pixel: then there are fewer, with the same neurons."""
    scene = make_scene(settings=TINY.with_(d_model=1, d_ff=1, heads=1, kv_heads=1))
    assert scene.run is not None
    assert scene.detail is not None
    shown = drawn(panel, scene).histogram
    assert shown is not None
    assert np.diff(shown.edges).min() >= 0.049
    z = scene.run.values[Stage.UP][0, 2]
    counts, _ = np.histogram(z, bins=shown.edges)
    assert (shown.active + shown.silent).tolist() == counts.tolist()
    assert counts.sum() == 1
    wide = drawn(panel, make_scene(settings=TINY.with_(d_ff=3_000)))
    assert wide.histogram is not None
    assert len(wide.histogram.silent) == 64


@pytest.mark.parametrize(
    "look", [Appearance(theme="projector"), Appearance(theme="projector", language="ja")]
)
@pytest.mark.parametrize("settings", [TINY, GATED, MOE], ids=["plain", "gated", "experts"])
def test_the_narrow_legend_is_never_cut(
    panel: CurvePanel, monkeypatch: pytest.MonkeyPatch, look: Appearance, settings: Settings
) -> None:
    """In the projector theme at 1,280 pixels the card is 380 wide."""
    cut: list[str] = []

    def record(_painter: object, text: str, place: QRectF, *, font: QFont, **_style: object) -> None:
        if QFontMetricsF(font).horizontalAdvance(text) > place.width() + 1:
            cut.append(text)

    monkeypatch.setattr(legend, "draw_text", record)
    panel.resize(380, 270)
    picture = drawn(panel, make_scene(settings=settings.with_(d_ff=3_000), theta=0.1, look=look))
    panel.plot.layers.clear()
    panel.grab()
    assert cut == []
    assert not any(entry.short.endswith("θ0.1") for entry in picture.legend)
