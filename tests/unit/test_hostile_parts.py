"""Norms, routers and companions of packed weights that do not fit their matrices: said, not computed with."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from ffn_explorer.checkpoints.catalog import open_checkpoint
from ffn_explorer.checkpoints.readers.folder import open_source
from ffn_explorer.checkpoints.unpacking import unpacked
from ffn_explorer.core.errors import InputError
from tests.unit.guarded import opened
from tests.unit.hostile import D, F, layers, model
from tests.unit.specimens import LLAMA


@pytest.mark.parametrize("case", ["bias", "router"])
def test_what_stands_around_must_fit(case: str, tmp_path: Path) -> None:
    if case == "bias":
        shapes = {
            "encoder.layer.0.intermediate.dense.weight": [F, D],
            "encoder.layer.0.output.dense.weight": [D, F],
            "encoder.layer.0.output.LayerNorm.weight": [D],
            "encoder.layer.0.output.LayerNorm.bias": [D + 1],
        }
        path = model(tmp_path, shapes, {"model_type": "bert", "hidden_act": "gelu", "num_hidden_layers": 1})
        wanted = "encoder.layer.0.output.LayerNorm.bias"
    else:
        at = "model.layers.0.block_sparse_moe."
        experts = {
            f"{at}experts.{number}.{role}.weight": [D, F] if role == "w2" else [F, D]
            for number in range(2)
            for role in ("w1", "w2", "w3")
        }
        config = {**LLAMA, "model_type": "mixtral", "num_hidden_layers": 1, "num_experts_per_tok": 1}
        path = model(tmp_path, {**experts, f"{at}gate.weight": [2, D + 1]}, config)
        wanted = f"{at}gate.weight"
    with open_checkpoint(path) as checkpoint, pytest.raises(InputError) as caught:
        checkpoint.ffn(0)
    assert (caught.value.key, caught.value.values["tensor"]) == ("checkpoint.layer_shapes", wanted)


@pytest.mark.parametrize(
    "companion",
    ["weight_scale", "SCB", "qweight", "weight_packed", "W_q", "codes", "weight_g", "weight_blocks"],
)
def test_a_norm_of_which_only_the_packing_is_there(companion: str, tmp_path: Path) -> None:
    shapes = {**layers(1), f"model.layers.0.post_attention_layernorm.{companion}": [D]}
    shapes["model.layers.0.post_attention_layernorm.weight_v"] = [D]
    result, keys = opened(model(tmp_path, shapes, {**LLAMA, "num_hidden_layers": 1}))
    assert result == "opened"
    assert set(keys) <= {"checkpoint.layer_incomplete", "checkpoint.layer_shapes"}


PACKED = {
    "float blocks": {
        "e_blocks": torch.full((1, 2, 1, 16), 1e30),
        "e_scales": torch.zeros(1, 2, 1, dtype=torch.uint8),
    },
    "scales of one expert": {
        "e": torch.zeros(3, 4, 4).to(torch.float8_e4m3fn),
        "e_scale_inv": torch.ones(1, 2, 2),
    },
    "a scale for each": {"e": torch.zeros(3, 4, 4).to(torch.float8_e4m3fn), "e_scale_inv": torch.ones(2)},
    "no experts": {"e": torch.zeros(3, 4, 4).to(torch.float8_e4m3fn), "e_scale_inv": torch.ones(0, 2, 2)},
    "five scales of four rows": {"e": torch.zeros(4, 4, dtype=torch.int8), "e.SCB": torch.ones(5)},
    "five lengths of four rows": {"e.weight_v": torch.ones(4, 4), "e.weight_g": torch.ones(5)},
    "a convolution": {"e.weight_v": torch.ones(4, 4, 1), "e.weight_g": torch.ones(4)},
}


@pytest.mark.parametrize("case", PACKED)
def test_companions_that_do_not_fit(case: str, tmp_path: Path) -> None:
    tensors = {
        ("e.weight" if name == "e" and "e.SCB" in PACKED[case] else name): t
        for name, t in PACKED[case].items()
    }
    save_file(tensors, tmp_path / "model.safetensors")
    method = {"e_blocks": "mxfp4", "e_scale_inv": "fp8", "e.SCB": "int8", "e.weight_g": "weight_norm"}
    name = "e" if "e" in tensors or "e_blocks" in tensors else "e.weight"
    source = open_source(tmp_path)
    how = next(value for key, value in method.items() if key in tensors)
    with pytest.raises(InputError) as caught:
        unpacked(source, name, how, expert=2 if how in ("fp8", "mxfp4") and case != "float blocks" else -1)
    assert caught.value.key == "checkpoint.quantised"
    source.close()


def test_endless_scales_are_numbers_without_a_warning(tmp_path: Path) -> None:
    blocks = torch.full((1, 2, 1, 16), 0x77, dtype=torch.uint8)
    save_file(
        {"e_blocks": blocks, "e_scales": torch.full((1, 2, 1), 255, dtype=torch.uint8)},
        tmp_path / "a.safetensors",
    )
    source = open_source(tmp_path)
    assert bool((unpacked(source, "e", "mxfp4", expert=0) > 1e38).all())
    source.close()
