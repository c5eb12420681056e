"""Open files by path, read at positions, from any thread."""

import os
import stat
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from ffn_explorer.checkpoints.codec import Bytes
from ffn_explorer.core.errors import InputError

BLOCK_BYTES = 2**23
"""Largest single read: a stream of blocks keeps resident memory at about this."""

MOST_OPEN = 64
"""Files open at once; a model may have hundreds, and a process not that many handles."""


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

    def expect(self, path: Path, offset: int, count: int) -> None:
        """Let the system read ahead, where it can, what will be wanted soon in small pieces all over it."""
        if hasattr(os, "posix_fadvise"):
            with suppress(OSError, ValueError, OverflowError), self._lock:
                os.posix_fadvise(self._handle(path), offset, count, os.POSIX_FADV_WILLNEED)

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
