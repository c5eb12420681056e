"""Routers with groups, selection biases and unusual scores against the blocks of transformers."""

from typing import Any

import pytest
import torch

from ffn_explorer.core.ffn import FFN
from ffn_explorer.core.forward_pass import forward
from ffn_explorer.core.moe import MoE, Router
from ffn_explorer.core.spec import FFNSpec, RoutingSpec
from tests.golden.library import (
    DTYPES,
    assert_close,
    config,
    gated,
    halved,
    hf,
    hidden_states,
    randomised,
    reference,
)
from tests.golden.mixtures import BARE, SIZES, mixture, run, spec_of

DEEPSEEK: dict[str, Any] = {
    "n_routed_experts": 12,
    "num_experts_per_tok": 4,
    "n_group": 4,
    "topk_group": 2,
    "moe_intermediate_size": 20,
    "n_shared_experts": 2,
    "routed_scaling_factor": 2.5,
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("renormalise", [True, False])
def test_deepseek_v3_with_groups_and_selection_bias(renormalise: bool, dtype: torch.dtype) -> None:
    made = config("deepseek_v3", "DeepseekV3Config", **SIZES, **DEEPSEEK, norm_topk_prob=renormalise)
    block = randomised(hf("deepseek_v3.modeling_deepseek_v3", "DeepseekV3MoE")(made), dtype)
    x = hidden_states((2, 9, 16), dtype)
    rule = RoutingSpec(
        12,
        4,
        score="sigmoid",
        renormalise=renormalise,
        renormalise_eps=1e-20,
        scale=2.5,
        groups=4,
        groups_kept=2,
        group_score="top2sum",
        group_fill=-torch.inf,
    )
    trace, routing = run(mixture(block, rule, shared="shared_experts"), x)
    assert_close(trace.out, reference(block, x))
    without_bias = forward(
        MoE(spec_of(rule), Router(block.gate.weight.data), mixture(block, rule).experts), x, x_is="ffn-input"
    )
    assert without_bias.routing is not None
    assert not torch.equal(without_bias.routing.index, routing.index)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("method", ["greedy", "group_limited_greedy"])
def test_deepseek_v2(method: str, dtype: torch.dtype) -> None:
    made = config("deepseek_v2", "DeepseekV2Config", **SIZES, **DEEPSEEK, topk_method=method)
    block = randomised(hf("deepseek_v2.modeling_deepseek_v2", "DeepseekV2Moe")(made), dtype)
    x = hidden_states((2, 9, 16), dtype)
    groups, kept = (4, 2) if method == "group_limited_greedy" else (1, 1)
    rule = RoutingSpec(12, 4, scale=2.5, groups=groups, groups_kept=kept)
    trace, _ = run(mixture(block, rule, shared="shared_experts"), x)
    assert_close(trace.out, reference(block, x))


@pytest.mark.parametrize("dtype", DTYPES)
def test_deepseek_v4_with_root_softplus_and_limits(dtype: torch.dtype) -> None:
    made = config(
        "deepseek_v4",
        "DeepseekV4Config",
        **SIZES,
        num_local_experts=6,
        num_experts_per_tok=3,
        swiglu_limit=0.4,
        mlp_layer_types=["moe"],
    )
    block = randomised(hf("deepseek_v4.modeling_deepseek_v4", "DeepseekV4SparseMoeBlock")(made, 0), dtype)
    x = hidden_states((2, 9, 16), dtype)
    rule = RoutingSpec(
        6,
        3,
        score="sqrt_softplus",
        renormalise=True,
        renormalise_eps=1e-20,
        scale=made.routed_scaling_factor,
    )
    limited = FFNSpec("silu", gated=True, gate_limit=(-torch.inf, 0.4), up_limit=(-0.4, 0.4))
    moe = MoE(
        spec_of(rule),
        Router(block.gate.weight.data, selection_bias=block.gate.e_score_correction_bias),
        halved(block.experts.gate_up_proj, block.experts.down_proj, limited),
        shared=gated(block.shared_experts, limited),
    )
    trace, _ = run(moe, x)
    assert_close(trace.out, reference(block, x))


@pytest.mark.parametrize("dtype", DTYPES)
def test_ernie_with_selection_bias_and_bounded_sum(dtype: torch.dtype) -> None:
    made = config(
        "ernie4_5_moe",
        "Ernie4_5_MoeConfig",
        **SIZES,
        moe_num_experts=6,
        moe_k=2,
        moe_intermediate_size=20,
        moe_num_shared_experts=1,
        moe_norm_min=0.7,
    )
    block = randomised(hf("ernie4_5_moe.modeling_ernie4_5_moe", "Ernie4_5_MoeSparseMoeBlock")(made), dtype)
    x = hidden_states((2, 9, 16), dtype)
    rule = RoutingSpec(6, 2, renormalise=True, renormalise_min=0.7)
    moe = MoE(
        spec_of(rule),
        Router(block.gate.weight.data, selection_bias=block.gate.moe_statics.e_score_correction_bias.data[0]),
        halved(block.experts.gate_up_proj, block.experts.down_proj, BARE),
        shared=gated(block.shared_experts, BARE),
    )
    trace, _ = run(moe, x)
    assert_close(trace.out, reference(block, x))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("score", ["softmax", "sigmoid"])
def test_cohere2_moe_averages_with_its_shared_expert(score: Any, dtype: torch.dtype) -> None:
    made = config(
        "cohere2_moe",
        "Cohere2MoeConfig",
        **SIZES,
        num_experts=6,
        num_experts_per_tok=2,
        num_shared_experts=1,
        expert_selection_fn=score,
        norm_topk_prob=True,
        shared_expert_combination_strategy="average",
    )
    block = randomised(hf("cohere2_moe.modeling_cohere2_moe", "Cohere2MoeSparseMoeBlock")(made), dtype)
    x = hidden_states((2, 7, 16), dtype)
    rule = RoutingSpec(6, 2, order="top_first", score=score, renormalise=score == "sigmoid")
    moe = mixture(block, rule, shared="shared_experts", spec=spec_of(rule, output_scale=0.5))
    trace, _ = run(moe, x)
    assert_close(trace.out, reference(block, x))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("power", [1.0, 2.0])
def test_dbrx_with_p_norm(power: float, dtype: torch.dtype) -> None:
    ffn_config = {
        "hidden_size": 16,
        "ffn_hidden_size": 20,
        "moe_num_experts": 6,
        "moe_top_k": 3,
        "moe_normalize_expert_weights": power,
    }
    made = config("dbrx", "DbrxConfig", d_model=16, n_heads=2, n_layers=1, ffn_config=ffn_config)
    block = randomised(hf("dbrx.modeling_dbrx", "DbrxFFN")(made), dtype)
    x = hidden_states((2, 7, 16), dtype)
    w1, v1, w2 = (getattr(block.experts.mlp, name).data.view(6, 20, 16) for name in ("w1", "v1", "w2"))
    moe = MoE(
        spec_of(RoutingSpec(6, 3, renormalise=True, renormalise_power=power)),
        Router(block.router.layer.weight.data),
        tuple(FFN(BARE, up, down.T, gate) for gate, up, down in zip(w1, v1, w2, strict=True)),
    )
    trace, _ = run(moe, x)
    assert_close(trace.out, reference(block, x))


@pytest.mark.parametrize("dtype", DTYPES)
def test_laguna_with_capped_logits(dtype: torch.dtype) -> None:
    made = config(
        "laguna",
        "LagunaConfig",
        **SIZES,
        num_experts=6,
        num_experts_per_tok=2,
        moe_router_logit_softcapping=0.8,
    )
    router = randomised(hf("laguna.modeling_laguna", "LagunaTopKRouter")(made), dtype)
    x = hidden_states((2, 7, 16), dtype)
    up, down, gate = hidden_states((3, 16, 16), dtype)
    experts = (FFN(BARE, up, down, gate),) * 6
    rule = RoutingSpec(6, 2, score="sigmoid", renormalise=True, logit_softcap=0.8)
    moe = MoE(
        spec_of(rule), Router(router.weight.data, selection_bias=router.e_score_correction_bias.data), experts
    )
    _, routing = run(moe, x)
    logits, weight, index = reference(router, x)
    assert_close(routing.logits.flatten(0, 1), logits)
    assert_close(routing.weight.flatten(0, 1), weight)
    assert torch.equal(routing.index.flatten(0, 1), index)
