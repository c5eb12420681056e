"""PyTorch files from before 1.6: five pickles, then for each storage its count and its numbers."""

from pathlib import Path

from ffn_explorer.checkpoints.readers.torch_calls import dtype_of_storage
from ffn_explorer.checkpoints.readers.torch_pickle import MOST_BYTES, read
from ffn_explorer.checkpoints.readers.torch_plan import Name, Refused, Storage, natural
from ffn_explorer.checkpoints.tensors import Files

MAGIC = b"\x80\x02\x8a\x0a" + (0x1950A86A20F9469CFC6C).to_bytes(10, "little") + b"."
"""The first pickle: a number that only these files begin with."""

VERSION = 1001
"""Value of the second pickle."""

COUNT_BYTES = 8
"""Bytes before each storage, which say how many numbers it has."""


class Storages:
    """Storages that a file asks for: torch makes room for all of them before it reads any."""

    def __init__(self, file_bytes: int) -> None:
        self.left = file_bytes
        self.known: dict[str, Storage] = {}

    def __call__(self, key: tuple[object, ...]) -> Storage:
        """Storage of an id: ("storage", class, key, device, numbers, None); no parts, as before 0.4."""
        match key:
            case ("storage", Name(path), str(name), str(), numbers, None) if dtype_of_storage(path):
                found = Storage(name, dtype_of_storage(path), natural(numbers))
            case _:
                raise Refused
        if name not in self.known:
            self.known[name] = found
            self.left -= found.nbytes + COUNT_BYTES
        if self.left < 0:
            raise Refused("truncated")
        if self.known[name] != found:
            raise Refused
        return found


def plan(files: Files, path: Path, size: int) -> object:
    """What a file says that it holds; Refused where it is no such file, is cut short, or asks for code."""
    data = files.read(path, 0, min(size, MOST_BYTES)).tobytes()
    if not data.startswith(MAGIC):
        raise Refused("torch_plain_pickle")
    version, at = read(data, _none, at=len(MAGIC))
    system, at = read(data, _none, at=at)
    if version != VERSION or not isinstance(system, dict):
        raise Refused
    if system.get("little_endian") is not True:
        raise Refused("torch_byteorder")
    storages = Storages(size)
    root, at = read(data, storages, at=at)
    keys, at = read(data, _none, at=at)
    if not isinstance(keys, list) or not all(isinstance(key, str) for key in keys):
        raise Refused
    # One that is not listed would stay as the memory was.
    if len(keys) != len(storages.known) or set(keys) != set(storages.known):
        raise Refused
    for key in keys:
        storage = storages.known[key]
        if at + COUNT_BYTES + storage.nbytes > size:
            raise Refused("truncated")
        if int.from_bytes(files.read(path, at, COUNT_BYTES).tobytes(), "little") != storage.numbers:
            raise Refused
        at += COUNT_BYTES + storage.nbytes
    return root


def _none(_key: tuple[object, ...]) -> Storage:
    """No storages are named beside the main pickle."""
    raise Refused
