"""The position lab: every token alone against the full pass, per number format, with and without mixer."""

from dataclasses import replace
from functools import partial

import numpy as np
import torch
from torch import Tensor

from ffn_explorer.core import budget
from ffn_explorer.core.devices import check_device
from ffn_explorer.core.errors import ExplorerError
from ffn_explorer.core.experiment import Run
from ffn_explorer.core.ffn import FFN
from ffn_explorer.core.mapped import mapped
from ffn_explorer.core.mixer import seeded_mixer
from ffn_explorer.core.moe import MoE
from ffn_explorer.core.position import (
    MOST_POSITIONS,
    alone_differences,
    full_pass,
    permuted_differences,
    places_of,
    position_check,
    spread,
    tolerance_of,
)
from ffn_explorer.core.readings import DtypeCheck, Floats, PositionLab
from ffn_explorer.core.seeding import DTYPES
from ffn_explorer.core.trace import Trace

MOST_ROWS = 64
"""Positions run alone in the run's own dtype; more are spread evenly over the batch."""

MOST_PRODUCTS = 1_500_000_000
"""Multiply-accumulates that all single positions of one dtype may cost together: well under a second."""

MOST_WEIGHTS = 80_000_000
"""Weights up to which the other dtypes are tried; casting more of them would take seconds."""

DTYPE_ORDER = ("float64", "float32", "bfloat16", "float16")
"""From the finest rounding to the coarsest."""


def position_lab(run: Run) -> PositionLab:
    """Differences per token in the run's dtype; largest ones per dtype; and with the mixer on and off.

    The other dtypes take the run's own weights and hidden states, cast. One that the device lacks, or that
    needs more memory than `budget` allows, is left out. Dropout is left out, as in `position_check`.
    """
    with torch.inference_mode():
        full = full_pass(run)
        alone, permuted = _alone(run, full), _permuted(run, full)
        own = _check(run, alone, permuted, tolerance=tolerance_of(full))
        checks = (own if name == run.settings.dtype else _in_dtype(run, name) for name in DTYPE_ORDER)
        return PositionLab(
            alone=alone,
            permuted=permuted,
            tolerance=own.tolerance,
            checks=tuple(check for check in checks if check is not None),
            mixed=_with_mixer(run, True, own) if _has_attention(run) else None,
            unmixed=_with_mixer(run, False, own),
        )


def _alone(run: Run, full: Trace) -> tuple[Floats, ...]:
    """Difference of each position, per sentence; NaN at those that were not run alone."""
    rows = [np.full(length, np.nan) for length in run.lengths]
    places = spread(places_of(run), min(MOST_ROWS, _affordable(run)))
    for (b, s), found in zip(places, alone_differences(run, full.result, places)):
        rows[b][s] = found
    return tuple(rows)


def _permuted(run: Run, full: Trace) -> tuple[Floats, ...]:
    found = permuted_differences(run, full.result).numpy()  # [B, S]
    return tuple(found[b, :length].copy() for b, length in enumerate(run.lengths))


def _check(
    run: Run, alone: tuple[Floats, ...], permuted: tuple[Floats, ...], *, tolerance: float
) -> DtypeCheck:
    def worst(rows: tuple[Floats, ...]) -> float:
        return max(float(np.nanmax(row, initial=0.0)) for row in rows)

    return DtypeCheck(run.settings.dtype, worst(alone), worst(permuted), tolerance)


def _with_mixer(run: Run, on: bool, own: DtypeCheck) -> DtypeCheck:
    """The check with the mixer on or off; `own` where the run stands so itself."""
    if on == (run.mixer is not None):
        return own
    return _whole(replace(run, mixer=seeded_mixer(run.settings) if on else None))


def _in_dtype(run: Run, name: str) -> DtypeCheck | None:
    settings = run.settings.with_(dtype=name)
    if _weights_of(run.layer) > MOST_WEIGHTS:
        return None
    try:
        check_device(settings)
        budget.check(settings, run.lengths)
    except ExplorerError:
        return None
    dtype = DTYPES[name]
    cast = partial(_cast, dtype=dtype)
    layer, mixer = mapped(run.layer, cast), mapped(run.mixer, cast)
    return _whole(replace(run, settings=settings, layer=layer, x=run.x.to(dtype), mixer=mixer))


def _whole(run: Run) -> DtypeCheck:
    found = position_check(run, most=min(MOST_POSITIONS, _affordable(run)))
    return DtypeCheck(found.dtype, found.alone, found.permuted, found.tolerance)


def _affordable(run: Run) -> int:
    """Positions that may be run alone; at least two, so that there is more than one token to compare."""
    used = run.layer if isinstance(run.layer, FFN) else run.layer.experts[0]
    rule = run.layer.spec.routing
    each = _weights_of(used) * (1 if rule is None else rule.top_k)
    return max(2, MOST_PRODUCTS // max(1, each))


def _weights_of(layer: FFN | MoE) -> int:
    """Numbers in the matrices of a layer, all its experts included."""
    if isinstance(layer, MoE):
        return len(layer.experts) * _weights_of(layer.experts[0])
    return sum(matrix.numel() for matrix in (layer.up, layer.gate, layer.down) if matrix is not None)


def _cast(tensor: Tensor, *, dtype: torch.dtype) -> Tensor:
    return tensor.to(dtype) if tensor.is_floating_point() else tensor


def _has_attention(run: Run) -> bool:
    """Whether a mixer may stand before the FFN: not where x comes after attention, nor in an opened model."""
    return run.x_is == "residual" and run.layer.origin.kind != "loaded"
