"""Small results of core, free of torch, so that every floor can hold them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ffn_explorer.core.stages import Stage

Floats = NDArray[np.floating]


@dataclass(frozen=True, slots=True)
class Bill:
    """Exact counts of one layer (1 multiply-accumulate = 2 FLOPs; padding excluded).

    ffn_total includes biases and, for experts, every expert, the shared ones and the router;
    ffn_weights leaves biases out; attention counts its four projections without biases.
    """

    ffn_total: int
    ffn_weights: int
    attention_weights: int
    ffn_flops: int
    projection_flops: int
    score_flops: int


@dataclass(frozen=True, slots=True)
class PositionCheck:
    """Position independence in one run's dtype (largest absolute differences, no unit)."""

    alone: float
    """One position alone against the same row of the full pass."""
    permuted: float
    """Output of permuted input against permuted rows of the output."""
    tolerance: float
    dtype: str

    @property
    def holds(self) -> bool:
        """Whether both differences stay within the tolerance."""
        return self.alone <= self.tolerance and self.permuted <= self.tolerance


@dataclass(frozen=True, slots=True)
class Proof:
    """One number, its formula with the real numbers, and the same recomputed in float64."""

    shown: float
    recomputed: float
    difference: float
    tolerance: float
    formula: str
    """Symbols only, e.g. "out[17] = Σᵢ W_down[17, i] · hidden[i] + b_down[17]"."""
    numbers: str
    """With numbers, the largest terms first: "0.0123·1.25 − 0.004·2.1 + … (n = 2,046) + 0.01 = 0.0312"."""
    slices: tuple[str, ...]
    """Tensor slices that were read, e.g. ("W_down[17, :]", "hidden[0, 5, :]", "b_down[17]")."""
    source: tuple[Stage, int] | None = None
    """Stage and index of the number before it in the pass, at the same token; None for the input.

    Of a row of a matrix times a vector it is the largest term.
    """


@dataclass(frozen=True, slots=True, eq=False)
class StrongPaths:
    """The n strongest neurons at one token, strongest first, each array `[n]`; 0 where none writes.

    strength = |m| * ||v|| with m the hidden value and v the neuron's column of W_down; for each neuron the
    input dimension that moves its up (and gate) most, with that signed part, and the output dimension that it
    moves most.
    """

    neuron: NDArray[np.int64]
    m: Floats
    strength: Floats
    up_dim: NDArray[np.int64]
    up_part: Floats
    gate_dim: NDArray[np.int64] | None
    gate_part: Floats | None
    out_dim: NDArray[np.int64]
    out_part: Floats
