"""What a Scene knows of a weight matrix: exact weights, places of neurons and dimensions, their names."""

import numpy as np

from ffn_explorer.state.handmade_words import hand_word
from ffn_explorer.state.result import Floats, Matrix, RunResult
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.visible import visible
from ffn_explorer.widgets.matrix_picture import Place, Span


def kinds_of(made: Matrix) -> tuple[str, str]:
    """What the rows and the columns of a matrix stand for."""
    return ("dimension", "neuron") if made.role == "down" else ("neuron", "dimension")


def block(made: Matrix, rows: Span, columns: Span) -> Floats | None:
    """Exact weights of a part, or None where they are not all known."""
    whole = made.rows[0] <= rows[0] and rows[1] <= made.rows[1]
    if made.exact is None or not whole or columns[0] < made.columns[0] or columns[1] > made.columns[1]:
        return None
    top, left = made.rows[0], made.columns[0]
    return np.asarray(made.exact[rows[0] - top : rows[1] - top, columns[0] - left : columns[1] - left])


def exactly(scene: Scene, made: Matrix) -> list[Matrix]:
    """Results that may know a weight of this matrix exactly."""
    same = [made]
    spot = scene.spot
    # One that lags may be of other weights.
    if spot is None or "spot" in scene.lagging:
        return same
    if (spot.role, spot.expert, spot.shape) == (made.role, made.expert, made.shape):
        same.append(spot)
    return same


def place_of(made: Matrix, neuron: int | None, dim: int | None) -> Place:
    """Row and column of a neuron and a dimension, each where the matrix has it."""
    at = (dim, neuron) if made.role == "down" else (neuron, dim)
    inside = [None if i is None or not 0 <= i < n else i for i, n in zip(at, made.shape, strict=True)]
    return inside[0], inside[1]


def names_of(run: RunResult, kind: str, language: str) -> tuple[str, ...]:
    """Names that a person gave to neurons or dimensions, () where they are only counted."""
    memory = run.request.source.memory
    if memory is None:
        return ()
    given = memory.features if kind == "dimension" else tuple(neuron.name for neuron in memory.neurons)
    return tuple(hand_word(language, name) for name in given)


def stored_in(run: RunResult, made: Matrix) -> str:
    """The part of a file's tensor that a matrix is; "" without a file."""
    if run.scheme is None:
        return ""
    from ffn_explorer.state.tensor_slices import matrix_slice  # the first picture needs none of it

    return visible(matrix_slice(run.scheme.mlp.roles[made.role], made.expert))
