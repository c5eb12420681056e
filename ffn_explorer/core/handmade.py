"""A memory built by hand: named features, keys that read them, values that write them; plain numbers."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ffn_explorer.core.errors import InputError
from ffn_explorer.core.settings import Settings

MOST = 64
"""Features, neurons and patterns that one memory may have: a person is to read them all."""

LONGEST_NAME = 40
"""Characters of a name."""

LARGEST = 1e6
"""Magnitude of a number entered (no unit)."""

WORD = "@"
"""First character of a name that stands for a word of the catalogue; any other name is shown as it is."""


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
    Raises InputError where counts, lengths, numbers or names are not possible.
    """

    name: str
    features: tuple[str, ...]
    neurons: tuple[HandNeuron, ...]
    patterns: tuple[HandPattern, ...]

    def __post_init__(self) -> None:
        """Refuse what could not be computed or shown, one sentence each."""
        _check_count(self.features, "error.hand_features")
        _check_count(self.neurons, "error.hand_neurons")
        _check_count(self.patterns, "error.hand_patterns")
        for name in (*self.features, *(n.name for n in self.neurons), *(p.name for p in self.patterns)):
            if not 0 < len(name.strip()) <= LONGEST_NAME:
                raise InputError("error.hand_name", limit=LONGEST_NAME)
        rows = [row for neuron in self.neurons for row in (neuron.key, neuron.value)]
        for row in (*rows, *(pattern.x for pattern in self.patterns)):
            if len(row) != len(self.features):
                raise InputError("error.hand_length", count=len(row), wanted=len(self.features))
            _check_numbers(row)
        _check_numbers([neuron.bias for neuron in self.neurons])

    @property
    def d_model(self) -> int:
        """D, one dimension for each feature."""
        return len(self.features)

    @property
    def d_ff(self) -> int:
        """F, one for each neuron."""
        return len(self.neurons)


def settings_of(memory: HandMemory, base: Settings) -> Settings:
    """Settings under which this memory runs; what it leaves free stays as in `base`.

    Free are an activation without a gate (else ReLU takes its place), number format, device, seed, dropout.
    """
    return base.with_(
        **_fixed(memory),
        activation="relu" if base.gated else base.activation,
        top_k=1,
        shared_experts=0,
        expert_groups=1,
        groups_kept=1,
        heads=1,
        kv_heads=1,
        head_dim=0,
    )


def misfit(memory: HandMemory, settings: Settings) -> str | None:
    """Name of the first setting that a hand-built memory cannot follow, or None."""
    if settings.gated:
        return "activation"
    wrong = (name for name, value in _fixed(memory).items() if getattr(settings, name) != value)
    return next(wrong, None)


def _fixed(memory: HandMemory) -> dict[str, int | bool | str]:
    """Settings that the memory itself decides: its widths, and the bare sublayer x + FFN(x) around it."""
    return {
        "d_model": memory.d_model,
        "d_ff": memory.d_ff,
        "bias": True,
        "residual": True,
        "norm": "none",
        "layers": 1,
        "layer": 0,
        "stack": "encoder",
        "mixer": False,
        "experts": 1,
    }


def _check_count(items: Sequence[object], refusal: str) -> None:
    if not 1 <= len(items) <= MOST:
        raise InputError(refusal, count=len(items), limit=MOST)


def _check_numbers(row: Sequence[float]) -> None:
    for number in row:
        if not (math.isfinite(number) and abs(number) <= LARGEST):
            raise InputError("error.hand_number", value=number, limit=LARGEST)
