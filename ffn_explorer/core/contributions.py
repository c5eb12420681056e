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
    """Parts `[n]` with neuron and expert of each, float64; what biases and shared experts add."""

    part: Tensor
    neuron: Tensor
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
            found = _dense(run.layer, trace.hidden[at], dim)
        else:
            assert trace.routing is not None
            found = _mixture(run.layer, trace.routing, at, dim)
        out = float(trace.out[(*at, dim)])
        dropped = run.settings.training and run.settings.dropout > 0
        rest = out - float(found.part.sum()) - found.bias if dropped else found.shared
        part = found.part.cpu().numpy()
        order = np.argsort(-np.nan_to_num(np.abs(part), nan=-1.0, posinf=np.inf), kind="stable")
        expert = None if found.expert is None else found.expert.cpu().numpy()[order]
        skip = float(trace.skip[(*at, dim)]) * trace.spec.skip_scale if trace.spec.residual else 0.0
        return Contributions(
            sentence=sentence,
            token=token,
            dim=dim,
            neuron=found.neuron.cpu().numpy()[order],
            part=part[order],
            expert=expert,
            bias=found.bias,
            rest=rest,
            out=out,
            x=skip,
            y=float(trace.residual[(*at, dim)]),
        )


def _dense(ffn: FFN, hidden: Tensor, dim: int) -> _Split:
    """Parts of a dense FFN from its hidden `[F]`."""
    scale = _scale(ffn, dim)
    part = _parts(ffn, hidden, dim) * scale
    return _Split(part, torch.arange(len(part)), None, _bias(ffn, dim) * scale, 0.0)


def _mixture(moe: MoE, routing: Routing, at: tuple[int, int], dim: int) -> _Split:
    """Parts of the experts that took the token, their biases, and the shared experts as one number."""
    scale = _scale(moe, dim)
    part, neuron, experts, bias = [], [], [], 0.0
    for slot in (~routing.dropped[at]).nonzero()[:, 0].tolist():
        number = int(routing.index[(*at, slot)])
        expert = moe.experts[number]
        # Where the weight scales the input (Llama 4), hidden already carries it.
        weight = 1.0 if moe.routing.weigh == "input" else float(routing.weight[(*at, slot)])
        factor = weight * _scale(expert, dim) * scale
        part.append(_parts(expert, routing.hidden[(*at, slot)], dim) * factor)
        neuron.append(torch.arange(expert.d_ff))
        experts.append(torch.full((expert.d_ff,), number))
        bias += _bias(expert, dim) * factor
    shared = 0.0
    if routing.shared is not None:
        weighed = 1.0 if routing.shared_weight is None else float(routing.shared_weight[(*at, 0)])
        shared = float(routing.shared.out[(*at, dim)]) * weighed * scale
    none = torch.zeros(0, dtype=torch.int64)
    return _Split(
        torch.cat([torch.zeros(0, dtype=torch.float64), *part]),
        torch.cat([none, *neuron]),
        torch.cat([none, *experts]),
        bias,
        shared,
    )


def _parts(ffn: FFN, hidden: Tensor, dim: int) -> Tensor:
    """M · W_down[dim, i] `[F]` in float64, on the CPU: not every device has float64."""
    return hidden.cpu().double() * ffn.down[dim].cpu().double()


def _bias(ffn: FFN, dim: int) -> float:
    return 0.0 if ffn.down_bias is None else float(ffn.down_bias[dim])


def _scale(layer: FFN | MoE, dim: int) -> float:
    """Factor of this layer's own output in one dimension."""
    own = 1.0 if layer.layer_scale is None else float(layer.layer_scale[dim])
    return layer.spec.output_scale * own
