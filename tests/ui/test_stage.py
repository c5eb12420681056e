"""The stage: true positions and colours, nothing overlapping, an exact count, and a picture that is pure."""

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import settings as effort
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QColor, QHelpEvent, QImage, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from ffn_explorer.core.settings import Settings
from ffn_explorer.core.stages import WIDE, Stage, stages_of
from ffn_explorer.panels.stage import StagePanel
from ffn_explorer.state import numbers, timeline
from ffn_explorer.state.app_state import Appearance, AppState, Cell, Language, Selection, Source, ThemeName
from ffn_explorer.state.change import Change
from ffn_explorer.state.scene import Scene
from ffn_explorer.widgets.flow_caption import counted
from ffn_explorer.widgets.flow_columns import Box, Frame, arrange
from ffn_explorer.widgets.flow_formulas import formulas_of
from ffn_explorer.widgets.flow_marks import name_box
from ffn_explorer.widgets.flow_pick import on_ribbon
from ffn_explorer.widgets.flow_picture import FlowPicture, subject_of
from ffn_explorer.widgets.flow_ribbons import ends_of, y_at
from ffn_explorer.widgets.reveal import CELLS_FROM, RIBBONS_UNTIL
from ffn_explorer.widgets.theme import LIGHT
from tests.scenes import GATED, MOE, TINY, empty_scene, make_scene

SANDWICH = MOE.with_(activation="swiglu", norm="rms", norm_placement="sandwich", bias=False)
POST = TINY.with_(norm_placement="post")
WIDE_FFN = TINY.with_(d_model=4, d_ff=600)
KINDS = {"plain": TINY, "gated": GATED, "moe": MOE, "sandwich moe": SANDWICH, "post": POST, "wide": WIDE_FFN}
SIZE = (1000, 430)


def shown(qtbot: QtBot, scene: Scene, size: tuple[int, int] = SIZE) -> StagePanel:
    """Return a panel on screen with this scene."""
    panel = StagePanel()
    qtbot.addWidget(panel)
    panel.resize(*size)
    panel.offer(scene)
    panel.show()
    for _ in range(4):
        QApplication.processEvents()
    return panel


def picture_of(panel: StagePanel) -> FlowPicture:
    """Return the placed picture."""
    assert panel.view.item.picture is not None
    return panel.view.item.picture


def pixels(panel: StagePanel) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Return what is on screen `[H, W, 3]`, after four turns of the event loop."""
    for _ in range(4):
        QApplication.processEvents()
    image = panel.grab().toImage().convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    return rows[:, : image.width() * 3].reshape(image.height(), image.width(), 3).copy()


def strip(panel: StagePanel, stage: Stage) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Return the colours down the middle of a strip `[H, 3]`, without its frame."""
    box = picture_of(panel).grid.column(stage).box
    corner = panel.view.mapTo(panel, QPoint(0, 0))
    x = corner.x() + round(box.middle[0])
    return pixels(panel)[corner.y() + round(box.y) + 3 : corner.y() + round(box.bottom) - 3, x]


def asked(panel: StagePanel) -> list[Change]:
    """Return the list into which the panel's requests will come."""
    found: list[Change] = []
    panel.requested.connect(found.append)
    return found


# ---------------------------------------------------------------------------------------------- layout


@given(
    d=st.integers(1, 16_384),
    f=st.integers(1, 65_536),
    activation=st.sampled_from(["relu", "swiglu"]),
    placement=st.sampled_from(["pre", "post", "sandwich"]),
    width=st.integers(500, 1900),
    height=st.integers(150, 700),
)
def test_heights_are_proportional_or_marked(
    d: int, f: int, activation: str, placement: str, width: int, height: int
) -> None:
    from ffn_explorer.core.spec_of import spec_of

    settings = Settings(d_model=d, d_ff=f, activation=activation, norm_placement=placement)
    counts = {stage: f if stage in WIDE else d for stage in stages_of(spec_of(settings))}
    frame = Frame(width, height, left=20, right=20, above=40, skip=13)
    grid = arrange(counts, frame)
    true = [c for c in grid.columns if not c.broken]
    assert true
    unit = max(c.box.h / c.count for c in true if c.box.h == max(other.box.h for other in true))
    for column in grid.columns:
        if not column.broken:
            assert column.box.h == pytest.approx(column.count * unit, abs=2.0)
        else:
            assert column.box.h > column.count * unit
        assert column.box.x >= 0
        assert column.box.right <= width
        assert column.box.y >= 0
    for one, two in combinations(grid.columns, 2):
        assert not one.box.meets(two.box)


