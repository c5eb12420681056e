"""Planes: a stored matrix seen as `[rows, columns]` of numbers, any piece of which is read alone."""

from dataclasses import dataclass
from math import prod

import numpy as np

from ffn_explorer.checkpoints.codec import Floats
from ffn_explorer.checkpoints.tensors import Source
from ffn_explorer.core.errors import InputError

Span = tuple[int, int]
"""First of some rows or columns, and the one past the last."""

Place = int | None
"""One row or column, or None for all of them."""


@dataclass(frozen=True)
class Plane:
    """A matrix as the file stores it: numbers by piece, and words for where they stand."""

    source: Source
    name: str
    height: int
    width: int

    @property
    def stored_as(self) -> str:
        """Type of the stored numbers, by its codec or by how they are packed."""
        return self.source.tensors[self.name].codec.name

    def tile(self, rows: Span, columns: Span) -> Floats:
        """Numbers of some rows and columns, in float32 or the file's float64. Raises InputError."""
        raise NotImplementedError

    def expect(self) -> None:
        """Say that all of it will be read, in pieces that lie apart."""

    def text(self, row: Place, column: Place) -> str:
        """The slice as the file names it: "h.0.mlp.c_fc.weight[:, 7]"."""
        raise NotImplementedError


@dataclass(frozen=True)
class Plain(Plane):
    """Numbers of one tensor, or of one expert in it.

    expert: along the first axis of a stack, -1 where there is none.  first: row where the expert begins in a
    tensor whose experts lie side by side.
    """

    expert: int = -1
    first: int = 0

    @property
    def start(self) -> int:
        """Row of the tensor where this matrix begins."""
        return self.first + max(0, self.expert) * self.height

    def tile(self, rows: Span, columns: Span) -> Floats:
        """Positioned reads of that piece alone."""
        return self.source.tile(self.name, (self.start + rows[0], self.start + rows[1]), columns)

    def expect(self) -> None:
        """Else a disk would seek for every piece."""
        stored = self.source.tensors[self.name]
        if stored.held is None and not stored.strides and not stored.refusal:
            offset, count = (rows * stored.row_bytes for rows in (self.start, self.height))
            self.source.files.expect(stored.path, stored.offset + offset, count)

    def text(self, row: Place, column: Place) -> str:
        """Indices into the tensor itself."""
        lead = [str(self.expert)] if self.expert >= 0 else []
        alone = lead or self.source.tensors[self.name].shape[0] == self.height
        every = ":" if alone else f"{self.first}:{self.first + self.height}"
        rows = every if row is None else str(self.first + row)
        return f"{self.name}[{', '.join([*lead, rows, shown(column)])}]"


@dataclass(frozen=True)
class Grouped(Plane):
    """A kernel-1 convolution `[out, in / groups, 1]` as the matrix `[out, in]` it is: 0 between groups."""

    groups: int = 1

    def tile(self, rows: Span, columns: Span) -> Floats:
        """Each row beside the inputs of its own group."""
        each, high = self.width // self.groups, self.height // self.groups
        per_row = (
            each // self.source.tensors[self.name].columns
        )  # an axis of length 1 makes rows of one number
        raw = self.source.rows(self.name, rows[0] * per_row, rows[1] * per_row).reshape(-1, each)
        full = np.zeros((len(raw), self.width), raw.dtype)
        for row, numbers in enumerate(raw, rows[0]):
            group = row // high
            full[row - rows[0], group * each : (group + 1) * each] = numbers
        return full[:, columns[0] : columns[1]]

    def text(self, row: Place, column: Place) -> str:
        """A column stands in the rows of its own group alone."""
        each, high = self.width // self.groups, self.height // self.groups
        rows, columns = shown(row), ":"
        if column is not None:
            group = column // each
            rows = f"{group * high}:{(group + 1) * high}" if row is None else rows
            columns = str(column % each)
        tail = ", 0" if len(self.source.tensors[self.name].shape) > 2 else ""
        return f"{self.name}[{rows}, {columns}{tail}]"


def plain_of(source: Source, name: str, *, expert: int, flat_rows: int = 0) -> Plain:
    """A tensor, or one expert's part of it; flat_rows: rows of each where they lie side by side.

    Raises InputError where the tensor is none of that many axes.
    """
    shape = source.stored(name).shape
    stacked = expert >= 0 and not flat_rows
    if len(shape) != (3 if stacked else 2) or prod(shape) == 0:
        raise InputError("checkpoint.layer_shapes", tensor=name, shapes=str(list(shape)), d_model=0)
    if flat_rows:
        return Plain(source, name, flat_rows, shape[-1], first=expert * flat_rows)
    return Plain(source, name, shape[-2], shape[-1], expert=expert if stacked else -1)


def shown(place: Place) -> str:
    """An index as in code."""
    return ":" if place is None else str(place)
