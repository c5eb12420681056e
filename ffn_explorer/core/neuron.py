"""One neuron: the row that it reads with, the column that it writes, and its values along a sentence."""

import math
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from ffn_explorer.core.experiment import Run
from ffn_explorer.core.ffn import FFN
from ffn_explorer.core.memory import column_norms
from ffn_explorer.core.readings import Floats, NeuronCard


class _Along(NamedTuple):
    """Pre-activation and act `[S]` of the neuron, hidden `[S, F]` of all; `here` `[S]`: who was computed."""

    pre: Tensor
    act: Tensor
    hidden: Tensor
    here: Tensor


def neuron_card(run: Run, neuron: int, *, sentence: int, expert: int | None) -> NeuronCard:
    """Card of a neuron of the layer, or of one expert of a mixture (None for a dense FFN).

    pre is what enters the activation: gate where there is one, else up. At tokens that chose other experts,
    or that this one had no room for, pre, act and m are NaN and rank is −1. Ranks are among the F neurons of
    the same FFN or expert, ties in the order of the neurons, what is not finite last.
    """
    with torch.inference_mode():
        ffn = run.layer if isinstance(run.layer, FFN) else run.layer.experts[_number(expert)]
        along = _along(run, neuron, sentence=sentence, expert=expert)
        up, down = ffn.up[neuron], ffn.down[:, neuron]
        gate = None if ffn.gate is None else ffn.gate[neuron]
        strength = along.hidden.to(torch.promote_types(ffn.down.dtype, torch.float32)).abs()
        rank = _rank(strength * column_norms(ffn), neuron)
        return NeuronCard(
            sentence=sentence,
            neuron=neuron,
            expert=expert,
            up=_array(up),
            gate=None if gate is None else _array(gate),
            down=_array(down),
            up_bias=_entry(ffn.up_bias, neuron),
            gate_bias=_entry(ffn.gate_bias, neuron),
            up_norm=_norm(up),
            gate_norm=None if gate is None else _norm(gate),
            down_norm=_norm(down),
            cos_up_down=_cosine(up, down),
            cos_gate_up=None if gate is None else _cosine(gate, up),
            pre=_array(along.pre.masked_fill(~along.here, math.nan)),
            act=_array(along.act.masked_fill(~along.here, math.nan)),
            m=_array(along.hidden[:, neuron].masked_fill(~along.here, math.nan)),
            rank=np.asarray(rank.masked_fill(~along.here, -1).cpu().numpy(), np.int64),
        )


def _along(run: Run, neuron: int, *, sentence: int, expert: int | None) -> _Along:
    """Values at the real tokens of a sentence."""
    at, trace = (sentence, slice(0, run.lengths[sentence])), run.trace
    if isinstance(run.layer, FFN):
        before = trace.up if trace.gate is None else trace.gate  # [B, S, F]
        here = torch.ones(run.lengths[sentence], dtype=torch.bool, device=before.device)
        return _Along(before[at][:, neuron], trace.act[at][:, neuron], trace.hidden[at], here)
    routing = trace.routing
    assert routing is not None
    taken = (routing.index[at] == _number(expert)) & ~routing.dropped[at]  # [S, K]
    slot = taken.int().argmax(dim=-1)  # [S]
    tokens = torch.arange(len(slot), device=slot.device)
    before = routing.up if routing.gate is None else routing.gate  # [B, S, K, F]
    pre, act = (stage[at][tokens, slot, neuron] for stage in (before, routing.act))
    return _Along(pre, act, routing.hidden[at][tokens, slot], taken.any(dim=-1))


def _number(expert: int | None) -> int:
    assert expert is not None
    return expert


def _rank(strength: Tensor, neuron: int) -> Tensor:
    """Place of one neuron among `[S, F]` strengths, 0 the strongest `[S]`."""
    known = strength.nan_to_num(nan=-1.0, posinf=-1.0)
    own = known[:, neuron, None]
    return (known > own).sum(dim=-1) + (known[:, :neuron] == own).sum(dim=-1)


def _array(values: Tensor) -> Floats:
    """float64 stays, all else becomes float32."""
    wide = values.dtype if values.dtype == torch.float64 else torch.float32
    return values.to(wide).cpu().numpy()


def _entry(bias: Tensor | None, neuron: int) -> float | None:
    return None if bias is None else float(bias[neuron])


def _norm(vector: Tensor) -> float:
    return float(torch.linalg.vector_norm(vector.cpu().double()))


def _cosine(one: Tensor, other: Tensor) -> float:
    """Cosine of the angle between two vectors `[D]`; NaN where one of them is 0."""
    size = _norm(one) * _norm(other)
    if size == 0:
        return math.nan
    return float(one.cpu().double() @ other.cpu().double()) / size
