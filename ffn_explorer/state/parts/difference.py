"""Part "difference": A − B, stage by stage, for the stages that both runs have in one shape."""

import math
from dataclasses import dataclass

import numpy as np

from ffn_explorer.core.stages import Stage
from ffn_explorer.state.parts.part import Asked, Known
from ffn_explorer.state.pyramid import nbytes, pyramid
from ffn_explorer.state.requests import PartRequest, RunRequest
from ffn_explorer.state.result import Difference, Floats, RunResult


@dataclass(frozen=True, slots=True)
class DifferenceRequest(PartRequest):
    """`run` (A) minus `other` (B) -> Difference."""

    other: RunRequest


def ask_difference(asked: Asked) -> DifferenceRequest | None:
    """The difference to B, once B is there."""
    return None if asked.other is None else DifferenceRequest(asked.run.request, asked.other.request)


def compute_difference(request: DifferenceRequest, known: Known) -> Difference:
    """Subtract each stage in the wider of both number formats."""
    a, b = known(request.run), known(request.other)
    # What is not finite stays visible as NaN: infinity minus infinity is no number.
    with np.errstate(invalid="ignore", over="ignore"):
        values = {stage: a.values[stage] - b.values[stage] for stage in common(a, b)}
    pyramids = {stage: pyramid(array) for stage, array in values.items()}
    relative = {stage: relative_size(array, b.values[stage]) for stage, array in values.items()}
    size = sum(array.nbytes for array in values.values()) + sum(map(nbytes, pyramids.values()))
    return Difference(values, pyramids, relative, nbytes=size)


def common(a: RunResult, b: RunResult) -> tuple[Stage, ...]:
    """Stages of A that B has in the same shape."""
    return tuple(
        stage for stage in a.stages if stage in b.values and a.values[stage].shape == b.values[stage].shape
    )


def relative_size(difference: Floats, base: Floats) -> float:
    """||difference|| / ||base|| over all values (padding holds zeros); 0 of 0 is 0, else of 0 infinity."""
    above, below = norm(difference), norm(base)
    if below == 0.0:
        return math.inf if above > 0.0 else above
    return above / below


def norm(values: Floats) -> float:
    """Root of the sum of squares of `[B, S, N]` in float64, row by row: no copy of the whole is made."""
    with np.errstate(over="ignore"):
        rows = (row.astype(np.float64) for sentence in values for row in sentence)
        return math.sqrt(math.fsum(float(row @ row) for row in rows))
