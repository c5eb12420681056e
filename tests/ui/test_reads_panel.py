"""The reads panel: its chips are the true answers of the vocabulary, and lead on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, Qt
from pytestqt.qtbot import QtBot
from safetensors.numpy import load_file

from ffn_explorer.panels.reads import ReadsPanel
from ffn_explorer.state import numbers
from ffn_explorer.state.app_state import AppState
from ffn_explorer.state.text import say, text
from ffn_explorer.widgets.token_groups import NEURON, TOKEN
from ffn_explorer.widgets.word_chips import ChipGroup, PlacedChip
from tests import tiny_files
from tests.snapshots.files import halfway, opened, reading, state_of
from tests.snapshots.words import cramped, nameless, overlapping
from tests.ui.live import Live, mouse, scene_of, settle

Wide = NDArray[np.float64]


def live(qtbot: QtBot, state: AppState | None = None, *, height: int = 560) -> tuple[Live, ReadsPanel]:
    panel = ReadsPanel()
    shown = Live(qtbot, panel, state or state_of(), width=700)
    shown.window.resize(720, height + 20)
    panel.resize(700, height)
    settle()
    return shown, panel


def groups(panel: ReadsPanel) -> dict[str, ChipGroup]:
    return {group.head: group for row in panel.inside.chips.board.rows for group in row.groups}


def group(panel: ReadsPanel, key: str, **values: Any) -> ChipGroup:
    return groups(panel)[say("en", f"panel.reads.{key}", **values)]


def placed(panel: ReadsPanel, name: str) -> PlacedChip:
    return next(chip for chip in panel.inside.chips.laid.chips if chip.group == name)


def tensors(kind: str = "llama") -> dict[str, Wide]:
    found = load_file(Path(opened(kind).path) / "model.safetensors")
    return {name: array.astype(np.float64) for name, array in found.items()}


def scores(role: str, *, normed: bool) -> Wide:
    """What the file's own vocabulary answers to neuron 7 of layer 1 `[V]`."""
    found, head = tensors(), "model.layers.1."
    if role == "down":
        vector = found[f"{head}mlp.down_proj.weight"][:, 7]
        gain, rows = found["model.norm.weight"], found["lm_head.weight"]
    else:
        vector = found[f"{head}mlp.{role}_proj.weight"][7]
        gain, rows = found[f"{head}post_attention_layernorm.weight"], found["model.embed_tokens.weight"]
    return np.asarray(rows @ (vector * gain if normed else vector))


@pytest.mark.parametrize("normed", [True, False])
@pytest.mark.parametrize("role", ["gate", "up", "down"])
def test_chips_are_the_tokens_that_answer_most(qtbot: QtBot, role: str, normed: bool) -> None:
    _, panel = live(qtbot, state_of(asked={"normed": normed}))
    true = scores(role, normed=normed)
    for key, wanted in (("most", np.argsort(-true)), ("least", np.argsort(true))):
        chips = group(panel, f"{role}_{key}").chips
        assert [chip.key for chip in chips] == wanted[:8].tolist()
        assert [chip.text for chip in chips] == [tiny_files.WORDS[i] for i in wanted[:8]]
        assert numbers.short(float(true[wanted[0]])) in chips[0].tip
        shares = [chip.share for chip in chips]
        np.testing.assert_allclose(shares, np.abs(true[wanted[:8]]) / np.abs(true).max(), rtol=1e-5)
    tip = group(panel, f"{role}_most").tip
    name = "lm_head.weight" if role == "down" else "model.embed_tokens.weight"
    assert name in tip
    assert ("norm" in tip) == normed


def test_every_number_names_its_slice(qtbot: QtBot) -> None:
    _, panel = live(qtbot)
    slices = panel.inside.source.text
    for part in ("mlp.gate_proj.weight[7, :]", "mlp.up_proj.weight[7, :]", "mlp.down_proj.weight[:, 7]"):
        assert f"model.layers.1.{part}" in slices
    assert "lm_head.weight" in slices
    facts = {fact.label: fact for fact in panel.inside.facts.facts}
    down = tensors()["model.layers.1.mlp.down_proj.weight"][:, 7]
    assert facts["‖down‖"].value == numbers.short(float(np.linalg.norm(down)))
    assert "down_proj.weight[:, 7]" in facts["‖down‖"].tip
    assert panel.inside.caution.text == say("en", "panel.reads.caution")


def test_nearest_neurons_are_those_of_the_largest_cosine(qtbot: QtBot) -> None:
    shown, panel = live(qtbot)
    qtbot.mouseClick(panel.inside.by.buttons[1], Qt.MouseButton.LeftButton)
    assert shown.state.looking.by == "up"
    up = tensors()["model.layers.1.mlp.up_proj.weight"]
    unit = up / np.linalg.norm(up, axis=1, keepdims=True)
    true = unit @ unit[7]
    true[7] = -np.inf
    chips = group(panel, "near_most", by="up").chips
    assert [chip.key for chip in chips] == np.argsort(-true)[:8].tolist()
    assert numbers.short(float(true.max())) in chips[0].tip


def test_a_token_asks_who_promotes_it_and_a_neuron_is_looked_at(qtbot: QtBot) -> None:
    shown, panel = live(qtbot)
    chip = placed(panel, TOKEN)
    mouse(panel.inside.chips, QEvent.Type.MouseButtonPress, chip.place.center())
    assert shown.state.looking.token == f"#{chip.chip.key}"
    near = placed(panel, NEURON)
    mouse(panel.inside.chips, QEvent.Type.MouseButtonPress, near.place.center())
    assert shown.state.selection.neuron == near.chip.key
    assert panel.inside.neuron.value() == near.chip.key
    assert panel.inside.chips.tip_at(QPointF(-5, -5)) == ""


