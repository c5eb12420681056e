"""Growth: FLOPs and bytes of one layer against the length S, and where attention overtakes the FFN."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ffn_explorer.core.architecture import ModelShape
from ffn_explorer.core.attention_rows import Reach, cached_numbers, score_flops
from ffn_explorer.core.bill_row import Use
from ffn_explorer.core.crossings import crossings
from ffn_explorer.core.model_bill import layer_bill

Of = Literal["token", "sequence", "bytes"]
"""What grows: FLOPs divided by S, FLOPs of all S tokens, or bytes that stay in memory."""

LEAST_END = 2**15
"""The curves reach at least this far (tokens)."""
_PER_DOUBLING = 4
"""Points of a curve for each doubling of S."""


class Curve(NamedTuple):
    """One curve over the lengths; key: "ffn", "projections", "scores", "attention", "cache"."""

    key: str
    values: NDArray[np.float64]


class Meeting(NamedTuple):
    """Where a curve meets that of the FFN, exactly; value: of both."""

    key: str
    tokens: Fraction
    value: float


@dataclass(frozen=True, slots=True, eq=False)
class Growth:
    """Curves of the form that most layers have, over lengths S `[N]` in float64; the FFN's comes last.

    causal: whether scores of future tokens are left out, as far as there is a future.
    """

    model: ModelShape
    causal: bool
    tokens: NDArray[np.float64]
    curves: tuple[Curve, ...]
    meetings: tuple[Meeting, ...]

    @property
    def ffn(self) -> NDArray[np.float64]:
        """The FFN's curve."""
        return self.curves[-1].values


class Spent(NamedTuple):
    """Exact numbers of one layer at one length: FLOPs of all S tokens, and bytes."""

    ffn: int
    projections: int
    scores: int
    ffn_bytes: int
    attention_bytes: int
    cache_bytes: int

    @property
    def share(self) -> float:
        """The FFN's share of the FLOPs."""
        whole = self.ffn + self.projections + self.scores
        return self.ffn / whole if whole else 0.0


def spent_at(model: ModelShape, use: Use) -> Spent:
    """What one layer spends on S tokens, and keeps."""
    bill = layer_bill(model, use)
    ffn, attention = (
        sum(bill.bytes_of(row) for row in bill.rows if row.part in parts)
        for parts in (("ffn", "router"), ("attention",))
    )
    cache = -(-bill.cached() * use.cache_bits // 8)
    flops = (bill.flops("ffn", "router"), bill.flops("attention"), bill.flops("scores"))
    return Spent(*flops, ffn, attention, cache)


@lru_cache(maxsize=24)
def growth_of(model: ModelShape, use: Use, *, of: Of, at_least: int = 0) -> Growth:
    """Curves past their crossings and past a length asked for; use: how things are counted, its S aside."""
    causal = use.causal and model.usual_layer.stack == "decoder"
    made = _bytes(model, use) if of == "bytes" else _flops(model, causal=causal)
    far = [4 * S for _, S in made if S is not None]
    S = np.array(_lengths(max([Fraction(LEAST_END), Fraction(at_least), *far])), np.float64)
    curves = _byte_curves(model, use, S) if of == "bytes" else _flop_curves(model, S, causal=causal)
    if of == "token":
        curves = tuple(Curve(key, values / S) for key, values in curves)
    one = float(curves[-1].values[0])
    at = [(key, found) for key, found in made if found is not None and found >= 1]
    meetings = tuple(
        Meeting(key, found, one * (float(found) if of == "sequence" else 1.0)) for key, found in at
    )
    return Growth(model, causal, S, curves, meetings)


def _flops(model: ModelShape, *, causal: bool) -> list[tuple[str, Fraction | None]]:
    found = crossings(model, causal=causal)
    return [("attention", found.attention_equals_ffn), ("scores", found.scores_equal_ffn)]


def _flop_curves(model: ModelShape, S: NDArray[np.float64], *, causal: bool) -> tuple[Curve, ...]:
    one = layer_bill(model, Use(tokens=1))
    attention = model.usual_layer.attention
    exact = [score_flops(attention, Reach(Use(int(tokens)), causal=causal)).value for tokens in S]
    projections, scores = S * one.flops("attention"), np.array(exact, np.float64)
    return (
        Curve("projections", projections),
        Curve("scores", scores),
        Curve("attention", projections + scores),
        Curve("ffn", S * one.flops("ffn", "router")),
    )


def _bytes(model: ModelShape, use: Use) -> list[tuple[str, Fraction | None]]:
    """Where the cache takes as many bytes as the FFN's parameters; a window may end its growth before."""
    one = spent_at(model, Use(1, bits=use.bits, cache_bits=use.cache_bits))
    window = model.usual_layer.attention.window
    if not one.cache_bytes:
        return []
    S = Fraction(one.ffn_bytes, one.cache_bytes)
    return [("cache", None if 0 < window < S else S)]


def _byte_curves(model: ModelShape, use: Use, S: NDArray[np.float64]) -> tuple[Curve, ...]:
    one = spent_at(model, Use(1, bits=use.bits, cache_bits=use.cache_bits))
    layer, flat = model.usual_layer, np.ones(S.size)
    keeps = layer.stack == "decoder"
    kept = [
        cached_numbers(layer.attention, Reach(Use(int(tokens)), causal=True, keeps=keeps)).value
        for tokens in S
    ]
    cache = np.array(kept, np.float64) * use.cache_bits / 8
    curves = [Curve("attention", flat * one.attention_bytes), Curve("ffn", flat * one.ffn_bytes)]
    return (Curve("cache", cache), *curves) if keeps else tuple(curves)


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
