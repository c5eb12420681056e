"""The scalar non-linearities, one by one: f(z) and its slope f'(z) for every row of the table."""

from collections.abc import Callable
from math import pi, sqrt

import torch
import torch.nn.functional as F
from torch import Tensor

Parameters = tuple[tuple[str, float], ...]


def apply(name: str, z: Tensor, params: Parameters = ()) -> Tensor:
    """f(z) of the function called `name`.

    z has any shape; the result has the same shape, dtype and device.  `params` are those of
    `FFNSpec.function_params`.  Raises KeyError for a name that is not in FUNCTIONS.
    """
    return CURVES[name](z, **dict(params))


def slope(name: str, z: Tensor, params: Parameters = ()) -> Tensor:
    """f'(z) of the function called `name`, from its formula (shapes and errors as in `apply`)."""
    return SLOPES[name](z, **dict(params))


def relu(z: Tensor) -> Tensor:
    """f(z) = max(0, z)  (Nair & Hinton 2010; the FFN of Vaswani 2017)."""
    return F.relu(z)


def relu_slope(z: Tensor) -> Tensor:
    """f'(z) = 1 if z > 0 else 0  (0 at the kink, as torch has it)."""
    return _unless_nan(z, torch.where(z > 0, torch.ones_like(z), torch.zeros_like(z)))


def gelu(z: Tensor) -> Tensor:
    """f(z) = z Φ(z) with Φ(z) = ½ (1 + erf(z / √2))  (Hendrycks & Gimpel 2016)."""
    return F.gelu(z)


def gelu_slope(z: Tensor) -> Tensor:
    """f'(z) = Φ(z) + z φ(z) with φ the standard normal density."""
    below = 0.5 * (1 + torch.erf(z / sqrt(2)))
    density = torch.exp(-0.5 * z * z) / sqrt(2 * pi)
    return below + _fading(z, density)


def gelu_tanh(z: Tensor) -> Tensor:
    """f(z) = ½ z (1 + tanh(√(2/π) (z + 0.044715 z³)))  (the approximation of GPT-2 and Gemma)."""
    return F.gelu(z, approximate="tanh")


def gelu_tanh_slope(z: Tensor) -> Tensor:
    """f'(z) = ½ (1 + t) + ½ z (1 − t²) √(2/π) (1 + 0.134145 z²)."""
    t = torch.tanh(sqrt(2 / pi) * (z + 0.044715 * z**3))
    inner = sqrt(2 / pi) * (1 + 0.134145 * z * z)
    return 0.5 * (1 + t) + 0.5 * _fading(z * inner, 1 - t * t)


def quick_gelu(z: Tensor, alpha: float = 1.702) -> Tensor:
    """f(z) = z σ(alpha z)  (the sigmoid approximation of GELU; CLIP)."""
    return z * torch.sigmoid(alpha * z)


def quick_gelu_slope(z: Tensor, alpha: float = 1.702) -> Tensor:
    """f'(z) = s + alpha z s (1 − s) with s = σ(alpha z)."""
    s = torch.sigmoid(alpha * z)
    return s + _fading(alpha * z, s * (1 - s))


def silu(z: Tensor, alpha: float = 1.0) -> Tensor:
    """f(z) = z σ(alpha z)  (SiLU for alpha = 1; Swish, Ramachandran 2017)."""
    return F.silu(z) if alpha == 1.0 else quick_gelu(z, alpha=alpha)


def silu_slope(z: Tensor, alpha: float = 1.0) -> Tensor:
    """f'(z) = σ(z) (1 + z (1 − σ(z))), with alpha z in the place of z otherwise."""
    return quick_gelu_slope(z, alpha=alpha)


def relu2(z: Tensor) -> Tensor:
    """f(z) = max(0, z)²  (Primer, So 2021; Nemotron)."""
    return F.relu(z).square()


def relu2_slope(z: Tensor) -> Tensor:
    """f'(z) = 2 max(0, z)."""
    return 2 * F.relu(z)


def identity(z: Tensor) -> Tensor:
    """f(z) = z  (bilinear layers; the collapse lesson)."""
    return z


def identity_slope(z: Tensor) -> Tensor:
    """f'(z) = 1 everywhere."""
    return torch.ones_like(z)


def sigmoid(z: Tensor) -> Tensor:
    """f(z) = σ(z) = 1 / (1 + e⁻ᶻ)  (the gate of GLU, Dauphin 2016)."""
    return torch.sigmoid(z)


def sigmoid_slope(z: Tensor) -> Tensor:
    """f'(z) = σ(z) (1 − σ(z))."""
    s = torch.sigmoid(z)
    return s * (1 - s)


def xielu(
    z: Tensor, alpha_p: float = 0.8, alpha_n: float = 0.8, beta: float = 0.5, eps: float = -1e-6
) -> Tensor:
    """f(z) for z > 0: α_p z² + β z;  z ≤ 0: α_n (expm1(min(z, ε)) − z) + β z  (Huang & Schlag 2024; Apertus).

    alpha_p and alpha_n are the effective values: softplus(stored), and beta + softplus(stored).
    """
    rising = alpha_p * z * z + beta * z
    falling = (torch.expm1(torch.clamp(z, max=eps)) - z) * alpha_n + beta * z
    return torch.where(z > 0, rising, falling)


def xielu_slope(
    z: Tensor, alpha_p: float = 0.8, alpha_n: float = 0.8, beta: float = 0.5, eps: float = -1e-6
) -> Tensor:
    """f'(z) for z > 0: 2 α_p z + β;  z ≤ 0: α_n expm1(min(z, ε)) + β.

    This is the paper's gradient; the clamp guards rounding only, so that its own kink in (ε, 0] is left out.
    """
    falling = torch.expm1(torch.clamp(z, max=eps)) * alpha_n + beta
    return torch.where(z > 0, 2 * alpha_p * z + beta, falling)


def _fading(rising: Tensor, vanishing: Tensor) -> Tensor:
    # At ±inf the product is inf · 0; its limit is 0 because every `vanishing` here falls exponentially.
    return torch.where(vanishing == 0, vanishing, rising * vanishing)


def _unless_nan(z: Tensor, value: Tensor) -> Tensor:
    return torch.where(z.isnan(), z, value)


CURVES: dict[str, Callable[..., Tensor]] = {
    "relu": relu,
    "gelu": gelu,
    "gelu_tanh": gelu_tanh,
    "quick_gelu": quick_gelu,
    "silu": silu,
    "relu2": relu2,
    "identity": identity,
    "sigmoid": sigmoid,
    "xielu": xielu,
}
"""Name of FUNCTIONS -> f."""

SLOPES: dict[str, Callable[..., Tensor]] = {
    "relu": relu_slope,
    "gelu": gelu_slope,
    "gelu_tanh": gelu_tanh_slope,
    "quick_gelu": quick_gelu_slope,
    "silu": silu_slope,
    "relu2": relu2_slope,
    "identity": identity_slope,
    "sigmoid": sigmoid_slope,
    "xielu": xielu_slope,
}
"""Name of FUNCTIONS -> f'."""
