"""Counters: how many weights of the FFN are read and how many FLOPs spent, at any moment of the pass."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ffn_explorer.core.architecture import FFNShape
from ffn_explorer.core.cost import matrices_of
from ffn_explorer.core.records import Bill
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.shape_of import ffn_shape
from ffn_explorer.core.stages import Stage
from ffn_explorer.state.result import RunResult

Segment = Literal["router", "gate", "up", "down", "bias"]
"""What the FFN's bill is divided into; biases of all matrices stand together."""

SEGMENTS: tuple[Segment, ...] = ("router", "gate", "up", "down", "bias")

Kind = Literal["parameters", "flops"]
"""What is counted."""

_SHARE_BITS = 48
"""An eased share is a whole number of 2⁻⁴⁸ (see `timeline.smoothstep`)."""

STAGE_OF: dict[str, Stage] = {"gate": Stage.GATE, "up": Stage.UP, "down": Stage.OUT}
"""Stage in which each matrix is read."""


class Line(NamedTuple):
    """One matrix or vector of the FFN; of a mixture, that of all its experts together.

    weights: numbers in it.  visited: of those, the ones that some token's experts read.
    flops: spent on it by all tokens.
    """

    stage: Stage
    name: str
    segment: Segment
    weights: int
    visited: int
    flops: int
    shared: bool = False
    """Whether it belongs to the shared experts."""


class Spent(NamedTuple):
    """Numbers read and FLOPs spent so far; weights counts every expert, visited those that are read."""

    weights: int
    visited: int
    flops: int


class Billed(NamedTuple):
    """What the words of a run's bill follow from; without its values, so that a cache keeps no pass alive."""

    settings: Settings
    ffn: FFNShape
    lengths: tuple[int, ...]
    bill: Bill
    lines: tuple[Line, ...]


def billed(run: RunResult) -> Billed:
    """The bill of a run, by values."""
    return Billed(run.request.settings, run.ffn, run.lengths, run.bill, lines(run))


def spent(every: Iterable[Line], progress: Iterable[tuple[Stage, float]]) -> Spent:
    """What the pass has read and spent: each stage's share of its lines, rounded down.

    0 at time 0; at time 1 exactly `bill.ffn_total` and `bill.ffn_flops`; never falling in between.
    """
    done = dict(progress)
    read = [(done.get(line.stage, 0.0), line) for line in every]
    return Spent(
        weights=sum(portion(line.weights, share) for share, line in read),
        visited=sum(portion(line.visited, share) for share, line in read),
        flops=sum(portion(line.flops, share) for share, line in read),
    )


def portion(count: int, share: float) -> int:
    """Share 0..1 of a count, rounded down: in whole numbers, since a float64 has no room for all FLOPs."""
    return count * int(share * 2**_SHARE_BITS) >> _SHARE_BITS


def lines(run: RunResult) -> tuple[Line, ...]:
    """Every matrix and bias with its counts, in the order of the pass; they add up to the bill."""
    settings = run.request.settings
    return lines_of(settings, sum(run.lengths), experts=experts_visited(run), ffn=run.ffn)


# By values, not by run: a cache must not keep a large pass alive.
@lru_cache(maxsize=32)
def lines_of(
    settings: Settings, tokens: int, *, experts: int, ffn: FFNShape | None = None
) -> tuple[Line, ...]:
    """The same from sizes alone, of an opened file's FFN where there is one.

    experts: how many of them some token visits.
    """
    d, shape = settings.d_model, ffn or ffn_shape(settings)
    made = _router(shape, d, tokens)
    there = shape.experts
    copies = (there, min(experts, there), shape.top_k if shape.is_moe else 1)
    made += _ffn(shape, d, copies=copies, tokens=tokens, shared=False)
    if shape.is_moe and shape.shared_width:
        # One FFN of width n · F, as in `core.cost`.
        made += _ffn(shape, d, copies=(1, 1, 1), tokens=tokens, shared=True)
    if shape.receptance:
        made.append(Line(Stage.OUT, "W_receptance", "down", d * d, d * d, 2 * tokens * d * d))
        made.append(Line(Stage.OUT, "mix", "bias", 2 * d, 2 * d, 0))
    if shape.sum_bias:
        made.append(Line(Stage.OUT, "b_sum", "bias", d, d, 0))
    return tuple(made)


