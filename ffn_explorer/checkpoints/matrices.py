"""Matrices of a checkpoint as torch tensors `[out, in]`: experts, halves and alternating rows taken apart."""

from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ffn_explorer.checkpoints.codec import Floats
from ffn_explorer.checkpoints.scheme import TensorRef
from ffn_explorer.checkpoints.tensors import Source
from ffn_explorer.checkpoints.unpacking import unpacked
from ffn_explorer.core.errors import InputError


class Reader:
    """Reads a source's tensors in one dtype; of a tensor that experts share, each expert's part alone."""

    def __init__(self, source: Source, dtype: torch.dtype) -> None:
        self.source = source
        self.dtype = dtype

    def matrix(self, ref: TensorRef, *, expert: int) -> Tensor:
        """One role's matrix `[out, in]`; expert -1 where there is one only."""
        raw = self._raw(ref, expert=expert)
        if ref.layout == "grouped":
            return self._tensor(_block_diagonal(raw, ref.groups))
        if ref.layout == "in_out":
            raw = raw.T
        found = self._tensor(np.ascontiguousarray(_part(raw, ref.part)))
        if tuple(found.shape) != ref.shape:
            raise InputError(
                "checkpoint.layer_shapes",
                tensor=ref.names[0],
                shapes=str(list(found.shape)),
                d_model=ref.shape[1],
            )
        return found

    def bias(self, ref: TensorRef, *, expert: int) -> Tensor | None:
        """Its bias `[out]`, if it has one."""
        if not ref.biases:
            return None
        name = ref.biases[expert if ref.expert == "name" else 0]
        raw = self._of_expert(name, expert) if ref.expert == "axis0" else self.source.whole(name)
        return self._tensor(np.ascontiguousarray(_part(raw.reshape(-1), ref.part)))

    def vector(self, name: str) -> Tensor:
        """A tensor in its own shape."""
        return self._tensor(np.ascontiguousarray(self.source.whole(name)))

    def optional(self, name: str) -> Tensor | None:
        """The tensor, None for ""."""
        return self.vector(name) if name else None

    def _raw(self, ref: TensorRef, *, expert: int) -> Floats:
        name = ref.names[expert if ref.expert == "name" else 0]
        if ref.quantised:
            return unpacked(self.source, name, ref.quantised, expert=expert if ref.expert == "axis0" else -1)
        if ref.expert == "axis0":
            return self._of_expert(name, expert)
        if ref.expert == "flat":
            rows = ref.shape[1] if ref.layout == "in_out" else ref.shape[0]
            return self.source.rows(name, expert * rows, (expert + 1) * rows)
        return self.source.whole(name)

    def _of_expert(self, name: str, expert: int) -> Floats:
        """One expert's slice of a stack `[E, ...]`, nothing else read."""
        stored = self.source.stored(name)
        if len(stored.shape) < 2 or expert >= stored.shape[0]:
            raise InputError(
                "checkpoint.layer_shapes", tensor=name, shapes=str(list(stored.shape)), d_model=0
            )
        each = stored.rows // stored.shape[0]
        return self.source.rows(name, expert * each, (expert + 1) * each).reshape(stored.shape[1:])

    def _tensor(self, values: NDArray[np.floating]) -> Tensor:
        return torch.from_numpy(values).to(self.dtype)


def _part(raw: Floats, part: str) -> Floats:
    """Half or every other row of an `[out, in]` matrix, or of its bias."""
    half = len(raw) // 2
    take: dict[str, Callable[[Floats], Floats]] = {
        "half0": lambda t: t[:half],
        "half1": lambda t: t[half:],
        "even": lambda t: t[0::2],
        "odd": lambda t: t[1::2],
    }
    return take[part](raw) if part else raw


def _block_diagonal(raw: Floats, groups: int) -> Floats:
    """`[out, in]` of a kernel-1 convolution `[out, in / groups, 1]`: each group reads its own inputs."""
    flat = raw.reshape(raw.shape[0], -1)
    out, each = flat.shape
    full = np.zeros((out, each * groups), flat.dtype)
    rows = out // groups
    for group in range(groups):
        here = slice(group * rows, (group + 1) * rows)
        full[here, group * each : (group + 1) * each] = flat[here]
    return full
