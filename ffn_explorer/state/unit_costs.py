"""Costs of one token, one neuron and one dimension: exact shares of the bill."""

from typing import NamedTuple

from ffn_explorer.core.architecture import FFNShape
from ffn_explorer.core.cost import bill, matrices_of
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.shape_of import ffn_shape
from ffn_explorer.state.result import RunResult


class TokenCost(NamedTuple):
    """FLOPs of one of so many tokens: ffn, the same for every token, and scores of attention.

    dropped: how many of its experts had no room; ffn counts them, as the bill does.  lost: their FLOPs.
    """

    ffn: int
    scores: int
    tokens: int
    dropped: int
    lost: int


def token_cost(run: RunResult, *, sentence: int, token: int) -> TokenCost:
    """What one token costs; summed over all real tokens this is the bill.

    A decoder's token is scored against itself and the ones before it: `4 (t + 1) H h` for position t from 0.
    """
    s = run.request.settings
    one = bill(s, (1,), ffn=run.ffn)
    seen = token + 1 if s.stack == "decoder" else run.lengths[sentence]
    dropped = 0 if run.expert_dropped is None else int(run.expert_dropped[sentence, token].sum())
    lost = dropped * 2 * matrices_of(s) * s.d_model * s.d_ff
    scores = 4 * seen * s.heads * s.head_width
    return TokenCost(one.ffn_flops, scores, sum(run.lengths), dropped, lost)


def neuron_parameters(settings: Settings, ffn: FFNShape | None = None) -> int:
    """Numbers of one neuron: its rows of W_up and W_gate with their biases, its column of W_down."""
    shape = ffn or ffn_shape(settings)
    return shape.matrices * settings.d_model + sum(role != "down" for role in shape.biases)


def dim_parameters(settings: Settings, ffn: FFNShape | None = None) -> int:
    """Numbers that make one dimension of out: its row of W_down, and its bias."""
    shape = ffn or ffn_shape(settings)
    return shape.d_ff + ("down" in shape.biases)


def row_share(
    settings: Settings, row: int, *, wide: bool, expert: int | None, ffn: FFNShape | None = None
) -> float:
    """Where the middle of a row lies in its matrix, 0..1: a neuron's row where wide, else a dimension's.

    Experts stand one after the other, the shared ones last, as in the bill.
    """
    shape = ffn or ffn_shape(settings)
    rows = shape.d_ff if wide else settings.d_model
    beside = rows * shape.shared_width / shape.d_ff
    return ((expert or 0) * rows + row + 0.5) / (shape.experts * rows + beside)