LOOKS = [
    Appearance(theme=theme, language=language, scale=scale)
    for theme in ("light", "projector")
    for language in ("en", "ja")
    for scale in (1.0, 2.0)
]


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_overlaps_at_any_size(qapp: QApplication, kind: str) -> None:
    for look in LOOKS:
        scene = make_scene(settings=KINDS[kind], look=look)
        for size in ((532, 180), (872, 350), (972, 350), (1872, 620)):
            subject = subject_of(scene, size)
            assert subject is not None
            picture = FlowPicture(subject)
            router = [] if picture.router is None else [picture.router.box]
            parts = [c.box for c in picture.grid.columns] + [p.box for p in picture.plates] + router
            parts += [label.box for label in picture.plan.labels]
            where = f"{kind} {look} {size}"
            for one, two in combinations(parts, 2):
                assert not one.meets(two), f"{where}: {one} and {two}"
            for part in parts:
                inside = part.x >= 0 and part.y >= -1 and part.right <= size[0] and part.bottom <= size[1]
                assert inside, f"{where}: {part}"


def test_nine_columns_fit_900_pixels_with_names_sizes_and_router(qtbot: QtBot) -> None:
    picture = picture_of(shown(qtbot, make_scene(settings=SANDWICH), (900, 430)))
    assert len(picture.plan.labels) == 9
    assert all(label.size for label in picture.plan.labels)
    assert picture.router is not None
    assert {plate.stage for plate in picture.plates} == set(picture.stages) - {Stage.INPUT}


def test_stages_stand_in_the_order_of_the_pass(qtbot: QtBot) -> None:
    for kind in KINDS.values():
        picture = picture_of(shown(qtbot, make_scene(settings=kind)))
        assert tuple(c.stage for c in picture.grid.columns) == picture.subject.run.stages
        left = [c.box.x for c in picture.grid.columns if c.stage is not Stage.UP]
        assert left == sorted(left)


# --------------------------------------------------------------------------------- truth of the picture


def test_each_cell_has_the_colour_of_its_value(qtbot: QtBot) -> None:
    scene = make_scene(settings=TINY)
    panel = shown(qtbot, scene)
    column = picture_of(panel).grid.column(Stage.UP)
    assert scene.run is not None
    values = scene.run.values[Stage.UP][0, 2]
    corner = panel.view.mapTo(panel, QPoint(0, 0))
    seen = pixels(panel)
    for index, value in enumerate(values):
        r, _, b = seen[
            corner.y() + int(column.y_of(index)), corner.x() + round(column.box.middle[0])
        ].tolist()
        assert (int(r) - int(b) > 0) == (value > 0), f"neuron {index}: {value}"


def test_what_is_not_finite_is_marked(qtbot: QtBot) -> None:
    panel = shown(qtbot, make_scene(damaged=True, selection=Selection(token=0)))
    mark = QColor(LIGHT.non_finite)
    found = (strip(panel, Stage.UP) == [mark.red(), mark.green(), mark.blue()]).all(axis=1).sum()
    cell = picture_of(panel).grid.column(Stage.UP).cell
    assert 2.0 * cell < found <= 3.0 * cell


