"""The router and its experts: rules, capacity, padding, and what a mixture must equal."""

from dataclasses import replace
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from ffn_explorer.core.ffn import FFN
from ffn_explorer.core.forward_pass import forward
from ffn_explorer.core.moe import MoE, Router
from ffn_explorer.core.routing import route
from ffn_explorer.core.spec import FFNSpec, NormSpec, RoutingSpec
from ffn_explorer.core.trace import Routing, Trace

D, F, E = 6, 10, 6
SEEDS = st.integers(0, 100_000)
BARE = FFNSpec("silu", gated=True, residual=False)


def draw(*shape: int, seed: int = 0) -> Tensor:
    """Seeded standard normal numbers in float64."""
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def expert(seed: int) -> FFN:
    """Bare SwiGLU FFN with biases."""
    return FFN(
        BARE,
        draw(F, D, seed=seed),
        draw(D, F, seed=seed + 1),
        draw(F, D, seed=seed + 2),
        up_bias=draw(F, seed=seed + 3),
        gate_bias=draw(F, seed=seed + 4),
        down_bias=draw(D, seed=seed + 5),
    )


def make(rule: RoutingSpec, *, seed: int = 0, equal: bool = False, **more: Any) -> MoE:
    """MoE with seeded experts, all the same if `equal`."""
    experts = tuple(expert(seed if equal else seed + 10 * i) for i in range(rule.experts))
    spec = FFNSpec("silu", gated=True, norm=NormSpec("rms", "pre"), routing=rule)
    return MoE(spec, Router(draw(rule.experts, D, seed=seed + 999)), experts, **more)


def same(a: Tensor, b: Tensor) -> None:
    """Equality up to rounding in float64."""
    torch.testing.assert_close(a, b, rtol=1e-11, atol=1e-11)


def run(moe: MoE, x: Tensor, **more: Any) -> tuple[Trace, Routing]:
    """Trace and its routing."""
    trace = forward(moe, x, **more)
    assert trace.routing is not None
    return trace, trace.routing


@given(SEEDS, st.integers(1, E))
def test_equal_experts_with_renormalised_weights_are_one_dense_ffn(seed: int, top_k: int) -> None:
    moe = make(RoutingSpec(E, top_k, renormalise=True), seed=seed, equal=True)
    dense = replace(moe.experts[0], spec=replace(moe.spec, routing=None))
    x = draw(2, 4, D, seed=seed)
    same(forward(moe, x).residual, forward(dense, x).residual)


@given(SEEDS, st.booleans())
def test_all_experts_chosen_is_the_full_mixture(seed: int, renormalise: bool) -> None:
    moe, x = make(RoutingSpec(E, E, renormalise=renormalise), seed=seed), draw(2, 4, D, seed=seed)
    trace, routing = run(moe, x)
    share = torch.softmax(trace.normed @ moe.router.weight.T, dim=-1)
    outs = [forward(ffn, trace.normed, x_is="ffn-input").out for ffn in moe.experts]
    same(trace.out, sum((share[..., i, None] * out for i, out in enumerate(outs)), torch.zeros_like(x)))
    same(routing.scores, share)


@given(SEEDS, st.integers(1, E))
def test_choosing_first_equals_scoring_first_and_renormalising(seed: int, top_k: int) -> None:
    x = draw(2, 4, D, seed=seed)
    first, _ = run(make(RoutingSpec(E, top_k, order="top_first"), seed=seed), x)
    second, _ = run(make(RoutingSpec(E, top_k, renormalise=True), seed=seed), x)
    same(first.out, second.out)


@given(SEEDS)
def test_permuting_tokens_permutes_rows_without_capacity(seed: int) -> None:
    moe, x = make(RoutingSpec(E, 2), seed=seed), draw(1, 6, D, seed=seed)
    order = torch.randperm(6, generator=torch.Generator().manual_seed(seed))
    same(forward(moe, x[:, order]).residual, forward(moe, x).residual[:, order])


def test_capacity_makes_a_token_depend_on_those_before_it() -> None:
    moe, x = make(RoutingSpec(2, 1, capacity=1)), draw(1, 8, D)
    whole, routing = run(moe, x)
    lost = int(routing.dropped[0, :, 0].nonzero()[0])
    alone, _ = run(moe, x[:, lost : lost + 1])
    assert (whole.out[0, lost] == 0).all()
    assert alone.out.abs().sum() > 0
    same(whole.residual[0, lost], x[0, lost])