def test_the_keyboard_walks_along_the_chips(qtbot: QtBot) -> None:
    shown, panel = live(qtbot)
    view = panel.inside.chips
    qtbot.keyClick(view, Qt.Key.Key_Right)
    qtbot.keyClick(view, Qt.Key.Key_Return)
    assert shown.state.looking.token == f"#{view.laid.chips[1].chip.key}"
    qtbot.keyClick(view, Qt.Key.Key_Left)
    qtbot.keyClick(view, Qt.Key.Key_Space)
    assert shown.state.looking.token == f"#{view.laid.chips[0].chip.key}"
    first = view.laid.chips[0].place
    qtbot.keyClick(view, Qt.Key.Key_Down)
    below = view.laid.chips[view.at].place
    assert (below.left(), below.top() > first.top()) == (first.left(), True)
    qtbot.keyClick(view, Qt.Key.Key_Up)
    assert view.at == 0


def test_the_gains_are_a_switch(qtbot: QtBot) -> None:
    shown, panel = live(qtbot)
    qtbot.mouseClick(panel.inside.normed.buttons[1], Qt.MouseButton.LeftButton)
    assert not shown.state.looking.normed
    assert say("en", "panel.reads.gain_none") in panel.inside.source.text


def test_a_number_leads_to_its_neuron(qtbot: QtBot) -> None:
    shown, panel = live(qtbot)
    panel.inside.neuron.selectAll()
    qtbot.keyClicks(panel.inside.neuron, "33")
    qtbot.keyClick(panel.inside.neuron, Qt.Key.Key_Return)
    assert shown.state.selection.neuron == 33
    assert panel.title.text == say("en", "panel.reads.title", n="33", layer="1")


def test_a_negative_value_turns_promoting_around(qtbot: QtBot) -> None:
    shown, panel = live(qtbot)
    scene = shown.panel.scene
    assert scene is not None
    assert scene.run is not None
    hidden = scene.run.values[scene.run.enters_down][0, 4]
    for neuron in (int(np.argmin(hidden)), int(np.argmax(hidden))):
        shown, panel = live(qtbot, state_of(neuron=neuron))
        noted = group(panel, "down_most").note
        assert bool(noted) == (hidden[neuron] < 0)
        assert panel.inside.facts.facts[0].value == numbers.short(float(hidden[neuron]))


def test_what_is_there_so_far_is_shown_and_said(qtbot: QtBot) -> None:
    shown, panel = live(qtbot)
    scene = scene_of(shown.state)
    panel.offer(halfway(scene))
    assert panel.note.text == say("en", "panel.reads.seen", share="37.0 %")
    assert group(panel, "gate_most").chips
    assert group(panel, "down_most").sentence == say("en", "panel.reads.reading")
    panel.offer(reading(scene))
    assert panel.body.blank.blank.waiting
    refusal = text("checkpoint.quantised", tensor="t", method="x")
    panel.offer(replace(reading(scene), refusals=(("neuron_tokens", refusal),)))
    assert panel.body.blank.blank.what == say("en", refusal)
    panel.offer(scene)
    assert panel.note.text == ""


def test_what_is_missing_is_a_sentence_and_tokens_without_words_are_numbers(qtbot: QtBot) -> None:
    shown, panel = live(qtbot, state_of("bare"))
    assert all(chip.text == f"#{chip.key}" for chip in group(panel, "up_most").chips)
    scene = scene_of(shown.state)
    assert scene.neuron_tokens is not None
    bare = replace(scene.neuron_tokens, lists=(), why="no_lens")
    panel.offer(replace(scene, neuron_tokens=bare))
    assert group(panel, "down_most").sentence == say("en", "panel.reads.no_lens")


def test_a_vector_that_is_not_finite_is_said_and_ranks_nothing(qtbot: QtBot) -> None:
    _, panel = live(qtbot, state_of("damaged", neuron=5, asked={"by": "up"}))
    said = say("en", "panel.reads.not_finite")
    assert (group(panel, "up_most").chips, group(panel, "up_most").sentence) == ((), said)
    assert group(panel, "near_most", by="up").sentence == said
    assert group(panel, "gate_most").chips
    assert group(panel, "down_most").chips


def test_a_neuron_with_biases_has_two_vectors(qtbot: QtBot) -> None:
    _, panel = live(qtbot, state_of("biased", asked={"by": "gate"}))
    assert panel.inside.source.text.count("[") == 2
    assert [button.isVisible() for button in panel.inside.by.buttons] == [True, True, False]
    assert group(panel, "near_most", by="up").chips


def test_the_table_has_every_token_and_neighbour(qtbot: QtBot) -> None:
    _, panel = live(qtbot)
    table = panel.table()
    assert table is not None
    true = scores("gate", normed=True)
    assert table[1][:3] == ["gate", "most", str(int(np.argmax(true)))]
    assert float(table[1][4]) == pytest.approx(float(true.max()), rel=1e-6)
    assert sum(bool(row) and row[0] == "down" for row in table) >= 16


@pytest.mark.parametrize("height", [190, 240, 300, 420, 700])
def test_nothing_is_cut_or_over_another_at_any_height(qtbot: QtBot, height: int) -> None:
    shown, panel = live(qtbot, height=height)
    assert [*cramped(shown.window), *nameless(shown.window), *overlapping(shown.window)] == []
    there = {chip.group for chip in panel.inside.chips.laid.chips}
    assert TOKEN in there
    assert panel.inside.near.isVisible() == (NEURON in there)


def test_without_a_file_it_says_what_it_would_show(qtbot: QtBot) -> None:
    _, panel = live(qtbot, AppState())
    assert panel.body.blank.blank.what == say("en", "panel.reads.about")
    assert panel.table() is None
