"""Parts "matrix" and "spot": the window of a weight matrix in sight, and the weights around the pointer."""

from dataclasses import dataclass

from ffn_explorer.core.stages import Stage
from ffn_explorer.state.matrix_window import Span, window_seen
from ffn_explorer.state.parts.part import Asked, Known
from ffn_explorer.state.pyramid import as_bytes, rounded_up
from ffn_explorer.state.requests import PartRequest
from ffn_explorer.state.result import Matrix, RunResult

PANEL = "weights"
"""Panel whose View says which matrix and which part of it is looked at."""

ROLES = ("up", "gate", "down")

READ_IN = frozenset({Stage.UP, Stage.GATE, Stage.OUT})
"""Stages that read a matrix of their own."""

MOST_ROWS, MOST_COLUMNS = 512, 1_024
"""Cells of a window at most."""

_TILES = 8
"""Windows begin and end at multiples of an eighth of the most cells, so that small moves need no new one."""

SPOT = 32
"""The weights at the pointer are read in squares of this side."""

REACH = 14
"""So many weights to each side of the pointed one are always among them."""


@dataclass(frozen=True, slots=True)
class MatrixRequest(PartRequest):
    """A window of one weight matrix, pooled by steps -> Matrix.

    role: up, gate or down.  expert: None for a dense FFN.  rows, columns: (first, past the last).
    row_step, column_step: weights per cell, powers of two.
    """

    role: str
    expert: int | None
    rows: Span
    columns: Span
    row_step: int = 1
    column_step: int = 1


@dataclass(frozen=True, slots=True)
class SpotRequest(MatrixRequest):
    """The weights around the pointed one, each by itself -> Matrix."""


def ask_matrix(asked: Asked) -> MatrixRequest | None:
    """The matrix of the weights panel, in as many cells as a picture can use."""
    role, expert = role_shown(asked), expert_of(asked)
    seen = window_seen(asked.state.view(PANEL), role, shape_of(asked.run, role))
    shape = shape_of(asked.run, role)
    first_row, past_row, row_step = _snapped(seen.rows, shape[0], MOST_ROWS)
    first, past, column_step = _snapped(seen.columns, shape[1], MOST_COLUMNS)
    window = ((first_row, past_row), (first, past))
    return MatrixRequest(asked.run.request, role, expert, *window, row_step, column_step)


def ask_spot(asked: Asked) -> SpotRequest | None:
    """The weights around the one that is pointed at, else around the chosen one."""
    pairs = [(point.neuron, point.dim) for point in (asked.state.point, asked.chosen) if point is not None]
    neuron, dim = next((pair for pair in pairs if None not in pair), (None, None))
    if neuron is None or dim is None:
        return None
    role = role_shown(asked)
    shape = shape_of(asked.run, role)
    at = (dim, neuron) if role == "down" else (neuron, dim)
    if not (0 <= at[0] < shape[0] and 0 <= at[1] < shape[1]):
        return None
    rows, columns = (_around(index, total) for index, total in zip(at, shape, strict=True))
    return SpotRequest(asked.run.request, role, expert_of(asked), rows, columns)


def compute_matrix(request: MatrixRequest, known: Known) -> Matrix:
    """Read the rows of the window, and keep the strongest weight of each cell."""
    from ffn_explorer.core import weights

    run = known(request.run).run
    assert run is not None
    matrix = weights.matrix_of(run.layer, request.role, request.expert)
    limit = rounded_up(weights.largest_magnitude(matrix))
    steps = (request.row_step, request.column_step)
    cells = weights.pooled(matrix, request.rows, request.columns, steps=steps)
    exact = weights.exact(matrix, request.rows, request.columns) if steps == (1, 1) else None
    value = as_bytes(cells, limit)
    return Matrix(
        role=request.role,
        expert=request.expert,
        shape=(matrix.shape[0], matrix.shape[1]),
        rows=request.rows,
        columns=request.columns,
        row_step=request.row_step,
        column_step=request.column_step,
        value=value,
        limit=limit,
        exact=exact,
        nbytes=value.nbytes + (0 if exact is None else exact.nbytes),
    )


def role_shown(asked: Asked) -> str:
    """The chosen role where the FFN has it; else the matrix pointed at in any panel; else that of the pass.

    That of the pass is the one of the stage under way, at rest of the chosen one.
    """
    stages, wanted = asked.run.stages, asked.state.view(PANEL).mode
    if wanted in ROLES and (wanted != "gate" or Stage.GATE in stages):
        return wanted
    at = asked.state.hover or asked.state.point
    if at is not None and at.stage in READ_IN and at.stage in stages:
        return role_of(at.stage)
    chosen = asked.chosen.stage
    stage = asked.stage
    if chosen is not None and (asked.state.playback.time >= 1.0 or {stage, chosen} <= {Stage.GATE, Stage.UP}):
        stage = chosen
    elif stage is Stage.GATE:
        stage = Stage.UP
    return role_of(stage)


def role_of(stage: Stage) -> str:
    """The matrix that a stage comes from, or was last read before it."""
    if stage is Stage.GATE:
        return "gate"
    return "down" if stage in (Stage.OUT, Stage.POST_NORM, Stage.RESIDUAL) else "up"


def expert_of(asked: Asked) -> int | None:
    """The expert that is looked at, None for a dense FFN."""
    if asked.run.expert_index is None:
        return None
    return int(asked.run.expert_index[asked.chosen.sentence, asked.chosen.token, asked.slot])


def shape_of(run: RunResult, role: str) -> tuple[int, int]:
    """Rows and columns of a matrix: `[F, D]` of up and gate, `[D, F]` of down."""
    d, f = run.values[Stage.OUT].shape[2], run.values[Stage.UP].shape[2]
    return (d, f) if role == "down" else (f, d)


def _snapped(seen: Span, total: int, most: int) -> tuple[int, int, int]:
    """First, past the last, and step of a window that holds what is seen in at most `most` cells."""
    step = 1
    while True:
        tile = step * most // _TILES
        first, past = seen[0] // tile * tile, min(total, -(-seen[1] // tile) * tile)
        if -(-(past - first) // step) <= most:
            return first, past, step
        step *= 2


def _around(index: int, total: int) -> Span:
    return max(0, index - REACH) // SPOT * SPOT, min(total, -(-(index + REACH + 1) // SPOT) * SPOT)
