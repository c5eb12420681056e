"""What a person takes from a router, or forces on it: the choice obeys, the rule's own weights stay."""

from dataclasses import replace
from typing import Any

import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st

from ffn_explorer.core import experiment
from ffn_explorer.core.choice import allowed, check_choice, left_in_groups
from ffn_explorer.core.edits import Edits
from ffn_explorer.core.errors import InputError
from ffn_explorer.core.forward_pass import forward
from ffn_explorer.core.moe import Router
from ffn_explorer.core.proof import prove
from ffn_explorer.core.routing import route
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.spec import RoutingSpec
from ffn_explorer.core.stages import Stage
from tests.unit.test_routing import SEEDS, D, E, draw, make, run, same

SHARED = Settings(d_model=8, d_ff=12, heads=2, kv_heads=2, experts=4, top_k=2, activation="swiglu")


@st.composite
def rules(draw_from: st.DrawFn) -> RoutingSpec:
    """A rule of every order, score and grouping, with edits that leave it possible."""
    groups = draw_from(st.sampled_from([1, 2, 3]))
    kept = draw_from(st.integers(1, groups))
    rule = RoutingSpec(
        E,
        draw_from(st.integers(1, E // groups * kept)),
        order=draw_from(st.sampled_from(["score_first", "top_first"])),
        score=draw_from(st.sampled_from(["softmax", "sigmoid", "sqrt_softplus"])),
        renormalise=draw_from(st.booleans()),
        groups=groups,
        groups_kept=kept,
        group_score=draw_from(st.sampled_from(["max", "top2sum"])),
        group_fill=-torch.inf,
        banned=tuple(draw_from(st.sets(st.integers(0, E - 1), max_size=E - 1))),
        forced=draw_from(st.none() | st.integers(0, E - 1)),
    )
    try:
        check_choice(rule)
    except InputError:
        assume(False)
    return rule


@given(rules(), SEEDS)
def test_nobody_visits_a_banned_expert_and_everybody_the_forced_one(rule: RoutingSpec, seed: int) -> None:
    found = route(draw(2, 5, D, seed=seed), make(rule, seed=seed))
    assert not torch.isin(found.index, torch.tensor(rule.banned)).any()
    assert (found.index.sort(dim=-1).values.diff(dim=-1) > 0).all()
    if rule.forced is not None:
        assert (found.index == rule.forced).any(dim=-1).all()


@given(rules(), SEEDS)
def test_weights_are_the_rules_own(rule: RoutingSpec, seed: int) -> None:
    found = route(draw(2, 5, D, seed=seed), make(rule, seed=seed))
    if rule.renormalise:
        same(found.weight.sum(dim=-1), torch.ones(2, 5, dtype=torch.float64))
        return
    chosen = found.logits.gather(-1, found.index)
    if rule.score == "sigmoid":
        same(found.weight, torch.sigmoid(chosen))
    elif rule.score == "softmax":
        over = chosen if rule.order == "top_first" else found.logits
        same(found.weight, torch.exp(chosen - over.logsumexp(dim=-1, keepdim=True)))
    else:
        same(found.weight, torch.nn.functional.softplus(chosen).sqrt())


@given(rules(), SEEDS)
def test_edits_that_change_no_choice_change_not_one_bit(rule: RoutingSpec, seed: int) -> None:
    plain = replace(rule, banned=(), forced=None)
    x, moe = draw(2, 5, D, seed=seed), make(plain, seed=seed)
    found, index = forward(moe, x), route(x, moe).index
    idle = [expert for expert in range(E) if not (index == expert).any()]
    everywhere = [expert for expert in range(E) if (index == expert).any(dim=-1).all()]
    forced = everywhere[0] if everywhere else None
    banned = tuple(idle) if rule.groups == 1 else ()
    again = forward(make(replace(plain, banned=banned, forced=forced), seed=seed), x)
    assert torch.equal(again.result, found.result)


@given(SEEDS, st.integers(1, E), st.sampled_from(["softmax", "sigmoid"]))
def test_without_edits_the_best_are_chosen_as_torch_ranks_them(seed: int, top_k: int, score: Any) -> None:
    x = draw(2, 5, D, seed=seed)
    first = route(x, make(RoutingSpec(E, top_k, order="top_first", score=score), seed=seed))
    best = first.logits.topk(top_k, dim=-1)
    assert torch.equal(first.index, best.indices)
    alone = torch.full_like(first.logits, -torch.inf).scatter(-1, best.indices, best.values)
    scored = torch.softmax(alone, dim=-1) if score == "softmax" else torch.sigmoid(alone)
    assert torch.equal(first.weight, scored.gather(-1, best.indices))
    second = route(x, make(RoutingSpec(E, top_k, score=score), seed=seed))
    assert torch.equal(second.index, second.scores.topk(top_k, dim=-1).indices)


@given(SEEDS, st.integers(0, E - 1))
def test_the_forced_expert_takes_the_place_of_the_weakest(seed: int, forced: int) -> None:
    x, rule = draw(1, 7, D, seed=seed), RoutingSpec(E, 3)
    plain, found = route(x, make(rule, seed=seed)), route(x, make(replace(rule, forced=forced), seed=seed))
    by_itself = (plain.index == forced).any(dim=-1)
    assert torch.equal(found.index[by_itself], plain.index[by_itself])
    assert torch.equal(found.index[..., :2], plain.index[..., :2])
    assert (found.index[~by_itself][:, 2] == forced).all()


@given(SEEDS, st.integers(0, E - 1))
def test_a_ban_moves_everybody_to_the_next_best(seed: int, banned: int) -> None:
    x = draw(1, 7, D, seed=seed)
    all_ranked = route(x, make(RoutingSpec(E, E), seed=seed)).index[0]  # [S, E], best first
    found = route(x, make(RoutingSpec(E, 2, banned=(banned,)), seed=seed))
    wanted = torch.stack([row[row != banned][:2] for row in all_ranked])
    assert torch.equal(found.index[0], wanted)


def test_a_group_is_ranked_by_the_experts_left_in_it() -> None:
    """Groups (0, 1), (2, 3), (4, 5): scores 0.9 0.1 | 0.6 0.5 | 0.4 0.8, two best summed."""
    scores = torch.tensor([0.9, 0.1, 0.6, 0.5, 0.4, 0.8], dtype=torch.float64)
    x = torch.ones(1, 1, 1, dtype=torch.float64)
    more: dict[str, Any] = {"groups": 3, "groups_kept": 1, "group_score": "top2sum"}
    for banned, wanted in (((), [5]), ((5,), [2]), ((2, 3), [5]), ((2, 5), [0]), ((0, 1, 4), [2])):
        rule = RoutingSpec(E, 1, score="sigmoid", group_fill=-torch.inf, banned=banned, **more)
        moe = replace(make(rule), router=Router(torch.logit(scores)[:, None]))
        assert route(x, moe).index[0, 0].tolist() == wanted


def test_rows_without_numbers_bring_no_banned_expert_back() -> None:
    x = draw(1, 3, D)
    x[0, 1] = float("nan")
    x[0, 2] = float("-inf")
    for order in ("score_first", "top_first"):
        rule = RoutingSpec(E, 2, order=order, banned=(0, 3), forced=5)
        found = route(x, make(rule))
        assert not torch.isin(found.index, torch.tensor([0, 3])).any()
        assert (found.index == 5).any(dim=-1).all()


def test_what_cannot_be_is_refused_with_a_sentence() -> None:
    grouped = RoutingSpec(6, 2, groups=3, groups_kept=1)
    check_choice(replace(grouped, banned=(0, 1)))
    check_choice(replace(grouped, groups_kept=2, banned=(0, 2, 4)))
    for rule, key in (
        (RoutingSpec(4, 2, banned=(0, 1, 2)), "error.banned"),
        (RoutingSpec(4, 2, banned=(1,), forced=1), "error.forced_banned"),
        (replace(grouped, banned=(0,)), "error.banned_groups"),
        (replace(grouped, groups_kept=2, top_k=3, banned=(0, 2)), "error.banned_groups"),
    ):
        with pytest.raises(InputError) as refused:
            check_choice(rule)
        assert refused.value.key == key
        with pytest.raises(InputError):
            route(draw(1, 2, D), make(rule))
    assert left_in_groups(replace(grouped, banned=(0, 1, 4))) == [0, 2, 1]
    assert allowed(replace(grouped, banned=(5, 0))) == [1, 2, 3, 4]


def test_edits_are_checked_against_the_settings() -> None:
    grouped = SHARED.with_(experts=8, expert_groups=4, groups_kept=1, routing="sigmoid_bias")
    assert Edits(banned=(1, 9), forced=12).fitting(SHARED) == Edits(banned=(1,))
    assert Edits(banned=(1,)).fitting(grouped.with_(routing="softmax_topk")) == Edits(banned=(1,))
    with pytest.raises(InputError):
        Edits(banned=(1,)).fitting(grouped)
    assert Edits(banned=(1,)).fitting(SHARED.with_(experts=1, top_k=1)) == Edits()


def test_a_forced_expert_still_has_limited_room() -> None:
    trace, routing = run(make(RoutingSpec(E, 1, forced=2, capacity=3)), draw(1, 5, D))
    assert routing.dropped[0, :, 0].tolist() == [False] * 3 + [True] * 2
    assert (trace.out[0, 3:] == 0).all()


@pytest.mark.parametrize("routing", ["softmax_topk", "softmax_topk_renorm", "topk_softmax", "sigmoid_bias"])
def test_a_whole_run_obeys_and_can_be_proved(routing: str) -> None:
    edits = Edits(banned=(0,), forced=3)
    made = experiment.run(SHARED.with_(routing=routing), [["a", "b", "c"]], edits=edits)
    found = made.trace.routing
    assert found is not None
    assert not (found.index == 0).any()
    assert (found.index == 3).any(dim=-1).all()
    proof = prove(made, Stage.OUT, sentence=0, token=1, index=5)
    assert proof.difference <= proof.tolerance
