"""Which part of a weight matrix is looked at, as a panel's View says it."""

from typing import NamedTuple

from ffn_explorer.state.app_state import View

Span = tuple[int, int]
"""First, and past the last."""


class Window(NamedTuple):
    """Part of a matrix."""

    rows: Span
    columns: Span


def window_seen(view: View, role: str, shape: tuple[int, int]) -> Window:
    """Part of a matrix in sight. The view counts dimensions (first, shown) and neurons (first_row, rows).

    So the same neurons stay in sight when the picture goes on from W_up to W_down.
    """
    dims, neurons = (view.first, view.shown), (view.first_row, view.rows)
    rows, columns = (dims, neurons) if role == "down" else (neurons, dims)
    return Window(_span(*rows, shape[0]), _span(*columns, shape[1]))


def _span(first: int, shown: int, total: int) -> Span:
    count = min(total, shown or total)
    start = min(max(0, first), total - count)
    return start, start + count
