"""Standard output and standard error, either of which may be closed, or lead to a full disk."""

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from ffn_explorer.core.errors import InputError


def hold_places() -> None:
    """Open what stands in for closed standard streams, so that no file of ours gets their numbers.

    Libraries write warnings to number 2, whatever file that is.
    """
    if None in (sys.stdin, sys.stdout, sys.stderr):
        while (handle := os.open(os.devnull, os.O_RDWR)) <= 2:
            pass
        os.close(handle)


def out(result: str) -> None:
    """Print a result on standard output; InputError where it cannot be written."""
    with _refusing():
        if sys.stdout is None:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        print(result, flush=True)


def finish() -> None:
    """Write what still waits for standard output; InputError as in `out`."""
    with _refusing():
        if sys.stdout is not None:
            sys.stdout.flush()


def err(sentence: str, *, end: str = "\n") -> None:
    """Print on standard error; where nobody can hear it, the work goes on and the exit code stays."""
    # print would take None for standard output.
    if sys.stderr is None:
        return
    try:
        print(sentence, end=end, file=sys.stderr, flush=True)
    except OSError:
        discard(sys.stderr)


def progress(sentence: str, *, last: bool) -> None:
    """Say how far it is on the same line again, for who sits before a terminal; last: the line is done."""
    if sys.stderr is not None and sys.stderr.isatty():
        err(f"\r{sentence}", end="\n" if last else "")


@contextmanager
def _refusing() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        discard(sys.stdout)
        raise InputError("cli.error.output", why=error.strerror or str(error)) from error


def discard(stream: IO[str] | None) -> None:
    """Let what still waits in a stream vanish: the interpreter would fail on it when it ends."""
    if stream is not None:
        handle = os.open(os.devnull, os.O_WRONLY)
        os.dup2(handle, stream.fileno())
        os.close(handle)
