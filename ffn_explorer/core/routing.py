"""The router of a Mixture of Experts: which K of E experts a token visits, and with which weights."""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from ffn_explorer.core.choice import allowed, check_choice, left_in_groups
from ffn_explorer.core.moe import MoE
from ffn_explorer.core.spec import RoutingSpec


@dataclass(frozen=True, slots=True, eq=False)
class RoutingDecision:
    """What the router decided, strongest choice first.

    logits, scores `[B, S, E]`, at least float32; index `[B, S, K]` int64; weight `[B, S, K]` in x's dtype;
    dropped `[B, S, K]` bool: the expert had no room left for it; the slot gives 0 and keeps its weight.
    top_first rules score only the K chosen experts; the others' score is 0.  Padded rows are 0 everywhere.
    """

    logits: Tensor
    scores: Tensor
    index: Tensor
    weight: Tensor
    dropped: Tensor


def route(x: Tensor, moe: MoE, mask: Tensor | None = None) -> RoutingDecision:
    """Experts and weights for each row of x `[B, S, D]`; mask `[B, S]` is True where a real token stands.

    Banned experts take no part in the choice, nor in how groups are ranked.  The forced one takes the last
    slot, from the weakest choice and whatever its group, unless the rule chose it by itself: then nothing
    changes.  Both act on the choice alone: the chosen are scored and weighed as the rule has it, over the
    same experts as without them.  Raises InputError where too few experts are left.
    """
    rule, router = moe.routing, moe.router
    check_choice(rule)
    logits = _logits(x, moe)  # [B, S, E]
    if rule.order == "top_first":
        index = _chosen(logits, rule)  # [B, S, K]
        best = logits.gather(-1, index)
        scores = _score(torch.full_like(logits, -torch.inf).scatter(-1, index, best), rule)
    else:
        scores = _score(logits, rule)
        choice = scores if router.selection_bias is None else scores + router.selection_bias.to(scores.dtype)
        index = _chosen(_inside_kept_groups(choice, rule), rule)  # [B, S, K]
    weight = _weights(scores.gather(-1, index), rule).to(x.dtype)
    if mask is not None:
        real = mask[..., None]  # [B, S, 1]
        logits, scores, weight = (torch.where(real, t, torch.zeros_like(t)) for t in (logits, scores, weight))
    return RoutingDecision(logits, scores, index, weight, _over_capacity(index, rule, mask=mask))


def _logits(x: Tensor, moe: MoE) -> Tensor:
    # Half types choose wrong experts on near ties: at least float32 here, as DeepSeek and Switch do.
    router, rule = moe.router, moe.routing
    wide = torch.promote_types(torch.promote_types(x.dtype, router.weight.dtype), torch.float32)
    bias = None if router.bias is None else router.bias.to(wide)
    logits = F.linear(x.to(wide), router.weight.to(wide), bias)
    return rule.logit_softcap * torch.tanh(logits / rule.logit_softcap) if rule.logit_softcap else logits


def _chosen(choice: Tensor, rule: RoutingSpec) -> Tensor:
    """The K experts of highest choice score `[B, S, E]` that a person has left to the rule, `[B, S, K]`."""
    if rule.banned:
        # A smaller table, not a low score: rows of -inf or NaN must not bring a banned expert back.
        left = torch.tensor(allowed(rule), device=choice.device)  # [E left]
        index = left[choice[..., left].topk(rule.top_k, dim=-1).indices]
    else:
        index = choice.topk(rule.top_k, dim=-1).indices
    if rule.forced is None:
        return index
    chosen = (index == rule.forced).any(dim=-1)  # [B, S]
    last = torch.where(chosen, index[..., -1], rule.forced)
    return torch.cat([index[..., :-1], last[..., None]], dim=-1)


def _score(logits: Tensor, rule: RoutingSpec) -> Tensor:
    if rule.score == "softmax":
        return torch.softmax(logits, dim=-1)
    if rule.score == "sigmoid":
        return torch.sigmoid(logits)
    return F.softplus(logits).sqrt()


def _inside_kept_groups(choice: Tensor, rule: RoutingSpec) -> Tensor:
    """Choice scores `[B, S, E]` with `group_fill` outside the best groups (DeepSeek-V2, V3)."""
    if rule.groups == 1:
        return choice
    grouped = choice.view(*choice.shape[:-1], rule.groups, -1)  # [B, S, G, E / G]
    kept = _strength(grouped, rule).topk(rule.groups_kept, dim=-1).indices  # [B, S, G kept]
    open_groups = torch.zeros_like(grouped[..., 0], dtype=torch.bool).scatter(-1, kept, True)  # [B, S, G]
    return grouped.masked_fill(~open_groups[..., None], rule.group_fill).flatten(-2)  # [B, S, E]


def _strength(grouped: Tensor, rule: RoutingSpec) -> Tensor:
    """Rank of each group `[B, S, G]` by its strongest experts `[B, S, G, E / G]`; -inf where none is left."""
    best = 1 if rule.group_score == "max" else min(2, grouped.shape[-1])
    if not rule.banned:
        return grouped.topk(best, dim=-1).values.sum(dim=-1)
    taken = torch.zeros(rule.experts, dtype=torch.bool, device=grouped.device)
    taken[list(rule.banned)] = True
    open_only = grouped.masked_fill(taken.view(rule.groups, -1), -torch.inf)
    left = torch.tensor(left_in_groups(rule), device=grouped.device)  # [G]
    beyond = torch.arange(best, device=grouped.device) >= left[:, None]  # [G, best]
    strongest = open_only.topk(best, dim=-1).values.masked_fill(beyond, 0.0)
    return strongest.sum(dim=-1).masked_fill(left == 0, -torch.inf)


def _weights(chosen: Tensor, rule: RoutingSpec) -> Tensor:
    if rule.renormalise:
        total = torch.linalg.vector_norm(chosen, ord=rule.renormalise_power, dim=-1, keepdim=True)
        chosen = chosen / (total + rule.renormalise_eps).clamp(min=rule.renormalise_min)
    return chosen if rule.scale == 1.0 else chosen * rule.scale


def _over_capacity(index: Tensor, rule: RoutingSpec, *, mask: Tensor | None) -> Tensor:
    """Slots `[B, S, K]` that find their expert full: tokens in order, per sentence (Fedus 2021)."""
    if rule.capacity is None:
        return torch.zeros_like(index, dtype=torch.bool)
    real = torch.ones_like(index, dtype=torch.bool) if mask is None else mask[..., None].expand_as(index)
    visits = F.one_hot(index, rule.experts) * real[..., None]  # [B, S, K, E]
    queue = visits.flatten(1, 2).cumsum(dim=1).view_as(visits)  # place in the expert's queue, from 1
    place = queue.gather(-1, index[..., None])[..., 0]  # [B, S, K]
    return (place > rule.capacity) & real
