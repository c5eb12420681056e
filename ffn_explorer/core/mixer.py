"""A small attention mixer before the FFN: what moves information across positions, for contrast."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from ffn_explorer.core.ffn import NormWeights
from ffn_explorer.core.norms import normalise
from ffn_explorer.core.seeding import uniform
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.spec import NormSpec
from ffn_explorer.core.spec_of import spec_of


@dataclass(frozen=True, slots=True, eq=False)
class Mixer:
    """One attention sublayer with seeded weights, in nn.Linear layout.

    query `[H·h, D]`; key, value `[K·h, D]`; output `[D, H·h]`; H heads of width h, K key-value heads.
    """

    query: Tensor
    key: Tensor
    value: Tensor
    output: Tensor
    heads: int
    kv_heads: int
    causal: bool
    norm: NormSpec


def seeded_mixer(settings: Settings) -> Mixer:
    """Mixer of the layer looked at, uniform in ±1/√fan_in; a decoder's is causal."""
    d, h = settings.d_model, settings.head_width
    wide, narrow = settings.heads * h, settings.kv_heads * h
    kind = spec_of(settings).norm
    # The mixer stands on a pre-norm of the FFN's own kind, wherever the FFN has its norm.
    norm = kind if kind.kind == "none" else NormSpec(kind.kind, "pre", eps=kind.eps)

    def draw(role: str, shape: tuple[int, int]) -> Tensor:
        return uniform(settings, shape, 1 / math.sqrt(shape[1]), settings.layer, "attention", role)

    return Mixer(
        query=draw("query", (wide, d)),
        key=draw("key", (narrow, d)),
        value=draw("value", (narrow, d)),
        output=draw("output", (d, wide)),
        heads=settings.heads,
        kv_heads=settings.kv_heads,
        causal=settings.stack == "decoder",
        norm=norm,
    )


def mix(mixer: Mixer, x: Tensor, mask: Tensor | None = None, *, at: slice = slice(None)) -> Tensor:
    """The stream after attention, x + attention(norm(x)) `[B, S, D]`; padding is never read and stays zero.

    Scaled dot-product attention, softmax(q kᵀ / √h) v (Vaswani 2017, eq. 1), without positions: only the
    causal mask of a decoder knows an order.  at: the positions wanted, all by default.
    """
    normed = normalise(x, mixer.norm, NormWeights())
    share = mixer.heads // mixer.kv_heads  # query heads that read one key-value head
    q = _heads(normed[:, at] @ mixer.query.T, mixer.heads)  # [B, H, S, h]
    k = _heads(normed @ mixer.key.T, mixer.kv_heads).repeat_interleave(share, dim=1)
    v = _heads(normed @ mixer.value.T, mixer.kv_heads).repeat_interleave(share, dim=1)

    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])  # [B, H, S, S]
    scores = scores.masked_fill(~_readable(x, mask, mixer.causal)[..., at, :], -math.inf)
    mixed = scores.softmax(dim=-1) @ v  # [B, H, S, h]

    out = mixed.transpose(1, 2).flatten(2) @ mixer.output.T  # [B, S, D]
    return x[:, at] + (out if mask is None else out * mask[:, at, None])


def _heads(t: Tensor, heads: int) -> Tensor:
    """`[B, S, H·h]` -> `[B, H, S, h]`."""
    return t.reshape(*t.shape[:-1], heads, -1).transpose(1, 2)


def _readable(x: Tensor, mask: Tensor | None, causal: bool) -> Tensor:
    """Which key each query may read: bool, broadcast to `[B, 1, S, S]`."""
    size = x.shape[1]
    readable = torch.ones(size, size, dtype=torch.bool, device=x.device)
    if causal:
        readable = readable.tril()
    return readable if mask is None else readable & mask[:, None, None, :]
