"""A family's router rule with the configuration's numbers in it."""

from typing import Literal

from ffn_explorer.checkpoints.family import Number, RouterRule
from ffn_explorer.checkpoints.scheme import Note
from ffn_explorer.checkpoints.settings_view import View
from ffn_explorer.core.spec import RoutingSpec

Score = Literal["softmax", "sigmoid", "sqrt_softplus"]

_SCORES: dict[str, Score] = {
    "softmax": "softmax", "1": "softmax", "3": "softmax",
    "sigmoid": "sigmoid", "2": "sigmoid",
    "sqrtsoftplus": "sqrt_softplus", "sqrt_softplus": "sqrt_softplus", "4": "sqrt_softplus",
}  # fmt: skip
"""Words and GGUF's numbers of score functions."""


def routing_of(rule: RouterRule, view: View, *, experts: int) -> tuple[RoutingSpec, tuple[Note, ...]]:
    """The rule for E experts; doubts about values that the configuration leaves open or gets wrong.

    top_k is 0 where the configuration does not say it, or says more than there are experts.
    """
    doubts: list[Note] = []
    top_k = view.count(rule.top_k)
    if top_k is None or not 1 <= top_k <= experts:
        doubts.append(_missing(rule.top_k))
        top_k = 0
    score = _SCORES.get(view.words(rule.score))
    if score is None:
        doubts.append(_missing(rule.score))
    renormalise = rule.renormalise
    if isinstance(renormalise, str):
        found = view.get(renormalise[1:])
        if not isinstance(found, bool):
            doubts.append(_missing(renormalise))
        renormalise = found is True
    groups, kept = _groups(rule, view, experts=experts)
    scale, capacity = view.number(rule.scale), view.count(rule.capacity)
    minimum, power, softcap = view.number(rule.minimum), view.number(rule.power), view.number(rule.softcap)
    spec = RoutingSpec(
        experts,
        top_k,
        order="top_first" if rule.order == "top_first" else "score_first",
        score=score or "softmax",
        renormalise=renormalise and (rule.power is None or power is not None),
        renormalise_eps=rule.eps,
        renormalise_min=minimum or 0.0,
        renormalise_power=power or 1.0,
        logit_softcap=softcap or 0.0,
        scale=1.0 if scale is None else scale,
        groups=groups,
        groups_kept=kept,
        group_score="top2sum" if rule.group_score == "top2sum" else "max",
        group_fill=rule.group_fill,
        weigh="input" if rule.weigh == "input" else "output",
        capacity=capacity,
    )
    return spec, tuple(doubts)


def _groups(rule: RouterRule, view: View, *, experts: int) -> tuple[int, int]:
    """Groups and how many of them are kept; one group where the configuration has none that fit."""
    groups, kept = view.count(rule.groups) or 1, view.count(rule.groups_kept) or 1
    used = view.holds(rule.groups_when) if rule.groups_when else True
    if not used or groups <= 1 or experts % groups or kept > groups:
        return 1, 1
    return groups, kept


def _missing(value: Number | str) -> Note:
    return Note("checkpoint.doubt_router", (("said", str(value).removeprefix("@")),))
