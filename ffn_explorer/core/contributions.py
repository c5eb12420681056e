"""What each neuron adds to one dimension of the output at one token (Geva 2021: out = Σᵢ mᵢ vᵢ + b)."""

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from ffn_explorer.core.experiment import Run
from ffn_explorer.core.ffn import FFN
from ffn_explorer.core.moe import MoE
from ffn_explorer.core.readings import Contributions
from ffn_explorer.core.trace import Routing


class _Split(NamedTuple):
    """Parts `[n]` in float64, with neuron, pre-activation, act, m and expert of each; what else adds."""

    part: Tensor
    neuron: Tensor
    values: Tensor
    """pre, act and m `[3, n]`."""
    expert: Tensor | None
    bias: float
    shared: float


def contributions(run: Run, sentence: int, token: int, dim: int) -> Contributions:
    """Everything that adds up to out[sentence, token, dim], in float64 from the pass's own numbers.

    Experts that dropped the token add nothing and are left out; a mixture's parts carry the router's weight.
    In training, parts and bias are those before dropout, and what dropout took or added is in `rest`.
    Infinite parts come first, NaN last.
    """
    trace = run.trace
    at = (sentence, token)
    with torch.inference_mode():
        if isinstance(run.layer, FFN):
            before = trace.up if trace.gate is None else trace.gate
            values = _together(before[at], trace.act[at], trace.hidden[at])
            opened = 1.0 if trace.openness is None else float(trace.openness[(*at, dim)])
            found = _dense(run.layer, values, dim, opened=opened)
        else:
            assert trace.routing is not None
            found = _mixture(run.layer, trace.routing, at, dim)
        out = float(trace.out[(*at, dim)])
        dropped = run.settings.training and run.settings.dropout > 0
        rest = out - float(found.part.sum()) - found.bias if dropped else found.shared
        part = found.part.cpu().numpy()
        order = np.argsort(-np.nan_to_num(np.abs(part), nan=-1.0, posinf=np.inf), kind="stable")
        expert = None if found.expert is None else found.expert.cpu().numpy()[order]
        pre, act, m = found.values.cpu().numpy()[:, order]
        skip = float(trace.skip[(*at, dim)]) * trace.spec.skip_scale if trace.spec.residual else 0.0
        return Contributions(
            sentence=sentence,
            token=token,
            dim=dim,
            neuron=found.neuron.cpu().numpy()[order],
            part=part[order],
            pre=pre,
            act=act,
            m=m,
            expert=expert,
            bias=found.bias,
            rest=rest,
            out=out,
            x=skip,
            y=float(trace.residual[(*at, dim)]),
        )


def _dense(ffn: FFN, values: Tensor, dim: int, *, opened: float) -> _Split:
    """Parts of a dense FFN from its values `[3, F]`; opened: how much of this dimension passes (RWKV)."""
    scale = _scale(ffn, dim) * opened
    part = values[2] * _weights(ffn, dim) * scale
    return _Split(part, torch.arange(len(part)), values, None, _bias(ffn, dim) * scale, 0.0)


def _mixture(moe: MoE, routing: Routing, at: tuple[int, int], dim: int) -> _Split:
    """Parts of the experts that took the token, their biases, and the shared experts as one number."""
    scale = _scale(moe, dim)
    part, values, neuron, experts, bias = [], [], [], [], 0.0
    before = routing.up if routing.gate is None else routing.gate  # [B, S, K, F]
    for slot in (~routing.dropped[at]).nonzero()[:, 0].tolist():
        number = int(routing.index[(*at, slot)])
        expert = moe.experts[number]
        # Where the weight scales the input (Llama 4), hidden already carries it.
        weight = 1.0 if moe.routing.weigh == "input" else float(routing.weight[(*at, slot)])
        factor = weight * _scale(expert, dim) * scale
        values.append(_together(*(stage[(*at, slot)] for stage in (before, routing.act, routing.hidden))))
        part.append(values[-1][2] * _weights(expert, dim) * factor)
        neuron.append(torch.arange(expert.d_ff))
        experts.append(torch.full((expert.d_ff,), number))
        bias += _bias(expert, dim) * factor
    shared = 0.0
    if routing.shared is not None:
        weighed = 1.0 if routing.shared_weight is None else float(routing.shared_weight[(*at, 0)])
        shared = float(routing.shared.out[(*at, dim)]) * weighed * scale
    none, empty = torch.zeros(0, dtype=torch.int64), torch.zeros(3, 0, dtype=torch.float64)
    return _Split(
        part=torch.cat([empty[0], *part]),
        neuron=torch.cat([none, *neuron]),
        values=torch.cat([empty, *values], dim=1),
        expert=torch.cat([none, *experts]),
        bias=bias,
        shared=shared,
    )


def _together(before: Tensor, act: Tensor, hidden: Tensor) -> Tensor:
    """pre, act and m `[3, F]` in float64, on the CPU: not every device has float64."""
    return torch.stack([stage.cpu().double() for stage in (before, act, hidden)])


def _weights(ffn: FFN, dim: int) -> Tensor:
    """W_down[dim, :] `[F]`, likewise."""
    return ffn.down[dim].cpu().double()


def _bias(ffn: FFN, dim: int) -> float:
    return 0.0 if ffn.down_bias is None else float(ffn.down_bias[dim])


def _scale(layer: FFN | MoE, dim: int) -> float:
    """Factor of this layer's own output in one dimension."""
    own = 1.0 if layer.layer_scale is None else float(layer.layer_scale[dim])
    return layer.spec.output_scale * own
