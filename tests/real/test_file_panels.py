"""The panels of an opened file on published weights: a neuron whose numbers are known elsewhere."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from ffn_explorer.panels.atlas import AtlasPanel
from ffn_explorer.panels.layers import LayersPanel
from ffn_explorer.panels.promoters import PromotersPanel
from ffn_explorer.panels.reads import ReadsPanel
from ffn_explorer.state.app_state import AppState, Source
from ffn_explorer.state.open_files import OPEN_FILES
from ffn_explorer.state.opened_changes import look, use_opened
from ffn_explorer.state.scene import Scene
from tests.real.fetch import SMOLLM2, fetched
from tests.ui.live import scene_of

pytestmark = [pytest.mark.real, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def scene() -> Scene:
    """Neuron 1,005 of layer 24 of SmolLM2, and what promotes " Paris" over all layers."""
    state = AppState(source=Source(("The capital of France is",), ((),)))
    opened = OPEN_FILES.open(str(fetched(SMOLLM2)))
    made = use_opened(opened, layer=24, neuron=1_005).to(state)
    made = look(token=" Paris", all_layers=True).to(made)
    return scene_of(replace(made, shown=frozenset({"layers", "atlas", "reads", "promoters"})))


def test_a_neuron_of_smollm2(qtbot: QtBot, scene: Scene) -> None:
    layers, atlas, reads, promoters = LayersPanel(), AtlasPanel(), ReadsPanel(), PromotersPanel()
    for panel in (layers, atlas, reads, promoters):
        qtbot.addWidget(panel)
        panel.resize(900, 620)
        panel.offer(scene)
    assert layers.list.order is not None
    assert layers.list.order.total == 30
    facts = {fact.label: fact.value for fact in reads.inside.facts.facts}
    assert (facts["‖gate‖"], facts["‖up‖"], facts["‖down‖"]) == ("5.87", "6.78", "5.62")
    assert facts["cos(up, down)"] == "0.141"
    suppressed = reads.inside.chips.board.rows[-2].groups[1].chips
    assert [chip.text for chip in suppressed[:4]] == ["·capitals", "Icon", "·saint", "runner"]
    assert "blk.24.ffn_down.weight[:, 1005]" in reads.inside.source.text
    assert atlas.inside.plot.picture is not None
    assert len(atlas.inside.plot.picture.points.x) == 1_536
    assert atlas.inside.plot.picture.points.y[1_005] == pytest.approx(5.62, abs=5e-3)
    ranking = promoters.inside.most.picture
    assert ranking is not None
    assert ranking.row(0).value > ranking.row(1).value > 0.0
    assert "·Paris" in promoters.title.text
