"""The table of activations: names, gates, formulas. Free of torch; the functions are in `activations`."""

from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Function:
    """One scalar non-linearity f(z)."""

    name: str
    label: str
    formula: str
    derivative: str
    exact_zeros: bool
    """Whether f is exactly 0 on a whole interval in real arithmetic (ReLU-like)."""


@dataclass(frozen=True, slots=True)
class Activation:
    """One choice a person can make: a scalar function, plain or as the gate of two routes."""

    name: str
    label: str
    function: str
    gated: bool
    offered: bool = True
    """Whether it stands in lists to choose from; the others come with opened files that have them."""

    @property
    def formula(self) -> str:
        """Formula as shown beside the curve."""
        return FUNCTIONS[self.function].formula

    @property
    def default_theta(self) -> float:
        """Threshold of "active": 0 for ReLU-like functions, 0.1 otherwise (no unit)."""
        return 0.0 if FUNCTIONS[self.function].exact_zeros else 0.1


_FUNCTIONS = (
    Function("relu", "ReLU", "max(0, z)", "1 if z > 0 else 0", exact_zeros=True),
    Function("gelu", "GELU", "z · Φ(z),  Φ(z) = ½ (1 + erf(z / √2))", "Φ(z) + z · φ(z)", exact_zeros=False),
    Function(
        "gelu_tanh",
        "GELU (tanh)",
        "½ z (1 + t),  t = tanh(√(2/π) (z + 0.044715 z³))",
        "½ (1 + t) + ½ z (1 − t²) √(2/π) (1 + 0.134145 z²)",
        exact_zeros=False,
    ),
    Function(
        "quick_gelu",
        "QuickGELU",
        "z · σ(1.702 z)",
        "s + 1.702 z s (1 − s),  s = σ(1.702 z)",
        exact_zeros=False,
    ),
    Function("silu", "SiLU", "z · σ(z)", "σ(z) (1 + z (1 − σ(z)))", exact_zeros=False),
    Function("relu2", "ReLU²", "max(0, z)²", "2 max(0, z)", exact_zeros=True),
    Function("identity", "identity", "z", "1", exact_zeros=False),
    Function("sigmoid", "sigmoid", "σ(z) = 1 / (1 + e⁻ᶻ)", "σ(z) (1 − σ(z))", exact_zeros=False),
    Function(
        "xielu",
        "xIELU",
        "z > 0: α₁ z² + β z;  z ≤ 0: α₂ (expm1(min(z, ε)) − z) + β z",
        "z > 0: 2 α₁ z + β;  z ≤ 0: α₂ expm1(min(z, ε)) + β",
        exact_zeros=False,
    ),
)

_ACTIVATIONS = (
    Activation("relu", "ReLU", "relu", gated=False),
    Activation("gelu", "GELU", "gelu", gated=False),
    Activation("gelu_tanh", "GELU (tanh)", "gelu_tanh", gated=False),
    Activation("quick_gelu", "QuickGELU", "quick_gelu", gated=False),
    Activation("silu", "SiLU / Swish", "silu", gated=False),
    Activation("relu2", "ReLU²", "relu2", gated=False),
    Activation("identity", "identity", "identity", gated=False),
    Activation("glu", "GLU", "sigmoid", gated=True),
    Activation("reglu", "ReGLU", "relu", gated=True),
    Activation("geglu", "GeGLU", "gelu", gated=True),
    Activation("swiglu", "SwiGLU", "silu", gated=True),
    Activation("bilinear", "bilinear", "identity", gated=True),
    Activation("geglu_tanh", "GeGLU (tanh)", "gelu_tanh", gated=True, offered=False),
    Activation("gated_quick_gelu", "gated QuickGELU", "quick_gelu", gated=True, offered=False),
    Activation("gated_relu2", "gated ReLU²", "relu2", gated=True, offered=False),
    Activation("gated_xielu", "gated xIELU", "xielu", gated=True, offered=False),
    Activation("xielu", "xIELU", "xielu", gated=False, offered=False),
    Activation("sigmoid", "sigmoid", "sigmoid", gated=False, offered=False),
)

FUNCTIONS = MappingProxyType({row.name: row for row in _FUNCTIONS})
ACTIVATIONS = MappingProxyType({row.name: row for row in _ACTIVATIONS})
OFFERED = MappingProxyType({row.name: row for row in _ACTIVATIONS if row.offered})


def activation_of(function: str, *, gated: bool) -> Activation:
    """Row of ACTIVATIONS with this function, plain or gated; there is one for each of FUNCTIONS."""
    return next(row for row in _ACTIVATIONS if (row.function, row.gated) == (function, gated))
