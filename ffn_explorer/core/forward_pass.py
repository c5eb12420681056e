"""One pass through the FFN sublayer, with every intermediate kept: the whole lesson on one screen.

Gradients flow: whoever wants none calls this under `torch.inference_mode()`.
"""

from collections.abc import Callable
from dataclasses import replace
from statistics import NormalDist
from typing import Literal

import torch
import torch.nn.functional as F
from torch import Tensor

from ffn_explorer.core import activations
from ffn_explorer.core.dropout import Dropout
from ffn_explorer.core.errors import InputError
from ffn_explorer.core.ffn import FFN
from ffn_explorer.core.keep import column_norms, keep_strongest
from ffn_explorer.core.moe import MoE
from ffn_explorer.core.norms import normalise
from ffn_explorer.core.routing import RoutingDecision, route
from ffn_explorer.core.spec import NormSpec
from ffn_explorer.core.token_shift import openness, shifted
from ffn_explorer.core.trace import Routing, Trace

Keep = Callable[[Tensor], Tensor]
"""Sets padded rows to 0; returns the very tensor it got when there is no padding."""


def forward(
    layer: FFN | MoE,
    x: Tensor,
    *,
    x_is: Literal["residual", "ffn-input"] = "residual",
    mask: Tensor | None = None,
    skip: Tensor | None = None,
    dropout: Dropout | None = None,
) -> Trace:
    """Every stage of one pass of x `[B, S, D]` through the layer.

    x_is "residual": x is the stream; norms and residual of the spec apply.  "ffn-input": x is what the FFN
    module receives in its model: no norm, no residual, and the trace's spec has none.
    mask `[B, S]`: True where a real token stands; padded rows of every stage are 0, whatever x holds there.
    skip `[B, S, D]`: what the residual adds back where that is not x (parallel blocks).
    dropout: acts on out before the residual is added (Vaswani 2017, section 5.4); None is evaluation.
    up and gate are kept as they enter f and the product: after multiplier, limit, sparsity; before up_offset.
    Raises InputError when x, mask or skip does not fit the layer.
    """
    _check(layer, x, mask=mask, skip=skip)
    spec = layer.spec if x_is == "residual" else replace(layer.spec, norm=NormSpec(), residual=False)
    keep = _keeper(mask)
    x = keep(x)  # [B, S, D]
    skip = x if skip is None else keep(skip)
    normed = keep(normalise(x, spec.norm, layer.pre_norm)) if spec.normalises_input else x
    routing: Routing | None = None
    read = opened = None
    if isinstance(layer, FFN):
        if layer.shift is not None:
            read, opened = shifted(normed, layer.shift.key_mix), openness(normed, layer.shift)  # [B, S, D]
        up, gate, act, hidden = _widen(layer, normed if read is None else read, keep)  # -> [B, S, F]
        out = F.linear(hidden, layer.down, layer.down_bias)  # [B, S, F] -> [B, S, D]
        out = out if opened is None else out * opened
    else:
        routing, out = _mixture(layer, normed, mask=mask, keep=keep)  # [B, S, D] -> [B, S, K, F] -> [B, S, D]
        up, gate, act, hidden = _first_choice(routing)  # [B, S, K, F] -> [B, S, F]
    out = keep(_scaled(out, spec.output_scale, layer_scale=layer.layer_scale))
    out = out if dropout is None else dropout(out)
    after: Tensor | None = None
    branch = out
    if spec.norm.placement in ("post_only", "sandwich"):
        branch = after = keep(normalise(out, spec.norm, layer.post_norm))
    residual = branch
    if spec.residual:
        residual = _scaled(skip, spec.skip_scale) + _scaled(branch, spec.residual_scale)
    if spec.norm.placement == "post":
        after = keep(normalise(residual, spec.norm, layer.post_norm))
    found = (spec, skip, x, normed, up, gate, act, hidden, out, after, residual, mask, routing)
    return Trace(*found, read=read, openness=opened)


def _widen(ffn: FFN, x: Tensor, keep: Keep) -> tuple[Tensor, Tensor | None, Tensor, Tensor]:
    """up, gate, act and hidden `[..., F]` of x `[..., D]`: read the keys, apply f, form the product."""
    spec = ffn.spec
    gate: Tensor | None = None
    if ffn.gate is not None:
        gate = F.linear(x, ffn.gate, ffn.gate_bias)  # [..., D] -> [..., F]
        gate = _sparse(_scaled(gate, spec.gate_multiplier), spec.gate_sparsity)
        gate = keep(_limited(gate, spec.gate_limit))
    up = keep(_limited(F.linear(x, ffn.up, ffn.up_bias), spec.up_limit))  # [..., D] -> [..., F]
    act = activations.apply(spec.function, up if gate is None else gate, spec.function_params)
    act = keep(_limited(act, spec.act_limit))
    hidden = before_cut(ffn, up, act)
    if spec.keep:
        hidden = keep_strongest(hidden, column_norms(ffn), spec.keep)
    return up, gate, act, keep(hidden) if spec.changes_hidden else hidden


def before_cut(ffn: FFN, up: Tensor, act: Tensor) -> Tensor:
    """Hidden `[..., F]` of up and act `[..., F]`, all memories still there: product, scale, inner norm."""
    spec = ffn.spec
    hidden = act
    if spec.gated:
        hidden = act * (up + spec.up_offset if spec.up_offset else up)
    hidden = _scaled(hidden, spec.hidden_multiplier)
    return hidden if spec.inner_norm is None else normalise(hidden, spec.inner_norm, ffn.inner_norm)


