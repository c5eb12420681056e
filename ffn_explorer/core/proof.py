"""Any number of a trace, computed again in float64 from the stage before it, with its formula."""

import math

import torch

from ffn_explorer.core.experiment import Run
from ffn_explorer.core.proof_narrow import post_norm_step, pre_norm_step, residual_step
from ffn_explorer.core.proof_out import input_step, out_step
from ffn_explorer.core.proof_source import source_of
from ffn_explorer.core.proof_step import At, Step
from ffn_explorer.core.proof_wide import act_step, gate_step, hidden_step, up_step
from ffn_explorer.core.records import Proof
from ffn_explorer.core.stages import Stage

_STEPS = {
    Stage.INPUT: input_step,
    Stage.NORM: pre_norm_step,
    Stage.UP: up_step,
    Stage.GATE: gate_step,
    Stage.ACT: act_step,
    Stage.HIDDEN: hidden_step,
    Stage.OUT: out_step,
    Stage.POST_NORM: post_norm_step,
    Stage.RESIDUAL: residual_step,
}


def prove(run: Run, stage: Stage, *, sentence: int, token: int, index: int) -> Proof:
    """Proof of one cell: one step in float64, from the kept stage before it and the weights.

    For experts, wide stages are those of the token's first choice, and out is the sum over its experts.
    difference is NaN where the shown or the recomputed number is not finite.
    Raises KeyError for an absent stage and IndexError for a cell that is not there (padding included).
    """
    if not 0 <= token < run.lengths[sentence]:
        raise IndexError(f"token {token} of a sentence of {run.lengths[sentence]}")
    with torch.inference_mode():
        shown = float(run.trace.stage(stage)[sentence, token, index])
        step: Step = _STEPS[stage](run, At(sentence, token, index))
        source = source_of(run, stage, At(sentence, token, index))
    finite = math.isfinite(shown) and math.isfinite(step.value)
    return Proof(
        shown=shown,
        recomputed=step.value,
        difference=abs(shown - step.value) if finite else math.nan,
        tolerance=step.tolerance,
        formula=step.formula,
        numbers=step.numbers,
        slices=step.slices,
        source=source,
    )
