"""The layout of an opened file: its words, what follows what, and the cards that name the file."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from safetensors.numpy import load_file

from ffn_explorer.app.director import Director
from ffn_explorer.app.window import Window
from ffn_explorer.panels.memory import MemoryPanel
from ffn_explorer.panels.neuron import NeuronPanel
from ffn_explorer.panels.table import PANELS
from ffn_explorer.state.app_state import Appearance, AppState
from ffn_explorer.state.file_results import MemoryTokens
from ffn_explorer.state.layouts import LAYOUTS, PANEL_GROUPS, panels_of
from ffn_explorer.state.opened_changes import look, select_layer
from ffn_explorer.state.selection_changes import choose, select_token
from ffn_explorer.state.session import Session
from ffn_explorer.widgets.worded_list import WordedRanking
from tests import tiny_files
from tests.snapshots.files import FILES, SENTENCE, opened, state_of
from tests.snapshots.scenes import computed
from tests.snapshots.test_words import LEAST_PX, LOOKS, case_id, watch_drawn_texts
from tests.snapshots.words import cramped, nameless, overlapping, small
from tests.ui.live import Live, pixels, scene_of, settle
from tests.ui.test_linking import controls

ASKED = {"token": "lost", "all_layers": True}


def test_the_layout_holds_the_panels_of_a_file() -> None:
    assert list(LAYOUTS)[4] == "file"
    assert set(panels_of(LAYOUTS["file"])) == {"chips", "transport", *FILES}
    assert PANEL_GROUPS["file"] == FILES


@pytest.mark.parametrize("look_", LOOKS, ids=case_id)
def test_every_word_has_its_place(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch, look_: Appearance
) -> None:
    cut = watch_drawn_texts(monkeypatch)
    state = state_of(asked=ASKED, shown=frozenset(panels_of(LAYOUTS["file"])), appearance=look_)
    window = Window(Director(Session(state), computed(state)), layout_name="file")
    window.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    window.resize(1_280, 720)
    window.director.start()
    window.show()
    settle()
    window.grab()
    panels = [window.board.panels[name] for name in FILES]
    found = {
        "over": [line for panel in panels for line in overlapping(panel)],
        "cut": [*(line for panel in panels for line in cramped(panel)), *cut],
        "without a name": [line for panel in panels for line in nameless(panel)],
        "too small": [line for panel in panels for line in small(panel, LEAST_PX[look_.theme])],
    }
    assert window.director.close()
    window.close()
    window.deleteLater()
    settle()
    assert {what: lines for what, lines in found.items() if lines} == {}


CHANGES = {
    "layer": (select_layer(0), FILES),
    "neuron": (choose(neuron=21), ("atlas", "reads", "promoters")),
    "token": (select_token(2), ("reads",)),
    "asked": (look(token="table"), ("promoters",)),
    "gains": (look(normed=False), ("reads", "promoters")),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_choice_is_seen_wherever_it_matters(qtbot: QtBot, name: str) -> None:
    change, wanted = CHANGES[name]
    begin = state_of(asked={"token": "lost"}, shown=frozenset(FILES))
    before, after = scene_of(begin), scene_of(change.to(begin))
    moved = []
    for panel_name in FILES:
        panel = PANELS[panel_name]()
        qtbot.addWidget(panel)
        panel.resize(640, 520)
        panel.offer(before)
        panel.show()
        first = pixels(panel)
        panel.offer(after)
        if (pixels(panel) != first).any():
            moved.append(panel_name)
    assert moved == list(wanted)


@pytest.mark.parametrize("name", FILES)
def test_every_control_is_reached_by_tab_and_has_a_name(qtbot: QtBot, name: str) -> None:
    shown = Live(qtbot, PANELS[name](), state_of(asked=ASKED), width=700)
    shown.panel.resize(700, 400)
    settle()
    shown.panel.setFocus()
    reached = []
    for _ in range(60):
        qtbot.keyClick(QApplication.focusWidget() or shown.panel, Qt.Key.Key_Tab)
        now = QApplication.focusWidget()
        if now is None or now in reached:
            break
        reached.append(now)
    assert controls(shown.panel) - set(reached) == set()
    assert list(nameless(shown.panel)) == []


def memory(qtbot: QtBot, state: AppState) -> tuple[MemoryPanel, WordedRanking]:
    panel = MemoryPanel()
    qtbot.addWidget(panel)
    panel.resize(760, 380)
    panel.offer(scene_of(replace(state, shown=frozenset({"memory"}))))
    panel.show()
    settle()
    ranking = panel.list.picture
    assert isinstance(ranking, WordedRanking)
    return panel, ranking


@pytest.mark.parametrize("normed", [True, False])
def test_memories_tell_what_they_promote_with_the_sign_of_m(qtbot: QtBot, normed: bool) -> None:
    panel, ranking = memory(qtbot, state_of(asked={"normed": normed}))
    found = load_file(f"{opened('llama').path}/model.safetensors")
    gain = found["model.norm.weight"].astype(np.float64) if normed else 1.0
    assert len(panel.list.places) == 2
    row = ranking.row(0)
    down = found["model.layers.1.mlp.down_proj.weight"][:, row.key].astype(np.float64)
    answer = found["lm_head.weight"].astype(np.float64) @ (down * gain) * np.sign(row.value)
    promoted, suppressed = ranking.words(row.key)
    assert promoted == tuple(tiny_files.WORDS[i] for i in np.argsort(-answer)[:3])
    assert suppressed == tuple(tiny_files.WORDS[i] for i in np.argsort(answer)[:3])
    table = panel.table()
    assert table is not None
    assert table[1][-2:] == [" ".join(promoted), " ".join(suppressed)]
    assert table[-1][-2:] == ["", ""]


def test_words_need_room_and_an_unembedding(qtbot: QtBot) -> None:
    panel, ranking = memory(qtbot, state_of())
    panel.resize(380, 380)
    settle()
    assert panel.list.places == ()
    plain = AppState(source=replace(AppState().source, sentences=(SENTENCE,)))
    _, ranking = memory(qtbot, plain)
    assert ranking.heads == ()
    _, ranking = memory(qtbot, state_of("mixtral", layer=0))
    assert ranking.heads == ()


def test_columns_stay_while_the_words_are_read(qtbot: QtBot) -> None:
    panel, _ = memory(qtbot, state_of())
    before = panel.list.places
    assert panel.scene is not None
    assert isinstance(panel.scene.memory_tokens, MemoryTokens)
    panel.offer(replace(panel.scene, memory_tokens=None))
    assert panel.list.places == before


@pytest.mark.parametrize("shown", [frozenset({"neuron"}), frozenset({"neuron", "reads"})])
def test_the_neuron_card_names_the_slices_of_the_file(qtbot: QtBot, shown: frozenset[str]) -> None:
    panel = NeuronPanel()
    qtbot.addWidget(panel)
    panel.resize(1_200, 500)
    panel.offer(scene_of(state_of(shown=shown)))
    slices = [f"model.layers.1.mlp.{role}_proj.weight[7, :]" for role in ("gate", "up")]
    assert panel.note.text == " · ".join([*slices, "model.layers.1.mlp.down_proj.weight[:, 7]"])
    assert "{gate,up}" in panel.note._shorter[0]
    tips = {fact.label: fact.tip for fact in panel.body.facts.facts}
    assert "model.layers.1.mlp.down_proj.weight[:, 7]" in tips["‖down‖"]
