"""The promoters panel: its rows are the neurons with the largest products, and a row leads to its neuron."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, Qt
from pytestqt.qtbot import QtBot
from safetensors.numpy import load_file

from ffn_explorer.panels.promoters import PromotersPanel
from ffn_explorer.state import numbers
from ffn_explorer.state.app_state import AppState
from ffn_explorer.state.text import say
from ffn_explorer.widgets.ranked import RankedList, Row
from tests import tiny_files
from tests.snapshots.files import halfway, opened, reading, state_of
from tests.snapshots.words import cramped, nameless, overlapping
from tests.ui.live import Live, mouse, scene_of, settle

LOST = tiny_files.WORDS.index("lost")


def live(qtbot: QtBot, state: AppState | None = None, *, width: int = 640) -> tuple[Live, PromotersPanel]:
    panel = PromotersPanel()
    shown = Live(qtbot, panel, state or state_of(asked={"token": "lost"}), width=width)
    panel.resize(width, 380)
    settle()
    return shown, panel


def rows(listed: RankedList) -> list[Row]:
    ranking = listed.picture
    assert ranking is not None
    return [ranking.row(i) for i in range(ranking.total)]


def scores(token: int, *, normed: bool = True) -> NDArray[np.float64]:
    """What every neuron adds to a token's logit `[L, F]`, from the file by another library."""
    found = load_file(Path(opened("llama").path) / "model.safetensors")
    row = found["lm_head.weight"][token].astype(np.float64)
    gain = found["model.norm.weight"].astype(np.float64) if normed else 1.0
    return np.stack(
        [(row * gain) @ found[f"model.layers.{n}.mlp.down_proj.weight"].astype(np.float64) for n in range(3)]
    )


@pytest.mark.parametrize("normed", [True, False])
def test_rows_are_the_neurons_of_the_layer_with_the_largest_products(qtbot: QtBot, normed: bool) -> None:
    _, panel = live(qtbot, state_of(asked={"token": "lost", "normed": normed}))
    true = scores(LOST, normed=normed)[1]
    for listed, wanted in ((panel.inside.most, np.argsort(-true)), (panel.inside.least, np.argsort(true))):
        found = rows(listed)
        assert [row.texts[0] for row in found] == [numbers.count(int(n)) for n in wanted[:24]]
        np.testing.assert_allclose([row.value for row in found], true[wanted[:24]], rtol=1e-5)
        assert found[0].texts[1] == numbers.short(float(true[wanted[0]]))
    assert panel.title.text == say("en", "panel.promoters.title", token="lost", n="1")
    assert ("model.norm.weight" in panel.note.text) == normed


def test_over_all_layers_a_row_leads_to_its_layer_and_neuron(qtbot: QtBot) -> None:
    shown, panel = live(qtbot)
    qtbot.mouseClick(panel.inside.scope.buttons[1], Qt.MouseButton.LeftButton)
    assert shown.state.looking.all_layers
    true = scores(LOST)
    layer, neuron = divmod(int(np.argmax(true)), tiny_files.F)
    first = rows(panel.inside.most)[0]
    assert first.texts[:2] == (numbers.count(neuron), numbers.count(layer))
    listed = panel.inside.most
    assert listed.laid is not None
    mouse(listed.viewport(), QEvent.Type.MouseButtonPress, listed.laid.place(0).center())
    assert (shown.state.settings.layer, shown.state.selection.neuron) == (layer, neuron)
    assert listed.picture is not None
    assert listed.picture.chosen == 0
    qtbot.keyClick(listed, Qt.Key.Key_Down)
    second = np.argsort(-true, axis=None)[1]
    assert (shown.state.settings.layer, shown.state.selection.neuron) == divmod(int(second), tiny_files.F)


