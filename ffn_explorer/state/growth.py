"""Growth: FLOPs of one layer against the length of the sequence, and where attention overtakes the FFN."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ffn_explorer.core.architecture import ModelShape
from ffn_explorer.core.attention_rows import Reach, score_flops
from ffn_explorer.core.bill_row import Use
from ffn_explorer.core.crossings import Crossings, crossings
from ffn_explorer.core.model_bill import layer_bill

LEAST_END = 2**15
"""The curves reach at least this far (tokens)."""
_PER_DOUBLING = 4
"""Points of a curve for each doubling of S."""


@dataclass(frozen=True, slots=True, eq=False)
class Growth:
    """Curves `[N]` over lengths S: FLOPs of one layer for all S tokens, in float64 (exact to 16 digits)."""

    model: ModelShape
    causal: bool
    tokens: NDArray[np.float64]
    ffn: NDArray[np.float64]
    projections: NDArray[np.float64]
    scores: NDArray[np.float64]
    crossings: Crossings

    def exact_scores(self, tokens: int) -> int:
        """FLOPs of scores and mixing at any length."""
        return scores_at(self.model, tokens, causal=self.causal)

    @property
    def attention(self) -> NDArray[np.float64]:
        """Projections and scores together."""
        return self.projections + self.scores


@lru_cache(maxsize=16)
def growth_of(model: ModelShape, *, causal: bool, at_least: int = 0) -> Growth:
    """Curves of the form that most layers have, past both crossings and past a length asked for."""
    causal = causal and model.usual_layer.stack == "decoder"
    found = crossings(model, causal=causal)
    far = [S for S in (found.scores_equal_ffn, found.attention_equals_ffn) if S is not None]
    end = max([Fraction(LEAST_END), Fraction(at_least), *(4 * S for S in far)])
    lengths = _lengths(end)
    one = layer_bill(model, Use(tokens=1))
    S = np.array(lengths, np.float64)
    return Growth(
        model=model,
        causal=causal,
        tokens=S,
        ffn=S * one.flops("ffn", "router"),
        projections=S * one.flops("attention"),
        scores=np.array([scores_at(model, tokens, causal=causal) for tokens in lengths], np.float64),
        crossings=found,
    )


def scores_at(model: ModelShape, tokens: int, *, causal: bool) -> int:
    """FLOPs of scores and mixing in one layer, exact."""
    return score_flops(model.usual_layer.attention, Reach(Use(tokens), causal=causal)).value


def _lengths(end: Fraction) -> list[int]:
    """Whole lengths from 1 on, evenly on a logarithmic axis."""
    made: list[int] = []
    number = 0
    while not made or made[-1] < end:
        length = round(2 ** (number / _PER_DOUBLING))
        if not made or length > made[-1]:
            made.append(length)
        number += 1
    return made