def _mixture(moe: MoE, x: Tensor, *, mask: Tensor | None, keep: Keep) -> tuple[Routing, Tensor]:
    """The router's choice, what the chosen experts computed, and their weighted sum `[B, S, D]`.

    Slots dropped for lack of capacity add 0: in Switch such a token passes on by the residual alone.
    """
    choice = route(x, moe, mask)
    up, gate, act, hidden, expert_out = _experts(moe, x, choice, mask=mask)  # [B, S, K, F] ... [B, S, K, D]
    weighted = expert_out if moe.routing.weigh == "input" else expert_out * choice.weight[..., None]
    out = weighted.sum(dim=2)  # [B, S, K, D] -> [B, S, D]
    shared: Trace | None = None
    shared_weight: Tensor | None = None
    if moe.shared is not None:
        shared = forward(moe.shared, x, x_is="ffn-input", mask=mask)
        if moe.shared_gate is not None:
            shared_weight = keep(torch.sigmoid(F.linear(x, moe.shared_gate)))  # [B, S, D] -> [B, S, 1]
        out = out + (shared.out if shared_weight is None else shared_weight * shared.out)
    found = (choice.logits, choice.scores, choice.index, choice.weight, choice.dropped)
    return Routing(*found, up, gate, act, hidden, expert_out, shared=shared, shared_weight=shared_weight), out


def _experts(
    moe: MoE, x: Tensor, choice: RoutingDecision, *, mask: Tensor | None
) -> tuple[Tensor, Tensor | None, Tensor, Tensor, Tensor]:
    """up, gate, act, hidden `[B, S, K, F]` and out `[B, S, K, D]` of each token's K experts.

    Tokens are grouped by expert: each expert runs once, on its own tokens only.
    """
    b, s, k = choice.index.shape
    alive = ~choice.dropped if mask is None else ~choice.dropped & mask[..., None]
    slots = alive.flatten().nonzero()[:, 0]
    expert_of = choice.index.flatten()[slots]
    slots = slots[expert_of.argsort(stable=True)]  # [M] slots, grouped by expert
    counts = torch.bincount(expert_of, minlength=len(moe.experts)).tolist()
    sent = x.flatten(0, 1)[slots // k]  # [B * S, D] -> [M, D]
    if moe.routing.weigh == "input":
        sent = sent * choice.weight.flatten()[slots, None]
    groups = [(number, rows) for number, rows in enumerate(torch.split(sent, counts)) if len(rows)]
    parts = [_bare(moe.experts[number], rows) for number, rows in groups or [(0, sent)]]

    def spread(column: int) -> Tensor:
        """One stage put back from expert order `[M, N]` to `[B, S, K, N]`; 0 where no expert ran."""
        rows = torch.cat([part[column] for part in parts])
        flat = rows.new_zeros(b * s * k, rows.shape[-1]).index_copy(0, slots, rows)
        return flat.view(b, s, k, rows.shape[-1])

    gate = spread(4) if moe.experts[0].spec.gated else None
    return spread(0), gate, spread(1), spread(2), spread(3)


def _bare(expert: FFN, rows: Tensor) -> tuple[Tensor, ...]:
    """up, act, hidden `[M, F]`, out `[M, D]` and, if gated, gate `[M, F]` of one expert on its M rows."""
    up, gate, act, hidden = _widen(expert, rows, _as_is)
    out = F.linear(hidden, expert.down, expert.down_bias)  # [M, F] -> [M, D]
    found = (up, act, hidden, _scaled(out, expert.spec.output_scale, layer_scale=expert.layer_scale))
    return found if gate is None else (*found, gate)


def _first_choice(routing: Routing) -> tuple[Tensor, Tensor | None, Tensor, Tensor]:
    """up, gate, act and hidden `[B, S, F]` of each token's strongest expert."""
    gate = None if routing.gate is None else routing.gate[:, :, 0]
    return routing.up[:, :, 0], gate, routing.act[:, :, 0], routing.hidden[:, :, 0]


def _sparse(gate: Tensor, share: float) -> Tensor:
    """Gaussian top-k (Gemma 3n): relu(gate - cutoff), the cutoff below which a normal row has that share."""
    if share == 0.0:
        return gate
    cutoff = gate.mean(dim=-1, keepdim=True)
    cutoff = cutoff + gate.std(dim=-1, keepdim=True, unbiased=False) * NormalDist().inv_cdf(share)
    return F.relu(gate - cutoff)


def _limited(t: Tensor, limit: tuple[float, float] | None) -> Tensor:
    return t if limit is None else t.clamp(*limit)


def _scaled(t: Tensor, scale: float, *, layer_scale: Tensor | None = None) -> Tensor:
    t = t if scale == 1.0 else t * scale
    return t if layer_scale is None else t * layer_scale


def _as_is(t: Tensor) -> Tensor:
    return t


def _keeper(mask: Tensor | None) -> Keep:
    if mask is None:
        return _as_is
    real = mask[..., None]  # [B, S, 1]
    # where, not a product: NaN times 0 is NaN, and padding may hold anything.
    return lambda t: torch.where(real, t, torch.zeros_like(t))


def _check(layer: FFN | MoE, x: Tensor, *, mask: Tensor | None, skip: Tensor | None) -> None:
    if x.dim() != 3 or x.shape[-1] != layer.d_model:
        raise InputError("error.forward.hidden_states", shape=list(x.shape), d_model=layer.d_model)
    weight = layer.up if isinstance(layer, FFN) else layer.experts[0].up
    if x.dtype != weight.dtype:
        raise InputError("error.forward.dtype", given=str(x.dtype), wanted=str(weight.dtype))
    if mask is not None and (mask.shape != x.shape[:2] or mask.dtype != torch.bool):
        raise InputError("error.forward.mask", shape=list(mask.shape), wanted=list(x.shape[:2]))
    if skip is not None and skip.shape != x.shape:
        raise InputError("error.shape", name="skip", shape=list(skip.shape), wanted=list(x.shape))
