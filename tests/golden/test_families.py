"""Every naming family, saved by transformers and opened by us: each layer against the library's module."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from ffn_explorer.checkpoints.build import build_layer
from ffn_explorer.checkpoints.family import Family
from ffn_explorer.checkpoints.family_files import families
from ffn_explorer.checkpoints.readers.folder import open_source
from ffn_explorer.checkpoints.scheme import LayerScheme, Scheme
from ffn_explorer.checkpoints.schemes import scheme_of
from ffn_explorer.checkpoints.tensors import Source
from ffn_explorer.core.errors import InputError
from ffn_explorer.core.forward_pass import forward
from ffn_explorer.core.moe import MoE
from ffn_explorer.core.norms import normalise
from tests.golden.family_hooks import Seen, alone, hooked, norm_modules
from tests.golden.family_makers import build, inputs_for
from tests.golden.family_settings import DIRECT, NOT_HERE, VARIANTS

pytestmark = pytest.mark.filterwarnings("ignore")
"""What transformers says about its own future is not ours to fail on."""

TOLERANCE = 1e-5
"""Largest difference relative to max(1, max|b|)."""

GAPS = {"deepseek_v4": "checkpoint.gap_hashed"}
"""Families with layers that open and cannot be computed token by token."""

CASES: list[tuple[str, str, dict[str, Any]]] = [
    (family.family, model_type, {})
    for family in families().values()
    if family.origin == "transformers"
    for model_type in family.types
    if (family.family, model_type) not in NOT_HERE
]


def name_of(case: tuple[str, str, Mapping[str, Any]]) -> str:
    return case[0] if case[0] == case[1] else f"{case[0]}-{case[1]}"


@pytest.mark.parametrize(("family", "model_type", "changes"), CASES, ids=map(name_of, CASES))
def test_layers_compute_what_the_modules_do(
    family: str, model_type: str, changes: dict[str, Any], tmp_path: Path
) -> None:
    check(families()[family], model_type, changes, tmp_path)


@pytest.mark.parametrize("case", VARIANTS)
def test_what_configurations_switch(case: str, tmp_path: Path) -> None:
    family, model_type, changes = VARIANTS[case]
    check(families()[family], model_type, changes, tmp_path)


def check(family: Family, model_type: str, changes: Mapping[str, Any], folder: Path) -> None:
    """Save a tiny model in the hub's names and in transformers' own, open both, compare every FFN layer."""
    model = build(family.family, model_type, changes)
    direct = bool({model_type, family.family} & DIRECT)
    seen = {} if direct else run(model, family, inputs_for(model, model_type))
    for original in (True, False):
        place = folder / ("hub" if original else "v5")
        model.save_pretrained(place, save_original_format=original)
        source, scheme = opened(place)
        with closing(source):
            assert scheme.confidence == 1.0
            assert family.text_of or scheme.family == family.family
            compared = [compare(layer, source, family, scheme, seen, model) for layer in scheme.layers]
            assert any(compared)
            if not direct and not any(stack.sparse for stack in family.stacks):
                assert sum(compared) == len(seen)
            if not family.text_of and original:
                compare_norms(scheme, source, family, model)


def run(model: Any, family: Family, inputs: Mapping[str, Any]) -> Seen:
    """Inputs and outputs of the FFN modules; squeezebert's channels moved to the end."""
    with torch.no_grad():
        seen = hooked(model, family, inputs)
    if family.family == "squeezebert":
        return {key: (x.transpose(1, 2), y.transpose(1, 2)) for key, (x, y) in seen.items()}
    return seen


def opened(folder: Path) -> tuple[Source, Scheme]:
    """Source and scheme of a saved folder."""
    source = open_source(folder)
    config = json.loads((folder / "config.json").read_text())
    return source, scheme_of({name: stored.shape for name, stored in source.tensors.items()}, config)


def compare(
    layer: LayerScheme, source: Source, family: Family, scheme: Scheme, seen: Seen, model: Any
) -> bool:
    """Whether there was something to compare with; fails where it differs."""
    key = (layer.stack.split(" ")[0], layer.index)
    if family.text_of == "text_config" and layer.stack == scheme.layers[0].stack:
        key = (family.stacks[0].name, layer.index)
    pair = seen.get(key) or next(single(layer, family, key, model), None)
    if pair is None:
        return False
    if layer.gaps:
        assert layer.gaps[0].key == GAPS[family.family]
        with pytest.raises(InputError, match=GAPS[family.family]):
            build_layer(layer, source)
        return True
    x, theirs = pair[0].reshape(1, -1, layer.d_model), pair[1].reshape(1, -1, layer.d_model)
    # LayerScale stands outside the hooked module.
    built = replace(build_layer(layer, source), layer_scale=None)
    if family.family == "nllb-moe" and isinstance(built, MoE):
        theirs = nllb(model, layer, x)
    with torch.no_grad():
        ours = forward(built, x, x_is="ffn-input").out
    close(ours, theirs, str(key))
    return True


def single(
    layer: LayerScheme, family: Family, key: tuple[str, int], model: Any
) -> Iterator[tuple[Tensor, Tensor]]:
    """Random input of the layer's module and what it makes of it, where the module can be called alone."""
    if not {model.config.model_type, family.family} & DIRECT:
        return
    x = torch.randn(1, 7, layer.d_model, generator=torch.Generator().manual_seed(3))
    for stack in family.stacks:
        if stack.name == key[0] and (y := alone(model, family, stack, layer.index, x)) is not None:
            yield x, y


def nllb(model: Any, layer: LayerScheme, x: Tensor) -> Tensor:
    """The record's formula: transformers 5.24 runs experts 0 and 1 only, whatever its router says."""
    block = getattr(model.model, layer.stack).layers[layer.index].ffn
    with torch.no_grad():
        _, weights, _ = block.router(x[0])  # [S, E], 0 but for the two chosen
        outs = torch.stack([expert(x[0]) for expert in experts_of(block)], dim=1)  # [S, E, D]
    found: Tensor = ((1 - model.config.moe_token_dropout) * weights[..., None] * outs).sum(dim=1)[None]
    return found


def experts_of(block: Any) -> list[Any]:
    return [block.experts[f"expert_{number}"] for number in range(block.num_experts)]


def compare_norms(scheme: Scheme, source: Source, family: Family, model: Any) -> None:
    """The norms' kind, eps and offset, on input so small that eps matters."""
    for layer in scheme.layers:
        if layer.gaps or not (layer.pre_norm.weight or layer.post_norm.weight):
            continue
        built = build_layer(layer, source)
        for stems, weights in (("pre", built.pre_norm), ("post", built.post_norm)):
            for module in norm_modules(model, family, layer, stems):
                x = torch.randn(1, 5, layer.d_model, generator=torch.Generator().manual_seed(4)) * 3e-3
                with torch.no_grad():
                    theirs = module(x.mT).mT if family.family == "squeezebert" else module(x)
                    close(normalise(x, layer.spec.norm, weights), theirs, f"{stems} norm {layer.index}")


def close(ours: Tensor, theirs: Tensor, where: str) -> None:
    assert torch.isfinite(theirs).all()
    size = theirs.abs().max().item()
    assert size > 1e-3
    difference = (ours - theirs).abs().max().item()
    assert difference <= TOLERANCE * max(1.0, size), f"{where}: {difference:.3g} of {size:.3g}"
