"""The scalar functions against torch, transformers and known facts."""

from collections.abc import Callable
from importlib import import_module

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from ffn_explorer.core import activations
from ffn_explorer.core.activation_table import FUNCTIONS
from tests.golden.library import DTYPES, assert_close

Curve = Callable[[Tensor], Tensor]


def _grid(dtype: torch.dtype) -> Tensor:
    return torch.linspace(-12, 12, 2_401, dtype=torch.float64).to(dtype)


TORCH: dict[str, Curve] = {
    "relu": F.relu,
    "gelu": F.gelu,
    "gelu_tanh": lambda z: F.gelu(z, approximate="tanh"),
    "silu": F.silu,
    "sigmoid": torch.sigmoid,
    "identity": torch.nn.Identity(),
}

TRANSFORMERS = {
    "relu": "relu",
    "gelu": "gelu",
    "gelu_tanh": "gelu_new",
    "quick_gelu": "quick_gelu",
    "silu": "silu",
    "relu2": "relu2",
    "identity": "linear",
    "sigmoid": "sigmoid",
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", TORCH)
def test_function_equals_torch(name: str, dtype: torch.dtype) -> None:
    z = _grid(dtype)
    assert_close(activations.apply(name, z), TORCH[name](z))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", TRANSFORMERS)
def test_function_equals_transformers(name: str, dtype: torch.dtype) -> None:
    theirs = import_module("transformers.activations").ACT2FN[TRANSFORMERS[name]]
    z = _grid(dtype)
    assert_close(activations.apply(name, z), theirs(z))


def test_every_function_meets_another_implementation() -> None:
    assert {*TORCH, *TRANSFORMERS, "xielu"} == set(FUNCTIONS)


@pytest.mark.parametrize("dtype", DTYPES)
def test_xielu_equals_transformers_with_its_own_parameters(dtype: torch.dtype) -> None:
    xielu = import_module("transformers.activations").XIELUActivation
    theirs = xielu(alpha_p_init=1.3, alpha_n_init=0.9, dtype=torch.float64)
    params = (
        ("alpha_p", F.softplus(theirs.alpha_p).item()),
        ("alpha_n", (theirs.beta + F.softplus(theirs.alpha_n)).item()),
        ("beta", theirs.beta.item()),
        ("eps", theirs.eps.item()),
    )
    z = torch.cat([_grid(dtype), torch.tensor([-1e-6, -5e-7, 0.0, 1e-7], dtype=dtype)])
    assert_close(activations.apply("xielu", z, params), theirs.to(dtype)._xielu_python(z).detach())


@pytest.mark.parametrize("name", FUNCTIONS)
def test_slope_equals_autograd(name: str) -> None:
    z = _grid(torch.float64).requires_grad_()
    (theirs,) = torch.autograd.grad(activations.apply(name, z).sum(), z)
    # Inside (eps, 0] autograd sees the clamp that guards xIELU's rounding, not the function.
    outside = z.abs() > 1e-6 if name == "xielu" else torch.ones_like(z, dtype=torch.bool)
    assert_close(activations.slope(name, z.detach())[outside], theirs[outside])


def test_slope_with_alpha_equals_autograd() -> None:
    z = _grid(torch.float64).requires_grad_()
    params = (("alpha", 1.702),)
    (theirs,) = torch.autograd.grad(activations.apply("silu", z, params).sum(), z)
    assert_close(activations.slope("silu", z.detach(), params), theirs)
    assert_close(activations.apply("silu", z, params).detach(), activations.apply("quick_gelu", z).detach())


@pytest.mark.parametrize(("name", "x", "low"), [("gelu", -0.7518, -0.16997), ("silu", -1.2785, -0.27846)])
def test_lowest_point_stands_where_the_books_say(name: str, x: float, low: float) -> None:
    z = torch.linspace(-3, 0, 300_001, dtype=torch.float64)
    value, at = activations.apply(name, z).min(dim=0)
    assert value.item() == pytest.approx(low, abs=5e-6)
    assert z[at].item() == pytest.approx(x, abs=5e-5)
    assert activations.slope(name, z[at]).item() == pytest.approx(0, abs=1e-5)


def test_gelus_differ_by_the_known_amounts() -> None:
    z = torch.linspace(-8, 8, 160_001, dtype=torch.float64)
    erf = activations.apply("gelu", z)
    tanh = (activations.apply("gelu_tanh", z) - erf).abs()
    assert tanh.max().item() == pytest.approx(4.73e-4, abs=5e-7)
    assert abs(z[tanh.argmax()].item()) == pytest.approx(2.70, abs=5e-3)
    assert tanh[(z + 2.70).abs().argmin()].item() == pytest.approx(4.73e-4, abs=5e-7)
    quick = (activations.apply("quick_gelu", z) - erf).abs().max().item()
    assert quick == pytest.approx(0.0203, abs=5e-5)


def test_float32_gelu_is_exactly_zero_below_minus_five_and_a_half() -> None:
    far = activations.apply("gelu", torch.linspace(-20, -5.6, 1_000))
    assert (far == 0).all()
    assert (activations.apply("gelu", torch.linspace(-5, -1e-3, 1_000)) != 0).all()
