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


def position_check(run: Run) -> PositionCheck:
    """Largest differences between the full pass and (a) positions run alone, (b) the positions reversed.

    The whole sublayer is run again, mixer included, without dropout (whose mask belongs to a place, not to a
    token). With a mixer, or experts of limited capacity, the check fails, and is meant to.
    """
    with torch.inference_mode():
        full = _pass(run, run.x, run.mask)
        return PositionCheck(
            alone=_alone(run, full.result),
            permuted=_permuted(run, full.result),
            tolerance=_tolerance(full),
            dtype=run.settings.dtype,
        )


def _alone(run: Run, full: Tensor) -> float:
    """Each chosen position as a sentence of its own `[1, 1, D]` against its row of the full pass."""
    places = [(b, s) for b, length in enumerate(run.lengths) for s in range(length)]
    worst = 0.0
    for b, s in _spread(places):
        one = _pass(run, run.x[b : b + 1, s : s + 1], None).result
        worst = max(worst, difference(one[0, 0], full[b, s]))
    return worst


def _permuted(run: Run, full: Tensor) -> float:
    """Output of the reversed sentences against the reversed rows; padding stays where it is."""
    size = run.x.shape[1]
    order = torch.arange(size).repeat(len(run.lengths), 1)  # [B, S]
    for b, length in enumerate(run.lengths):
        order[b, :length] = torch.arange(length - 1, -1, -1)
    index = order.to(run.x.device)[..., None].expand_as(run.x)  # [B, S, D]
    moved = _pass(run, run.x.gather(1, index), run.mask).result
    return difference(moved, full.gather(1, index))


def difference(a: Tensor, b: Tensor) -> float:
    """Largest absolute difference; equal infinities, and NaN against NaN, count as 0, one alone as inf."""
    a, b = a.cpu().double(), b.cpu().double()
    same = (a == b) | (a.isnan() & b.isnan())
    gap = torch.where(same, torch.zeros_like(a), (a - b).abs())
    return float(gap.nan_to_num(nan=math.inf, posinf=math.inf).max())


def _pass(run: Run, x: Tensor, mask: Tensor | None) -> Trace:
    return sublayer(run.layer, x, mixer=run.mixer, mask=mask, x_is=run.x_is)


def _spread(places: list[tuple[int, int]]) -> list[tuple[int, int]]:
    if len(places) <= MOST_POSITIONS:
        return places
    last = len(places) - 1
    return [places[round(i * last / (MOST_POSITIONS - 1))] for i in range(MOST_POSITIONS)]


def _tolerance(full: Trace) -> float:
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
