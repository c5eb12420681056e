"""A layer of a checkpoint as Settings: what the knobs and the bill show of it."""

from typing import Any

from ffn_explorer.checkpoints.family import Family
from ffn_explorer.checkpoints.family_files import families
from ffn_explorer.checkpoints.scheme import LayerScheme, Scheme
from ffn_explorer.checkpoints.settings_view import Config, View
from ffn_explorer.core.activation_table import activation_of
from ffn_explorer.core.settings import LIMITS, Settings
from ffn_explorer.core.spec import RoutingSpec

HEADS = (
    "num_attention_heads", "n_head", "n_heads", "num_heads", "attention.head_count",
    "decoder_attention_heads", "encoder_attention_heads", "num_query_heads",
)  # fmt: skip
KV_HEADS = (
    "num_key_value_heads", "num_kv_heads", "n_kv_heads", "n_head_kv", "attention.head_count_kv",
    "multi_query_group_num", "num_query_groups",
)  # fmt: skip
HEAD_WIDTHS = ("head_dim", "d_kv", "kv_channels", "attention_head_dim", "attention.key_length")

_PLACEMENTS = {"pre": "pre", "parallel": "pre", "post": "post", "post_only": "post", "sandwich": "sandwich"}
"""Placements of a spec -> the nearest that Settings knows; what is computed follows the spec."""


def settings_of(scheme: Scheme, config: Config, index: int, *, base: Settings) -> Settings:
    """Settings with the sizes of layer `index` of the scheme, free ones (dtype, device, seed) from `base`.

    Where the configuration does not tell the heads, there is one for all of D: attention then counts 4·D².
    Raises SettingError for sizes beyond what the program can show.
    """
    layer = scheme.layers[index]
    spec, norm = layer.spec, layer.spec.norm
    last = int(LIMITS["layers"][1]) - 1
    return base.with_(
        d_model=layer.d_model,
        d_ff=layer.d_ff,
        # An unknown function is shown as none, and the layer is not computed before a person names it.
        activation=activation_of(layer.activation or "identity", gated=layer.gated).name,
        bias=layer.bias,
        residual=spec.residual,
        norm=norm.kind,
        norm_placement=_PLACEMENTS.get(norm.placement, "pre"),
        layers=min(len(scheme.layers), last + 1),
        layer=min(index, last),
        stack="decoder" if "decoder" in layer.stack else "encoder",
        mixer=False,
        dropout=0.0,
        training=False,
        **heads_of(scheme, config, layer),
        **_experts(layer),
    )


def heads_of(scheme: Scheme, config: Config, layer: LayerScheme) -> dict[str, int]:
    """Heads, key-value heads and head width as the configuration has them; one head where it is silent."""
    family = families().get(scheme.family) or Family("", (), "non-hf", "read")
    view = View(config, family, stack=layer.stack)
    heads = _first(view, HEADS)
    kv = _first(view, KV_HEADS) or heads
    if heads is None or heads > LIMITS["heads"][1] or kv is None or kv > heads or heads % kv:
        return {"heads": 1, "kv_heads": 1, "head_dim": 0}
    width = _first(view, HEAD_WIDTHS) or 0
    return {"heads": heads, "kv_heads": kv, "head_dim": width if width <= LIMITS["head_dim"][1] else 0}


def _first(view: View, keys: tuple[str, ...]) -> int | None:
    return next((found for key in keys if (found := view.count(f"@{key}"))), None)


def _experts(layer: LayerScheme) -> dict[str, Any]:
    rule = layer.spec.routing
    if rule is None or layer.experts < 2:
        return {
            "experts": 1, "top_k": 1, "shared_experts": 0, "expert_groups": 1, "groups_kept": 1,
            "capacity_factor": 0.0,
        }  # fmt: skip
    wide = 0 if layer.shared is None else layer.shared.up.shape[0]
    groups = rule.groups if layer.experts % rule.groups == 0 else 1
    return {
        "experts": layer.experts,
        "top_k": min(max(1, rule.top_k), layer.experts),
        "routing": _routing(rule),
        "shared_experts": min(-(-wide // layer.d_ff), int(LIMITS["shared_experts"][1])),
        "expert_groups": groups,
        "groups_kept": rule.groups_kept if groups > 1 else 1,
        "capacity_factor": 0.0,
    }


def _routing(rule: RoutingSpec) -> str:
    """The nearest of the rules that Settings knows."""
    if rule.order == "top_first":
        return "topk_softmax"
    if rule.score == "sigmoid":
        return "sigmoid_bias"
    return "softmax_topk_renorm" if rule.renormalise else "softmax_topk"
