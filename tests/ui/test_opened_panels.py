"""Panels of an opened file: what flows in, what is drawn and not computed, and what cannot be changed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFontMetrics
from pytestqt.qtbot import QtBot

from ffn_explorer.app.still import computed
from ffn_explorer.board import Board
from ffn_explorer.core.stages import Stage
from ffn_explorer.export.notes import notes_of
from ffn_explorer.export.png import lay_out
from ffn_explorer.panels.code import CodePanel
from ffn_explorer.panels.place import DEPTH
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import Appearance, AppState, Source, View
from ffn_explorer.state.layouts import Slot
from ffn_explorer.state.open_files import OPEN_FILES
from ffn_explorer.state.opened_changes import use_opened
from ffn_explorer.state.resolver import Resolver
from tests.tiny_files import llama, mixtral

SENTENCE = "The keys are lost ."


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Path]]:
    """Files of a dense model, of a mixture, and of a dense one whose configuration tells no heads."""
    base = tmp_path_factory.mktemp("opened")
    made = {"llama": llama(base / "llama"), "mixtral": mixtral(base / "mixtral")}
    bare = llama(base / "headless")
    config = json.loads((bare / "config.json").read_text("utf-8"))
    kept = {key: value for key, value in config.items() if "head" not in key}
    (bare / "config.json").write_text(json.dumps(kept), "utf-8")
    yield {**made, "headless": bare}
    OPEN_FILES.close()


def state_of(path: Path, *, layer: int = 1, language: str = "en") -> AppState:
    """A layer of a file, with a neuron and a dimension chosen."""
    look = Appearance(language="ja" if language == "ja" else "en")
    typed = replace(AppState(appearance=look), source=Source(sentences=(SENTENCE,)))
    opened = use_opened(OPEN_FILES.open(path), layer=layer, neuron=3).to(typed)
    return replace(opened, selection=replace(opened.selection, dim=2, stage=Stage.OUT))


KEPT: list[Board] = []
"""Boards of the test under way: panels do not keep theirs alive."""


@pytest.fixture(autouse=True)
def boards() -> Iterator[None]:
    """Let go of them after each test."""
    yield
    KEPT.clear()


def shown(qtbot: QtBot, state: AppState, name: str, *, mode: str = "", width: int = 1_000) -> Any:
    """A panel that shows a state."""
    wanted = changes.set_view(name, View(mode=mode)).to(changes.show_panels(frozenset({name})).to(state))
    board = Board(Slot(name))
    KEPT.append(board)
    qtbot.addWidget(board)
    board.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    board.show_scene(Resolver(computed(wanted)).resolve(wanted))
    lay_out(board, QSize(width, 44 if name == "chips" else 600))
    return board.panels[name]


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("width", [640, 1_000])
def test_the_chips_say_what_flows_in(
    qtbot: QtBot, folders: dict[str, Path], language: str, width: int
) -> None:
    """Even beside more chips than there is room for."""
    state = state_of(folders["llama"], language=language)
    long = replace(state, source=replace(state.source, sentences=(SENTENCE * 9,), orders=((),)))
    chips = shown(qtbot, long, "chips", width=width)
    words = {"en": "token embeddings, not", "ja": "本来の入力ではない"}
    assert words[language] in chips.flows.shown()
    assert QFontMetrics(chips.flows.font()).horizontalAdvance(chips.flows.shown()) <= chips.flows.width()
    assert chips.flows.geometry().right() < width
    assert chips.flows.isVisibleTo(chips)


def test_the_place_is_the_layers_in_its_file(qtbot: QtBot, folders: dict[str, Path]) -> None:
    place = shown(qtbot, state_of(folders["llama"]), "place")
    picture = place.view._picture
    assert len(picture.rows) == 1
    assert not place.view.switch.isVisibleTo(place)
    assert not place.view.other.isVisibleTo(place)
    assert "llama" in picture.rows[0].heading[0]
    assert [sublayer.kind for sublayer in picture.rows[0].sublayers] == ["self", "ffn"]
    deep = shown(qtbot, state_of(folders["llama"]), "place", mode=DEPTH)
    assert (deep.view._picture.depth.layers, deep.view._picture.depth.layer) == (3, 1)


def test_heads_that_no_configuration_tells_are_said_to_be_assumed(
    qtbot: QtBot, folders: dict[str, Path]
) -> None:
    for name, word in (("headless", "assumed"), ("llama", "configuration")):
        state = state_of(folders[name])
        assert word in shown(qtbot, state, "bill").note.text
        assert word in shown(qtbot, state, "model").note.text
        assert word in shown(qtbot, state, "growth").note.text
        caption = shown(qtbot, state, "place").view._picture.caption
        assert any(word in wordings[0] for wordings in caption)


def test_nothing_offers_to_change_the_layer(qtbot: QtBot, folders: dict[str, Path]) -> None:
    state = state_of(folders["llama"])
    assert not shown(qtbot, state, "bill").match.isEnabled()
    routing = shown(qtbot, state, "routing")
    assert not routing.offered.button.isVisibleTo(routing)
    position = shown(qtbot, state, "position", mode="formats")
    assert not position.mixer.isEnabled()
    assert not position.limited.isEnabled()
    assert not shown(qtbot, state, "depth").layers.isEnabled()


def test_the_proof_names_tensors_and_the_origin_of_x(qtbot: QtBot, folders: dict[str, Path]) -> None:
    state = state_of(folders["llama"])
    assert "model.layers.1.mlp.down_proj.weight" in shown(qtbot, state, "proof").as_text()
    chosen = replace(state, selection=replace(state.selection, stage=Stage.INPUT))
    assert "rows of model.embed_tokens.weight in llama" in shown(qtbot, chosen, "proof").as_text()


def test_the_program_is_that_of_the_layer(qtbot: QtBot, folders: dict[str, Path]) -> None:
    dense = shown(qtbot, state_of(folders["llama"]), "code")
    assert isinstance(dense, CodePanel)
    assert "reads its weights" in dense.note.text
    assert 'read(file_0, "model.layers.1.mlp.up_proj.weight")' in dense.as_text().replace("'", '"')
    experts = shown(qtbot, state_of(folders["mixtral"], layer=0), "code")
    assert "for e in range(6)" in experts.as_text()
    state = state_of(folders["llama"])
    half = shown(qtbot, replace(state, settings=state.settings.with_(dtype="bfloat16")), "code")
    assert "not written yet" in half.note.text
    assert "safe_open" not in half.as_text()


def test_a_mixture_says_its_rule(qtbot: QtBot, folders: dict[str, Path]) -> None:
    routing = shown(qtbot, state_of(folders["mixtral"], layer=0), "routing")
    assert "softmax, then top-k · sum to 1" in routing.note.text


def test_a_picture_names_file_layer_and_digest(folders: dict[str, Path]) -> None:
    state = state_of(folders["llama"])
    notes = json.loads(notes_of(state)["File"])
    assert state.source.opened is not None
    assert (notes["name"], notes["stack"], notes["index"]) == ("llama", "decoder", 1)
    assert notes["digest"] == state.source.opened.digest
    assert "File" not in notes_of(AppState())