@pytest.mark.parametrize("settings", [TINY, GATED, SANDWICH], ids=["plain", "gated", "moe"])
def test_ribbons_join_the_cells_of_the_strongest_parts(qtbot: QtBot, settings: Settings) -> None:
    scene = make_scene(settings=settings)
    picture = picture_of(shown(qtbot, scene))
    assert scene.detail is not None
    assert scene.run is not None
    paths = scene.detail.paths
    for i, neuron in enumerate(paths.neuron.tolist()):
        own = [r for r in picture.ribbons if r.neuron == neuron]
        (up,) = (r for r in own if r.target is Stage.UP)
        (out,) = (r for r in own if r.target is Stage.OUT)
        assert (up.start, up.end) == (paths.up_dim[i], neuron)
        assert (out.start, out.end) == (neuron, paths.out_dim[i])
        assert out.carried == pytest.approx(float(paths.out_part[i]))
        for ribbon in own:
            start, end = ends_of(ribbon, picture.grid)
            one, two = picture.grid.column(ribbon.source), picture.grid.column(ribbon.target)
            assert start.y() == pytest.approx(one.box.y + (ribbon.start + 0.5) * one.box.h / one.count)
            assert end.y() == pytest.approx(two.box.y + (ribbon.end + 0.5) * two.box.h / two.count)
            between = ribbon.source in WIDE and ribbon.target in WIDE
            if between:
                assert ribbon.carried == scene.run.values[ribbon.source][0, 2, neuron]


def test_a_curve_is_hit_where_it_is_drawn(qtbot: QtBot) -> None:
    from ffn_explorer.widgets.flow_ribbons import path_of

    picture = picture_of(shown(qtbot, make_scene()))
    for ribbon in picture.ribbons[::7]:
        path = path_of(ribbon, picture.grid)
        for share in (0.0, 0.2, 0.5, 0.9, 1.0):
            point = path.pointAtPercent(share)
            assert y_at(ribbon, picture.grid, point.x()) == pytest.approx(point.y(), abs=0.02)


# ------------------------------------------------------------------------------------------------- motion


def at_progress(scene: Scene, stage: Stage, share: float) -> Scene:
    """Return the scene with all before a stage done, the stage at `share`, and nothing after it."""
    order = [s for s, _ in scene.progress]
    number = order.index(stage)
    shares = [(s, 1.0 if i < number else share if i == number else 0.0) for i, s in enumerate(order)]
    return replace(scene, progress=tuple(shares), current=stage)


def test_strips_fill_from_the_top_after_their_ribbons_have_set_out(qtbot: QtBot) -> None:
    scene = make_scene(settings=TINY)
    surface = np.array([255, 255, 255])
    height: list[int] = []
    for share in (0.0, CELLS_FROM, 0.5, RIBBONS_UNTIL, 1.0):
        panel = shown(qtbot, at_progress(scene, Stage.UP, share))
        coloured = (strip(panel, Stage.UP) != surface).any(axis=1)
        height.append(int(np.flatnonzero(coloured).max(initial=-1)) + 1)
        assert (strip(panel, Stage.ACT) == surface).all()
    total = picture_of(panel).grid.column(Stage.UP).box.h
    assert height[:2] == [0, 0]
    assert height[2] == pytest.approx(total * (0.5 - CELLS_FROM) / (1.0 - CELLS_FROM), abs=6)
    assert height[2] < height[3] < height[4]


def test_a_finished_pass_looks_as_if_it_had_never_moved(qtbot: QtBot) -> None:
    panel = shown(qtbot, make_scene(settings=GATED))
    whole = pixels(panel)
    stages = picture_of(panel).stages
    for step in range(12):
        moment = step / 11
        panel.offer(
            replace(
                make_scene(settings=GATED),
                progress=timeline.progress(moment, stages),
                current=timeline.current(moment, stages),
            )
        )
        seen = pixels(panel)
        assert (seen == whole).all() == (step == 11)


@pytest.mark.parametrize("settings", [TINY, GATED, MOE], ids=["plain", "gated", "moe"])
@given(share=st.integers(0, 1_000).map(lambda n: n / 1_000))
def test_the_count_follows_the_strip_and_ends_exactly(settings: Settings, share: float) -> None:
    scene = make_scene(settings=settings)
    assert scene.run is not None
    last = Stage.HIDDEN if Stage.HIDDEN in scene.run.stages else Stage.ACT
    found = counted(at_progress(scene, last, share))
    assert found is not None
    hidden = scene.run.values[last][0, 2]
    assert found.active == int((np.abs(hidden[: found.read]) > scene.theta).sum())
    assert (found.read == found.total == len(hidden)) == (share == 1.0)


