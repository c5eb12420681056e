"""What a file is, by its first bytes: names lie, and are missing where downloads are cached by their hash."""

import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ffn_explorer.checkpoints.readers.json_text import short
from ffn_explorer.checkpoints.readers.safetensors import LENGTH_BYTES, MOST_HEADER_BYTES
from ffn_explorer.checkpoints.tensors import Files
from ffn_explorer.core.errors import InputError

Kind = Literal["safetensors", "gguf", "torch"]

LOOKED_AT = 4096
"""Bytes that are looked at."""

SPACE = b" \t\r\n"
"""What may stand before a header."""


@dataclass(frozen=True, slots=True)
class Magic:
    """Bytes that files of one kind begin with, and which sentence says so; called: the kind's own name."""

    start: bytes
    key: str
    called: str = ""
    offset: int = 0


MAGICS: Sequence[Magic] = (
    Magic(b"\x89HDF\r\n\x1a\n", "checkpoint.other", "HDF5"),
    Magic(b"\x93NUMPY", "checkpoint.other", "NumPy"),
    Magic(b"TFL3", "checkpoint.other", "TensorFlow Lite", 4),
    Magic(b"\x08\x01\x12", "checkpoint.other", "TensorFlow"),
    Magic(b"lmgg", "checkpoint.other", "GGML"),
    Magic(b"fmgg", "checkpoint.other", "GGMF"),
    Magic(b"tjgg", "checkpoint.other", "GGJT"),
    Magic(b"%PDF", "checkpoint.other", "PDF"),
    Magic(b"\x89PNG\r\n", "checkpoint.other", "PNG"),
    Magic(b"\xff\xd8\xff", "checkpoint.other", "JPEG"),
    Magic(b"PAR1", "checkpoint.other", "Parquet"),
    Magic(b"SQLite format 3\0", "checkpoint.other", "SQLite"),
    Magic(b"\x7fELF", "checkpoint.other", "ELF"),
    Magic(b"\x1f\x8b", "checkpoint.archive", "gzip"),
    Magic(b"\xfd7zXZ\0", "checkpoint.archive", "xz"),
    Magic(b"\x28\xb5\x2f\xfd", "checkpoint.archive", "Zstandard"),
    Magic(b"BZh", "checkpoint.archive", "bzip2"),
    Magic(b"7z\xbc\xaf\x27\x1c", "checkpoint.archive", "7z"),
    Magic(b"Rar!\x1a", "checkpoint.archive", "RAR"),
    Magic(b"ustar", "checkpoint.archive", "tar", 257),
    Magic(b"version https://git-lfs", "checkpoint.pointer"),
)
"""Files that people take for weights, or that come in their place."""

ONNX_FIELDS = b"\x12\x1a\x22\x28\x32\x3a\x42"
"""What follows the version of an ONNX file: the tags of its other fields."""


def content_of(path: Path) -> Kind:
    """Format of a file of weights; InputError, one sentence each, where it is something else."""
    name = short(path.name)
    with Files() as files:
        size = files.size(path)
        if size == 0:
            raise InputError("checkpoint.empty", file=name)
        head = files.read(path, 0, min(size, LOOKED_AT)).tobytes()
    if head.startswith(b"GGUF"):
        return "gguf"
    if _is_safetensors(head):
        return "safetensors"
    # A zip, or a pickle of the second version or later: which of them hold weights, torch's reader says.
    if head.startswith((b"PK\x03\x04", b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05")):
        return "torch"
    for magic in MAGICS:
        if head.startswith(magic.start, magic.offset):
            raise InputError(magic.key, file=name, kind=magic.called)
    if _is_onnx(head):
        raise InputError("checkpoint.other", file=name, kind="ONNX")
    raise InputError(_text_key(head) or _damaged_key(path, head), file=name)


def kind_of(path: Path) -> Literal["file", "folder", "special", "nothing"]:
    """What a path leads to; nothing also where that cannot be told, as with a name too long."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return "nothing"
    if stat.S_ISDIR(mode):
        return "folder"
    return "file" if stat.S_ISREG(mode) else "special"


def _is_safetensors(head: bytes) -> bool:
    """Whether a length that the format allows is followed by the opening of a header."""
    length = int.from_bytes(head[:LENGTH_BYTES], "little")
    return length <= MOST_HEADER_BYTES and head[LENGTH_BYTES:].lstrip(SPACE).startswith(b"{")


def _is_onnx(head: bytes) -> bool:
    """Whether a version of the third or later is followed by another field of an ONNX model."""
    return len(head) > 2 and head[0] == 8 and 2 < head[1] < 32 and head[2] in ONNX_FIELDS


def _text_key(head: bytes) -> str:
    """Which sentence a text calls for: a web page, JSON, or any other; "" where it is no text."""
    letters = head.removeprefix(b"\xef\xbb\xbf").lstrip(SPACE)
    # The last letter may be cut in two.
    readable = any(_is_text(head[: len(head) - cut]) for cut in range(4))
    if not readable:
        return ""
    if letters[:14].lower().startswith((b"<!doctype html", b"<html", b"<head", b"<?xml")):
        return "checkpoint.web_page"
    return "checkpoint.only_json" if letters.startswith((b"{", b"[")) else "checkpoint.text"


def _is_text(head: bytes) -> bool:
    """Whether bytes are letters and the few signs that stand in texts."""
    try:
        text = head.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return bool(text) and all(letter >= " " or letter in "\t\r\n\f\x1b" for letter in text)


def _damaged_key(path: Path, head: bytes) -> str:
    """Which sentence unknown bytes call for: an unfinished download, a damaged header, or no idea."""
    if not any(head):
        return "checkpoint.blank"
    named = {".safetensors": "checkpoint.header", ".gguf": "checkpoint.not_gguf"}
    return named.get(path.suffix.lower(), "checkpoint.unknown")
