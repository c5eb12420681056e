"""Neurons of real families read alone equal the built layer's; tokens score as in the library's model."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from ffn_explorer.checkpoints.build import build_layer
from ffn_explorer.checkpoints.readers.folder import open_source
from ffn_explorer.checkpoints.reading.gains import final_gain, pre_gain
from ffn_explorer.checkpoints.reading.lens import Tokens, read_tokens, written_tokens
from ffn_explorer.checkpoints.reading.vectors import NeuronVectors, neuron_vectors
from ffn_explorer.checkpoints.scheme import LayerScheme, Scheme
from ffn_explorer.checkpoints.schemes import scheme_of
from ffn_explorer.checkpoints.tensors import Source
from ffn_explorer.core.ffn import FFN
from ffn_explorer.core.moe import MoE
from tests.golden.family_makers import build, inputs_for

pytestmark = pytest.mark.filterwarnings("ignore")
"""What transformers says about its own future is not ours to fail on."""

FAMILIES = ("gpt2", "phi3", "gpt_oss", "dbrx", "squeezebert", "zamba2", "mixtral", "deepseek_v3")
"""Ways of laying out: in_out, halves, interleaved stacks, flat, grouped, adapters, named experts, shared."""


def opened(model: Any, folder: Path) -> tuple[Source, Scheme]:
    model.save_pretrained(folder)
    source = open_source(folder)
    config = json.loads((folder / "config.json").read_text())
    return source, scheme_of({name: stored.shape for name, stored in source.tensors.items()}, config)


@pytest.mark.parametrize("family", FAMILIES)
def test_neurons_equal_those_of_the_built_layer(family: str, tmp_path: Path) -> None:
    source, scheme = opened(build(family, family), tmp_path)
    with closing(source):
        for layer in scheme.layers:
            built = build_layer(layer, source)
            for neuron in (0, 5, layer.d_ff - 1):
                if isinstance(built, MoE):
                    for expert in (0, layer.experts - 1):
                        found = neuron_vectors(source, layer, neuron, expert=expert)
                        same(found, built.experts[expert], neuron, layer)
                    if built.shared is not None:
                        found = neuron_vectors(source, layer, neuron % built.shared.d_ff, shared=True)
                        same(found, built.shared, found.neuron, layer)
                else:
                    same(neuron_vectors(source, layer, neuron), built, neuron, layer)


def same(found: NeuronVectors, ffn: FFN, neuron: int, layer: LayerScheme) -> None:
    """To the last bit; adapters as their product rounds."""
    exact = 1e-6 if layer.mlp.adapters else 0.0
    pairs: list[tuple[Any, Tensor | None]] = [
        (found.up, ffn.up[neuron]),
        (found.down, ffn.down[:, neuron]),
        (found.gate, None if ffn.gate is None else ffn.gate[neuron]),
        (found.up_bias, None if ffn.up_bias is None else ffn.up_bias[neuron]),
        (found.gate_bias, None if ffn.gate_bias is None else ffn.gate_bias[neuron]),
    ]
    for ours, theirs in pairs:
        assert (ours is None) == (theirs is None)
        if theirs is not None:
            np.testing.assert_allclose(np.float32(ours), theirs.numpy(), rtol=0, atol=exact)


HEADS = {
    "llama": "llama", "gemma": "gemma", "granite": "granite", "cohere": "cohere", "gpt2": "gpt2",
    "gpt_neox": "gpt_neox", "phi": "phi", "nemotron": "arcee",
}  # fmt: skip
"""Model type -> family: both norms, (1 + w), scaled logits, a bias at the head, tied embeddings and not."""


@pytest.mark.parametrize("model_type", HEADS)
def test_tokens_score_as_in_the_model_itself(model_type: str, tmp_path: Path) -> None:
    """The model's own logits with a value column v as the stream before its last norm.

    The norm of −v cancels all biases: (logits(v) − logits(−v)) / 2 = scores / √(mean (P v)² + eps).
    """
    from ffn_explorer.checkpoints.family_files import families

    family = HEADS[model_type]
    if model_type not in families()[family].types:
        family = next(name for name, one in families().items() if model_type in one.types)
    model = build(family, model_type)
    source, scheme = opened(model, tmp_path)
    layer = scheme.layers[1]
    with closing(source):
        gain = final_gain(source, scheme)
        assert gain is not None
        v = neuron_vectors(source, layer, 7).down
        (found,) = written_tokens(source, scheme.lens, v, gains=(gain,), count=1_000)
        norm = model.get_submodule(gain.tensor.removesuffix(".weight"))
        stream = torch.tensor(v)
        logits = [_logits_after(model, norm, sign * stream, model_type) for sign in (1.0, -1.0)]
        centred = v - v.mean() if gain.centred else v
        size = float(np.sqrt((centred.astype(np.float64) ** 2).mean() + _eps(norm)))
        close(found, (logits[0] - logits[1]).double().numpy() / 2 * size)
        if model_type not in ("gpt2", "gpt_neox", "phi"):
            _reads(model, source, scheme, layer)


def _reads(model: Any, source: Source, scheme: Scheme, layer: LayerScheme) -> None:
    """What a row answers to the embeddings behind the layer's norm, as the library's modules have it."""
    gain = pre_gain(source, layer)
    if gain is None or not gain.tensor:
        return
    vectors = neuron_vectors(source, layer, 7)
    row = vectors.up if vectors.gate is None else vectors.gate
    (found,) = read_tokens(source, scheme.lens, row, gains=(gain,), count=1_000)
    ids = torch.arange(model.config.vocab_size)[:, None]
    norm = model.get_submodule(gain.tensor.removesuffix(".weight"))
    with torch.no_grad():
        embedded = model(input_ids=ids, output_hidden_states=True, use_cache=False).hidden_states[0][:, 0]
        normed = (norm(embedded) - norm(-embedded)) / 2
    centred = embedded - embedded.mean(-1, keepdim=True) if gain.centred else embedded
    size = (centred.double().square().mean(-1) + _eps(norm)).sqrt()
    close(found, ((normed.double() @ torch.tensor(row).double()) * size).numpy())


def close(found: Tokens, scores: np.ndarray) -> None:
    assert len(found.most.ids) == len(scores)
    np.testing.assert_allclose(found.most.scores, scores[found.most.ids], atol=1e-5 * np.abs(scores).max())
    assert (np.diff(found.most.scores) <= 0).all()
    assert found.least.ids[0] == found.most.ids[-1]


def _logits_after(model: Any, norm: nn.Module, stream: Tensor, model_type: str) -> Tensor:
    def instead(_module: nn.Module, given: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        return (stream.expand_as(given[0]), *given[1:])

    handle = norm.register_forward_pre_hook(instead)
    try:
        with torch.no_grad():
            logits: Tensor = model(**inputs_for(model, model_type)).logits[0, -1]
    finally:
        handle.remove()
    return logits


def _eps(norm: nn.Module) -> float:
    return float(next(value for name in ("variance_epsilon", "eps") if (value := getattr(norm, name, None))))
