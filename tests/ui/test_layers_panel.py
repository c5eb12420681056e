"""The layers panel: its rows are the file's layers, and choosing one looks at it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from pytestqt.qtbot import QtBot

from ffn_explorer.checkpoints.scheme import Note
from ffn_explorer.core.settings import Settings
from ffn_explorer.panels.layers import LayersPanel
from ffn_explorer.state.app_state import AppState, View
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.text import say
from ffn_explorer.widgets.sorted_list import SortedRanking
from tests import tiny_files
from tests.snapshots.files import state_of
from tests.snapshots.words import cramped, nameless, overlapping
from tests.ui.live import Live, mouse, scene_of, settle


def live(qtbot: QtBot, state: AppState | None = None) -> tuple[Live, LayersPanel]:
    panel = LayersPanel()
    return Live(qtbot, panel, state or state_of(), width=620), panel


def ranking_of(panel: LayersPanel) -> SortedRanking:
    ranking = panel.list.order
    assert ranking is not None
    return ranking


def column(panel: LayersPanel, name: str) -> list[str]:
    ranking = ranking_of(panel)
    at = ranking.names.index(name)
    return [ranking.row(i).texts[at] for i in range(ranking.total)]


def many(scene: Scene, *, stacks: tuple[str, ...] = ("decoder",), each: int = 126) -> Scene:
    """The scene of a file with many layers, its own ones over and over; every fourth with a gap."""
    file = scene.file
    assert file is not None
    gap = (Note("checkpoint.gap_latent"),)
    layers = tuple(
        replace(file.layers[n % 3], index=n, stack=stack, d_ff=40 + n, gaps=gap if n % 4 == 3 else ())
        for stack in stacks
        for n in range(each)
    )
    count = len(layers)
    return replace(
        scene,
        file=replace(
            file,
            layers=layers,
            dtypes=("bfloat16",) * count,
            places=tuple(f"model-{n % 5}.safetensors" for n in range(count)),
            sizes=tuple(1_000 * (n + 1) for n in range(count)),
        ),
    )


def test_rows_are_the_layers_of_the_file(qtbot: QtBot) -> None:
    _, panel = live(qtbot)
    assert panel.title.text == "llama"
    assert column(panel, "layer") == ["0", "1", "2"]
    assert set(column(panel, "d_ff")) == {str(tiny_files.F)}
    assert set(column(panel, "activation")) == {"SwiGLU"}
    assert set(column(panel, "dtype")) == {"float32"}
    stored = 4 * (3 * tiny_files.F * tiny_files.D + tiny_files.D)
    assert {ranking_of(panel).row(i).value for i in range(3)} == {stored}
    assert ranking_of(panel).chosen == 1
    assert [fact.value for fact in panel.facts.facts][:2] == ["safetensors", "llama"]
    assert panel.facts.facts[3].value == "WordLevel"
    assert "blk" not in ranking_of(panel).tip(0)
    assert "model.layers.0.mlp.down_proj.weight" in ranking_of(panel).tip(0)


def test_experts_are_counted(qtbot: QtBot) -> None:
    _, panel = live(qtbot, state_of("mixtral", layer=0))
    assert column(panel, "kind") == ["6 experts"] * 2


def test_a_click_and_the_arrows_look_at_a_layer(qtbot: QtBot) -> None:
    shown, panel = live(qtbot)
    laid = panel.list.laid
    assert laid is not None
    mouse(panel.list.viewport(), QEvent.Type.MouseButtonPress, laid.place(2).center())
    assert shown.state.settings.layer == 2
    assert ranking_of(panel).chosen == 2
    qtbot.keyClick(panel.list, Qt.Key.Key_Up)
    assert shown.state.settings.layer == 1
    qtbot.keyClick(panel.list, Qt.Key.Key_Home)
    assert shown.state.settings.layer == 0
    qtbot.keyClick(panel.list, Qt.Key.Key_Up)
    assert shown.state.settings.layer == 0
    qtbot.keyClick(panel.list, Qt.Key.Key_End)
    assert shown.state.settings.layer == 2


def test_a_head_orders_and_turns_the_order_around(qtbot: QtBot) -> None:
    shown, panel = live(qtbot)
    panel.offer(many(scene_of(shown.state)))
    laid = panel.list.laid
    assert laid is not None
    left, right = laid.columns[panel.list.order.names.index("d_ff")]  # type: ignore[union-attr]
    head = QPointF((left + right) / 2, laid.head / 2)
    mouse(panel.list.viewport(), QEvent.Type.MouseButtonPress, head)
    assert shown.state.view("layers").sort == "-d_ff"
    panel.offer(replace(many(scene_of(shown.state)), views=shown.state.views))
    assert column(panel, "d_ff")[:2] == ["165", "164"]
    mouse(panel.list.viewport(), QEvent.Type.MouseButtonPress, head)
    assert shown.state.view("layers").sort == "d_ff"
    panel.offer(replace(many(scene_of(shown.state)), views=shown.state.views))
    assert column(panel, "d_ff")[:2] == ["40", "41"]


def test_the_keyboard_orders_too(qtbot: QtBot) -> None:
    shown, panel = live(qtbot)
    shift = Qt.KeyboardModifier.ShiftModifier
    qtbot.keyClick(panel.list, Qt.Key.Key_Right, shift)
    assert shown.state.view("layers").sort == "-kind"
    qtbot.keyClick(panel.list, Qt.Key.Key_Down, shift)
    assert shown.state.view("layers").sort == "-kind"
    qtbot.keyClick(panel.list, Qt.Key.Key_Up, shift)
    assert shown.state.view("layers").sort == "kind"


def test_a_filter_keeps_the_rows_that_hold_every_word(qtbot: QtBot) -> None:
    shown, panel = live(qtbot)
    qtbot.keyClicks(panel.filter, "float32 2")
    qtbot.keyClick(panel.filter, Qt.Key.Key_Return)
    assert shown.state.view("layers").mode == "float32 2"
    assert column(panel, "layer") == ["2"]
    qtbot.keyClicks(panel.filter, " nothing of the kind")
    qtbot.keyClick(panel.filter, Qt.Key.Key_Return)
    assert panel.list.sentence == say("en", "panel.layers.nothing_passes")


def test_escape_takes_back_what_is_typed(qtbot: QtBot) -> None:
    shown, panel = live(qtbot)
    qtbot.keyClicks(panel.filter, "zzz")
    qtbot.keyClick(panel.filter, Qt.Key.Key_Escape)
    assert panel.filter.text() == shown.state.view("layers").mode == ""


def at(layer: int) -> Settings:
    """Settings of a layer."""
    return replace(state_of().settings, layers=10, layer=layer)


def test_several_stacks_stand_under_headings_that_cannot_be_chosen(qtbot: QtBot) -> None:
    shown, panel = live(qtbot)
    panel.offer(many(scene_of(shown.state), stacks=("encoder", "decoder"), each=4))
    ranking = ranking_of(panel)
    keys = [ranking.row(i).key for i in range(ranking.total)]
    assert keys == [-1, 0, 1, 2, 3, -2, 4, 5, 6, 7]
    assert ranking.heading(-2) == "decoder (4)"
    panel.requested.disconnect(shown.change)
    chosen: list[int] = []
    panel.list.chosen.connect(chosen.append)
    laid = panel.list.laid
    assert laid is not None
    mouse(panel.list.viewport(), QEvent.Type.MouseButtonPress, laid.place(0).center())
    assert chosen == []
    qtbot.keyClick(panel.list, Qt.Key.Key_Home)
    panel.list.walk(1)
    panel.offer(replace(many(shown.panel.scene, stacks=("encoder", "decoder"), each=4), settings=at(3)))  # type: ignore[arg-type]
    panel.list.walk(1)
    assert chosen == [0, 2, 4]


def test_a_layer_with_a_gap_is_hatched_and_says_why(qtbot: QtBot) -> None:
    shown, panel = live(qtbot)
    panel.offer(many(scene_of(shown.state), each=8))
    ranking = ranking_of(panel)
    assert ranking.hatched == {3, 7}
    assert say("en", "checkpoint.gap_latent") in ranking.tip(3)
    assert [ranking.row(i).faded for i in range(8)] == [n % 4 == 3 for n in range(8)]


def test_doubts_are_told_the_first_in_sight_and_all_in_the_tip(qtbot: QtBot) -> None:
    shown, panel = live(qtbot)
    scene = scene_of(shown.state)
    assert not panel.doubts.isVisible()
    assert scene.file is not None
    doubts = (Note("checkpoint.doubt_structure"), Note("checkpoint.doubt_norm"))
    panel.offer(replace(scene, file=replace(scene.file, family="", confidence=0.6, doubts=doubts)))
    assert panel.doubts.text.startswith(say("en", "checkpoint.doubt_structure"))
    assert "+1" in panel.doubts.text
    assert say("en", "checkpoint.doubt_norm") in panel.doubts.toolTip()
    assert "60 %" in panel.facts.facts[1].value


def test_126_layers_are_scrolled_through(qtbot: QtBot) -> None:
    shown, panel = live(qtbot)
    scene = many(scene_of(shown.state))
    panel.offer(scene)
    for first in (1, 60, 110):
        panel.offer(replace(scene, views=(("layers", View(scroll=first)),)))
        assert not panel.grab().isNull()
    table = panel.table()
    assert table is not None
    assert len(table) == 127


def test_the_table_has_a_row_per_layer(qtbot: QtBot) -> None:
    _, panel = live(qtbot)
    table = panel.table()
    assert table is not None
    assert len(table) == 4
    assert table[1][-2] == str(4 * (3 * tiny_files.F * tiny_files.D + tiny_files.D))


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_without_a_file_it_says_how_to_open_one(qtbot: QtBot, scale: float) -> None:
    state = AppState()
    shown, panel = live(qtbot, replace(state, appearance=replace(state.appearance, scale=scale)))
    assert panel.title.text == say("en", "panel.layers.title_empty")
    assert "Ctrl+O" in panel.body.blank.accessibleDescription()
    assert panel.table() is None
    assert list(overlapping(shown.window)) == []


def test_nothing_is_cut_or_nameless(qtbot: QtBot) -> None:
    shown, panel = live(qtbot)
    panel.offer(many(scene_of(shown.state)))
    settle()
    assert [*cramped(shown.window), *nameless(shown.window), *overlapping(shown.window)] == []


def test_hostile_names_are_shown_harmlessly(qtbot: QtBot) -> None:
    shown, panel = live(qtbot)
    scene = scene_of(shown.state)
    assert scene.file is not None
    panel.offer(replace(scene, file=replace(scene.file, name="<b>x</b>\u202eevil", dtypes=("\u202e",) * 3)))
    assert "<U+202E>" in panel.title.text
    assert column(panel, "dtype") == ["<U+202E>"] * 3
