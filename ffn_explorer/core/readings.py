"""Readings: what pictures show of one pass beyond its stages; plain numpy, so that every floor can hold them.

`slot` counts a token's chosen experts, 0 for the first choice and for a dense FFN.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ffn_explorer.core.stages import Stage

Floats = NDArray[np.floating]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Memories:
    """Every memory at one token, strongest first (Geva 2021): `FFN(x) = Σᵢ mᵢ vᵢ (+ b)`.

    neuron, m, norm, strength `[F]`: m the hidden value, norm = ||v||, strength = |m| · ||v||.
    cosine, error `[F + 1]`: the sum of the k strongest against the sum of all, k = 0..F (bias left out):
    cosine is 0 at k = 0; error = ||difference|| / ||sum of all||.  All of it is from before any cut: how many
    the pass keeps says `FFNSpec.keep`.  other: the same of the run compared with (B).
    """

    sentence: int
    token: int
    slot: int
    expert: int | None
    neuron: Ints
    m: Floats
    norm: Floats
    strength: Floats
    cosine: Floats
    error: Floats
    other: "Memories | None" = None

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        arrays = (self.neuron, self.m, self.norm, self.strength, self.cosine, self.error)
        return sum(array.nbytes for array in arrays) + (0 if self.other is None else self.other.nbytes)


@dataclass(frozen=True, slots=True, eq=False)
class Contributions:
    """What each neuron adds to one dimension of out at one token, largest magnitude first.

    neuron, part `[n]`: part = expert's weight · m · W_down[dim, neuron] · scales; expert `[n]` of a mixture.
    pre, act, m `[n]`: each neuron's pre-activation (of gate or up), f of it, and hidden value.
    rest: what is neither (shared experts, dropout); Σ part + bias + rest = out.  x: what the residual adds;
    y: the sum as it leaves the residual (before a post-norm), or out where there is no residual.
    """

    sentence: int
    token: int
    dim: int
    neuron: Ints
    part: Floats
    pre: Floats
    act: Floats
    m: Floats
    expert: Ints | None
    bias: float
    rest: float
    out: float
    x: float
    y: float

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        arrays = (self.neuron, self.part, self.pre, self.act, self.m, self.expert)
        return sum(array.nbytes for array in arrays if array is not None)


@dataclass(frozen=True, slots=True, eq=False)
class NeuronCard:
    """One neuron: what it reads, what it writes, and how strongly at every token of a sentence.

    up, gate `[D]` (rows that read), down `[D]` (the column that it writes); biases; norms; cosines between
    them, NaN where a vector is 0.  pre, act, m `[S]`: pre-activation, f of it, hidden value, NaN at tokens
    that chose other experts.  rank `[S]`: place of its |m| · ||v|| among all, 0 the strongest.
    """

    sentence: int
    neuron: int
    expert: int | None
    up: Floats
    gate: Floats | None
    down: Floats
    up_bias: float | None
    gate_bias: float | None
    up_norm: float
    gate_norm: float | None
    down_norm: float
    cos_up_down: float
    cos_gate_up: float | None
    pre: Floats
    act: Floats
    m: Floats
    rank: Ints

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        arrays = (self.up, self.gate, self.down, self.pre, self.act, self.m, self.rank)
        return sum(array.nbytes for array in arrays if array is not None)


@dataclass(frozen=True, slots=True)
class DtypeCheck:
    """Position independence in one dtype: largest absolute differences and what rounding alone may do."""

    dtype: str
    alone: float
    permuted: float
    tolerance: float


@dataclass(frozen=True, slots=True, eq=False)
class PositionLab:
    """One position at a time against all at once, per token and per dtype.

    alone, permuted `[B][S]`: largest absolute difference of each token's row in the run's own dtype.
    NaN in alone: not run alone, where there are too many positions.  mixed, unmixed: the same check in the
    run's dtype with an attention mixer before the FFN and without, so that both stand side by side; mixed is
    None where x is what the FFN receives, which comes after attention.
    """

    alone: tuple[Floats, ...]
    permuted: tuple[Floats, ...]
    tolerance: float
    checks: tuple[DtypeCheck, ...]
    mixed: DtypeCheck | None
    unmixed: DtypeCheck

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        return sum(row.nbytes for row in (*self.alone, *self.permuted))


@dataclass(frozen=True, slots=True, eq=False)
class Terms:
    """Every term of the sum behind one number, largest magnitude first: left · right = term.

    index `[n]` says what each term belongs to; left, right, term, running `[n]` in float64 (running sums
    start from the bias, which holds a mixture's shared experts too).  names: symbols of both factors, e.g.
    ("W_down[17, i]", "act[0, 5, i]").  Terms that are not finite come first.
    """

    stage: Stage
    sentence: int
    token: int
    cell: int
    """Neuron or dimension that the sum is for."""
    index: Ints
    left: Floats
    right: Floats
    term: Floats
    running: Floats
    bias: float | None
    names: tuple[str, str]
    counts: Literal["neuron", "dim", "expert"]
    """What `index` counts."""

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        return sum(array.nbytes for array in (self.index, self.left, self.right, self.term, self.running))