# ------------------------------------------------------------------------------------------------- words


def test_words_of_the_default_scene(qtbot: QtBot) -> None:
    panel = shown(qtbot, make_scene(settings=TINY))
    assert panel.title.text == "One position: “are” (2)"
    assert panel.note.text == "the other four positions are not read"
    caption, origin = panel.footer.shown()
    scene = panel.scene
    assert scene is not None
    assert scene.run is not None
    assert scene.detail is not None
    active = int((scene.run.values[Stage.ACT][0, 2] > 0).sum())
    strongest = scene.detail.paths
    assert caption.startswith(f"Active neurons: {active} of 40 ({100 * active / 40:.1f} %, θ = 0). ")
    assert f"neuron {strongest.neuron[0]}, |m| · ‖v‖ = {strongest.strength[0]:.3g}" in caption
    assert origin.startswith("1,336 parameters · origin: seeded random, seed 7")
    assert caption in panel.view.accessibleDescription()
    assert "up 40" in panel.view.accessibleDescription()


@pytest.mark.parametrize(
    ("words", "changes", "note"),
    [
        (1, {}, "the only position of its sentence"),
        (2, {}, "the other position is not read"),
        (11, {}, "the other ten positions are not read"),
        (12, {}, "the other 11 positions are not read"),
        (
            3,
            {"mixer": True},
            "attention has mixed the other two positions into x; the FFN reads this row alone",
        ),
        (
            3,
            {"experts": 4, "top_k": 2, "capacity_factor": 1.0},
            "the other two positions are not read, but compete for the experts’ places",
        ),
    ],
)
def test_the_note_says_what_is_read(qtbot: QtBot, words: int, changes: dict[str, Any], note: str) -> None:
    source = Source(sentences=(" ".join(["word"] * words),), orders=((),))
    scene = make_scene(settings=TINY.with_(**changes), source=source, selection=Selection(token=0))
    assert shown(qtbot, scene).note.text == note


def test_japanese_counts_positions_in_digits(qtbot: QtBot) -> None:
    panel = shown(qtbot, make_scene(look=Appearance(language="ja")))
    assert panel.title.text == "1 つの位置：「are」（2）"
    assert panel.note.text == "ほかの 4 つの位置は参照しない"


def test_a_narrow_footer_keeps_count_theta_and_origin(qtbot: QtBot) -> None:
    panel = shown(qtbot, make_scene(), (560, 260))
    caption, origin = panel.footer.shown()
    assert "%" in caption
    assert "θ = 0" in caption
    assert not caption.endswith("…")
    assert origin.startswith("1,336 parameters · origin")


def test_the_parameters_stay_when_the_origin_no_longer_fits(qtbot: QtBot) -> None:
    panel = shown(qtbot, make_scene(), (300, 260))
    _, right = panel.footer.shown()
    assert right.startswith("1,336 parameters")
    assert right.endswith("…")
    assert "origin: seeded random" in panel.footer.accessibleName()


@pytest.mark.parametrize(
    ("settings", "weights", "biases"),
    [
        (TINY, 2 * 16 * 40, 40 + 16),
        (GATED, 3 * 16 * 40, 0),
        (MOE, 4 * (2 * 16 * 40 + 16), 4 * (40 + 16)),
        (Settings(d_model=512, d_ff=2_048), 2_097_152, 2_560),
    ],
    ids=["plain", "gated", "experts", "default"],
)
def test_the_footer_counts_parameters_and_cost(
    qtbot: QtBot, settings: Settings, weights: int, biases: int
) -> None:
    scene = make_scene(settings=settings)
    panel = shown(qtbot, scene)
    assert panel.footer.shown()[1].startswith(f"{weights + biases:,} parameters")
    details = panel.footer.accessibleDescription()
    assert f"{weights:,} weights + {biases:,} biases = {weights + biases:,}" in details
    assert details in panel.footer.toolTip()
    if not settings.is_moe:
        assert f"(tokens: 5): {2 * 5 * weights:,} FLOPs" in details


def test_before_the_first_pass_a_sentence_stands_in_place_of_the_picture(qtbot: QtBot) -> None:
    panel = shown(qtbot, empty_scene())
    assert panel.view.item.picture is None
    assert "as soon as the first pass is computed" in panel.view.sentence


