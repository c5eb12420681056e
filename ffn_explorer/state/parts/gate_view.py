"""Gate view: where a sentence's neurons stand on gate and up, in which quadrant, which are nearly shut."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ffn_explorer.core import sparsity
from ffn_explorer.core.stages import Stage
from ffn_explorer.state.parts.part import Asked, Known
from ffn_explorer.state.pyramid import rounded_up
from ffn_explorer.state.requests import PartRequest, RunRequest
from ffn_explorer.state.result import Floats, GateView, RunResult

CELLS = 64
"""Cells of the map along each axis; an even number, so that 0 is an edge."""


@dataclass(frozen=True, slots=True)
class GateRequest(PartRequest):
    """Gate against up in one sentence, nearly shut being |act| <= theta."""

    sentence: int
    theta: float
    relative: bool
    other: RunRequest | None = None


def ask(asked: Asked) -> GateRequest | None:
    """The chosen sentence of the run on screen; None where it has no gate."""
    if Stage.GATE not in asked.run.values:
        return None
    other = asked.other
    beside = other.request if other is not None and Stage.GATE in other.values else None
    relative = asked.state.theta.relative
    return GateRequest(asked.run.request, asked.chosen.sentence, asked.theta, relative, beside)


def compute(request: GateRequest, known: Known) -> GateView:
    """Map, quadrants and counts of one run, and of the one it is compared with."""
    made = _view(known(request.run), request)
    if request.other is None:
        return made
    other = _view(known(request.other), request)
    return replace(made, other=other, nbytes=made.nbytes + other.nbytes)


def quadrants_of(gate: Floats, up: Floats) -> NDArray[np.int64]:
    """How many of the pairs `[..., F]` lie in each quadrant -> `[..., 4]`: (+, +), (+, −), (−, +), (−, −)."""
    known = ~(np.isnan(gate) | np.isnan(up))
    right, above = gate >= 0, up >= 0
    parts = [right & above, right & ~above, ~right & above, ~right & ~above]
    return np.stack([(part & known).sum(axis=-1) for part in parts], axis=-1).astype(np.int64)


def _view(run: RunResult, request: GateRequest) -> GateView:
    sentence = request.sentence
    gate, up, act = (
        run.values[stage][sentence, : run.lengths[sentence]] for stage in (Stage.GATE, Stage.UP, Stage.ACT)
    )
    rows = run.computed[sentence, : len(gate)]  # [S]
    quadrants, shut = np.zeros((len(gate), 4), np.int64), np.zeros(len(gate), np.int64)
    quadrants[rows] = quadrants_of(gate[rows], up[rows])
    open_ = sparsity.active(act[rows], request.theta, relative=request.relative)
    shut[rows] = (~open_ & ~np.isnan(act[rows])).sum(axis=-1)
    x_edges, y_edges, counts = density(gate[rows], up[rows])
    return GateView(
        sentence=sentence,
        theta=request.theta,
        relative=request.relative,
        x_edges=x_edges,
        y_edges=y_edges,
        counts=counts,
        quadrants=quadrants,
        shut=shut,
        nbytes=counts.nbytes + x_edges.nbytes + y_edges.nbytes + quadrants.nbytes + shut.nbytes,
    )


def density(
    gate: Floats, up: Floats, *, cells: int = CELLS
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Edges of both axes `[cells + 1]`, symmetric about 0; counts `[cells, cells]` (x, y) of finite pairs.

    The limits are the largest magnitudes, rounded up to 2 digits, so that they can be printed exactly.
    """
    both = np.isfinite(gate) & np.isfinite(up)
    x, y = gate[both].astype(np.float64), up[both].astype(np.float64)
    limits = [rounded_up(float(np.abs(values).max(initial=0.0))) for values in (x, y)]
    edges = [np.linspace(-limit, limit, cells + 1) for limit in limits]
    # Counted from zero outwards, so that a sign always decides the side, however small the value.
    columns = [
        np.clip(np.floor(values * (cells / 2 / limit)).astype(np.int64) + cells // 2, 0, cells - 1)
        for values, limit in zip((x, y), limits, strict=True)
    ]
    counts = np.bincount(columns[0] * cells + columns[1], minlength=cells * cells)
    return edges[0], edges[1], counts.reshape(cells, cells)
