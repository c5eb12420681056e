"""The FFN read as a key-value memory (Geva 2021): the neurons that write most at one token."""

import torch
from torch import Tensor

from ffn_explorer.core.experiment import Run
from ffn_explorer.core.ffn import FFN
from ffn_explorer.core.keep import column_norms
from ffn_explorer.core.records import StrongPaths

__all__ = ["column_norms", "expert_at", "strong_paths"]


def expert_at(run: Run, sentence: int, token: int, *, slot: int = 0) -> FFN:
    """The FFN behind a token's intermediate: the layer, or the expert in a slot of the token's choice."""
    if isinstance(run.layer, FFN):
        return run.layer
    assert run.trace.routing is not None
    return run.layer.experts[int(run.trace.routing.index[sentence, token, slot])]


def strong_paths(run: Run, sentence: int, token: int, *, count: int = 24) -> StrongPaths:
    """Up to `count` neurons with the largest |m| · ||v|| at a token: m the hidden value, v W_down's column.

    For each: the input dimension that adds most to its up (and gate), W_up[i, d] · x[d], and the output
    dimension that it moves most, m · W_down[d, i]. Values that are not finite come last;
    what writes nothing (strength 0) is left out.
    """
    with torch.inference_mode():
        ffn = expert_at(run, sentence, token)
        wide = torch.promote_types(ffn.down.dtype, torch.float32)
        x = run.trace.entering[sentence, token].to(wide)  # [D]
        m = run.trace.hidden[sentence, token].to(wide)  # [F]
        strength = m.abs() * column_norms(ffn)
        rank = strength.nan_to_num(nan=-1.0, posinf=-1.0)
        chosen = rank.argsort(descending=True, stable=True)  # [F]
        chosen = chosen[strength[chosen] != 0][:count]  # [n]

        up_dim, up_part = _largest(ffn.up[chosen].to(wide) * x)
        gate_dim, gate_part = (None, None) if ffn.gate is None else _largest(ffn.gate[chosen].to(wide) * x)
        out_dim, out_part = _largest(ffn.down[:, chosen].T.to(wide) * m[chosen, None])
        return StrongPaths(
            neuron=chosen.cpu().numpy(),
            m=m[chosen].cpu().numpy(),
            strength=strength[chosen].cpu().numpy(),
            up_dim=up_dim.cpu().numpy(),
            up_part=up_part.cpu().numpy(),
            gate_dim=None if gate_dim is None else gate_dim.cpu().numpy(),
            gate_part=None if gate_part is None else gate_part.cpu().numpy(),
            out_dim=out_dim.cpu().numpy(),
            out_part=out_part.cpu().numpy(),
        )


def _largest(parts: Tensor) -> tuple[Tensor, Tensor]:
    """Per row of `[n, D]`: where its largest magnitude lies, and that signed value."""
    index = parts.abs().nan_to_num(nan=-1.0).argmax(dim=-1)
    return index, parts.gather(-1, index[:, None])[:, 0]
