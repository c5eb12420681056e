"""Activation sparsity: which neurons count as active at a threshold theta, and how pre-activations spread."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ffn_explorer.core.records import Floats

Bools = NDArray[np.bool_]

BINS = 64
"""Bars of a histogram."""


@dataclass(frozen=True, slots=True, eq=False)
class Fractions:
    """Shares of active neurons, 0 to 1 (no unit).

    per_token `[B, S]` (0 where padded); per_neuron `[F]` over real tokens; overall; exact_zero: share of
    values that are exactly 0; not_a_number: share of NaN, which is neither active nor silent.
    """

    per_token: Floats
    per_neuron: Floats
    overall: float
    exact_zero: float
    not_a_number: float


def active(hidden: Floats, theta: float, *, relative: bool = False) -> Bools:
    """Where abs(hidden) > theta, in hidden's shape `[..., F]`; NaN is never active.

    relative: theta counts in units of the row's root mean square over its finite values.
    """
    size = np.abs(hidden)
    # A theta beyond the values' own type is above them all, as infinity is.
    with np.errstate(over="ignore"):
        return size > (theta * _rms(hidden) if relative else theta)


def fractions(
    hidden: Floats, theta: float, *, relative: bool = False, mask: Bools | None = None
) -> Fractions:
    """Shares of active neurons of hidden `[B, S, F]`; mask `[B, S]` is True at real tokens (None: all)."""
    real = np.ones(hidden.shape[:2], dtype=np.bool_) if mask is None else mask
    on = active(hidden, theta, relative=relative) & real[..., None]
    values = hidden[real]  # [N, F]
    rows, width = values.shape
    total = max(1, rows * width)
    return Fractions(
        per_token=on.mean(axis=-1),
        per_neuron=on.sum(axis=(0, 1)) / max(1, rows),
        overall=int(on.sum()) / total,
        exact_zero=int((values == 0).sum()) / total,
        not_a_number=int(np.isnan(values).sum()) / total,
    )


def histogram(values: Floats, *, bins: int = BINS) -> tuple[Floats, NDArray[np.int64]]:
    """Edges `[bins + 1]`, symmetric about 0, and counts `[bins]` of the finite values of any shape."""
    finite = values[np.isfinite(values)].astype(np.float64)
    limit = float(np.abs(finite).max(initial=0.0)) or 1.0
    edges = np.linspace(-limit, limit, bins + 1)
    counts, _ = np.histogram(finite, bins=edges)
    return edges, counts.astype(np.int64)


def _rms(hidden: Floats) -> Floats:
    """Root mean square of each row's finite values `[..., 1]`, scaled so that squares do not overflow."""
    finite = np.isfinite(hidden)
    known = np.where(finite, hidden, 0).astype(np.float64)
    peak = np.abs(known).max(axis=-1, keepdims=True, initial=0.0)
    scaled = known / np.where(peak > 0, peak, 1)
    count = np.maximum(1, finite.sum(axis=-1, keepdims=True))
    rms: Floats = peak * np.sqrt((scaled**2).sum(axis=-1, keepdims=True) / count)
    return rms
