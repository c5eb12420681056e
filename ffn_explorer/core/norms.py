"""LayerNorm and RMSNorm, with the precision that published models use."""

import torch
import torch.nn.functional as F
from torch import Tensor

from ffn_explorer.core.ffn import NormWeights
from ffn_explorer.core.spec import NormSpec


def normalise(x: Tensor, spec: NormSpec, weights: NormWeights) -> Tensor:
    """Normalise x `[..., N]` over its last axis, in x's shape and dtype.

    layer: (x − mean) / √(var + eps) · w + b  (Ba 2016).
    rms: x / √(mean(x²) + eps) · w + b  (Zhang & Sennrich 2019).
    w is the stored weight plus `weight_offset`; a missing weight counts as 1, a missing bias as 0.
    Kind "none" returns x itself.
    """
    if spec.kind == "none":
        return x
    if spec.kind == "layer":
        return _layer_norm(x, spec, weights)
    return _rms_norm(x, spec, weights)


def _layer_norm(x: Tensor, spec: NormSpec, weights: NormWeights) -> Tensor:
    weight = None if weights.weight is None else (weights.weight + spec.weight_offset).to(x.dtype)
    bias = None if weights.bias is None else weights.bias.to(x.dtype)
    return F.layer_norm(x, x.shape[-1:], weight, bias, spec.eps)


def _rms_norm(x: Tensor, spec: NormSpec, weights: NormWeights) -> Tensor:
    # Half types square badly: the mean is taken in float32 there, as Llama does.
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    y = wide * torch.rsqrt(wide.square().mean(dim=-1, keepdim=True) + spec.eps)
    # (1 + w) is multiplied before rounding (Gemma), a plain w after it (Llama).
    if weights.weight is not None and spec.weight_offset:
        y = y * (weights.weight.to(y.dtype) + spec.weight_offset)
    elif weights.weight is not None:
        y = y.to(x.dtype) * weights.weight
    if weights.bias is not None:
        y = y + weights.bias
    return y.to(x.dtype)