def test_a_typed_token_is_looked_for_on_enter(qtbot: QtBot) -> None:
    shown, panel = live(qtbot, state_of())
    assert panel.inside.blank.blank.what == say("en", "panel.promoters.empty")
    qtbot.keyClicks(panel.inside.field, "keys")
    assert not shown.asked
    qtbot.keyClick(panel.inside.field, Qt.Key.Key_Return)
    assert shown.state.looking.token == "keys"
    assert "keys" in panel.title.text
    assert panel.inside.most.isVisible()
    panel.inside.field.selectAll()
    qtbot.keyClicks(panel.inside.field, "#7")
    qtbot.keyClick(panel.inside.field, Qt.Key.Key_Return)
    assert "lost" in panel.title.text


@pytest.mark.parametrize(("kind", "typed", "key"), [
    ("llama", "no such token", "checkpoint.no_single_token"),
    ("bare", "lost", "checkpoint.no_tokenizer"),
])  # fmt: skip
def test_what_is_no_token_is_refused_inline(qtbot: QtBot, kind: str, typed: str, key: str) -> None:
    shown, panel = live(qtbot, state_of(kind, asked={"token": typed}))
    scene = scene_of(shown.state)
    refusal = dict(scene.refusals)["promoters"]
    assert refusal.key == key
    assert panel.inside.blank.blank.what == say("en", refusal)
    assert not panel.inside.most.isVisible()
    assert panel.table() is None


def test_experts_are_named_and_chosen(qtbot: QtBot) -> None:
    shown, panel = live(qtbot, state_of("mixtral", layer=0, asked={"token": "lost"}))
    ranking = panel.inside.most.picture
    assert ranking is not None
    assert ranking.columns[1].head == say("en", "panel.promoters.expert")
    expert = int(ranking.row(2).texts[1])
    panel._choose(2, least=False)
    assert shown.state.selection.expert == expert
    assert shown.state.selection.neuron == int(ranking.row(2).texts[0])
    assert panel.inside.most.picture is not None
    assert panel.inside.most.picture.chosen == 2


def test_other_tokens_that_the_text_may_mean_are_chips(qtbot: QtBot) -> None:
    shown, panel = live(qtbot)
    scene = scene_of(shown.state)
    assert scene.promoters is not None
    panel.offer(replace(scene, promoters=replace(scene.promoters, others=((3, "on"), (5, "table")))))
    settle()
    chips = panel.inside.others.laid.chips
    assert [chip.chip.text for chip in chips] == ["on", "table"]
    mouse(panel.inside.others, QEvent.Type.MouseButtonPress, chips[1].place.center())
    assert shown.state.looking.token == "#5"
    assert not panel.inside.others.isVisible()


def test_what_is_there_so_far_is_shown_and_said(qtbot: QtBot) -> None:
    shown, panel = live(qtbot)
    scene = scene_of(shown.state)
    panel.offer(halfway(scene))
    assert panel.note.text == say("en", "panel.promoters.seen", share="50.0 %")
    assert panel.inside.most.isVisible()
    panel.offer(reading(scene))
    assert panel.inside.blank.blank.waiting


def test_the_table_has_exact_scores(qtbot: QtBot) -> None:
    _, panel = live(qtbot)
    table = panel.table()
    assert table is not None
    assert len(table) == 49
    true = scores(LOST)[1]
    assert table[1][:4] == ["most", "1", "", str(int(np.argmax(true)))]
    assert float(table[1][4]) == pytest.approx(float(true.max()), rel=1e-6)


@pytest.mark.parametrize("width", [320, 420, 900])
def test_nothing_is_cut_or_over_another_at_any_width(qtbot: QtBot, width: int) -> None:
    shown, _ = live(qtbot, width=width)
    assert [*cramped(shown.window), *nameless(shown.window), *overlapping(shown.window)] == []


def test_without_a_file_it_says_what_it_would_show(qtbot: QtBot) -> None:
    _, panel = live(qtbot, AppState())
    assert panel.body.blank.blank.what == say("en", "panel.promoters.about")
    assert panel.table() is None
