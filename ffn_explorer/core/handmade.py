"""A memory built by hand: named features, keys that read them, values that write them; plain numbers."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class HandNeuron:
    """One memory: m = f(key · x + bias) says how strongly the value `[D]` is added."""

    name: str
    key: tuple[float, ...]
    bias: float
    value: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class HandPattern:
    """One input x `[D]` with its name; it stands where a token stands."""

    name: str
    x: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class HandMemory:
    """An FFN small enough to read: `FFN(x) = Σᵢ f(keyᵢ · x + biasᵢ) · valueᵢ`, added to x by the residual.

    name: key of its words in the catalogue, "handmade.<name>".  features: names of the D dimensions.
    """

    name: str
    features: tuple[str, ...]
    neurons: tuple[HandNeuron, ...]
    patterns: tuple[HandPattern, ...]
