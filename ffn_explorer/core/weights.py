"""Windows of a weight matrix: the weight of largest magnitude in each block, and the weights themselves."""

import math

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.utils.weak import WeakTensorKeyDictionary

from ffn_explorer.core.errors import InputError
from ffn_explorer.core.ffn import FFN
from ffn_explorer.core.moe import MoE

Floats = NDArray[np.floating]
Span = tuple[int, int]
"""First index, and one past the last."""

BLOCK_WEIGHTS = 2**22
"""Weights looked at together, so that a matrix larger than memory is read a few rows at a time."""

_LARGEST = WeakTensorKeyDictionary()
"""Matrix -> its largest finite magnitude, for as long as the weights live."""


def matrix_of(layer: FFN | MoE, role: str, expert: int | None = None) -> Tensor:
    """The matrix of a role: up, gate `[F, D]` or down `[D, F]`; of one expert where a router chooses.

    Raises InputError where the layer has no such matrix.
    """
    ffn = layer if isinstance(layer, FFN) else layer.experts[expert or 0]
    found = {"up": ffn.up, "gate": ffn.gate, "down": ffn.down}[role]
    if found is None:
        raise InputError("error.gate_missing")
    return found


def largest_magnitude(matrix: Tensor) -> float:
    """Largest finite magnitude of a matrix, 0 where there is none.

    Computed once per matrix: weights never change in place.
    """
    if matrix not in _LARGEST:
        with torch.inference_mode():
            _LARGEST[matrix] = max(map(_largest, _blocks(matrix, 1)), default=0.0)
    found: float = _LARGEST[matrix]
    return found


def pooled(matrix: Tensor, rows: Span, columns: Span, *, steps: tuple[int, int]) -> Floats:
    """Weight of largest magnitude in each block of steps = (rows, columns): `[R, C]`, float32 or float64.

    Blocks are counted from the window's corner; those at its far edges may be smaller. Of a weight and its
    negative the positive one stands. A block that holds NaN or infinity is NaN.
    """
    with torch.inference_mode():
        window = matrix[rows[0] : rows[1], columns[0] : columns[1]]
        parts = [_strongest(block, *steps) for block in _blocks(window, steps[0])]
        return np.concatenate(parts)


def exact(matrix: Tensor, rows: Span, columns: Span) -> Floats:
    """The weights of a window `[rows, columns]`: float64 stays, all else becomes float32 without loss."""
    with torch.inference_mode():
        return _numpy(matrix[rows[0] : rows[1], columns[0] : columns[1]]).copy()


def _blocks(window: Tensor, row_step: int) -> list[Tensor]:
    """Rows in blocks of whole steps, a few million weights each."""
    rows = max(1, BLOCK_WEIGHTS // max(1, window.shape[1] * row_step)) * row_step
    return [window[first : first + rows] for first in range(0, window.shape[0], rows)]


def _strongest(block: Tensor, row_step: int, column_step: int) -> Floats:
    """Strongest weight of each step x step cell of a block of rows."""
    top, bottom = (_numpy(side) for side in (_rows(block, row_step, -1), _rows(block, row_step, 1)))
    at = np.arange(0, top.shape[1], column_step)
    high, low = np.maximum.reduceat(top, at, axis=1), np.minimum.reduceat(bottom, at, axis=1)
    cells: Floats = np.where(high >= -low, high, low)
    return np.where(np.isfinite(high) & np.isfinite(low), cells, np.nan).astype(cells.dtype)


def _rows(block: Tensor, step: int, sign: int) -> Tensor:
    """Largest (sign -1) or smallest (sign 1) weight of every `step` rows, column by column."""
    reduce = torch.amax if sign < 0 else torch.amin
    if step == 1:
        return block
    whole = block.shape[0] // step * step
    parts = [reduce(block[:whole].reshape(-1, step, block.shape[1]), dim=1)] if whole else []
    if whole < block.shape[0]:
        parts.append(reduce(block[whole:], dim=0, keepdim=True))
    return torch.cat(parts)


def _largest(block: Tensor) -> float:
    if not block.numel():
        return 0.0
    low, high = (float(side) for side in (block.amin(), block.amax()))
    top = max(high, -low)
    if math.isfinite(top):
        return top
    finite = block[block.isfinite()]
    return float(finite.abs().max()) if finite.numel() else 0.0


def _numpy(tensor: Tensor) -> Floats:
    wide = torch.promote_types(tensor.dtype, torch.float32)
    array: Floats = tensor.detach().to("cpu", wide).numpy()
    return array
