"""Which tensors a layer has beyond its matrices: biases, norms' vectors, a shared expert; as plain values."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ffn_explorer.core.settings import Settings

if TYPE_CHECKING:
    from ffn_explorer.core.ffn import FFN, NormWeights
    from ffn_explorer.core.moe import MoE


@dataclass(frozen=True, slots=True)
class NormParts:
    """Whether a norm has learned a weight, and a bias."""

    weight: bool = True
    bias: bool = False


@dataclass(frozen=True, slots=True)
class LayerParts:
    """What formulas name; of experts, that of one of them.

    biases: roles (gate, up, down) that have one.  layer_scale: a vector that multiplies out.
    shared: a shared expert.  shared_biases: roles of it that have a bias.  shared_gate: sigmoid of a row
    times x weighs it.  router_bias: part of the logits.  selection_bias: only the choice heeds it.
    """

    biases: frozenset[str] = frozenset()
    pre: NormParts = NormParts()
    post: NormParts = NormParts()
    inner: NormParts = NormParts()
    layer_scale: bool = False
    shared: bool = False
    shared_biases: frozenset[str] = frozenset()
    shared_gate: bool = False
    router_bias: bool = False
    selection_bias: bool = False
    shift: bool = False
    """Whether it also reads the token before, and a receptance weighs out (RWKV)."""


def parts_of_settings(settings: Settings) -> LayerParts:
    """Of the layer that these settings describe: LayerNorm learns a bias, RMSNorm none."""
    s = settings
    norm = NormParts(bias=s.norm == "layer")
    roles = ("gate", "up", "down") if s.gated else ("up", "down")
    biases, shared = frozenset(roles if s.bias else ()), s.is_moe and s.shared_experts > 0
    return LayerParts(
        biases=biases,
        pre=norm,
        post=norm,
        shared=shared,
        shared_biases=biases if shared else frozenset(),
        selection_bias=s.is_moe and s.routing == "sigmoid_bias",
    )


def parts_of(layer: "FFN | MoE") -> LayerParts:
    """Of a layer with its tensors; experts are alike, so that the first speaks for all."""
    mixture: Any = layer if hasattr(layer, "router") else None
    ffn: Any = layer if mixture is None else mixture.experts[0]
    shared: Any = None if mixture is None else mixture.shared
    return LayerParts(
        biases=_biases(ffn),
        pre=_norm(layer.pre_norm),
        post=_norm(layer.post_norm),
        inner=_norm(ffn.inner_norm),
        layer_scale=layer.layer_scale is not None,
        shared=shared is not None,
        shared_biases=frozenset() if shared is None else _biases(shared),
        shared_gate=mixture is not None and mixture.shared_gate is not None,
        router_bias=mixture is not None and mixture.router.bias is not None,
        selection_bias=mixture is not None and mixture.router.selection_bias is not None,
        shift=ffn.shift is not None,
    )


def _biases(ffn: Any) -> frozenset[str]:  # noqa: ANN401 - an FFN, which is not imported here
    return frozenset(role for role in ("gate", "up", "down") if getattr(ffn, f"{role}_bias") is not None)


def _norm(weights: "NormWeights") -> NormParts:
    return NormParts(weights.weight is not None, weights.bias is not None)