def _router(ffn: FFNShape, d: int, tokens: int) -> list[Line]:
    """Lines of the router and of the shared expert's gate, which stand together in the bill."""
    if not ffn.is_moe:
        return []
    first, weights = Stage.GATE if ffn.gated else Stage.UP, ffn.experts * d
    made = [Line(first, "W_router", "router", weights, weights, 2 * tokens * weights)]
    if ffn.shared_gate:
        made.append(Line(first, "W_shared_gate", "router", d, d, 2 * tokens * d))
    biases = int(ffn.router_bias) + int(ffn.selection_bias)
    if biases:
        made.append(Line(first, "b_router", "router", biases * ffn.experts, biases * ffn.experts, 0))
    return made


def _ffn(ffn: FFNShape, d: int, *, copies: tuple[int, int, int], tokens: int, shared: bool) -> list[Line]:
    """Lines of FFNs of one width; copies: how many there are, are visited, and run for each token."""
    made, width = [], ffn.shared_width if shared else ffn.d_ff
    there, visited, once = copies
    biased = ffn.shared_biases if shared else ffn.biases
    parts: tuple[Segment, ...] = ("gate", "up", "down") if ffn.gated else ("up", "down")
    for part in parts:
        one = d * width
        flops = 2 * tokens * once * one
        stage, name = STAGE_OF[part], f"shared_{part}" if shared else part
        made.append(Line(stage, f"W_{name}", part, there * one, visited * one, flops, shared))
        if part in biased:
            one = d if part == "down" else width
            made.append(Line(stage, f"b_{name}", "bias", there * one, visited * one, 0, shared))
    return made


class ExpertBill(NamedTuple):
    """One expert: its parameters, the tokens of all sentences that it served, the FLOPs spent in it."""

    parameters: int
    tokens: int
    flops: int


def expert_bill(run: RunResult, expert: int) -> ExpertBill:
    """What one of a mixture's experts costs; tokens that it had no room for cost nothing here."""
    s = run.request.settings
    one = [
        line for line in lines(run) if not line.shared and line.segment != "router" and line.name != "b_sum"
    ]
    parameters = sum(line.weights for line in one) // s.experts
    tokens = int((_served(run) == expert).sum())
    return ExpertBill(parameters, tokens, 2 * tokens * matrices_of(s) * s.d_model * s.d_ff)


def experts_visited(run: RunResult) -> int:
    """Experts that at least one real token was served by; 1 for a dense FFN."""
    return 1 if run.expert_index is None else len(np.unique(_served(run)))


def _served(run: RunResult) -> NDArray[np.int64]:
    """The expert of every slot that ran, of real tokens."""
    assert run.expert_index is not None
    served = np.broadcast_to(run.real[..., np.newaxis], run.expert_index.shape)
    if run.expert_dropped is not None:
        served = served & ~run.expert_dropped
    return run.expert_index[served]


def active_parameters(settings: Settings, ffn: FFNShape | None = None) -> int:
    """Parameters that one token uses: those of its K experts, the shared ones and the router."""
    once = settings.top_k if settings.is_moe else 1
    return sum(line.visited for line in lines_of(settings, 1, experts=once, ffn=ffn))


def read_share(inside: Sequence[Line], done: Mapping[Stage, float]) -> float:
    """Share of the numbers of some lines that the pass has read."""
    whole = sum(line.weights for line in inside)
    return sum(line.weights * done.get(line.stage, 0.0) for line in inside) / whole


def read_shares(
    every: Sequence[Line], progress: Iterable[tuple[Stage, float]]
) -> tuple[tuple[Segment, float], ...]:
    """Share that the pass has read of each segment that is there."""
    done = dict(progress)
    inside: dict[Segment, list[Line]] = {segment: [] for segment in SEGMENTS}
    for line in every:
        inside[line.segment].append(line)
    return tuple((segment, read_share(those, done)) for segment, those in inside.items() if those)


def bill_ends(bill: Bill, of: Kind) -> tuple[int, int]:
    """Where the bars of a bill end: the FFN alone, and the FFN with attention."""
    if of == "parameters":
        return bill.ffn_total, bill.ffn_total + bill.attention_weights
    return bill.ffn_flops, bill.ffn_flops + bill.projection_flops + bill.score_flops
