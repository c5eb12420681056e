"""LayerNorm and RMSNorm: formulas, missing weights, offsets and half types."""

from functools import partial

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from ffn_explorer.core.ffn import NormWeights
from ffn_explorer.core.norms import normalise
from ffn_explorer.core.spec import NormSpec

LAYER = NormSpec("layer", "pre", eps=1e-5)
RMS = NormSpec("rms", "pre", eps=1e-5)


def _draw(*shape: int, seed: int = 3, dtype: torch.dtype = torch.float64) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def test_none_returns_x_itself() -> None:
    x = _draw(2, 3, 8)
    assert normalise(x, NormSpec(), NormWeights()) is x


@pytest.mark.parametrize("offset", [0.0, 1.0])
def test_layer_norm_follows_its_formula(offset: float) -> None:
    x, w, b = _draw(2, 3, 8), _draw(8, seed=4), _draw(8, seed=5)
    spec = NormSpec("layer", "pre", eps=1e-3, weight_offset=offset)
    variance, mean = torch.var_mean(x, dim=-1, keepdim=True, unbiased=False)
    wanted = (x - mean) / (variance + 1e-3).sqrt() * (w + offset) + b
    torch.testing.assert_close(normalise(x, spec, NormWeights(w, b)), wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("offset", [0.0, 1.0])
def test_rms_norm_follows_its_formula(offset: float) -> None:
    x, w, b = _draw(2, 3, 8), _draw(8, seed=4), _draw(8, seed=5)
    spec = NormSpec("rms", "pre", eps=1e-3, weight_offset=offset)
    wanted = x / ((x**2).mean(dim=-1, keepdim=True) + 1e-3).sqrt() * (w + offset) + b
    torch.testing.assert_close(normalise(x, spec, NormWeights(w, b)), wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("spec", [LAYER, RMS])
def test_missing_weight_and_bias_count_as_one_and_zero(spec: NormSpec) -> None:
    x = _draw(2, 3, 8)
    plain = NormWeights(torch.ones(8, dtype=x.dtype), torch.zeros(8, dtype=x.dtype))
    assert torch.equal(normalise(x, spec, NormWeights()), normalise(x, spec, plain))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("spec", [LAYER, RMS, NormSpec("rms", "pre", weight_offset=1.0)])
def test_half_types_compute_inside_in_float32(spec: NormSpec, dtype: torch.dtype) -> None:
    # 300² exceeds float16's largest number: a mean of squares taken there would be infinite.
    x, w = 300 * _draw(2, 3, 64, dtype=dtype), _draw(64, seed=4, dtype=dtype)
    ours = normalise(x, spec, NormWeights(w))
    exact = normalise(x.double(), spec, NormWeights(w.double()))
    assert ours.dtype == dtype
    assert ((ours.double() - exact).abs() <= 1.5 * torch.finfo(dtype).eps * exact.abs()).all()


@pytest.mark.parametrize("spec", [LAYER, RMS])
def test_wider_norm_weights_do_not_widen_the_result(spec: NormSpec) -> None:
    x = _draw(1, 2, 8, dtype=torch.bfloat16)
    weights = NormWeights(_draw(8, dtype=torch.float32), _draw(8, dtype=torch.float32))
    assert normalise(x, spec, weights).dtype == torch.bfloat16


@given(st.floats(0.1, 100.0), st.floats(-50.0, 50.0))
def test_what_each_norm_forgets(scale: float, shift: float) -> None:
    x = _draw(1, 2, 32)
    close = partial(torch.testing.assert_close, rtol=1e-9, atol=1e-9)
    layer, rms = NormSpec("layer", "pre", eps=0.0), NormSpec("rms", "pre", eps=0.0)
    none = NormWeights()
    close(normalise(scale * x + shift, layer, none), normalise(x, layer, none))
    close(normalise(scale * x, rms, none), normalise(x, rms, none))


@pytest.mark.parametrize("spec", [LAYER, RMS])
def test_infinity_and_nan_spoil_their_row_only(spec: NormSpec) -> None:
    x = _draw(1, 3, 8)
    x[0, 1, 2] = float("nan")
    y = normalise(x, spec, NormWeights())
    assert y[0, 1].isnan().all()
    assert torch.isfinite(y[0, [0, 2]]).all()
