"""Which number mattered most for another: one step back through the pass."""

from torch import Tensor

from ffn_explorer.core.experiment import Run
from ffn_explorer.core.memory import expert_at
from ffn_explorer.core.proof_step import At
from ffn_explorer.core.stages import Stage, enters_act, enters_down, stages_of


def source_of(run: Run, stage: Stage, at: At) -> tuple[Stage, int] | None:
    """Stage and index of the number that a cell follows from; of a sum, its largest term; None for the input.

    For experts, the way leads through the token's first choice.
    """
    stages = stages_of(run.trace.spec)
    read = Stage.NORM if Stage.NORM in stages else Stage.INPUT
    ffn = expert_at(run, at.sentence, at.token)
    match stage:
        case Stage.INPUT:
            return None
        case Stage.NORM:
            return Stage.INPUT, at.index
        case Stage.UP:
            return read, _largest(ffn.up[at.index], run.trace.entering, at)
        case Stage.GATE:
            assert ffn.gate is not None
            return read, _largest(ffn.gate[at.index], run.trace.normed, at)
        case Stage.ACT:
            return enters_act(stages), at.index
        case Stage.HIDDEN:
            return Stage.ACT, at.index
        case Stage.OUT:
            return enters_down(stages), _largest(ffn.down[at.index], run.trace.hidden, at)
        case Stage.POST_NORM | Stage.RESIDUAL:
            return _narrow(stage, stages), at.index


def _narrow(stage: Stage, stages: tuple[Stage, ...]) -> Stage:
    """The stage before a norm after the FFN or before the residual."""
    before = stages[stages.index(stage) - 1] if stage in stages else Stage.OUT
    return before if before in (Stage.OUT, Stage.POST_NORM, Stage.RESIDUAL) else Stage.OUT


def _largest(weights: Tensor, values: Tensor, at: At) -> int:
    """Index of the term of largest magnitude; NaN counts as none."""
    terms = weights.cpu().double() * at.row_of(values)
    return int(terms.abs().nan_to_num(nan=-1.0).argmax())
