"""PyTorch files made by hand: archives of any records, pickles of any instructions, what is said of them."""

from __future__ import annotations

import io
import os
import warnings
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch

from ffn_explorer.checkpoints.readers.torch_file import open_torch
from ffn_explorer.core.errors import InputError

FLOATS = b"\x80\x02}X\x01\x00\x00\x00w"
"""The start of a pickle: a dictionary, and a key "w" whose value follows."""


def made_quietly(make: Callable[[], torch.Tensor]) -> torch.Tensor:
    """Return a tensor of a kind that torch warns of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return make()


def saved(thing: Any, *, legacy: bool = False) -> bytes:
    """Return what torch.save writes."""
    into = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.save(thing, into, _use_new_zipfile_serialization=not legacy)
    return into.getvalue()


def records_in(archive: bytes) -> dict[str, bytes]:
    """Return the records of an archive by name."""
    with zipfile.ZipFile(io.BytesIO(archive)) as file:
        return {name: file.read(name) for name in file.namelist()}


def archive_of(
    records: Mapping[str, bytes] | list[tuple[str, bytes]], *, method: int = zipfile.ZIP_STORED
) -> bytes:
    """Return an archive of records, which may bear one name twice."""
    into = io.BytesIO()
    pairs = records if isinstance(records, list) else list(records.items())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        with zipfile.ZipFile(into, "w", method) as file:
            for name, content in pairs:
                file.writestr(name, content)
    return into.getvalue()


def with_pickle(pickled: bytes, numbers: int = 6) -> bytes:
    """Return an archive with this pickle, and one storage of some float32."""
    return archive_of(
        {
            "archive/data.pkl": pickled,
            "archive/byteorder": b"little",
            "archive/data/0": bytes(4 * numbers),
            "archive/version": b"3\n",
        }
    )


def text(value: str) -> bytes:
    """Return the instruction that pushes a text."""
    raw = value.encode()
    return b"X" + len(raw).to_bytes(4, "little") + raw


def number(value: int) -> bytes:
    """Return the instruction that pushes a whole number."""
    raw = value.to_bytes(16, "little", signed=True)
    return b"\x8a\x10" + raw


def name(module: str, attribute: str) -> bytes:
    """Return the instruction that looks up a name."""
    return f"c{module}\n{attribute}\n".encode()


def storage(key: str = "0", numbers: int = 6, kind: str = "FloatStorage", device: str = "cpu") -> bytes:
    """Return the instructions that name a storage."""
    return b"(" + text("storage") + name("torch", kind) + text(key) + text(device) + number(numbers) + b"tQ"


def tensor(
    shape: tuple[int, ...], strides: tuple[int, ...], *, offset: int = 0, numbers: int = 6, key: str = "0"
) -> bytes:
    """Return the instructions that make a tensor over a storage."""
    sizes = b"(" + b"".join(map(number, shape)) + b"t(" + b"".join(map(number, strides)) + b"t"
    hooks = name("collections", "OrderedDict") + b")R"
    rebuild = name("torch._utils", "_rebuild_tensor_v2")
    return rebuild + b"(" + storage(key, numbers) + number(offset) + sizes + b"\x89" + hooks + b"tR"


def said(folder: Path, content: bytes, suffix: str = ".pt") -> str:
    """Return the key that a file is refused with, "" where it opens and all of it can be read."""
    path = folder / f"file{suffix}"
    path.write_bytes(content)
    try:
        source = open_torch(path)
    except InputError as error:
        return error.key.removeprefix("checkpoint.")
    try:
        for one, stored in source.tensors.items():
            assert stored.nbytes <= len(content) + 2**26 or stored.refusal
            if not stored.refusal:
                source.whole(one)
    except InputError as error:
        return error.key.removeprefix("checkpoint.")
    finally:
        source.close()
    return ""


class Runs:
    """An object whose pickle asks for a call."""

    def __init__(self, function: Any, *arguments: Any) -> None:
        self.function = function
        self.arguments = arguments

    def __reduce__(self) -> tuple[Any, ...]:
        return self.function, self.arguments


def attacks(canary: Path) -> list[Any]:
    """Return objects whose unpickling would create a file."""
    command = f"touch {canary}"
    import importlib
    import subprocess

    return [
        Runs(os.system, command),
        Runs(subprocess.run, ["touch", str(canary)]),
        Runs(subprocess.check_output, ["touch", str(canary)]),
        Runs(eval, f"open({str(canary)!r}, 'w')"),
        Runs(exec, f"open({str(canary)!r}, 'w')"),
        Runs(open, str(canary), "w"),
        Runs(io.open, str(canary), "w"),
        Runs(os.mkdir, str(canary)),
        Runs(importlib.import_module, "this"),
        Runs(Path.touch, canary),
        Runs(torch.load, str(canary)),
        Runs(torch.hub.load, "x/y", "z"),
        Runs(compile, "1", "f", "eval"),
    ]
