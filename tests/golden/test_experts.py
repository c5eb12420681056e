"""Mixtures of Experts against the blocks of transformers, router and experts together."""

import pytest
import torch

from ffn_explorer.core.ffn import FFN
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


@pytest.mark.parametrize("dtype", DTYPES)
def test_mixtral(dtype: torch.dtype) -> None:
    made = config("mixtral", "MixtralConfig", **SIZES, num_local_experts=6, num_experts_per_tok=2)
    block = randomised(hf("mixtral.modeling_mixtral", "MixtralSparseMoeBlock")(made), dtype)
    x = hidden_states((2, 7, 16), dtype)
    trace, routing = run(mixture(block, RoutingSpec(6, 2, renormalise=True)), x)
    assert_close(trace.out, reference(block, x))
    logits, weight, index = reference(block.gate, x)
    assert_close(routing.logits.flatten(0, 1), logits)
    assert_close(routing.weight.flatten(0, 1), weight)
    assert torch.equal(routing.index.flatten(0, 1), index)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("renormalise", [True, False])
def test_qwen2_moe_with_gated_shared_expert(renormalise: bool, dtype: torch.dtype) -> None:
    made = config(
        "qwen2_moe",
        "Qwen2MoeConfig",
        **SIZES,
        num_experts=6,
        num_experts_per_tok=3,
        moe_intermediate_size=20,
        shared_expert_intermediate_size=28,
        norm_topk_prob=renormalise,
    )
    block = randomised(hf("qwen2_moe.modeling_qwen2_moe", "Qwen2MoeSparseMoeBlock")(made), dtype)
    x = hidden_states((2, 7, 16), dtype)
    moe = MoE(
        spec_of(RoutingSpec(6, 3, renormalise=renormalise)),
        Router(block.gate.weight.data),
        halved(block.experts.gate_up_proj, block.experts.down_proj, BARE),
        shared=gated(block.shared_expert, BARE),
        shared_gate=block.shared_expert_gate.weight.data,
    )
    trace, routing = run(moe, x)
    assert_close(trace.out, reference(block, x))
    assert routing.shared is not None
    assert_close(routing.shared.out, reference(block.shared_expert, x))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("renormalise", [True, False])
def test_qwen3_moe(renormalise: bool, dtype: torch.dtype) -> None:
    made = config(
        "qwen3_moe",
        "Qwen3MoeConfig",
        **SIZES,
        num_experts=6,
        num_experts_per_tok=3,
        moe_intermediate_size=20,
        norm_topk_prob=renormalise,
    )
    block = randomised(hf("qwen3_moe.modeling_qwen3_moe", "Qwen3MoeSparseMoeBlock")(made), dtype)
    x = hidden_states((2, 7, 16), dtype)
    trace, _ = run(mixture(block, RoutingSpec(6, 3, renormalise=renormalise)), x)
    assert_close(trace.out, reference(block, x))


@pytest.mark.parametrize("dtype", DTYPES)
def test_gpt_oss_interleaved_clamped_and_offset(dtype: torch.dtype) -> None:
    made = config("gpt_oss", "GptOssConfig", **SIZES, num_local_experts=6, num_experts_per_tok=2)
    block = randomised(hf("gpt_oss.modeling_gpt_oss", "GptOssMLP")(made), dtype)
    # Large inputs, so that both clamps act.
    x = 12 * hidden_states((2, 7, 16), dtype)
    spec = FFNSpec(
        "silu",
        (("alpha", 1.702),),
        gated=True,
        residual=False,
        gate_limit=(-torch.inf, 7.0),
        up_limit=(-7.0, 7.0),
        up_offset=1.0,
    )
    tensors = block.experts
    experts = tuple(
        FFN(spec, w[:, 1::2].T, d.T, w[:, ::2].T, up_bias=b[1::2], gate_bias=b[::2], down_bias=c)
        for w, b, d, c in zip(
            tensors.gate_up_proj.data,
            tensors.gate_up_proj_bias.data,
            tensors.down_proj.data,
            tensors.down_proj_bias.data,
            strict=True,
        )
    )
    router = Router(block.router.weight.data, bias=block.router.bias.data)
    trace, routing = run(MoE(spec_of(RoutingSpec(6, 2, order="top_first")), router, experts), x)
    assert_close(trace.out, reference(block, x)[0])
    assert routing.gate is not None
    assert routing.gate.max() == 7.0
    assert routing.up.min() == -7.0


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("top_k", [1, 2])
def test_llama_4_weighs_the_input(top_k: int, dtype: torch.dtype) -> None:
    made = config("llama4", "Llama4TextConfig", **SIZES, num_local_experts=4, num_experts_per_tok=top_k)
    block = randomised(hf("llama4.modeling_llama4", "Llama4TextMoe")(made), dtype)
    x = hidden_states((2, 7, 16), dtype)
    experts = tuple(
        FFN(BARE, w[:, 24:].T, d.T, w[:, :24].T)
        for w, d in zip(block.experts.gate_up_proj.data, block.experts.down_proj.data, strict=True)
    )
    rule = RoutingSpec(4, top_k, order="top_first", score="sigmoid", weigh="input")
    moe = MoE(
        spec_of(rule), Router(block.router.weight.data), experts, shared=gated(block.shared_expert, BARE)
    )
    trace, _ = run(moe, x)
    assert_close(trace.out, reference(block, x)[0].view_as(x))


@pytest.mark.parametrize("dtype", DTYPES)
def test_granite_moe_scores_the_chosen_logits(dtype: torch.dtype) -> None:
    made = config("granitemoe", "GraniteMoeConfig", **SIZES, num_local_experts=6, num_experts_per_tok=3)
    block = randomised(hf("granitemoe.modeling_granitemoe", "GraniteMoeMoE")(made), dtype)
    x = hidden_states((2, 7, 16), dtype)
    moe = MoE(
        spec_of(RoutingSpec(6, 3, order="top_first")),
        Router(block.router.weight.data),
        halved(block.experts.gate_up_proj, block.experts.down_proj, BARE),
    )
    trace, _ = run(moe, x)
    assert_close(trace.out, reference(block, x))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("capacity", [1, 2, 64])
def test_switch_drops_tokens_over_capacity(capacity: int, dtype: torch.dtype) -> None:
    name = "switch_transformers"
    made = config(
        name,
        "SwitchTransformersConfig",
        d_model=16,
        d_ff=24,
        num_experts=3,
        expert_capacity=capacity,
        num_heads=2,
        d_kv=8,
    )
    block = randomised(hf(f"{name}.modeling_{name}", "SwitchTransformersSparseMLP")(made), dtype)
    # The router has a dtype of its own, float32 by default.
    block.router.dtype = dtype
    x = hidden_states((2, 7, 16), dtype)
    bare = FFNSpec("relu", residual=False)
    experts = tuple(FFN(bare, e.wi.weight.data, e.wo.weight.data) for e in block.experts.values())
    spec = FFNSpec("relu", residual=False, routing=RoutingSpec(3, 1, capacity=capacity))
    trace, routing = run(MoE(spec, Router(block.router.classifier.weight.data), experts), x)
    assert_close(trace.out, reference(block, x))
    assert bool(routing.dropped.any()) == (capacity < 64)
    assert (trace.out[routing.dropped[..., 0]] == 0).all()
