"""Metadata of GGUF files: read with bounds, long arrays only walked past and read when they are asked for."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from struct import Struct
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from ffn_explorer.checkpoints.readers.json_text import short
from ffn_explorer.checkpoints.tensors import Files
from ffn_explorer.core.errors import InputError

STRING, ARRAY, BOOL = 8, 9, 7
"""Kinds of values that are not plain numbers, by the format's numbers."""

NUMBERS: Mapping[int, str] = MappingProxyType(
    {
        0: "uint8",
        1: "int8",
        2: "uint16",
        3: "int16",
        4: "uint32",
        5: "int32",
        6: "float32",
        BOOL: "bool",
        10: "uint64",
        11: "int64",
        12: "float64",
    }
)
"""Kinds of numbers by the format's numbers, in numpy's names; all little-endian."""

WINDOW = 2**20
"""Bytes of the header read at a time."""

KEPT_ITEMS = 1_024
"""Longest array that is kept; longer ones are read when they are asked for."""

KEPT_TEXT = 2**20
"""Longest string, in bytes, that is kept."""

MOST_KEPT = 2**25
"""Most memory, in bytes, that the values of one model may take once they are Python's."""

ITEM_BYTES, ARRAY_BYTES = 256, 1_024
"""What one value and one array count for: more than their memory, as reading each also takes time."""

MOST_STRINGS = 2**22
"""Most strings in one model's arrays: each has to be walked past. The largest vocabularies have 2**19."""

MOST_LATER = 2**28
"""Longest array, in bytes, that is read when it is asked for."""

MOST_DEPTH = 8
"""Deepest arrays of arrays; writers know one level."""

_LENGTH = Struct("<Q")
_WORD = Struct("<I")


@dataclass(frozen=True, slots=True)
class Later:
    """Metadata too long to be kept: count items of one kind at a place in a file.

    kind: "string", or a number's kind in numpy's names.
    """

    kind: str
    count: int
    offset: int
    nbytes: int
    path: Path
    files: Files = field(repr=False, compare=False)

    def __len__(self) -> int:
        return self.count

    def strings(self) -> list[str]:
        """All of its strings; InputError where they are too long together, or cannot be read."""
        assert self.kind == "string"
        raw = self._bytes()
        found = []
        at = 0
        for _ in range(self.count):
            past = at + 8 + _LENGTH.unpack_from(raw, at)[0] if at + 8 <= len(raw) else len(raw) + 1
            if past > len(raw):  # only where the file changed since it was opened
                raise InputError("checkpoint.truncated", file=short(self.path.name))
            found.append(raw[at + 8 : past].decode("utf-8", "replace"))
            at = past
        return found

    def numbers(self) -> NDArray[np.generic]:
        """All of its numbers `[count]`; InputError as in `strings`."""
        assert self.kind != "string"
        dtype = np.dtype("u1" if self.kind == "bool" else self.kind).newbyteorder("<")
        found = np.frombuffer(self._bytes(), dtype)
        return found != 0 if self.kind == "bool" else found

    def _bytes(self) -> bytes:
        if self.nbytes > MOST_LATER:
            raise InputError("checkpoint.metadata_large", file=short(self.path.name))
        return self.files.read(self.path, self.offset, self.nbytes).tobytes()


@dataclass
class Spent:
    """What the headers of one model's parts have cost together. kept: bytes of values.  walked: strings."""

    kept: int = 0
    walked: int = 0


