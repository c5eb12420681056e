"""Seeded random weights and hidden states: the same on every device, different in every layer and stack."""

import hashlib
import math
from collections.abc import Sequence

import torch
from torch import Tensor

from ffn_explorer.core.ffn import FFN, NormWeights, Origin
from ffn_explorer.core.moe import MoE, Router
from ffn_explorer.core.seeded_bounds import SELECTION_BIAS
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.spec import NormSpec
from ffn_explorer.core.spec_of import expert_spec, spec_of

DTYPES = {
    "float32": torch.float32,
    "bfloat16": torch.bfloat16,
    "float16": torch.float16,
    "float64": torch.float64,
}


def generator(seed: int, *path: str | int) -> torch.Generator:
    """CPU generator of its own for each path below a seed: ("up", layer, ...) or ("token", text)."""
    digest = hashlib.sha256()
    for part in (seed, *path):
        # Lone surrogates can be typed; the length in front keeps ("ab", "c") apart from ("a", "bc").
        data = str(part).encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "little") + data)
    return torch.Generator("cpu").manual_seed(int.from_bytes(digest.digest()[:8], "little") >> 1)


def uniform(settings: Settings, shape: tuple[int, ...], bound: float, *path: str | int) -> Tensor:
    """Uniform numbers in ±bound, drawn in float32 on the CPU, then cast and moved.

    Every dtype and device therefore starts from the same weights, and a comparison shows rounding alone.
    """
    place = (settings.stack, *path)
    drawn = torch.rand(shape, generator=generator(settings.seed, *place), dtype=torch.float32)
    return drawn.mul_(2 * bound).sub_(bound).to(device=settings.device, dtype=DTYPES[settings.dtype])


def seeded_layer(settings: Settings, layer: int | None = None, *, tokens: int = 0) -> FFN | MoE:
    """FFN or MoE of one layer (default `settings.layer`) with nn.Linear's usual initialisation.

    Weights and biases are uniform in ±1/√fan_in; the router likewise, without bias; norm weights are 1, norm
    biases 0. A seed of its own belongs to each (seed, stack, layer, expert, role).
    tokens: length of the longest sentence, for an expert's capacity.
    """
    index = settings.layer if layer is None else layer
    if not settings.is_moe:
        return _ffn(settings, index, "dense")
    d, e = settings.d_model, settings.experts
    router = Router(
        weight=uniform(settings, (e, d), 1 / math.sqrt(d), index, "router"),
        selection_bias=uniform(settings, (e,), SELECTION_BIAS, index, "selection_bias")
        if settings.routing == "sigmoid_bias"
        else None,
    )
    spec = spec_of(settings, tokens=tokens)
    pre, post = _norms(settings, spec.norm)
    return MoE(
        spec=spec,
        router=router,
        experts=tuple(_ffn(settings, index, number) for number in range(e)),
        shared=_ffn(settings, index, "shared") if settings.shared_experts else None,
        pre_norm=pre,
        post_norm=post,
        origin=Origin("seeded", seed=settings.seed),
    )


def seeded_hidden_states(tokens: Sequence[Sequence[str]], settings: Settings) -> tuple[Tensor, Tensor | None]:
    """Hidden states `[B, S, D]` (standard normal, no unit) and the mask `[B, S]`, None without padding.

    A token's vector depends on its text and the seed alone: equal tokens have equal vectors, and reordering
    the tokens permutes the rows exactly. Shorter sentences are padded with zeros. Every layer is shown on
    the same vectors.
    """
    lengths = [len(sentence) for sentence in tokens]
    size = (len(lengths), max(lengths), settings.d_model)
    x = torch.zeros(size, dtype=torch.float32)  # [B, S, D]
    known: dict[str, Tensor] = {}
    for b, sentence in enumerate(tokens):
        for s, token in enumerate(sentence):
            if token not in known:
                source = generator(settings.seed, "token", token)
                known[token] = torch.randn(settings.d_model, generator=source, dtype=torch.float32)
            x[b, s] = known[token]
    x = x.to(device=settings.device, dtype=DTYPES[settings.dtype])
    mask = mask_of(lengths)
    return x, None if mask is None else mask.to(settings.device)


def mask_of(lengths: Sequence[int]) -> Tensor | None:
    """Where a real token stands `[B, S]` bool, for sentences of these lengths; None where all are equal."""
    if min(lengths) == max(lengths):
        return None
    return torch.arange(max(lengths)) < torch.tensor(lengths).unsqueeze(-1)  # [B, S]


def _ffn(settings: Settings, layer: int, which: str | int) -> FFN:
    """A dense FFN ("dense"), the shared experts as one ("shared"), or an expert by number."""
    d, f = settings.d_model, settings.d_ff
    if which == "shared":
        f *= settings.shared_experts

    def draw(role: str, shape: tuple[int, ...], fan_in: int) -> Tensor:
        return uniform(settings, shape, 1 / math.sqrt(fan_in), layer, which, role)

    spec = spec_of(settings) if which == "dense" else expert_spec(settings)
    pre, post = _norms(settings, spec.norm)
    return FFN(
        spec=spec,
        up=draw("up", (f, d), d),
        down=draw("down", (d, f), f),
        gate=draw("gate", (f, d), d) if settings.gated else None,
        up_bias=draw("up_bias", (f,), d) if settings.bias else None,
        gate_bias=draw("gate_bias", (f,), d) if settings.bias and settings.gated else None,
        down_bias=draw("down_bias", (d,), f) if settings.bias else None,
        pre_norm=pre,
        post_norm=post,
        origin=Origin("seeded", seed=settings.seed),
    )


def _norms(settings: Settings, norm: NormSpec) -> tuple[NormWeights, NormWeights]:
    """Weights of the norm before and after: 1, with a bias of 0 for LayerNorm; empty where no norm stands."""

    def fresh() -> NormWeights:
        weight = torch.ones(settings.d_model, device=settings.device, dtype=DTYPES[settings.dtype])
        return NormWeights(weight, torch.zeros_like(weight) if norm.kind == "layer" else None)

    before = fresh() if norm.placement in ("pre", "sandwich") else NormWeights()
    after = fresh() if norm.placement in ("post", "sandwich") else NormWeights()
    return before, after