# ------------------------------------------------------------------------------------------------ formulas


@given(
    activation=st.sampled_from(["relu", "swiglu"]),
    bias=st.booleans(),
    experts=st.sampled_from([1, 4]),
    shared=st.integers(0, 1),
    dropout=st.sampled_from([0.0, 0.5]),
    width=st.integers(300, 1_900),
    language=st.sampled_from(["en", "ja"]),
)
def test_a_formula_stands_whole_or_as_a_bare_name(
    qapp: QApplication, activation: str, bias: bool, experts: int, shared: int, dropout: float, width: int,
    language: Language,
) -> None:  # fmt: skip
    settings = TINY.with_(activation=activation, bias=bias, dropout=dropout, training=dropout > 0)
    if experts > 1:
        settings = settings.with_(experts=experts, top_k=2, shared_experts=shared)
    subject = subject_of(make_scene(settings=settings, look=Appearance(language=language)), (width, 430))
    assert subject is not None
    for plate in FlowPicture(subject).plates:
        if plate.stage not in (Stage.UP, Stage.GATE, Stage.OUT) or "·" not in plate.text:
            continue
        assert (" + b" in plate.text) == bias, plate.text
        if plate.stage is Stage.OUT:
            assert plate.text.startswith("dropout(") == (dropout > 0)
            assert ("Σ" in plate.text) == (experts > 1)
            assert ("shared" in plate.text) == (experts > 1 and shared > 0)


def test_the_whole_formula_of_experts_is_what_they_compute() -> None:
    settings = MOE.with_(shared_experts=1, bias=True)
    run = make_scene(settings=settings).run
    assert run is not None
    out = next(f for f in formulas_of(run.spec, settings, run.stages) if f.stage is Stage.OUT)
    assert out.texts == ("Σₖ wₖ · (W_down · act + b) + shared", "W_down")


# ------------------------------------------------------------------------------------- pointer and keys


