"""Published weights, opened as a person opens them: layers, formulas, and the module's own numbers."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from ffn_explorer.__main__ import main
from ffn_explorer.checkpoints.catalog import open_checkpoint
from ffn_explorer.core.ffn import FFN
from ffn_explorer.core.forward_pass import forward
from ffn_explorer.state.app_state import AppState, Source
from ffn_explorer.state.compute import compute
from ffn_explorer.state.open_files import OPEN_FILES
from ffn_explorer.state.opened_changes import use_opened
from ffn_explorer.state.requests import run_of
from ffn_explorer.state.result import RunResult
from ffn_explorer.state.results import Results
from tests.real.fetch import MINILM, SMOLLM2, fetched

pytestmark = [pytest.mark.real, pytest.mark.timeout(600)]


def test_smollm2_is_thirty_gated_layers() -> None:
    with open_checkpoint(fetched(SMOLLM2)) as found:
        assert len(found.layers) == 30
        assert found.scheme.confidence == 1.0
        assert {(layer.d_model, layer.d_ff) for layer in found.layers} == {(576, 1_536)}
        assert {(layer.variant, layer.activation, layer.bias) for layer in found.layers} == {
            ("swiglu", "silu", False)
        }
        assert not any(layer.gaps or layer.doubts for layer in found.layers)


def test_minilm_is_six_layers_of_bert_with_bias() -> None:
    with open_checkpoint(fetched(MINILM)) as found:
        assert len(found.layers) == 6
        assert found.scheme.family == "bert"
        assert {(layer.d_model, layer.d_ff) for layer in found.layers} == {(384, 1_536)}
        assert {(layer.variant, layer.gated, layer.bias) for layer in found.layers} == {("gelu", False, True)}
        assert {layer.spec.norm.placement for layer in found.layers} == {"post"}


def test_minilms_last_layer_computes_what_its_module_does(tmp_path: Path) -> None:
    from transformers import AutoModel

    folder = fetched(MINILM)
    model = AutoModel.from_pretrained(folder, local_files_only=True).eval()
    layer = model.encoder.layer[5]
    x = torch.randn(2, 9, 384, generator=torch.Generator().manual_seed(2))
    with torch.no_grad(), open_checkpoint(folder) as found:
        built = found.ffn(5)
        wanted = layer.output(layer.intermediate(x), x)
        ours = forward(built, x).result
        assert (ours - wanted).abs().max() <= 1e-5 * max(1.0, float(wanted.abs().max()))


def test_france_in_smollm2_is_cut_by_its_own_tokenizer_and_read_from_its_embedding() -> None:
    opened = OPEN_FILES.open(fetched(SMOLLM2))
    state = replace(AppState(), source=Source(sentences=("The capital of France is",)))
    found = compute(run_of(use_opened(opened, layer=24).to(state)), Results())
    assert isinstance(found, RunResult)
    assert found.tokens == (("The", "·capital", "·of", "·France", "·is"),)
    assert found.x_from == "embeddings"
    assert found.run is not None
    assert isinstance(found.run.layer, FFN)
    held = OPEN_FILES.get(opened).checkpoint
    rows = [held.source.row("token_embd.weight", token) for token in (504, 3575, 282, 4649, 314)]
    np.testing.assert_array_equal(found.run.x[0].numpy(), np.stack(rows))


def test_a_neuron_of_minilm_from_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    folder = fetched(MINILM)
    assert main(["inspect", str(folder), "--layer", "2", "--neuron", "100", "--json"]) == 0
    card = json.loads(capsys.readouterr().out)["neuron"]
    weights = load_file(folder / "model.safetensors")
    head = "encoder.layer.2."
    up = weights[head + "intermediate.dense.weight"][100].double()
    down = weights[head + "output.dense.weight"][:, 100].double()
    assert card["norms"]["up"] == pytest.approx(float(up.norm()), rel=1e-6)
    assert card["norms"]["down"] == pytest.approx(float(down.norm()), rel=1e-6)
    cosine = float(up @ down / (up.norm() * down.norm()))
    assert card["cosine"]["up_down"] == pytest.approx(cosine, rel=1e-5, abs=1e-9)
    assert card["slices"]["down"] == f"{head}output.dense.weight[:, 100]"
