"""A published model in the window: its own tokens, its numbers, at once."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from ffn_explorer.state import changes
from ffn_explorer.state.links import link_to
from ffn_explorer.state.open_files import OPEN_FILES
from ffn_explorer.state.target import Target
from tests.real.fetch import SMOLLM2, fetched
from tests.ui.house import house, scene


@pytest.mark.real
def test_a_link_to_a_neuron_of_a_published_model_is_opened_at_once(qtbot: QtBot) -> None:
    path = fetched(SMOLLM2)
    with house(qtbot) as window:
        window.director.request(changes.set_sentences("The capital of France is"))
        window.opener.open_text(link_to(Target(str(path), 24, neuron=1005)))
        qtbot.waitUntil(lambda: scene(window).file is not None and not scene(window).stale, timeout=20_000)
        now = window.director.state
        assert (now.settings.layer, now.selection.neuron, now.settings.activation) == (24, 1005, "swiglu")
        assert (now.settings.d_model, now.settings.d_ff, now.settings.layers) == (576, 1_536, 30)
        assert [chip.text for chip in scene(window).chips] == ["The", "·capital", "·of", "·France", "·is"]
        assert window.controls.source.text().endswith("Q4_1.gguf")
        assert window.windowTitle() == "SmolLM2-135M-Instruct.Q4_1.gguf – FFN Explorer"
    OPEN_FILES.close()
