"""Planted mixtures of families that no library here can make, with what they compute written out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as fn
from torch import Tensor

from tests.golden.family_plants import D, E, Plain, Tensors, drawn

Experts = list[Plain]


def swiglu_of(expert: Plain, x: Tensor) -> Tensor:
    return expert.gated(x, fn.silu)


def weighted(x: Tensor, experts: Experts, weights: Tensor, f: Callable[[Plain, Tensor], Tensor]) -> Tensor:
    """Sum of every expert's output times its weight `[S, E]` (0 where it is not chosen)."""
    return torch.stack([weights[:, e, None] * f(expert, x) for e, expert in enumerate(experts)]).sum(dim=0)


def chosen(scores: Tensor, k: int) -> Tensor:
    """Ones at the K best of the last axis."""
    return torch.zeros_like(scores).scatter(-1, scores.topk(k, dim=-1).indices, 1.0)


def router() -> Tensor:
    """Seeded `[E, D]`."""
    return torch.randn(E, D, generator=torch.Generator().manual_seed(9))


def meta_llama4(experts: Experts) -> tuple[Tensors, dict[str, Any], Callable[[Tensor], Tensor]]:
    """The weight multiplies the input; experts in one matrix, inputs first, as the router; a shared one."""
    shared = drawn(77)
    head = "layers.0.feed_forward."
    names = {
        head + "experts.moe_w_in_eD_F": torch.cat([e.gate.T for e in experts]),
        head + "experts.moe_w_swiglu_eD_F": torch.cat([e.up.T for e in experts]),
        head + "experts.moe_w_out_eF_D": torch.cat([e.down.T for e in experts]),
        head + "router_DE": router().T.contiguous(),
        head + "w_in_shared_FD.weight": shared.gate, head + "w_swiglu_FD.weight": shared.up,
        head + "w_out_shared_DF.weight": shared.down, head + "norm.weight": torch.ones(D),
    }  # fmt: skip

    def formula(x: Tensor) -> Tensor:
        logits = x @ router().T
        weights = torch.sigmoid(logits) * chosen(logits, 1)
        routed = torch.stack([swiglu_of(e, x * weights[:, n, None]) for n, e in enumerate(experts)]).sum(
            dim=0
        )
        return routed + swiglu_of(shared, x)

    return names, {"model_type": "meta_llama4", "moe_args": {"top_k": 1, "num_experts": E}}, formula


def gpt_oss_original(experts: Experts) -> tuple[Tensors, dict[str, Any], Callable[[Tensor], Tensor]]:
    """Rows alternate gate, up; clamped, sigma(1.702 z), one added; top-k, then softmax."""
    head = "block.0.mlp."
    both = torch.stack([torch.stack([e.gate, e.up], dim=1).flatten(0, 1) for e in experts])
    biases = torch.stack([torch.stack([e.gate_bias, e.up_bias], dim=1).flatten() for e in experts])
    bias = torch.tensor([0.3, -0.2, 0.1])
    names = {
        head + "mlp1_weight": both, head + "mlp1_bias": biases,
        head + "mlp2_weight": torch.stack([e.down for e in experts]),
        head + "mlp2_bias": torch.stack([e.down_bias for e in experts]),
        head + "gate.weight": router(), head + "gate.bias": bias, head + "norm.scale": torch.ones(D),
    }  # fmt: skip

    def one(e: Plain, x: Tensor) -> Tensor:
        gate = fn.linear(x, e.gate, e.gate_bias).clamp(max=7.0)
        up = fn.linear(x, e.up, e.up_bias).clamp(-7.0, 7.0)
        return fn.linear((up + 1) * gate * torch.sigmoid(1.702 * gate), e.down, e.down_bias)

    def formula(x: Tensor) -> Tensor:
        logits = x @ router().T + bias
        kept = logits.masked_fill(chosen(logits, 2) == 0, -torch.inf)
        return weighted(x, experts, torch.softmax(kept, dim=-1), one)

    return names, {"model_type": "gpt_oss_original", "experts_per_token": 2, "num_experts": E}, formula


def grok1(experts: Experts) -> tuple[Tensors, dict[str, Any], Callable[[Tensor], Tensor]]:
    """Linear gate, linear_v up, linear_1 down; softmax before the choice."""
    head = "transformer.decoder_layer.0."
    names: Tensors = {head + "router.weight": router(), head + "rms_norm_2.weight": torch.ones(D)}
    names[head + "rms_norm_3.weight"] = torch.ones(D)
    for n, e in enumerate(experts):
        names |= {
            f"{head}moe.{n}.linear.weight": e.gate, f"{head}moe.{n}.linear_v.weight": e.up,
            f"{head}moe.{n}.linear_1.weight": e.down,
        }  # fmt: skip

    def formula(x: Tensor) -> Tensor:
        scores = torch.softmax(x @ router().T, dim=-1)
        return weighted(
            x,
            experts,
            scores * chosen(scores, 2),
            lambda e, t: e.gated(t, lambda z: fn.gelu(z, approximate="tanh")),
        )

    return names, {"model_type": "grok-1", "num_experts_per_tok": 2, "num_experts": E}, formula


def gguf_experts(
    experts: Experts, *, joined: bool
) -> tuple[Tensors, dict[str, Any], Callable[[Tensor], Tensor]]:
    """Stacks of experts, gate and up apart or joined; weights that sum to 1."""
    head = "blk.0."
    gate, up = torch.stack([e.gate for e in experts]), torch.stack([e.up for e in experts])
    stacks = {"ffn_gate_up_exps.weight": torch.cat([gate, up], dim=1)}
    if not joined:
        stacks = {"ffn_gate_exps.weight": gate, "ffn_up_exps.weight": up}
    names = {head + name: t for name, t in stacks.items()}
    names |= {
        head + "ffn_down_exps.weight": torch.stack([e.down for e in experts]),
        head + "ffn_gate_inp.weight": router(), head + "ffn_norm.weight": torch.ones(D),
    }  # fmt: skip

    def formula(x: Tensor) -> Tensor:
        scores = torch.softmax(x @ router().T, dim=-1)
        kept = scores * chosen(scores, 2)
        return weighted(x, experts, kept / kept.sum(dim=-1, keepdim=True), swiglu_of)

    config = {
        "general.architecture": "qwen3moe", "qwen3moe.expert_used_count": 2, "qwen3moe.expert_count": E,
        "qwen3moe.block_count": 1,
    }  # fmt: skip
    return names, config, formula


MIXTURES: dict[str, Callable[[Experts], tuple[Tensors, dict[str, Any], Callable[[Tensor], Tensor]]]] = {
    "meta_llama4": meta_llama4,
    "gpt_oss_original": gpt_oss_original,
    "grok1": grok1,
    "gguf": lambda experts: gguf_experts(experts, joined=False),
    "gguf-joined": lambda experts: gguf_experts(experts, joined=True),
}
