"""The atlas panel: its dots and rows are the layer's true norms and cosines, and lead to the neuron."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from safetensors.numpy import load_file

from ffn_explorer.checkpoints.reading.atlas import LayerAtlas
from ffn_explorer.core.stages import Stage
from ffn_explorer.panels.atlas import AtlasPanel
from ffn_explorer.state import numbers
from ffn_explorer.state.app_state import AppState, Cell, Point, View
from ffn_explorer.state.file_results import Atlas
from ffn_explorer.state.text import say, text
from ffn_explorer.widgets.atlas_picture import AtlasPicture
from ffn_explorer.widgets.ranking import Row
from ffn_explorer.widgets.sorted_list import SortedRanking
from tests import tiny_files
from tests.snapshots.files import opened, reading, state_of
from tests.ui.live import Live, mouse, pick, scene_of, settle

Wide = NDArray[np.float64]


def live(qtbot: QtBot, state: AppState | None = None, *, height: int = 400) -> tuple[Live, AtlasPanel]:
    panel = AtlasPanel()
    shown = Live(qtbot, panel, state or state_of(), width=760)
    shown.window.resize(800, height + 20)
    panel.resize(760, height)
    settle()
    return shown, panel


def picture_of(panel: AtlasPanel) -> AtlasPicture:
    assert panel.inside.plot.picture is not None
    return panel.inside.plot.picture


def ranking_of(panel: AtlasPanel) -> SortedRanking:
    ranking = panel.inside.list.order
    assert ranking is not None
    return ranking


def rows_of(panel: AtlasPanel) -> list[Row]:
    ranking = ranking_of(panel)
    return [ranking.row(i) for i in range(ranking.total)]


def vectors(kind: str = "llama", layer: int = 1) -> dict[str, Wide]:
    """Rows of gate and up and columns of down `[F, D]`, read by another library."""
    tensors = load_file(Path(opened(kind).path) / "model.safetensors")
    head = f"model.layers.{layer}.mlp."
    found = {role: tensors[f"{head}{role}_proj.weight"].astype(np.float64) for role in ("gate", "up", "down")}
    return found | {"down": found["down"].T}


def cosines(one: Wide, other: Wide) -> Wide:
    return np.asarray((one * other).sum(1) / np.linalg.norm(one, axis=1) / np.linalg.norm(other, axis=1))


def point_of(panel: AtlasPanel, neuron: int) -> QPointF:
    x, y = panel.inside.plot.places()
    return QPointF(float(x[neuron]), float(y[neuron]))


def test_dots_stand_at_norms_and_are_coloured_by_a_cosine(qtbot: QtBot) -> None:
    _, panel = live(qtbot)
    shown, true = picture_of(panel), vectors()
    np.testing.assert_allclose(shown.points.x, np.linalg.norm(true["gate"], axis=1), rtol=1e-6)
    np.testing.assert_allclose(shown.points.y, np.linalg.norm(true["down"], axis=1), rtol=1e-6)
    np.testing.assert_allclose(shown.points.colour, cosines(true["gate"], true["down"]), atol=1e-6)
    assert shown.points.limit >= np.abs(shown.points.colour).max()
    assert shown.axes.y_name == "‖down‖"
    assert panel.title.text == say("en", "panel.atlas.title", n="1")
    source = panel.inside.source.text
    assert "model.layers.1.mlp.gate_proj.weight" in source
    assert "model.safetensors" in source
    assert "40" in source


def test_other_axes_and_a_cosine_in_the_order_colours_the_dots(qtbot: QtBot) -> None:
    shown, panel = live(qtbot)
    pick(panel.inside.across, "cos(up, down)")
    pick(panel.inside.upward, "‖up‖")
    assert (shown.state.looking.across, shown.state.looking.upward) == ("cos_up_down", "up_norm")
    pick(panel.inside.order, say("en", "panel.atlas.most_negative", what="cos(gate, up)"))
    assert shown.state.view("atlas").sort == "-cos_gate_up"
    true, seen = vectors(), picture_of(panel)
    np.testing.assert_allclose(seen.points.x, cosines(true["up"], true["down"]), atol=1e-6)
    np.testing.assert_allclose(seen.points.y, np.linalg.norm(true["up"], axis=1), rtol=1e-6)
    np.testing.assert_allclose(seen.points.colour, cosines(true["gate"], true["up"]), atol=1e-6)
    assert seen.axes.x == (-seen.axes.x[1], seen.axes.x[1])
    wanted = np.argsort(seen.points.colour, kind="stable")
    assert [row.key for row in rows_of(panel)] == wanted.tolist()


def test_rows_hold_the_numbers_in_the_order_asked_for(qtbot: QtBot) -> None:
    _, panel = live(qtbot)
    norms = np.linalg.norm(vectors()["gate"], axis=1)
    rows = rows_of(panel)
    assert [row.key for row in rows] == np.argsort(-norms, kind="stable").tolist()
    assert rows[0].texts[:2] == (numbers.count(rows[0].key), numbers.short(float(norms.max())))
    assert ranking_of(panel).chosen == 7
    table = panel.table()
    assert table is not None
    assert table[0][:2] == ["neuron", "‖up‖"]
    assert [int(row[0]) for row in table[1:]] == [row.key for row in rows]
    at = table[0].index("‖gate‖")
    np.testing.assert_allclose([float(row[at]) for row in table[1:]], np.sort(norms)[::-1], rtol=1e-6)


def test_an_experts_neurons_are_those_of_the_expert_looked_at(qtbot: QtBot) -> None:
    state = state_of("mixtral", layer=0)
    state = replace(state, selection=replace(state.selection, expert=4))
    shown, panel = live(qtbot, state)
    tensors = load_file(Path(opened("mixtral").path) / "model.safetensors")
    up = tensors["model.layers.0.block_sparse_moe.experts.4.w1.weight"].astype(np.float64)
    np.testing.assert_allclose(picture_of(panel).points.x, np.linalg.norm(up, axis=1), rtol=1e-6)
    assert "experts.4.w1.weight" in panel.inside.source.text
    panel._choose(3)
    assert (shown.state.selection.neuron, shown.state.selection.expert) == (3, 4)
    panel._point(5)
    assert shown.state.point == Point(neuron=5, expert=4)


def test_a_click_chooses_the_nearest_dot_and_the_pointer_names_it(qtbot: QtBot) -> None:
    shown, panel = live(qtbot)
    plot = panel.inside.plot
    alone = int(np.argmax(picture_of(panel).points.x))
    place = point_of(panel, alone) + QPointF(2, 2)
    mouse(plot.viewport(), QEvent.Type.MouseMove, place)
    qtbot.waitUntil(lambda: shown.state.hover == Cell(Stage.HIDDEN, 0, 4, alone))
    assert picture_of(panel).hovered == alone
    assert picture_of(panel).said[0] == say("en", "panel.atlas.neuron_n", n=str(alone))
    assert len(picture_of(panel).said) == 4
    mouse(plot.viewport(), QEvent.Type.MouseButtonPress, place)
    mouse(plot.viewport(), QEvent.Type.MouseButtonRelease, place)
    assert shown.state.selection.neuron == alone
    assert picture_of(panel).chosen == alone


def test_arrows_on_the_plot_go_along_the_list(qtbot: QtBot) -> None:
    shown, panel = live(qtbot)
    order = [row.key for row in rows_of(panel)]
    at = order.index(7)
    qtbot.keyClick(panel.inside.plot, Qt.Key.Key_Down)
    assert shown.state.selection.neuron == order[at + 1]
    qtbot.keyClick(panel.inside.plot, Qt.Key.Key_Left)
    assert shown.state.selection.neuron == 7
    qtbot.keyClick(panel.inside.list, Qt.Key.Key_Up)
    assert shown.state.selection.neuron == order[at - 1]


def wheel(panel: AtlasPanel, at: QPointF, turned: int) -> None:
    view = panel.inside.plot.viewport()
    QApplication.sendEvent(
        view,
        QWheelEvent(
            at, view.mapToGlobal(at), QPoint(), QPoint(0, turned), Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
        ),
    )  # fmt: skip


def test_the_wheel_zooms_around_the_pointer_and_a_double_click_shows_all(qtbot: QtBot) -> None:
    shown, panel = live(qtbot)
    plot = panel.inside.plot
    whole, at = picture_of(panel).axes, plot.area.center() + QPointF(20, -15)
    under = plot.values_at(at)
    wheel(panel, at, 240)
    zoomed = picture_of(panel).axes
    assert zoomed.x[1] - zoomed.x[0] < 0.7 * (whole.x[1] - whole.x[0])
    assert plot.values_at(at) == pytest.approx(under, abs=1e-2)
    first = shown.state.view("atlas").first
    start = plot.area.center()
    mouse(plot.viewport(), QEvent.Type.MouseButtonPress, start)
    mouse(plot.viewport(), QEvent.Type.MouseMove, start + QPointF(40, 0))
    plot.moved.emit(start + QPointF(40, 0))
    mouse(plot.viewport(), QEvent.Type.MouseButtonRelease, start + QPointF(40, 0))
    assert shown.state.view("atlas").first < first
    assert shown.state.selection.neuron == 7
    mouse(plot.viewport(), QEvent.Type.MouseButtonDblClick, start)
    assert picture_of(panel).axes.x == whole.x
    qtbot.keyClick(plot, "+")
    assert picture_of(panel).axes.x[1] < whole.x[1] or picture_of(panel).axes.x[0] > whole.x[0]
    qtbot.keyClick(plot, "0")
    assert picture_of(panel).axes.x == whole.x


def test_a_filter_thins_list_and_dots(qtbot: QtBot) -> None:
    shown, panel = live(qtbot)
    norms = np.linalg.norm(vectors()["down"], axis=1)
    bound = float(np.median(norms))
    qtbot.keyClicks(panel.inside.filter, f"down > {bound:.6f}")
    qtbot.keyClick(panel.inside.filter, Qt.Key.Key_Return)
    kept = np.flatnonzero(norms.astype(np.float32) > np.float32(f"{bound:.6f}"))
    assert {row.key for row in rows_of(panel)} == set(kept.tolist())
    assert np.flatnonzero(picture_of(panel).points.kept).tolist() == kept.tolist()
    assert panel.inside.count.text == say("en", "panel.atlas.listed", count=str(len(kept)), total="40")
    panel.change_view(mode="> 99")
    assert panel.inside.list.sentence == say("en", "panel.atlas.nothing_passes")
    panel.change_view(mode="is it?")
    assert panel.inside.count.text == say("en", "panel.atlas.filter_wrong")
    assert len(rows_of(panel)) == 40
    assert shown.state.selection.neuron == 7


def test_what_is_not_finite_is_counted_and_listed_apart(qtbot: QtBot) -> None:
    _, panel = live(qtbot, state_of("damaged"))
    rows = rows_of(panel)
    assert rows[-4].key == -1
    assert ranking_of(panel).heading(-1) == say("en", "panel.atlas.not_finite", count="3")
    # NaN in a row of up, an infinity in another, and a column of zeros, which points nowhere.
    assert {row.key for row in rows[-3:]} == {5, 9, 11}
    assert all(row.faded for row in rows[-3:])
    assert np.isnan(picture_of(panel).points.x[[5, 9, 11]]).all()
    assert "3" in panel.inside.count.text
    assert ranking_of(panel).place is not None
    order = [row.key for row in rows]
    assert [ranking_of(panel).place(key) for key in order if key >= 0] == [  # type: ignore[misc]
        i for i, key in enumerate(order) if key >= 0
    ]


def test_while_it_is_read_and_when_it_is_refused_it_says_so(qtbot: QtBot) -> None:
    shown, panel = live(qtbot)
    scene = scene_of(shown.state)
    panel.offer(reading(scene))
    assert panel.body.blank.blank.waiting
    assert panel.body.currentWidget() is panel.body.blank
    refusal = text("checkpoint.quantised", tensor="t", method="x")
    panel.offer(replace(reading(scene), refusals=(("atlas", refusal),)))
    assert panel.body.blank.blank.what == say("en", refusal)
    panel.offer(scene)
    assert panel.body.currentWidget() is panel.inside
    # An atlas of another layer says nothing of this one.
    assert scene.atlas is not None
    panel.offer(replace(scene, atlas=replace(scene.atlas, layer=0)))
    assert panel.body.blank.blank.waiting


def test_without_a_file_it_says_what_it_would_show(qtbot: QtBot) -> None:
    _, panel = live(qtbot, AppState())
    assert panel.body.blank.blank.what == say("en", "panel.atlas.about")
    assert panel.table() is None


@pytest.mark.parametrize("count", [28_672, 131_072])
def test_many_neurons_are_drawn_and_found(qtbot: QtBot, count: int) -> None:
    shown, panel = live(qtbot)
    scene, draw = scene_of(shown.state), np.random.default_rng(1)

    def norm() -> NDArray[np.float32]:
        return draw.normal(5, 1, count).astype(np.float32)

    cosine = draw.normal(0, 0.2, count).clip(-1, 1).astype(np.float32)
    values = LayerAtlas(norm(), norm(), cosine, norm(), cosine, cosine)
    scene = replace(scene, atlas=Atlas(1, None, values, 0))
    panel.offer(scene)
    panel.grab()
    for number in range(3):
        panel.offer(replace(scene, views=(("atlas", View(first=100 * number, shown=9_000, rows=9_000)),)))
        panel.inside.plot.grab()
        assert panel.inside.plot.neuron_at(panel.inside.plot.area.center() + QPointF(number, 0)) is not None


def test_nearest_dot_is_the_true_nearest(qtbot: QtBot) -> None:
    _, panel = live(qtbot)
    plot = panel.inside.plot
    x, y = plot.places()
    draw = np.random.default_rng(2)
    for _ in range(50):
        at = QPointF(
            float(draw.uniform(plot.area.left(), plot.area.right())),
            float(draw.uniform(plot.area.top(), plot.area.bottom())),
        )
        apart = [math.hypot(a - at.x(), b - at.y()) for a, b in zip(x, y, strict=True)]
        found, best = plot.neuron_at(at), int(np.argmin(apart))
        if apart[best] < 11.5:
            assert found == best
        elif apart[best] > 12.5:
            assert found is None
    assert len(x) == tiny_files.F