def point(panel: StagePanel, at: QPointF) -> None:
    """Move the pointer there and let a frame pass."""
    here = panel.view.viewport().mapToGlobal(at)
    none = Qt.MouseButton.NoButton
    event = QMouseEvent(QEvent.Type.MouseMove, at, here, none, none, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(panel.view.viewport(), event)
    QTest.qWait(40)


def test_pointing_at_a_cell_names_its_strongest_value(qtbot: QtBot) -> None:
    scene = make_scene(settings=TINY.with_(d_ff=2_000))
    panel = shown(qtbot, scene)
    column = picture_of(panel).grid.column(Stage.ACT)
    found = asked(panel)
    row = 101
    point(panel, QPointF(column.box.middle[0], column.box.y + row + 0.5))
    cell = found[-1].to(AppState()).hover
    assert cell is not None
    assert (cell.stage, cell.sentence, cell.token) == (Stage.ACT, 0, 2)
    assert scene.run is not None
    values = np.abs(scene.run.values[Stage.ACT][0, 2])
    first, last = int(row * 2_000 / column.box.h), int((row + 1) * 2_000 / column.box.h)
    assert first <= cell.index <= last
    assert values[cell.index] >= values[first + 1 : last].max()
    assert panel.tooltip(cell).startswith(f"act[{cell.index}] = ")
    point(panel, QPointF(2.0, 2.0))
    assert found[-1].to(AppState(hover=cell)).hover is None


def test_pointing_at_what_is_not_there_yet_says_nothing(qtbot: QtBot) -> None:
    panel = shown(qtbot, make_scene(time=0.0))
    found = asked(panel)
    box = picture_of(panel).grid.column(Stage.OUT).box
    point(panel, QPointF(*box.middle))
    assert found == []


def test_pointing_at_a_ribbon_means_its_neuron(qtbot: QtBot) -> None:
    panel = shown(qtbot, make_scene(settings=TINY.with_(d_ff=64)))
    picture = picture_of(panel)
    ribbon = next(r for r in picture.ribbons if r.target is Stage.ACT)
    start, end = ends_of(ribbon, picture.grid)
    cell = panel.view.cell_under(QPointF(start.x() * 0.9 + end.x() * 0.1, start.y()))
    assert cell == Cell(Stage.ACT, 0, 2, ribbon.neuron)


@pytest.mark.parametrize("kind", ["plain", "gated", "moe"])
def test_nothing_is_picked_through_a_plate(qtbot: QtBot, kind: str) -> None:
    panel = shown(qtbot, make_scene(settings=KINDS[kind]))
    picture = picture_of(panel)
    boxes = [plate.box for plate in picture.plates] + ([picture.router.box] if picture.router else [])
    under = 0
    for box in boxes:
        for x, y in ((box.x + a * box.w / 8, box.y + b * box.h / 8) for a in range(9) for b in range(9)):
            assert panel.view.cell_under(QPointF(x, y)) is None
            under += on_ribbon(picture, panel.view.item.progress(), x, y) is not None
    assert under > 0, "no ribbon runs under any plate here"


def tip_places(panel: StagePanel) -> list[QRect]:
    """Return where tooltips are on screen."""
    tops = QApplication.topLevelWidgets()
    return [w.geometry() for w in tops if w.inherits("QTipLabel") and w.isVisible()]


@pytest.mark.parametrize("neuron", [0, 19, 39])
def test_the_tooltip_covers_neither_the_cell_nor_its_name(qtbot: QtBot, neuron: int) -> None:
    panel = shown(qtbot, make_scene(settings=TINY))
    picture = picture_of(panel)
    column = picture.grid.column(Stage.UP)
    at = QPoint(round(column.box.middle[0]), round(column.y_of(neuron)))
    view = panel.view.viewport()
    QApplication.sendEvent(view, QHelpEvent(QEvent.Type.ToolTip, at, view.mapToGlobal(at)))
    QApplication.processEvents()
    (tip,) = tip_places(panel)
    name = name_box(picture, Cell(Stage.UP, 0, 2, neuron))
    for box in (name, Box(column.box.x, column.y_of(neuron) - 1.0, column.box.w, 2.0)):
        corner = view.mapToGlobal(QPoint(round(box.x), round(box.y)))
        assert not tip.intersects(QRect(corner.x(), corner.y(), round(box.w), round(box.h)))
    QToolTip.hideText()


def test_the_tooltip_says_what_it_is_once(qtbot: QtBot) -> None:
    scene = make_scene(settings=TINY.with_(d_ff=1_200))
    panel = shown(qtbot, scene)
    assert scene.run is not None
    value = numbers.short(float(scene.run.values[Stage.UP][0, 2, 1_070]))
    assert panel.tooltip(Cell(Stage.UP, 0, 2, 1_070)) == f"up[1,070] = {value}"
    assert panel.tooltip(Cell(Stage.INPUT, 0, 2, 3)).startswith("x[3] = ")


def test_a_click_chooses_and_a_click_beside_everything_lets_go(qtbot: QtBot) -> None:
    panel = shown(qtbot, make_scene())
    found = asked(panel)
    column = picture_of(panel).grid.column(Stage.OUT)
    at = QPoint(round(column.box.middle[0]), round(column.y_of(3)))
    QTest.mouseClick(panel.view.viewport(), Qt.MouseButton.LeftButton, pos=at)
    chosen = found[-1].to(AppState()).selection
    assert (chosen.stage, chosen.dim, chosen.token) == (Stage.OUT, 3, 2)
    QTest.mouseClick(panel.view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(3, 3))
    assert found[-1].to(AppState(selection=chosen)).selection.stage is None


def test_arrows_walk_the_stages_and_the_values(qtbot: QtBot) -> None:
    scene = make_scene(settings=GATED, selection=Selection(token=2, neuron=7, stage=Stage.GATE))
    panel = shown(qtbot, scene)
    found = asked(panel)
    state = AppState(settings=GATED, source=scene.source, selection=scene.selection)
    QTest.keyClick(panel.view, Qt.Key.Key_Right)
    assert found[-1].to(state).selection.cell() == Cell(Stage.UP, 0, 2, 7)
    QTest.keyClick(panel.view, Qt.Key.Key_Left)
    chosen = found[-1].to(state).selection.cell()
    assert chosen is not None
    assert chosen.stage is Stage.NORM
    QTest.keyClick(panel.view, Qt.Key.Key_Down)
    assert found[-1].to(state).selection.cell() == Cell(Stage.GATE, 0, 2, 8)
    QTest.keyClick(panel.view, Qt.Key.Key_Up)
    assert found[-1].to(state).selection.cell() == Cell(Stage.GATE, 0, 2, 6)


def test_without_a_choice_down_begins_at_the_strongest_neuron(qtbot: QtBot) -> None:
    scene = make_scene(settings=TINY)
    panel = shown(qtbot, scene)
    found = asked(panel)
    QTest.keyClick(panel.view, Qt.Key.Key_Down)
    assert scene.detail is not None
    assert found[-1].to(AppState()).selection.cell() == Cell(
        Stage.ACT, 0, 2, int(scene.detail.paths.neuron[0])
    )


def test_one_neuron_stands_out_and_the_others_fade(qtbot: QtBot) -> None:
    scene = make_scene(settings=TINY)
    assert scene.detail is not None
    strong, other = (int(n) for n in scene.detail.paths.neuron[:2])
    plain = shown(qtbot, scene)
    lit = shown(qtbot, replace(scene, hover=Cell(Stage.ACT, 0, 2, strong)))
    picture = picture_of(plain)
    corner = plain.view.mapTo(plain, QPoint(0, 0))
    before, after = pixels(plain).astype(int), pixels(lit).astype(int)

    def ink(seen: np.ndarray[Any, np.dtype[np.int64]], neuron: int) -> int:
        ribbon = next(r for r in picture.ribbons if r.neuron == neuron and r.target is Stage.ACT)
        start, _ = ends_of(ribbon, picture.grid)
        return int(765 - seen[corner.y() + int(start.y()), corner.x() + int(start.x()) + 14].sum())

    assert ink(after, strong) >= ink(before, strong)
    assert ink(after, other) < 0.6 * ink(before, other)


# ------------------------------------------------------------------------------------------------- purity


def histories() -> list[Scene]:
    """Return scenes of every kind."""
    dark: ThemeName = "dark"
    return [
        make_scene(settings=TINY),
        make_scene(settings=TINY, time=0.37),
        make_scene(settings=GATED, time=0.55, look=Appearance(theme=dark, language="ja")),
        make_scene(settings=SANDWICH, hover=Cell(Stage.UP, 0, 2, 11)),
        make_scene(settings=TINY, selection=Selection(token=0, neuron=5, stage=Stage.ACT), damaged=True),
        make_scene(settings=POST, time=0.98, look=Appearance(theme="projector")),
        make_scene(settings=WIDE_FFN, theta=0.3, look=Appearance(scale=1.6)),
        empty_scene(),
        make_scene(settings=TINY, detail=None, activity=None),
    ]


@effort(max_examples=40)
@given(order=st.lists(st.integers(0, 8), min_size=2, max_size=4))
def test_the_picture_is_a_function_of_its_scene(qapp: QApplication, order: list[int]) -> None:
    scenes = histories()
    worn, fresh = StagePanel(), StagePanel()
    try:
        for panel in (worn, fresh):
            panel.resize(760, 320)
        for number in order:
            worn.offer(scenes[number])
            worn.grab()
        fresh.offer(scenes[order[-1]])
        assert (pixels(worn) == pixels(fresh)).all()
    finally:
        for panel in (worn, fresh):
            panel.close()
            panel.deleteLater()


@given(box=st.tuples(*[st.integers(0, 100)] * 4), other=st.tuples(*[st.integers(0, 100)] * 4))
def test_boxes_meet_as_rectangles_do(
    box: tuple[int, int, int, int], other: tuple[int, int, int, int]
) -> None:
    one, two = Box(*box), Box(*other)
    assume(min(one.w, one.h, two.w, two.h) > 0)
    width = min(one.right, two.right) - max(one.x, two.x)
    height = min(one.bottom, two.bottom) - max(one.y, two.y)
    assert one.meets(two) == two.meets(one) == (width > 0 and height > 0)
