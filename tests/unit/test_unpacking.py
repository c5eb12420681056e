"""Quantised weights against the plain ones that they were made from."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from ffn_explorer.checkpoints.readers.folder import open_source
from ffn_explorer.checkpoints.unpacking import FP4, unpacked
from ffn_explorer.core.errors import InputError


def values(tensors: dict[str, torch.Tensor], folder: Path, method: str, *, expert: int = -1) -> np.ndarray:
    path = folder / "model.safetensors"
    save_file({name: t.contiguous() for name, t in tensors.items()}, path)
    with closing(open_source(path)) as source:
        name = "e" if any(key.startswith("e_") for key in tensors) else "up.weight"
        return np.asarray(unpacked(source, name, method, expert=expert))


def test_float8_in_blocks_is_multiplied_by_its_scales(tmp_path: Path) -> None:
    weight = (torch.randn(200, 300) * 4).to(torch.float8_e4m3fn)
    scale = torch.rand(2, 3) + 0.5
    wanted = weight.float() * scale.repeat_interleave(128, 0)[:200].repeat_interleave(128, 1)[:, :300]
    found = values({"up.weight": weight, "up.weight_scale_inv": scale}, tmp_path, "fp8")
    assert np.array_equal(found, wanted.numpy())


@pytest.mark.parametrize("shape", [(8, 1), (1,), ()])
def test_float8_by_row_or_whole(shape: tuple[int, ...], tmp_path: Path) -> None:
    weight, scale = torch.randn(8, 6).to(torch.float8_e4m3fn), torch.rand(shape) + 0.5
    found = values({"up.weight": weight, "up.weight_scale": scale}, tmp_path, "fp8")
    assert np.array_equal(found, (weight.float() * scale).numpy())


def test_int8_by_row(tmp_path: Path) -> None:
    weight = torch.randint(-127, 128, (5, 7), dtype=torch.int8)
    scale = torch.rand(5)
    found = values({"up.weight": weight, "up.SCB": scale}, tmp_path, "int8")
    assert np.allclose(found, (weight.float() * scale[:, None] / 127).numpy(), rtol=1e-6)


def test_mxfp4_low_half_first(tmp_path: Path) -> None:
    codes = torch.randint(0, 16, (2, 3, 2, 32), dtype=torch.uint8)  # [E, out, in / 32, 32]
    blocks = codes[..., 0::2] | codes[..., 1::2] << 4
    scales = torch.randint(120, 135, (2, 3, 2), dtype=torch.uint8)
    wanted = FP4[codes.numpy()] * np.exp2(scales.numpy().astype(np.float32) - 127)[..., None]
    found = values({"e_blocks": blocks, "e_scales": scales}, tmp_path, "mxfp4", expert=1)
    assert np.array_equal(found, wanted[1].reshape(3, 64))


def test_weight_norm_as_torch_has_it(tmp_path: Path) -> None:
    linear = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(6, 4))
    g, v = (t.detach() for t in linear.parametrizations.weight.parameters())
    found = values({"up.weight_g": g * 2, "up.weight_v": v}, tmp_path, "weight_norm")
    assert np.allclose(found, 2 * linear.weight.detach().numpy(), rtol=1e-6)


def test_other_methods_are_refused_by_name(tmp_path: Path) -> None:
    packed = {
        "up.qweight": torch.zeros(2, 8, dtype=torch.int32), "up.scales": torch.ones(1, 8),
        "up.qzeros": torch.zeros(1, 1, dtype=torch.int32),
    }  # fmt: skip
    with pytest.raises(InputError) as caught:
        values(packed, tmp_path, "gptq")
    assert caught.value.key == "checkpoint.quantised"
    assert caught.value.values == {"tensor": "up.weight", "method": "gptq"}