class Cursor:
    """A place in a file's header that moves on as values are read; InputError past the end of the file."""

    def __init__(self, files: Files, path: Path, spent: Spent) -> None:
        self.files, self.path, self.spent = files, path, spent
        self.size = files.size(path)
        self.at = 0
        self._window = b""
        self._start = 0

    @property
    def left(self) -> int:
        """Bytes between here and the end of the file."""
        return self.size - self.at

    def take(self, count: int) -> bytes:
        """The next bytes; count is bounded by who asks."""
        self._hold(count)
        first = self.at - self._start
        self.at += count
        return self._window[first : first + count]

    def skip(self, count: int) -> None:
        """Move on without reading."""
        if count > self.left:
            raise self.truncated()
        self.at += count

    def word(self) -> int:
        """A count or kind of 32 bits."""
        found: int = _WORD.unpack(self.take(4))[0]
        return found

    def length(self) -> int:
        """A count, length or offset of 64 bits."""
        found: int = _LENGTH.unpack(self.take(8))[0]
        return found

    def name(self, most: int) -> str:
        """A key or tensor name of at most so many bytes: UTF-8, not empty and without control characters."""
        count = self.length()
        if count > self.left:
            raise self.truncated()
        if count > most:
            raise InputError("checkpoint.name_long", file=short(self.path.name), limit=most)
        try:
            found = self.take(count).decode("utf-8")
        except UnicodeDecodeError as error:
            raise InputError("checkpoint.name_text", file=short(self.path.name)) from error
        if not found or not found.isprintable():
            raise InputError("checkpoint.name_text", file=short(self.path.name))
        return found

    def value(self, key: str) -> object:
        """One value of any kind: a number, bool, string, list of such, or a Later."""
        return self._value(self.word(), key, 0)

    def truncated(self) -> InputError:
        """The file ends before its header says."""
        return InputError("checkpoint.truncated", file=short(self.path.name))

    def _value(self, kind: int, key: str, depth: int) -> object:
        if kind in NUMBERS:
            self._keep(ITEM_BYTES)
            return self._numbers(kind, 1, key)[0]
        if kind == STRING:
            return self._string()
        if kind == ARRAY and depth < MOST_DEPTH:
            return self._array(key, depth + 1)
        what = "checkpoint.metadata_deep" if kind == ARRAY else "checkpoint.metadata_kind"
        raise InputError(what, file=short(self.path.name), entry=short(key))

    def _numbers(self, kind: int, count: int, key: str) -> list[object]:
        # Not as bool: numpy would take any byte for true, and the format calls that a fault.
        dtype = np.dtype("u1" if kind == BOOL else NUMBERS[kind]).newbyteorder("<")
        found: list[object] = np.frombuffer(self.take(count * dtype.itemsize), dtype).tolist()
        if kind != BOOL:
            return found
        if any(item not in (0, 1) for item in found):
            raise InputError("checkpoint.metadata_kind", file=short(self.path.name), entry=short(key))
        return [item == 1 for item in found]

    def _string(self) -> str | Later:
        start = self.at
        count = self.length()
        if count > self.left:
            raise self.truncated()
        if count > KEPT_TEXT:
            self.skip(count)
            return Later("string", 1, start, 8 + count, self.path, self.files)
        self._keep(ITEM_BYTES + count)
        return self.take(count).decode("utf-8", "replace")

    def _array(self, key: str, depth: int) -> object:
        kind, count = self.word(), self.length()
        self._keep(ARRAY_BYTES)
        if kind in NUMBERS:
            width = np.dtype(NUMBERS[kind]).itemsize
            if count * width > self.left:
                raise self.truncated()
            if count > KEPT_ITEMS:
                start = self.at
                self.skip(count * width)
                return Later(NUMBERS[kind], count, start, count * width, self.path, self.files)
            self._keep(ITEM_BYTES * count)
            return self._numbers(kind, count, key)
        if kind not in (STRING, ARRAY):
            raise InputError("checkpoint.metadata_kind", file=short(self.path.name), entry=short(key))
        # The shortest string takes 8 bytes, the shortest array 12.
        if count * 8 > self.left:
            raise self.truncated()
        if kind == STRING and count > KEPT_ITEMS:
            start = self.at
            self._walk(count)
            return Later("string", count, start, self.at - start, self.path, self.files)
        return [self._value(kind, key, depth) for _ in range(count)]

    def _walk(self, count: int) -> None:
        """Move past strings without reading them."""
        self.spent.walked += count
        if self.spent.walked > MOST_STRINGS:
            raise InputError("checkpoint.metadata_large", file=short(self.path.name))
        unpack = _LENGTH.unpack_from
        while count:
            self._hold(8)
            window, at = self._window, self.at - self._start
            last = len(window) - 8
            while count and at <= last:
                at += 8 + unpack(window, at)[0]
                count -= 1
            self.at = self._start + at
            if self.at > self.size:
                raise self.truncated()

    def _keep(self, count: int) -> None:
        """Count memory that values take, and refuse past the limit."""
        self.spent.kept += count
        if self.spent.kept > MOST_KEPT:
            raise InputError("checkpoint.metadata_large", file=short(self.path.name))

    def _hold(self, count: int) -> None:
        """See that the next bytes are in the window."""
        if count > self.left:
            raise self.truncated()
        if self.at < self._start or self.at + count > self._start + len(self._window):
            self._window = self.files.read(self.path, self.at, min(max(count, WINDOW), self.left)).tobytes()
            self._start = self.at
