"""Naming families outside transformers: torch's own layers, and files planted from the families' facts."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from ffn_explorer.checkpoints.build import build_layer, weight_bytes
from ffn_explorer.checkpoints.family_files import families
from ffn_explorer.checkpoints.readers.folder import open_source
from ffn_explorer.checkpoints.scheme import Scheme
from ffn_explorer.checkpoints.schemes import scheme_of
from ffn_explorer.checkpoints.tensors import Source
from ffn_explorer.core.errors import InputError, MemoryRefusal
from ffn_explorer.core.forward_pass import forward
from tests.golden.family_mixtures import MIXTURES
from tests.golden.family_plants import PLANTS, D, Tensors, drawn

OPENED_OTHERWISE = {
    "llama2.c_bin": "a flat file without names",
    "peft_lora": "an adapter has no weights of its own",
}
"""Families whose files have no FFN by name."""


def opened(tensors: Tensors, config: dict[str, Any], folder: Path) -> tuple[Source, Scheme]:
    """Source and scheme of tensors saved by safetensors' own library."""
    path = folder / "model.safetensors"
    save_file({name: t.contiguous() for name, t in tensors.items()}, path)
    source = open_source(path)
    return source, scheme_of({name: stored.shape for name, stored in source.tensors.items()}, config)


def close(ours: Tensor, theirs: Tensor) -> None:
    size = theirs.abs().max().item()
    assert size > 1e-3
    assert (ours - theirs).abs().max().item() <= 1e-5 * max(1.0, size)


@pytest.mark.parametrize("name", PLANTS)
def test_planted_layers_compute_the_formula(name: str, tmp_path: Path) -> None:
    plant = PLANTS[name]
    parts = [drawn(seed) for seed in (1, 2)]
    tensors = {key: t for n, p in enumerate(parts) for key, t in plant.names(n, p).items()}
    family = families()[plant.family]
    said = (
        {} if "general.architecture" in plant.config else {"model_type": plant.model_type or family.types[0]}
    )
    source, scheme = opened(tensors, {**said, **plant.config}, tmp_path)
    x = torch.randn(1, 6, D, generator=torch.Generator().manual_seed(5))
    with closing(source):
        assert scheme.family == plant.family
        assert scheme.confidence == 1.0
        assert len(scheme.layers) == len(parts)
        for layer, part in zip(scheme.layers, parts, strict=True):
            assert layer.pre_norm.weight or layer.post_norm.weight
            close(forward(build_layer(layer, source), x, x_is="ffn-input").out, plant.formula(part, x))


@pytest.mark.parametrize("name", MIXTURES)
def test_planted_mixtures_compute_the_formula(name: str, tmp_path: Path) -> None:
    experts = [drawn(seed) for seed in (11, 12, 13)]
    tensors, config, formula = MIXTURES[name](experts)
    source, scheme = opened(tensors, config, tmp_path)
    x = torch.randn(9, D, generator=torch.Generator().manual_seed(6))
    with closing(source):
        (layer,) = scheme.layers
        assert layer.kind == "moe"
        close(forward(build_layer(layer, source), x[None], x_is="ffn-input").out[0], formula(x))


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_torch_layers(stack: str, activation: str, tmp_path: Path) -> None:
    model = nn.Transformer(D, 2, 1, 1, 20, activation=activation, batch_first=True).eval()
    tensors = {f"net.{name}": t for name, t in model.state_dict().items() if name.startswith(stack)}
    kind = {"encoder": "torch.nn.TransformerEncoder", "decoder": "torch.nn.TransformerDecoder"}[stack]
    source, scheme = opened(tensors, {"model_type": kind, "activation": activation}, tmp_path)
    ours = getattr(model, stack).layers[0]
    x = torch.randn(1, 6, D)
    with closing(source), torch.no_grad():
        (layer,) = scheme.layers
        assert layer.post_norm.weight == f"net.{stack}.layers.0.norm{2 if stack == 'encoder' else 3}.weight"
        trace = forward(build_layer(layer, source), x)
        close(trace.out, ours._ff_block(x))
        norm = ours.norm2 if stack == "encoder" else ours.norm3
        close(trace.result, norm(x + ours._ff_block(x)))


def test_torch_layers_do_not_say_their_activation(tmp_path: Path) -> None:
    model = nn.TransformerEncoder(nn.TransformerEncoderLayer(D, 2, 20), 2, enable_nested_tensor=False)
    source, scheme = opened(dict(model.state_dict()), {}, tmp_path)
    with closing(source):
        assert scheme.confidence < 1.0
        assert [layer.activation for layer in scheme.layers] == ["", ""]
        with pytest.raises(InputError, match=r"checkpoint\.activation"):
            build_layer(scheme.layers[0], source)


def test_a_layer_larger_than_half_of_the_free_memory_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant = PLANTS["qwen1"]
    source, scheme = opened(plant.names(0, drawn(1)), {"model_type": "qwen"}, tmp_path)
    with closing(source):
        needed = weight_bytes(scheme.layers[0], torch.float32)
        assert needed == 3 * D * 20 * 4
        monkeypatch.setattr("ffn_explorer.core.budget.free_bytes", lambda: 2 * needed - 1)
        with pytest.raises(MemoryRefusal):
            build_layer(scheme.layers[0], source)


def test_an_adapter_is_said_to_be_one(tmp_path: Path) -> None:
    head = "base_model.model.model.layers.0.mlp.up_proj."
    pairs = {head + "lora_A.weight": torch.ones(2, D), head + "lora_B.weight": torch.ones(20, 2)}
    with pytest.raises(InputError, match=r"checkpoint\.adapter"):
        opened(pairs, {}, tmp_path)


def test_every_family_has_a_test_or_a_reason() -> None:
    planted = {plant.family for plant in PLANTS.values()}
    mixed = {"meta_llama4", "gpt_oss_original", "grok1", "gguf"}
    torchs = {"torch.nn.TransformerEncoderLayer", "torch.nn.TransformerDecoderLayer"}
    elsewhere = {name for name, family in families().items() if family.origin != "transformers"}
    assert elsewhere == planted | mixed | torchs | set(OPENED_OTHERWISE)
