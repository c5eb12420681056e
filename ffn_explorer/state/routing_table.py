"""RoutingTable: what the router did with one sentence, in numbers that a picture can show."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ffn_explorer.state.result import Floats, RunResult

CLOSE_CALL = 0.1
"""Margins below this (logits, no unit) are close calls: with softmax, weights that differ by 11 % at most."""

NOT_CHOSEN = -1


@dataclass(frozen=True, slots=True, eq=False)
class RoutingTable:
    """One sentence of S real tokens, K of E experts each.

    index, weight, lost `[S, K]`: chosen experts, strongest first; lost: no room left.  logits `[S, E]`.
    slot `[S, E]`: place among the token's choices, `NOT_CHOSEN` for the others.
    margin `[S]`: smallest logit among the chosen minus the largest among the others, leaving out banned
    experts and the forced one; NaN where nobody else was left. Below 0 where groups or a selection bias
    chose against the logits.
    served, dropped `[E]`: tokens that the expert took, and that found it full.
    """

    index: NDArray[np.int64]
    weight: Floats
    lost: NDArray[np.bool_]
    logits: Floats
    slot: NDArray[np.int64]
    margin: Floats
    served: NDArray[np.int64]
    dropped: NDArray[np.int64]
    capacity: int | None

    @property
    def tokens(self) -> int:
        """S."""
        return len(self.index)

    @property
    def experts(self) -> int:
        """E."""
        return int(self.logits.shape[1])

    @property
    def weights(self) -> Floats:
        """Gate values `[S, E]`, NaN for experts that were not chosen."""
        weights = np.full(self.logits.shape, np.nan)
        np.put_along_axis(weights, self.index, self.weight.astype(np.float64), axis=1)
        return weights

    @property
    def full(self) -> NDArray[np.bool_]:
        """`[S, E]`: chosen, but the expert had no room left."""
        full = np.zeros(self.logits.shape, np.bool_)
        np.put_along_axis(full, self.index, self.lost, axis=1)
        return full


def routing_table(run: RunResult, sentence: int) -> RoutingTable | None:
    """Table of one sentence of a run; None for a dense FFN."""
    if run.expert_index is None or run.expert_weight is None or run.router_logits is None:
        return None
    length = run.lengths[sentence]
    index = run.expert_index[sentence, :length]
    logits = run.router_logits[sentence, :length]
    missing = np.zeros(index.shape, np.bool_)
    lost = missing if run.expert_dropped is None else run.expert_dropped[sentence, :length]
    experts = logits.shape[1]
    slot = np.full(logits.shape, NOT_CHOSEN, np.int64)
    np.put_along_axis(slot, index, np.arange(index.shape[1])[np.newaxis], axis=1)
    rule = run.spec.routing
    return RoutingTable(
        index=index,
        weight=run.expert_weight[sentence, :length],
        lost=lost,
        logits=logits,
        slot=slot,
        margin=_margins(
            logits,
            slot != NOT_CHOSEN,
            banned=() if rule is None else rule.banned,
            forced=None if rule is None else rule.forced,
        ),
        served=np.bincount(index[~lost], minlength=experts),
        dropped=np.bincount(index[lost], minlength=experts),
        capacity=None if rule is None else rule.capacity,
    )


def _margins(
    logits: Floats, chosen: NDArray[np.bool_], *, banned: tuple[int, ...], forced: int | None
) -> Floats:
    """Margins `[S]` of the rule's own choices."""
    inside, outside = chosen.copy(), ~chosen
    outside[:, list(banned)] = False
    if forced is not None:
        inside[:, forced] = False
    weakest = np.where(inside, logits.astype(np.float64), np.inf).min(axis=1)
    next_best = np.where(outside, logits.astype(np.float64), -np.inf).max(axis=1)
    # Rows whose choices overflowed have no difference; nor have those with nobody left to choose from.
    with np.errstate(invalid="ignore"):
        margin = weakest - next_best
    return np.where(np.isfinite(margin), margin, np.nan)
