"""Settings -> FFNSpec: what the chosen FFN computes, without tensors."""

import math

from ffn_explorer.core.settings import Settings
from ffn_explorer.core.spec import FFNSpec, NormSpec, RoutingSpec

_EPS = {"layer": 1e-5, "rms": 1e-6}
"""nn.LayerNorm's default; Llama's RMSNorm."""


def spec_of(settings: Settings, *, tokens: int = 0) -> FFNSpec:
    """Spec of the sublayer that these settings describe.

    tokens: length S of the longest sentence, from which an expert's capacity follows
    (ceil(capacity_factor * S * K / E), Switch Transformers 2021, eq. 3); 0 leaves it unlimited.
    """
    return FFNSpec(
        function=settings.activation_row.function,
        gated=settings.gated,
        norm=_norm(settings),
        residual=settings.residual,
        routing=_routing(settings, tokens) if settings.is_moe else None,
    )


def expert_spec(settings: Settings) -> FFNSpec:
    """Spec of one bare expert: no norm, no residual, no router of its own."""
    return FFNSpec(function=settings.activation_row.function, gated=settings.gated, residual=False)


def _norm(settings: Settings) -> NormSpec:
    kind = settings.norm
    if kind == "layer" or kind == "rms":
        placement = settings.norm_placement
        assert placement in ("pre", "post", "sandwich")
        return NormSpec(kind, placement, eps=_EPS[kind])  # type: ignore[arg-type]  # checked by Settings
    return NormSpec()


def _routing(settings: Settings, tokens: int) -> RoutingSpec:
    rule = settings.routing
    sigmoid = rule == "sigmoid_bias"
    capacity = None
    if settings.capacity_factor > 0 and tokens > 0:
        capacity = math.ceil(settings.capacity_factor * tokens * settings.top_k / settings.experts)
    return RoutingSpec(
        experts=settings.experts,
        top_k=settings.top_k,
        order="top_first" if rule == "topk_softmax" else "score_first",
        score="sigmoid" if sigmoid else "softmax",
        renormalise=sigmoid or rule == "softmax_topk_renorm",
        renormalise_eps=1e-20 if sigmoid else 0.0,
        # Groups belong to the DeepSeek-V3 rule alone.
        groups=settings.expert_groups if sigmoid else 1,
        groups_kept=settings.groups_kept if sigmoid else 1,
        group_score="top2sum" if sigmoid else "max",
        group_fill=-math.inf,
        capacity=capacity,
    )
