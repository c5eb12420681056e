"""Counters: how many weights of the FFN are read and how many FLOPs spent, at any moment of the pass."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ffn_explorer.core.cost import matrices_of
from ffn_explorer.core.records import Bill
from ffn_explorer.core.settings import Settings
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
    lengths: tuple[int, ...]
    bill: Bill
    lines: tuple[Line, ...]


def billed(run: RunResult) -> Billed:
    """The bill of a run, by values."""
    return Billed(run.request.settings, run.lengths, run.bill, lines(run))


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
    return lines_of(settings, sum(run.lengths), experts=experts_visited(run))


# By values, not by run: a cache must not keep a large pass alive.
@lru_cache(maxsize=32)
def lines_of(settings: Settings, tokens: int, *, experts: int) -> tuple[Line, ...]:
    """The same from the settings alone; experts: how many of them some token visits."""
    s, made = settings, []
    first = Stage.GATE if s.gated else Stage.UP
    if s.is_moe:
        router = s.experts * s.d_model
        made.append(Line(first, "W_router", "router", router, router, 2 * tokens * router))
        if s.routing == "sigmoid_bias":
            made.append(Line(first, "b_router", "router", s.experts, s.experts, 0))
    all_of = s.experts if s.is_moe else 1
    once = s.top_k if s.is_moe else 1
    made += _ffn(s, s.d_ff, copies=(all_of, min(experts, all_of), once), tokens=tokens, shared=False)
    if s.is_moe and s.shared_experts:
        # One FFN of width n · F, as in `core.cost`.
        width = s.shared_experts * s.d_ff
        made += _ffn(s, width, copies=(1, 1, 1), tokens=tokens, shared=True)
    return tuple(made)


def _ffn(
    settings: Settings, width: int, *, copies: tuple[int, int, int], tokens: int, shared: bool
) -> list[Line]:
    """Lines of FFNs of one width; copies: how many there are, are visited, and run for each token."""
    d, made = settings.d_model, []
    there, visited, once = copies
    parts: tuple[Segment, ...] = ("gate", "up", "down") if settings.gated else ("up", "down")
    for part in parts:
        one = d * width
        flops = 2 * tokens * once * one
        stage, name = STAGE_OF[part], f"shared_{part}" if shared else part
        made.append(Line(stage, f"W_{name}", part, there * one, visited * one, flops, shared))
        if settings.bias:
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
    one = [line for line in lines(run) if not line.shared and line.segment != "router"]
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


def active_parameters(settings: Settings) -> int:
    """Parameters that one token uses: those of its K experts, the shared ones and the router."""
    once = settings.top_k if settings.is_moe else 1
    return sum(line.visited for line in lines_of(settings, 1, experts=once))


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
