"""GGUF: one header of metadata and tensor places, then the numbers, in one file or several parts.

Source: docs/gguf.md of the ggml project. Everything a header says is checked before it is used.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType

from ffn_explorer.checkpoints.readers.gguf_types import UNREAD, codec_of
from ffn_explorer.checkpoints.readers.gguf_values import Cursor, Spent
from ffn_explorer.checkpoints.readers.json_text import short
from ffn_explorer.checkpoints.readers.shards import check_there
from ffn_explorer.checkpoints.tensors import Files, Source, Stored
from ffn_explorer.core.errors import InputError

MAGIC = b"GGUF"
"""First four bytes of every such file, whichever byte order follows."""

VERSIONS = (2, 3)
"""Versions that are read; the first had 32-bit counts, and hardly a file of it is left."""

DEFAULT_ALIGNMENT = 32
"""Bytes that tensors start at multiples of, where the header names none."""

MOST_KEYS = 2**16
"""Most metadata entries; files have some dozens."""

MOST_TENSORS = 2**17
"""Most tensors of all parts together; the largest models have some thousands."""

MOST_DIMS = 8
"""Most axes of a tensor; ggml has four."""

LEAST_KEY, LEAST_TENSOR = 13, 24
"""Fewest bytes that an entry and a tensor take in a header."""

MOST_KEY_NAME, MOST_TENSOR_NAME = 2**16 - 1, 256
"""Longest names, in bytes: of keys by the format, of tensors four times what ggml takes."""

PART = re.compile(r"(?P<stem>.*)-(?P<number>\d{5})-of-(?P<count>\d{5})\.gguf", re.DOTALL)
"""File name of one part of several, counted from one."""


@dataclass(frozen=True)
class Part:
    """One file: what its header says, and its tensors."""

    path: Path
    header: dict[str, object]
    tensors: dict[str, Stored]


def open_gguf(path: Path) -> Source:
    """Tensors and metadata of a GGUF file, with all parts of it where there are several.

    Raises InputError, one sentence, for a file that is none, that lies, or that lacks a part.
    """
    files = Files()
    try:
        parts = _parts(files, path)
        tensors: dict[str, Stored] = {}
        for part in parts:
            for name, stored in part.tensors.items():
                if name in tensors:
                    raise InputError("checkpoint.twice", file=short(part.path.name), name=name)
                tensors[name] = stored
        _check_total(parts, len(tensors))
        return Source("gguf", path, MappingProxyType(tensors), MappingProxyType(parts[0].header), files)
    except BaseException:
        files.close()
        raise


def _parts(files: Files, path: Path) -> list[Part]:
    """The file alone, or all parts that it belongs to, the first one first."""
    spent = Spent()
    given = _part(files, path, spent)
    found = PART.fullmatch(path.name)
    named = int(found["count"]) if found else 1
    # Parts without the key exist; then the name decides, so that no part is missed in silence.
    count = _integer(given, "split.count", named)
    if count <= 1 and named <= 1:
        return [given]
    if found is None or count != named or not 1 <= int(found["number"]) <= count:
        raise InputError("checkpoint.part_name", file=short(path.name))
    places = [path.with_name(f"{found['stem']}-{at + 1:05d}-of-{count:05d}.gguf") for at in range(count)]
    check_there(places)
    parts = []
    tensors = 0
    for at, place in enumerate(places):
        part = given if place == path else _part(files, place, spent)
        tensors += len(part.tensors)
        if tensors > MOST_TENSORS:
            raise InputError("checkpoint.json_large", file=short(place.name))
        said = _integer(part, "split.count", count), _integer(part, "split.no", at)
        if said != (count, at):
            raise InputError("checkpoint.part_other", file=short(place.name))
        parts.append(part)
    return parts


def _check_total(parts: list[Part], count: int) -> None:
    """See that all parts together hold as many tensors as they say."""
    for part in parts if len(parts) > 1 else ():
        if _integer(part, "split.tensors.count", count) != count:
            raise InputError("checkpoint.part_other", file=short(part.path.name))


def _integer(part: Part, key: str, default: int) -> int:
    """A whole number of the metadata; InputError where it is something else."""
    value = part.header.get(key, default)
    if type(value) is not int:
        raise InputError("checkpoint.metadata_kind", file=short(part.path.name), entry=key)
    return value


def _part(files: Files, path: Path, spent: Spent) -> Part:
    """Header of one file, checked; spent: by the parts before it."""
    cursor = Cursor(files, path, spent)
    tensor_count, key_count = _start(cursor)
    header: dict[str, object] = {}
    for _ in range(key_count):
        key = cursor.name(MOST_KEY_NAME)
        if key in header:
            raise InputError("checkpoint.name_twice", file=short(path.name), name=short(key))
        header[key] = cursor.value(key)
    entries = [_entry(cursor) for _ in range(tensor_count)]
    alignment = _alignment(path, header)
    start = -(-cursor.at // alignment) * alignment
    tensors: dict[str, Stored] = {}
    for name, shape, kind, offset in entries:
        if name in tensors:
            raise InputError("checkpoint.name_twice", file=short(path.name), name=name)
        if offset % alignment:
            raise InputError("checkpoint.misaligned", tensor=name, file=short(path.name))
        tensors[name] = _stored(name, shape, kind, path=path, offset=start + offset)
    _check_places(tensors.values(), cursor.size)
    return Part(path, header, tensors)


def _start(cursor: Cursor) -> tuple[int, int]:
    """Read magic, version and counts -> numbers of tensors and of metadata entries."""
    name = short(cursor.path.name)
    if cursor.left < len(MAGIC) or cursor.take(len(MAGIC)) != MAGIC:
        raise InputError("checkpoint.not_gguf", file=name)
    version = cursor.word()
    if version & 0xFFFF == 0 and version:
        raise InputError("checkpoint.big_endian", file=name)
    if version not in VERSIONS:
        raise InputError("checkpoint.gguf_version", file=name, version=version)
    tensors, keys = cursor.length(), cursor.length()
    too_many = tensors > MOST_TENSORS or keys > MOST_KEYS
    if too_many or tensors * LEAST_TENSOR + keys * LEAST_KEY > cursor.left:
        raise InputError("checkpoint.counts", file=name, tensors=tensors, keys=keys)
    return tensors, keys


def _entry(cursor: Cursor) -> tuple[str, tuple[int, ...], int, int]:
    """Read one tensor's name, shape (outermost first), type and offset."""
    name = cursor.name(MOST_TENSOR_NAME)
    count = cursor.word()
    if count > MOST_DIMS:
        raise InputError("checkpoint.axes", tensor=name, file=short(cursor.path.name), limit=MOST_DIMS)
    # The file names the innermost axis first.
    shape = tuple(cursor.length() for _ in range(count))[::-1]
    return name, shape, cursor.word(), cursor.length()