@given(SEEDS, st.integers(1, 5), st.integers(1, 3))
def test_no_expert_takes_more_than_its_capacity_and_first_come_first_served(
    seed: int, capacity: int, top_k: int
) -> None:
    moe, x = make(RoutingSpec(3, top_k, capacity=capacity), seed=seed), draw(2, 9, D, seed=seed)
    found = route(x, moe)
    for sentence in range(2):
        room = [capacity] * 3
        for token in range(9):
            for slot in range(top_k):
                chosen = int(found.index[sentence, token, slot])
                assert bool(found.dropped[sentence, token, slot]) == (room[chosen] == 0)
                room[chosen] = max(0, room[chosen] - 1)


def test_padding_uses_no_capacity_and_is_zero_everywhere() -> None:
    moe = make(RoutingSpec(2, 1, capacity=2), shared=expert(700), shared_gate=draw(1, D))
    x = draw(1, 9, D)
    mask = torch.tensor([[False, True, False, True, True, True, True, False, False]])
    spoiled = torch.where(mask[..., None], x, torch.full_like(x, float("nan")))
    trace, routing = run(moe, spoiled, mask=mask)
    packed, packed_routing = run(moe, x[:, mask[0]])
    same(trace.residual[mask], packed.residual[0])
    assert torch.equal(routing.dropped[mask], packed_routing.dropped[0])
    assert routing.dropped[mask].any()
    assert not routing.dropped[~mask].any()
    shared_weight, shared = routing.shared_weight, routing.shared
    assert shared_weight is not None
    assert shared is not None
    inside = (routing.up, routing.act, routing.hidden, routing.expert_out)
    router = (routing.weight, routing.logits, routing.scores, shared_weight)
    for stage in (*inside, *router, shared.out, trace.out, trace.residual):
        assert (stage[~mask] == 0).all()


def test_routing_holds_what_the_chosen_experts_computed() -> None:
    moe, x = make(RoutingSpec(E, 3)), draw(2, 4, D)
    trace, routing = run(moe, x)
    assert routing.up.shape == routing.hidden.shape == (2, 4, 3, F)
    assert routing.expert_out.shape == (2, 4, 3, D)
    assert routing.gate is not None
    for b, s, k in ((0, 0, 0), (1, 3, 2), (0, 2, 1)):
        alone = forward(moe.experts[int(routing.index[b, s, k])], trace.normed[b : b + 1, s : s + 1])
        assert alone.gate is not None
        same(routing.up[b, s, k], alone.up[0, 0])
        same(routing.gate[b, s, k], alone.gate[0, 0])
        same(routing.act[b, s, k], alone.act[0, 0])
        same(routing.hidden[b, s, k], alone.hidden[0, 0])
        same(routing.expert_out[b, s, k], alone.out[0, 0])
    assert torch.equal(trace.hidden, routing.hidden[:, :, 0])
    assert (routing.weight[..., :-1] >= routing.weight[..., 1:]).all()


def test_selection_bias_chooses_but_does_not_weigh() -> None:
    moe = make(RoutingSpec(E, 2, score="sigmoid"))
    bias = torch.zeros(E, dtype=torch.float64)
    bias[4] = 10.0
    biased = replace(moe, router=replace(moe.router, selection_bias=bias))
    x = draw(2, 5, D)
    found = route(x, biased)
    assert (found.index[..., 0] == 4).all()
    same(found.weight, torch.sigmoid(x @ moe.router.weight.T).gather(-1, found.index))
    assert not torch.equal(found.index, route(x, moe).index)


