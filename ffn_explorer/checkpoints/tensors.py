"""Tensors in files: shapes known at once, numbers read by row, column and block, and no more than asked."""

import os
import stat
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from math import prod
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from ffn_explorer.checkpoints.codec import Bytes, Codec, Floats
from ffn_explorer.checkpoints.strided import gather, span_of
from ffn_explorer.core.errors import InputError

BLOCK_BYTES = 2**23
"""Largest single read: a stream of blocks keeps resident memory at about this."""

MOST_OPEN = 64
"""Files open at once; a model may have hundreds, and a process not that many handles."""

MOST_GAP = 2**12
"""Columns of rows not longer than this are read by whole rows: fewer calls, hardly more bytes."""

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


@dataclass
class Files:
    """Open files by path, read at positions, from any thread; closed together."""

    _open: dict[Path, int] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def read(self, path: Path, offset: int, count: int) -> Bytes:
        """Bytes `[count]` from a place in a file; InputError where it ends before that, or cannot be read."""
        into = np.empty(count, np.uint8)
        view = into.data
        done = 0
        try:
            while done < count:
                with self._lock:
                    got = _read_at(self._handle(path), view[done : done + BLOCK_BYTES], offset + done)
                if got == 0:
                    raise InputError("checkpoint.truncated", file=path.name)
                done += got
        except (OSError, ValueError, OverflowError) as error:
            raise _unreadable(path, error) from error
        return into

    def size(self, path: Path) -> int:
        """Bytes of a file; InputError where it cannot be opened or is no regular file."""
        try:
            with self._lock:
                return os.fstat(self._handle(path)).st_size
        except (OSError, ValueError) as error:
            raise _unreadable(path, error) from error

    def close(self) -> None:
        """Close all of them."""
        with self._lock:
            for handle in self._open.values():
                os.close(handle)
            self._open.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()

    def _handle(self, path: Path) -> int:
        if path not in self._open:
            # Not waiting: a pipe without a writer would otherwise block here for ever.
            handle = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0))
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                os.close(handle)
                raise InputError("checkpoint.special", file=path.name)
            self._open[path] = handle
            if len(self._open) > MOST_OPEN:
                os.close(self._open.pop(next(iter(self._open))))
        return self._open[path]


@dataclass(frozen=True)
class Source:
    """Tensors by name, with the files that they lie in; the same in every format.

    header: the format's own metadata, plain values.  Reading raises InputError, one sentence each.
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
        codec = stored.codec
        step = max(1, BLOCK_BYTES // max(min(stored.row_bytes, MOST_GAP), codec.block))
        found = [
            codec.decode(self._cells(stored, index // codec.block, at, min(at + step, past)))[
                :, index % codec.block
            ]
            for at in range(first, past, step) or (first,)  # no rows: an empty array of the right kind
        ]
        joined: Floats = np.concatenate(found)
        return joined

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

    def _readable(self, name: str) -> Stored:
        stored = self.tensors[name]
        if stored.refusal:
            raise InputError(stored.refusal, **dict(stored.values))
        return stored

    def _cells(self, stored: Stored, block: int, first: int, past: int) -> Bytes:
        """The block at one place of rows first..past -> `[past - first, size]`."""
        size, width = stored.codec.size, stored.row_bytes
        if stored.strides:
            column = replace(stored, offset=stored.offset + block * stored.strides[-1])
            return self._gathered(column, (*stored.shape[:-1], 1), first, past)[:, 0]
        if width <= MOST_GAP:
            raw = self._bytes(stored, first * width, (past - first) * width)
            return raw.reshape(past - first, width)[:, block * size : (block + 1) * size]
        raw = np.empty((past - first, size), np.uint8)
        for row in range(first, past):
            raw[row - first] = self._bytes(stored, row * width + block * size, size)
        return raw

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


def _unreadable(path: Path, error: OSError | ValueError | OverflowError) -> InputError:
    """What the system says of a file, or Python of a name that cannot be one (with a zero byte)."""
    why = error.strerror if isinstance(error, OSError) else None
    return InputError("checkpoint.read", file=path.name, why=why or str(error))


def _read_at(handle: int, into: memoryview, offset: int) -> int:
    """Read at a position into a buffer; bytes that came."""
    if hasattr(os, "preadv"):
        return os.preadv(handle, [into], offset)
    os.lseek(handle, offset, os.SEEK_SET)
    got = os.read(handle, len(into))
    into[: len(got)] = got
    return len(got)
