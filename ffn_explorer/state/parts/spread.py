"""Spread: how large the values of hidden are, in powers of ten, with exact zeros counted apart."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ffn_explorer.state.parts.part import Asked, Known
from ffn_explorer.state.requests import PartRequest, RunRequest
from ffn_explorer.state.result import RunResult, Spread

PER_DECADE = 12
"""Bars per power of ten."""

MOST_DECADES = 8
"""Powers of ten that are told apart below the largest value."""

BELOW_SHARE = 1e-3
"""At most this share of the values lies below the first decade; the first bar then counts them too."""


@dataclass(frozen=True, slots=True)
class SpreadRequest(PartRequest):
    """Sizes of all values of hidden; `other` is counted between the same edges."""

    other: RunRequest | None = None


def ask(asked: Asked) -> SpreadRequest:
    """The run on screen, beside the one it is compared with."""
    return SpreadRequest(asked.run.request, None if asked.other is None else asked.other.request)


def compute(request: SpreadRequest, known: Known) -> Spread:
    """Spread of one run, and of the one it is compared with on the same axis."""
    runs = [known(run) for run in (request.run, request.other) if run is not None]
    sizes = [sizes_of(run) for run in runs]
    edges = decades([row for rows in sizes for row in rows.values()])
    made = [_counted(rows, edges, run=run) for rows, run in zip(sizes, runs, strict=True)]
    one, other = made[0], made[1] if len(made) > 1 else None
    return one if other is None else replace(one, other=other, nbytes=one.nbytes + other.nbytes)


def sizes_of(run: RunResult) -> dict[tuple[int, int], NDArray[np.float64]]:
    """log10|hidden| `[F]` of each computed row by (sentence, token): −inf for zeros, NaN where not finite."""
    hidden, rows = run.values[run.enters_down], {}
    for sentence, token in np.argwhere(run.computed).tolist():
        size = np.abs(hidden[sentence, token].astype(np.float64))
        with np.errstate(divide="ignore", invalid="ignore"):
            rows[sentence, token] = np.where(np.isfinite(size), np.log10(size), np.nan)
    return rows


def decades(rows: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Edges `[N + 1]` from one whole power of ten to another, `PER_DECADE` bars in each."""
    every = np.concatenate(rows) if rows else np.empty(0)
    finite = every[np.isfinite(every)]
    if not finite.size:
        return np.linspace(-1.0, 0.0, PER_DECADE + 1)
    rank = int(BELOW_SHARE * finite.size)
    last = math.floor(float(finite.max())) + 1
    first = max(math.floor(float(np.partition(finite, rank)[rank])), last - MOST_DECADES)
    return np.linspace(first, last, (last - first) * PER_DECADE + 1)


def _counted(
    rows: dict[tuple[int, int], NDArray[np.float64]], edges: NDArray[np.float64], *, run: RunResult
) -> Spread:
    counts = np.zeros((*run.computed.shape, len(edges) - 1), np.int64)
    zeros = not_finite = 0
    for place, row in rows.items():
        known = row[np.isfinite(row)]
        zeros += int(np.isneginf(row).sum())
        not_finite += int(np.isnan(row).sum())
        counts[place], _ = np.histogram(np.maximum(known, edges[0]), bins=edges)
    size = counts.nbytes + edges.nbytes
    return Spread(edges, counts.sum(axis=(0, 1)), counts, zeros, not_finite, nbytes=size)
