"""GGUF files put together by hand, byte by byte, so that they can also say what is not true."""

from __future__ import annotations

from collections.abc import Sequence
from struct import pack

STRING, ARRAY = 8, 9


def text(content: str | bytes, *, length: int | None = None) -> bytes:
    """A string: its length, or another that is claimed, and its bytes."""
    raw = content.encode() if isinstance(content, str) else content
    return pack("<Q", len(raw) if length is None else length) + raw


def entry(key: str | bytes, kind: int, value: bytes) -> bytes:
    """One entry of the metadata."""
    return text(key) + pack("<I", kind) + value


def array(kind: int, count: int, items: bytes) -> bytes:
    """An array of so many items of one kind, as a value."""
    return pack("<IQ", kind, count) + items


def nested(depth: int) -> bytes:
    """An array in an array, and so on; the innermost is empty."""
    return array(ARRAY, 1, b"") * (depth - 1) + array(4, 0, b"")


def tensor(name: str | bytes, dims: Sequence[int], *, kind: int = 0, offset: int = 0) -> bytes:
    """Name, axes (innermost first), type and place of one tensor."""
    axes = b"".join(pack("<Q", size) for size in dims)
    return text(name) + pack("<I", len(dims)) + axes + pack("<IQ", kind, offset)


def gguf(
    entries: Sequence[bytes] = (),
    tensors: Sequence[bytes] = (),
    *,
    data: bytes = b"",
    version: int = 3,
    counts: tuple[int, int] | None = None,
    alignment: int = 32,
) -> bytes:
    """A whole file; counts: of tensors and entries where they are claimed to be others."""
    head = b"GGUF" + pack("<IQQ", version, *(counts or (len(tensors), len(entries))))
    head += b"".join(entries) + b"".join(tensors)
    return head + b"\0" * (-len(head) % alignment) + data
