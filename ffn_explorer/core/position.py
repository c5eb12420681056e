"""Position independence, checked: one position alone, and a permutation of them."""

import math

import torch
from torch import Tensor

from ffn_explorer.core.experiment import Run, sublayer
from ffn_explorer.core.records import PositionCheck
from ffn_explorer.core.trace import Trace

MOST_POSITIONS = 16
"""How many positions are run alone; more are spread evenly over the batch."""

_ROUNDINGS = 2
"""Roundings to the run's dtype that two passes may place differently, in units in the last place of the
largest value: one in the output itself, one more for all of the intermediate, whose errors average out."""


def position_check(run: Run, *, most: int = MOST_POSITIONS) -> PositionCheck:
    """Largest differences between the full pass and (a) positions run alone, (b) the positions reversed.

    The whole sublayer is run again, mixer included, without dropout (whose mask belongs to a place, not to a
    token). With a mixer, or experts of limited capacity, the check fails, and is meant to.
    most: how many positions are run alone.
    """
    with torch.inference_mode():
        full = full_pass(run)
        places = spread(places_of(run), most)
        return PositionCheck(
            alone=max(alone_differences(run, full.result, places), default=0.0),
            permuted=float(permuted_differences(run, full.result).max()),
            tolerance=tolerance_of(full),
            dtype=run.settings.dtype,
        )


def full_pass(run: Run) -> Trace:
    """The sublayer on all positions at once, mixer included, without dropout."""
    return _pass(run, run.x, run.mask)


def places_of(run: Run) -> list[tuple[int, int]]:
    """Sentence and token of every real position, in reading order."""
    return [(b, s) for b, length in enumerate(run.lengths) for s in range(length)]


def spread(places: list[tuple[int, int]], most: int) -> list[tuple[int, int]]:
    """At most `most` of the places, the first and the last among them, evenly between."""
    if len(places) <= most:
        return places
    last = len(places) - 1
    return [places[round(i * last / max(1, most - 1))] for i in range(most)]


def alone_differences(run: Run, full: Tensor, places: list[tuple[int, int]]) -> list[float]:
    """Each of these positions as a sentence of its own `[1, 1, D]` against its row of full `[B, S, D]`."""
    rows = (_pass(run, run.x[b : b + 1, s : s + 1], None).result[0, 0] for b, s in places)
    return [difference(row, full[b, s]) for row, (b, s) in zip(rows, places)]


def permuted_differences(run: Run, full: Tensor) -> Tensor:
    """Per position `[B, S]`: the reversed sentences' output against the reversed rows of full `[B, S, D]`.

    Each difference stands at the place of its token in the full pass; padding stays where it is.
    """
    index = _reversed(run)  # [B, S]
    rows = index.to(run.x.device)[..., None].expand_as(run.x)  # [B, S, D]
    moved = _pass(run, run.x.gather(1, rows), run.mask).result
    # Reversing twice restores the order, so the same index brings each row back to its token's place.
    return row_differences(moved.gather(1, rows), full)


def _reversed(run: Run) -> Tensor:
    """Place of each token in the reversed sentences `[B, S]`."""
    order = torch.arange(run.x.shape[1]).repeat(len(run.lengths), 1)
    for b, length in enumerate(run.lengths):
        order[b, :length] = torch.arange(length - 1, -1, -1)
    return order


def difference(a: Tensor, b: Tensor) -> float:
    """Largest absolute difference; equal infinities, and NaN against NaN, count as 0, one alone as inf."""
    return float(row_differences(a, b).max())


def row_differences(a: Tensor, b: Tensor) -> Tensor:
    """The same along the last axis: a, b `[..., D]` -> `[...]`, in float64 on the CPU."""
    a, b = a.cpu().double(), b.cpu().double()
    same = (a == b) | (a.isnan() & b.isnan())
    gap = torch.where(same, torch.zeros_like(a), (a - b).abs())
    return gap.nan_to_num(nan=math.inf, posinf=math.inf).amax(dim=-1)


def _pass(run: Run, x: Tensor, mask: Tensor | None) -> Trace:
    return sublayer(run.layer, x, mixer=run.mixer, mask=mask, x_is=run.x_is)


def tolerance_of(full: Trace) -> float:
    """Bound on what rounding alone may change, from the sums' lengths and the size of the result.

    A sum of n products taken in another order differs by about √n units in the last place of the accumulator
    (random-walk growth, Higham 2002, section 2.6), for D terms and then F; half types accumulate in float32
    and then round to their own unit. Everything is scaled by the largest finite output.
    """
    dtype = full.result.dtype
    accumulator = torch.finfo(torch.promote_types(dtype, torch.float32)).eps
    d, f = full.result.shape[-1], full.hidden.shape[-1]
    slots = 1 if full.routing is None else full.routing.index.shape[-1]
    unit = _ROUNDINGS * torch.finfo(dtype).eps + accumulator * (math.sqrt(d) + math.sqrt(f * slots))
    size = max(float(t.cpu().double().abs().nan_to_num(0.0, 0.0, 0.0).max()) for t in (full.out, full.result))
    return unit * size
