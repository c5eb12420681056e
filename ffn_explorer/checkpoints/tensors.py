"""Tensors in files: shapes known at once, numbers read by row, column and block, and no more than asked."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from math import prod
from pathlib import Path

import numpy as np

from ffn_explorer.checkpoints.codec import Bytes, Codec, Floats
from ffn_explorer.checkpoints.files import BLOCK_BYTES, Files
from ffn_explorer.checkpoints.strided import gather, span_of
from ffn_explorer.core import budget
from ffn_explorer.core.errors import InputError, MemoryRefusal

__all__ = ["Files", "Source", "Stored"]

MOST_GAP = 2**12
"""Columns of rows not longer than this are read by whole rows: fewer calls, hardly more bytes."""

UNASKED = 2**26
"""Numbers that are read without asking how much memory is free."""

ACROSS = 4
"""How many times larger blocks are of rows whose numbers lie apart: those cost a read for each column."""


@dataclass(frozen=True, slots=True)
class Stored:
    """One tensor as it lies in a file.

    shape: outermost first, in C order.  offset: of its first byte in the file.  name: in the file itself.
    refusal: catalogue key of why its numbers cannot be shown, "" where they can; values: of that sentence.
    strides: bytes from one place to the next along each axis where the numbers do not lie in C order, else
    empty; only for codecs of single numbers.  held: bytes that offset counts in, where they are in memory.
    """

    name: str
    shape: tuple[int, ...]
    codec: Codec
    path: Path
    offset: int
    refusal: str = ""
    values: tuple[tuple[str, object], ...] = ()
    strides: tuple[int, ...] = ()
    held: Bytes | None = field(default=None, compare=False, repr=False)

    @property
    def columns(self) -> int:
        """Length of the last axis."""
        return self.shape[-1] if self.shape else 1

    @property
    def rows(self) -> int:
        """Number of rows: everything but the last axis, side by side."""
        return prod(self.shape[:-1])

    @property
    def row_bytes(self) -> int:
        """Bytes of one row: whole blocks."""
        return self.columns // self.codec.block * self.codec.size

    @property
    def nbytes(self) -> int:
        """Bytes of all of it."""
        return self.rows * self.row_bytes

    def check(self, file_bytes: int) -> None:
        """See that it lies inside its file, in whole blocks; InputError otherwise."""
        whole = self.columns % self.codec.block == 0
        if not whole or any(size < 0 for size in self.shape):
            raise InputError("checkpoint.shape", tensor=self.name, shape=str(list(self.shape)))
        span = span_of(self.shape, self.strides, size=self.codec.size) if self.strides else self.nbytes
        if self.offset < 0 or self.offset + span > file_bytes:
            raise InputError("checkpoint.outside", tensor=self.name, file=self.path.name)


@dataclass(frozen=True)
class Source:
    """Tensors by name, with the files that they lie in; the same in every format.

    header: the format's own metadata, plain values.  Reading raises InputError, one sentence each, and
    MemoryRefusal where the numbers asked for need over half of the free memory.
    """

    format: str
    path: Path
    tensors: Mapping[str, Stored]
    header: Mapping[str, object] = field(default_factory=dict)
    files: Files = field(default_factory=Files)

    def rows(self, name: str, first: int, past: int) -> Floats:
        """Rows first..past of a tensor seen as `[rows, columns]` -> `[past - first, columns]`."""
        stored = self._readable(name)
        assert 0 <= first <= past <= stored.rows
        check_room((past - first) * stored.columns)
        if stored.strides:
            raw = self._gathered(stored, stored.shape, first, past)
        else:
            raw = self._bytes(stored, first * stored.row_bytes, (past - first) * stored.row_bytes)
        return self._decoded(stored, raw, past - first)

    def row(self, name: str, index: int) -> Floats:
        """One row `[columns]`."""
        found: Floats = self.rows(name, index, index + 1)[0]
        return found

    def column(self, name: str, index: int, *, first: int = 0, past: int | None = None) -> Floats:
        """One number of every row first..past -> `[past - first]`, by reads at their places."""
        stored = self._readable(name)
        past = stored.rows if past is None else past
        assert 0 <= index < stored.columns
        assert 0 <= first <= past <= stored.rows
        check_room(past - first)
        codec = stored.codec
        step = max(1, BLOCK_BYTES // max(min(stored.row_bytes, MOST_GAP), codec.block))
        span = (index // codec.block, index // codec.block + 1)
        found = [
            codec.decode(self._strip(stored, span, at, min(at + step, past))[:, 0])[:, index % codec.block]
            for at in range(first, past, step) or (first,)  # no rows: an empty array of the right kind
        ]
        joined: Floats = np.concatenate(found)
        return joined

    def tile(self, name: str, rows: tuple[int, int], columns: tuple[int, int]) -> Floats:
        """Columns left..right of rows first..past -> `[past - first, right - left]`, little beside them read.

        Of numbers in blocks, the blocks that hold them; rows are decoded some megabytes at a time.
        """
        stored = self._readable(name)
        (first, past), (left, right) = rows, columns
        assert 0 <= left <= right <= stored.columns
        assert 0 <= first <= past <= stored.rows
        check_room((past - first) * (right - left))
        block = stored.codec.block
        span = (left // block, max(left // block, -(-right // block)))
        wide = (span[1] - span[0]) * block
        step = max(1, BLOCK_BYTES // max(1, wide * 4, min(stored.row_bytes, MOST_GAP)))
        into: Floats | None = None
        for at in range(first, past, step) or (first,):  # no rows: an empty array of the right kind
            raw = self._strip(stored, span, at, min(at + step, past))
            part = stored.codec.decode(raw.reshape(-1, stored.codec.size)).reshape(len(raw), wide)
            part = part[:, left - span[0] * block : right - span[0] * block]
            if into is None:
                into = np.empty((past - first, right - left), part.dtype)
            into[at - first : at - first + len(raw)] = part
        assert into is not None
        return into

    def blocks(self, name: str, *, first: int = 0, past: int | None = None) -> Iterator[Floats]:
        """Rows first..past in turn, some megabytes at a time."""
        stored = self._readable(name)
        past = stored.rows if past is None else past
        # Numbers count too: quantised ones take many times their bytes once they are floats.
        step = max(1, BLOCK_BYTES // max(1, stored.row_bytes, stored.columns))
        if stored.strides and stored.strides[-1] > stored.codec.size:
            step *= ACROSS
        for at in range(first, past, step):
            yield self.rows(name, at, min(at + step, past))

    def whole(self, name: str) -> Floats:
        """All of it, in its shape."""
        stored = self._readable(name)
        return self.rows(name, 0, stored.rows).reshape(stored.shape)

    def close(self) -> None:
        """Close the files."""
        self.files.close()

    def stored(self, name: str) -> Stored:
        """Where a tensor lies; InputError where the file has only what it is packed into."""
        found = self.tensors.get(name)
        if found is None:
            raise InputError("checkpoint.layer_incomplete", tensor=name)
        return found

    def _readable(self, name: str) -> Stored:
        stored = self.stored(name)
        if stored.refusal:
            raise InputError(stored.refusal, **dict(stored.values))
        return stored

    def _strip(self, stored: Stored, span: tuple[int, int], first: int, past: int) -> Bytes:
        """Blocks from..to of rows first..past -> `[past - first, to - from, size]`."""
        size, width = stored.codec.size, stored.row_bytes
        if stored.strides:
            part = replace(stored, offset=stored.offset + span[0] * stored.strides[-1])
            return self._gathered(part, (*stored.shape[:-1], span[1] - span[0]), first, past)
        start, wanted = span[0] * size, (span[1] - span[0]) * size
        if width <= MOST_GAP or wanted == width:
            raw = self._bytes(stored, first * width, (past - first) * width)
            raw = raw.reshape(past - first, width)[:, start : start + wanted]
        else:
            raw = np.empty((past - first, wanted), np.uint8)
            for row in range(first, past):
                raw[row - first] = self._bytes(stored, row * width + start, wanted)
        return raw.reshape(past - first, span[1] - span[0], size)

    def _gathered(self, stored: Stored, shape: tuple[int, ...], first: int, past: int) -> Bytes:
        """Rows first..past of numbers that lie apart -> `[past - first, columns, size]`."""
        sizes = (*shape, stored.codec.size)
        return gather(partial(self._bytes, stored), sizes, stored.strides, first=first, past=past)

    def _bytes(self, stored: Stored, at: int, count: int) -> Bytes:
        """Bytes of a tensor, counted from its first one, from its file or from memory."""
        if stored.held is None:
            return self.files.read(stored.path, stored.offset + at, count)
        found = stored.held[stored.offset + at : stored.offset + at + count]
        if len(found) < count:
            raise InputError("checkpoint.truncated", file=stored.path.name)
        return found

    @staticmethod
    def _decoded(stored: Stored, raw: Bytes, rows: int) -> Floats:
        blocks = raw.reshape(-1, stored.codec.size)
        return stored.codec.decode(blocks).reshape(rows, stored.columns)


def check_room(numbers: int) -> None:
    """MemoryRefusal where so many numbers, as bytes and as floats, need over half of the free memory."""
    needed = 8 * numbers
    if numbers > UNASKED and needed * budget.SHARE > (free := budget.free_bytes()):
        raise MemoryRefusal("checkpoint.memory", needed=budget.in_words(needed), free=budget.in_words(free))