def _alignment(path: Path, header: dict[str, object]) -> int:
    """Bytes that tensors start at multiples of: a power of two."""
    value = header.get("general.alignment", DEFAULT_ALIGNMENT)
    if type(value) is not int or value < 1 or value & (value - 1):
        raise InputError("checkpoint.alignment", file=short(path.name))
    return value


def _stored(name: str, shape: tuple[int, ...], kind: int, *, path: Path, offset: int) -> Stored:
    """One tensor, with the reason where its numbers cannot be read."""
    if any(not 0 < size < 2**63 for size in shape):
        raise InputError("checkpoint.shape", tensor=name, shape=short(str(list(shape))))
    codec, readable = codec_of(kind)
    if readable:
        return Stored(name, shape, codec, path, offset)
    return Stored(name, shape, codec, path, offset, UNREAD, (("tensor", name), ("type", codec.name)))


def _check_places(tensors: Iterable[Stored], file_bytes: int) -> None:
    """See that every tensor lies inside the file, and none in another."""
    placed = sorted(tensors, key=lambda stored: (stored.offset, stored.nbytes))
    for stored in placed:
        stored.check(file_bytes)
    for before, after in pairwise(placed):
        # No tensor is empty, so that two never start at one place, even where their bytes are not known.
        if before.offset + max(1, before.nbytes) > after.offset:
            raise InputError(
                "checkpoint.overlap", tensor=after.name, other=before.name, file=short(after.path.name)
            )
