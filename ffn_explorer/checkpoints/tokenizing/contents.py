"""Files of tokenizers, read whole within bounds."""

import json
from pathlib import Path

import numpy as np

from ffn_explorer.checkpoints.codec import Bytes
from ffn_explorer.checkpoints.readers.json_text import short
from ffn_explorer.checkpoints.tensors import Files
from ffn_explorer.core.errors import InputError

MOST_BYTES = 2**26
"""Largest file that is read; the largest published ones are near 35 MB."""

MOST_VALUES = 2_500_000
"""Values in a JSON text: the largest published have 1.9 million, some hundreds of megabytes once parsed."""


def content(path: Path) -> Bytes:
    """All bytes of a file; InputError where it is too large, empty or cannot be read."""
    with Files() as files:
        size = files.size(path)
        if size > MOST_BYTES:
            raise InputError("tokenizer.large", file=short(path.name), limit=MOST_BYTES // 2**20)
        if size == 0:
            raise InputError("checkpoint.empty", file=short(path.name))
        return files.read(path, 0, size)


def text_of(path: Path) -> str:
    """A text file in UTF-8; InputError where it is none."""
    try:
        return str(content(path).data, "utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError("tokenizer.damaged", what=short(path.name)) from error


def json_of(path: Path) -> tuple[dict[str, object], Bytes]:
    """The object in a JSON file and the file's bytes; InputError where it is none, too much or too deep."""
    raw = content(path)
    if sum(int(np.count_nonzero(raw == ord(mark))) for mark in ",[{") > MOST_VALUES:
        raise InputError("checkpoint.json_large", file=short(path.name))
    try:
        found = json.loads(str(raw.data, "utf-8"), object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise InputError("checkpoint.json", file=short(path.name)) from error
    if not isinstance(found, dict):
        raise InputError("checkpoint.json", file=short(path.name))
    return found, raw


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object whose names stand once each: what is checked must be what the library then reads."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice")
    return found
