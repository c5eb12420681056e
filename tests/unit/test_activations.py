"""The table of scalar functions: completeness, dtypes and the ends of the number line."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from ffn_explorer.core import activations
from ffn_explorer.core.activation_table import FUNCTIONS

INF = float("inf")


def test_functions_and_slopes_exist_for_every_row() -> None:
    assert set(activations.CURVES) == set(FUNCTIONS)
    assert set(activations.SLOPES) == set(FUNCTIONS)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_shape_and_dtype_stay(name: str, dtype: torch.dtype) -> None:
    z = torch.linspace(-3, 3, 12, dtype=torch.float64).to(dtype).view(2, 3, 2)
    for value in (activations.apply(name, z), activations.slope(name, z)):
        assert value.shape == z.shape
        assert value.dtype == dtype


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_half_types_round_the_float64_value(name: str, dtype: torch.dtype) -> None:
    z = torch.linspace(-6, 6, 1_001, dtype=torch.float64).to(dtype)
    exact = activations.apply(name, z.double())
    error = (activations.apply(name, z).double() - exact).abs()
    # Up to four roundings of intermediates, each half a unit in the last place of a number no larger than 40.
    scale = torch.maximum(exact.abs(), z.double().abs())
    assert (error <= 4 * torch.finfo(dtype).eps * scale + torch.finfo(dtype).smallest_normal).all()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_not_a_number_stays_not_a_number(name: str) -> None:
    assert activations.apply(name, torch.tensor([float("nan")])).isnan().all()
    if name != "identity":
        assert activations.slope(name, torch.tensor([float("nan")])).isnan().all()


@pytest.mark.parametrize("name", ["gelu", "gelu_tanh", "quick_gelu", "silu"])
def test_slope_of_smooth_functions_reaches_its_limits(name: str) -> None:
    ends = activations.slope(name, torch.tensor([-INF, -1e6, 1e6, INF], dtype=torch.float64))
    assert ends.tolist() == [0.0, 0.0, 1.0, 1.0]


@pytest.mark.parametrize("name", [n for n, row in FUNCTIONS.items() if row.exact_zeros])
def test_relu_like_functions_are_exactly_zero_on_the_left(name: str) -> None:
    left = torch.linspace(-9, 0, 100)
    assert (activations.apply(name, left) == 0).all()
    assert (activations.slope(name, left) == 0).all()


@given(st.sampled_from(list(FUNCTIONS)), st.floats(-5, 5), st.floats(0.3, 3.0))
def test_slope_is_the_rate_of_change(name: str, at: float, alpha: float) -> None:
    params = (("alpha", alpha),) if name in ("silu", "quick_gelu") else ()
    if abs(at) < 1e-3:
        at = 0.01
    step = 1e-6
    z = torch.tensor([at - step, at, at + step], dtype=torch.float64)
    low, _, high = activations.apply(name, z, params).tolist()
    slope = activations.slope(name, z, params)[1].item()
    # Central difference: h² / 6 |f'''| < 1e-10 here, rounding of f about 1e-15 · 100 / 1e-6 = 1e-7.
    assert (high - low) / (2 * step) == pytest.approx(slope, abs=1e-7)


def test_xielu_slope_is_continuous_at_zero() -> None:
    z = torch.tensor([-1e-7, 0.0, 1e-7], dtype=torch.float64)
    assert activations.slope("xielu", z).tolist() == pytest.approx([0.5, 0.5, 0.5], abs=2e-6)


def test_identity_returns_the_tensor_itself() -> None:
    z: Tensor = torch.ones(3)
    assert activations.apply("identity", z) is z


def test_unknown_name_is_refused() -> None:
    with pytest.raises(KeyError, match="mish"):
        activations.apply("mish", torch.ones(1))
