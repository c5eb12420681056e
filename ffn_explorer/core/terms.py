"""Every term of the sum behind one number of up, gate or out, in float64 from the pass's own numbers."""

from typing import Literal, NamedTuple

import numpy as np
import torch
from torch import Tensor

from ffn_explorer.core.experiment import Run
from ffn_explorer.core.ffn import FFN
from ffn_explorer.core.memory import expert_at
from ffn_explorer.core.proof_out import shared_at
from ffn_explorer.core.proof_step import At
from ffn_explorer.core.proof_wide import dropped, entering, prefix
from ffn_explorer.core.readings import Terms
from ffn_explorer.core.stages import Stage

SUMS = (Stage.UP, Stage.GATE, Stage.OUT)


class _Sum(NamedTuple):
    """Both factors `[n]` in float64, what they count, what is added, and the factors' symbols."""

    left: Tensor
    right: Tensor
    places: Tensor
    counts: Literal["neuron", "dim", "expert"]
    bias: float | None
    names: tuple[str, str]


def terms_of(run: Run, stage: Stage, *, sentence: int, token: int, index: int) -> Terms:
    """Terms of Σ W_up[i, d] · norm[d], Σ W_down[d, i] · hidden[i], or Σ weight[k] · expert_out[k, d].

    For up and gate of a mixture, those of the token's first choice; none where it was dropped.
    What follows the sum (a limit, a scale, dropout) is no term of it.  Raises KeyError for other stages.
    """
    at = At(sentence, token, index)
    with torch.inference_mode():
        found = _read(run, at, stage) if stage in (Stage.UP, Stage.GATE) else _written(run, at, stage)
        left, right = found.left.numpy(), found.right.numpy()
        term = left * right
        order = np.argsort(-np.nan_to_num(np.abs(term), nan=np.inf), kind="stable")
        return Terms(
            stage=stage,
            sentence=sentence,
            token=token,
            cell=index,
            index=found.places.numpy()[order],
            left=left[order],
            right=right[order],
            term=term[order],
            running=np.cumsum(term[order]) + (found.bias or 0.0),
            bias=found.bias,
            names=found.names,
            counts=found.counts,
        )


def _read(run: Run, at: At, stage: Stage) -> _Sum:
    """Terms of one row of up or gate."""
    ffn = expert_at(run, at.sentence, at.token)
    weight, bias = (ffn.up, ffn.up_bias) if stage is Stage.UP else (ffn.gate, ffn.gate_bias)
    if weight is None:
        raise KeyError(stage)
    x, name = entering(run, at)  # [D]
    names = (f"{prefix(run, at)}W_{stage}[{at.index}, d]", name)
    if dropped(run, at):
        nothing = torch.zeros(0, dtype=torch.float64)
        return _Sum(nothing, nothing, torch.zeros(0, dtype=torch.int64), "dim", None, names)
    added = None if bias is None else float(bias[at.index])
    return _Sum(weight[at.index].cpu().double(), x, torch.arange(len(x)), "dim", added, names)


def _written(run: Run, at: At, stage: Stage) -> _Sum:
    """Terms of one dimension of out."""
    if stage is not Stage.OUT:
        raise KeyError(stage)
    if not isinstance(run.layer, FFN):
        return _mixed(run, at)
    ffn = run.layer
    hidden = at.row_of(run.trace.hidden)  # [F]
    name = "hidden" if run.trace.spec.changes_hidden else "act"
    added = None if ffn.down_bias is None else float(ffn.down_bias[at.index])
    names = (f"W_down[{at.index}, i]", f"{name}{at.row('i')}")
    row = ffn.down[at.index].cpu().double()
    return _Sum(row, hidden, torch.arange(len(hidden)), "neuron", added, names)


def _mixed(run: Run, at: At) -> _Sum:
    """One term per chosen expert."""
    routing, rule = run.trace.routing, run.trace.spec.routing
    assert routing is not None
    assert rule is not None
    outs = routing.expert_out[at.sentence, at.token, :, at.index].cpu().double()  # [K]
    weighs = rule.weigh == "output"
    weight = routing.weight[at.sentence, at.token].cpu().double() if weighs else torch.ones_like(outs)
    left = f"w[{at.sentence}, {at.token}, k]" if weighs else "1"
    names = (left, f"E_out[{at.sentence}, {at.token}, k, {at.index}]")
    chosen = routing.index[at.sentence, at.token].cpu()
    return _Sum(weight, outs, chosen, "expert", shared_at(run, at), names)
