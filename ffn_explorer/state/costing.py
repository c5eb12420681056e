"""Costing: what the cost panels count: which model, for how many tokens, kept in how many bits."""

from dataclasses import dataclass
from typing import Literal

from ffn_explorer.core.settings import Settings

Scope = Literal["layer", "model"]
Phase = Literal["prefill", "decode"]

BITS = (32, 16, 8, 4)
"""Bits of one weight that can be chosen."""

MOST_TOKENS = 10_000_000
"""Longest sequence that a bill is made for."""

MOST_WEIGHTS = 10**15
"""Largest budget of weights."""


@dataclass(frozen=True, slots=True)
class Costing:
    """Choices that all cost panels share; kept with the session, never part of undo.

    model: id of a public model whose bill is shown, "" for the settings.  beside: a second bill, another id
    or "" for the settings; None for B of the comparison where there is one.  tokens: S of a prefill, T cached
    ones of a decode; 0 for those of the selected sentence.  causal: whether work on future tokens is skipped.
    """

    model: str = ""
    beside: str | None = None
    scope: Scope = "model"
    phase: Phase = "prefill"
    tokens: int = 0
    bits: int = 16
    cache_bits: int = 16
    causal: bool = True
    budget: int = 0
    """Weights that depth and width are traded at, while the network stays near them; 0 for its own."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """A roofline of one device, dtype and FFN.

    serial: 0 asks only for what was measured before; every other number for a measurement of its own.
    """

    device: str
    dtype: str
    d_model: int
    d_ff: int
    activation: str
    seed: int = 7
    serial: int = 0

    def settings(self) -> Settings:
        """Settings of the FFN to measure."""
        return Settings(
            d_model=self.d_model, d_ff=self.d_ff, activation=self.activation, heads=1, kv_heads=1, bias=False,
            seed=self.seed, dtype=self.dtype, device=self.device,
        )  # fmt: skip


def measurement_of(settings: Settings) -> Measurement:
    """What is known of the device, dtype and FFN of these settings."""
    s = settings
    return Measurement(s.device, s.dtype, s.d_model, s.d_ff, s.activation, seed=s.seed)