def test_experts_come_from_kept_groups_only() -> None:
    rule = RoutingSpec(E, 2, groups=3, groups_kept=1, group_score="top2sum", group_fill=-torch.inf)
    found = route(draw(4, 9, D), make(rule))
    assert (found.index[..., 0] // 2 == found.index[..., 1] // 2).all()
    pairs = found.scores.view(4, 9, 3, 2).sum(dim=-1)
    assert torch.equal(pairs.argmax(dim=-1), found.index[..., 0] // 2)


@pytest.mark.parametrize(("fill", "inside"), [(-torch.inf, True), (0.0, False)])
def test_group_fill_decides_when_every_score_is_negative(fill: float, inside: bool) -> None:
    moe = make(RoutingSpec(E, 2, score="sigmoid", groups=3, groups_kept=1, group_fill=fill))
    below = replace(moe, router=replace(moe.router, selection_bias=torch.full((E,), -5.0)))
    x = draw(2, 4, D)
    found = route(x, below)
    best = found.scores.view(2, 4, 3, 2).amax(dim=-1).argmax(dim=-1, keepdim=True)
    assert ((found.index // 2 == best) == inside).all()


@pytest.mark.parametrize(("score", "wanted"), [("sigmoid", torch.sigmoid), ("softmax", None)])
def test_top_first_scores_only_the_chosen(score: Any, wanted: Any) -> None:
    found = route(draw(2, 3, D), make(RoutingSpec(E, 2, order="top_first", score=score)))
    assert ((found.scores > 0).sum(dim=-1) == 2).all()
    best = found.logits.topk(2, dim=-1).values
    same(found.weight, torch.softmax(best, dim=-1) if wanted is None else wanted(best))


def test_weights_are_bounded_scaled_and_normalised() -> None:
    x = draw(2, 3, D)
    plain = route(x, make(RoutingSpec(E, 2))).weight
    total = plain.sum(dim=-1, keepdim=True)
    eps = route(x, make(RoutingSpec(E, 2, renormalise=True, renormalise_eps=0.5, scale=2.5))).weight
    same(eps, 2.5 * plain / (total + 0.5))
    low = route(x, make(RoutingSpec(E, 2, renormalise=True, renormalise_min=0.8))).weight
    same(low, plain / total.clamp(min=0.8))
    length = route(x, make(RoutingSpec(E, 2, renormalise=True, renormalise_power=2.0))).weight
    same(length.square().sum(dim=-1), torch.ones(2, 3, dtype=torch.float64))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_types_are_routed_in_float32(dtype: torch.dtype) -> None:
    full = make(RoutingSpec(E, 2, renormalise=True))
    half = [
        FFN(BARE, ffn.up.to(dtype), ffn.down.to(dtype), None if ffn.gate is None else ffn.gate.to(dtype))
        for ffn in full.experts
    ]
    moe = MoE(full.spec, Router(full.router.weight.to(dtype)), tuple(half))
    trace, routing = run(moe, draw(2, 3, D).to(dtype))
    assert routing.logits.dtype == routing.scores.dtype == torch.float32
    assert routing.weight.dtype == trace.out.dtype == trace.residual.dtype == dtype


def test_nothing_but_padding_and_spoiled_rows_pass() -> None:
    moe, x = make(RoutingSpec(E, 2, capacity=1)), draw(1, 3, D)
    trace, _ = run(moe, x, mask=torch.zeros(1, 3, dtype=torch.bool))
    assert (trace.residual == 0).all()
    assert forward(moe, draw(0, 3, D)).result.shape == (0, 3, D)
    x[0, 1] = float("nan")
    spoiled, _ = run(make(RoutingSpec(E, 2)), x)
    assert spoiled.residual[0, 1].isnan().all()
    assert torch.isfinite(spoiled.residual[0, [0, 2]]).all()


def test_gradients_reach_router_and_experts() -> None:
    moe = make(RoutingSpec(E, 2, renormalise=True))
    router, up = moe.router.weight.requires_grad_(), moe.experts[0].up.requires_grad_()
    torch.autograd.backward([forward(moe, draw(2, 20, D)).result.square().sum()])
    assert router.grad is not None
    assert up.grad is not None
    assert router.grad.abs().sum() > 0
    assert up.grad.abs().sum() > 0


def test_experts_apply_scales_of_their_own() -> None:
    moe, x, scale = make(RoutingSpec(E, 2)), draw(1, 3, D), draw(D, seed=5)
    own = tuple(replace(ffn, spec=replace(BARE, output_scale=0.5), layer_scale=scale) for ffn in moe.experts)
    same(forward(replace(moe, experts=own), x).out, 0.5 * scale * forward(moe, x).out)


def test_scales_of_the_whole_mixture_multiply_the_sum() -> None:
    moe, x = make(RoutingSpec(E, 2)), draw(1, 3, D)
    scale = draw(D, seed=5)
    scaled = replace(moe, spec=replace(moe.spec, output_scale=0.5), layer_scale=scale)
    same(forward(scaled, x).out, 0.5 * scale * forward(moe, x).out)
