"""Opening damaged files in a process of their own: watched for code, time and memory.

`python -m tests.unit.guarded FORMAT LAYOUT SEED FOLDER` writes one damaged checkpoint and opens it.
"""

from __future__ import annotations

import faulthandler
import json
import os
import shutil
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from itertools import chain, cycle, islice
from pathlib import Path
from typing import Any

import torch

from ffn_explorer.checkpoints.catalog import Checkpoint, open_checkpoint
from ffn_explorer.cli.inspect import highest_memory
from ffn_explorer.core.errors import ExplorerError, InputError, MemoryRefusal
from ffn_explorer.core.forward_pass import forward
from ffn_explorer.state.quoting import harmless
from ffn_explorer.state.text import catalogue, said, say
from tests.unit.mutations import mutated
from tests.unit.specimens import SPECIMENS, written

SECONDS = 5
"""Longest that one file may take."""

MOST_BYTES = 2**30
"""Most memory that opening may take beside what the imports did."""

MOST_LETTERS = 700
"""Longest sentence."""

MOST_READ = 8
"""Tensors of an opened file whose numbers are read."""

FORBIDDEN = (
    "os.system", "os.exec", "os.spawn", "os.posix_spawn", "os.fork", "os.forkpty", "os.kill", "os.putenv",
    "os.startfile", "os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.chmod",
    "os.truncate", "subprocess.", "socket.", "shutil.", "urllib.", "http.", "ftplib.", "smtplib.",
    "webbrowser.", "pty.", "exec", "compile", "import", "code.__new__", "marshal.loads", "pickle.find_class",
    "ctypes.dlopen", "ctypes.dlsym", "builtins.input", "builtins.breakpoint",
)  # fmt: skip
"""What no file may have done, by the names of Python's audit events."""


class Guard:
    """Notes and stops what a file should never have done, while it is armed."""

    def __init__(self) -> None:
        self.armed = False
        self.seen: list[str] = []
        sys.addaudithook(self._event)

    def _event(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.armed:
            return
        if event == "open":
            _, mode, flags = arguments
            writes = isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_APPEND)
            if not writes and not (isinstance(mode, str) and set(mode) & set("wax+")):
                return
        elif not event.startswith(FORBIDDEN) or (event == "import" and harmless_import(arguments[0])):
            return
        self.seen.append(f"{event} {str(arguments)[:200]}")
        raise PermissionError(event)


def harmless_import(name: str) -> bool:
    """Codecs of Python itself come when a text is first met that needs them."""
    return name.startswith(("encodings", "_codecs"))


def opened(path: Path) -> tuple[str, list[str]]:
    """Open a checkpoint and read of it -> what became of it, and all keys that were said on the way."""
    try:
        checkpoint = open_checkpoint(path)
    except InputError as error:
        return checked(error), [error.key]
    with checkpoint:
        keys = [*_read(checkpoint), *_built(checkpoint)]
    return "opened", keys


def _built(checkpoint: Checkpoint) -> Iterator[str]:
    """Keys of what the first and the last layer are refused with."""
    assert checkpoint.layers
    for index in sorted({0, len(checkpoint.layers) - 1}):
        layer = checkpoint.layers[index]
        assert min(layer.d_model, layer.d_ff) > 0
        try:
            made = checkpoint.ffn(index)
            for number in sorted({0, layer.experts - 1}) if layer.experts else ():
                assert made.experts[number].up.shape[1] == layer.d_model  # type: ignore[union-attr]
            with torch.inference_mode():
                trace = forward(made, torch.ones(1, 2, layer.d_model))
            assert trace.out.shape == (1, 2, layer.d_model)
        except (InputError, MemoryRefusal) as error:
            yield checked(error)


def _read(checkpoint: Checkpoint) -> Iterator[str]:
    """Keys of what reading rows, columns and tiles is refused with."""
    source = checkpoint.source
    names = list(source.tensors)
    for name in names[:: max(1, len(names) // MOST_READ)]:
        stored = source.tensors[name]
        assert stored.rows >= 0
        if not stored.rows or not stored.columns:
            continue
        try:
            assert source.row(name, stored.rows - 1).shape == (stored.columns,)
            assert source.column(name, stored.columns - 1).shape == (stored.rows,)
            assert sum(len(block) for block in islice(source.blocks(name), 4)) <= stored.rows
        except (InputError, MemoryRefusal) as error:
            yield checked(error)


def checked(error: ExplorerError) -> str:
    """Key of a sentence that is in both catalogues, on one line, and without what cannot be printed."""
    for language in ("en", "ja"):
        assert error.key in catalogue(language), f"{error.key} has no sentence in {language}"
        sentence = say(language, harmless(said(error)))
        assert sentence.isprintable(), repr(sentence)
        assert len(sentence) <= MOST_LETTERS, sentence
    return error.key


def bounded() -> None:
    """Let the process have no more memory than it has now and MOST_BYTES."""
    if sys.platform == "linux":
        import resource

        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
        most = pages * resource.getpagesize() + MOST_BYTES
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def judged(guard: Guard, where: str, path: Path) -> tuple[str, list[str]]:
    """What became of one file, in time, without code; the error says which file it was."""
    faulthandler.dump_traceback_later(SECONDS, exit=True)
    guard.armed = True
    try:
        # Only here: libraries warn when they are imported, and when they leave.
        with warnings.catch_warnings(action="error"):
            found = opened(path)
    except BaseException as error:
        error.add_note(where)
        raise
    finally:
        guard.armed = False
        faulthandler.cancel_dump_traceback_later()
    assert not guard.seen, f"{where}: {guard.seen}"
    return found


def emptied(folder: Path) -> Path:
    """A folder with nothing in it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def run(form: str, first: int, count: int, *, folder: Path, seconds: float = 1e9) -> dict[str, Any]:
    """Open so many damaged files of a format in turn; what became of them, the longest time, the memory."""
    guard = Guard()
    # Everything is imported before the guard looks, whatever the damage then makes of a file.
    for make in chain.from_iterable(layouts.values() for layouts in SPECIMENS.values()):
        assert opened(written(make(), emptied(folder))) == ("opened", [])
    bounded()
    before, longest, began = highest_memory(), 0.0, time.monotonic()
    results: Counter[str] = Counter()
    keys: Counter[str] = Counter()
    layouts = {name: make() for name, make in SPECIMENS[form].items()}
    for number, name in zip(range(first, first + count), cycle(layouts), strict=False):
        if time.monotonic() - began > seconds:
            break
        made = mutated(layouts[name], f"{name}:{number}")
        where = f"{form} {name} {number}: {made.done}"
        tell(where)
        path = written(made.specimen, emptied(folder))
        started = time.monotonic()
        result, said_keys = judged(guard, where, path)
        longest = max(longest, time.monotonic() - started)
        results[result] += 1
        keys.update(said_keys)
    return {"results": results, "keys": keys, "longest": longest, "growth": highest_memory() - before}


def tell(line: str) -> None:
    """A line at once: what comes last must be there when the process ends."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> None:
    """One format for many files, or one file again."""
    faulthandler.enable()
    match sys.argv[1:]:
        case [form, first, count, seconds, folder]:
            tell(json.dumps(run(form, int(first), int(count), folder=Path(folder), seconds=float(seconds))))
        case [form, name, number, folder]:
            made = mutated(SPECIMENS[form][name](), f"{name}:{number}")
            tell(made.done)
            path = written(made.specimen, emptied(Path(folder) / "mutated"))
            tell(f"{path} {opened(path)}")
        case _:
            tell(__doc__ or "")


if __name__ == "__main__":
    main()
