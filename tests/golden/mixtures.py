"""Tiny mixtures of experts for the golden tests."""

from typing import Any

from torch import Tensor

from ffn_explorer.core.forward_pass import forward
from ffn_explorer.core.moe import MoE, Router
from ffn_explorer.core.spec import FFNSpec, RoutingSpec
from ffn_explorer.core.trace import Routing, Trace
from tests.golden.library import gated, halved

SIZES: dict[str, Any] = {
    "hidden_size": 16,
    "intermediate_size": 24,
    "num_attention_heads": 2,
    "num_key_value_heads": 2,
    "num_hidden_layers": 1,
}
BARE = FFNSpec("silu", gated=True, residual=False)


def spec_of(rule: RoutingSpec, **changes: Any) -> FFNSpec:
    """SwiGLU experts behind a router with this rule."""
    return FFNSpec("silu", gated=True, residual=False, routing=rule, **changes)


def run(moe: MoE, x: Tensor) -> tuple[Trace, Routing]:
    """Trace and routing of a pass that uses more than one expert."""
    trace = forward(moe, x, x_is="ffn-input")
    assert trace.routing is not None
    assert len(trace.routing.index.flatten().bincount().nonzero()) > 1
    return trace, trace.routing


def mixture(block: Any, rule: RoutingSpec, *, shared: str = "", spec: FFNSpec | None = None) -> MoE:
    """MoE of a block with a router called gate and fused experts, gate rows first."""
    bias = getattr(block.gate, "e_score_correction_bias", None)
    return MoE(
        spec or spec_of(rule),
        Router(block.gate.weight.data, selection_bias=bias),
        halved(block.experts.gate_up_proj, block.experts.down_proj, BARE),
        shared=gated(getattr(block, shared), BARE) if shared else None,
    )
