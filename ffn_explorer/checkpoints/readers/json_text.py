"""JSON out of files that nobody vouches for: bounded in bytes, values and depth before it is believed."""

import json
from collections import Counter
from pathlib import Path

import numpy as np

from ffn_explorer.checkpoints.codec import Bytes
from ffn_explorer.checkpoints.tensors import Files
from ffn_explorer.core.errors import InputError

MOST_VALUES = 1_500_000
"""Values in one text: 180,000 tensors' worth, some seconds and some hundreds of megabytes once parsed."""

MOST_WIDE_BYTES = 2**24
"""Longest text with other letters than ASCII's: Python keeps four bytes a letter for all of it."""

MOST_FILE_BYTES = 2**25
"""Largest configuration or index that is read; the largest published ones are near 15 MB."""

MOST_DEPTH = 50
"""Deepest nesting that is taken from a configuration."""

MOST_SHOWN = 80
"""Letters of a name that a sentence quotes."""


def parse(raw: Bytes, file: str) -> object:
    """Value of a JSON text; InputError where it is none, holds a name twice, or too much.

    Surrogates are refused: no text can be written with them.
    """
    values = sum(int(np.count_nonzero(raw == ord(mark))) for mark in ",[{")
    if values > MOST_VALUES or (len(raw) > MOST_WIDE_BYTES and bool((raw > 127).any())):
        raise InputError("checkpoint.json_large", file=short(file))
    try:
        return json.loads(str(raw.data, "utf-8"), object_pairs_hook=_once)
    except _TwiceError as twice:
        raise InputError("checkpoint.name_twice", file=short(file), name=short(twice.name)) from twice
    except (ValueError, RecursionError) as error:
        raise InputError("checkpoint.json", file=short(file)) from error


def read_object(path: Path) -> dict[str, object]:
    """Object in a JSON file; InputError where there is none, or it is too large or too deep."""
    with Files() as files:
        size = files.size(path)
        if size > MOST_FILE_BYTES:
            raise InputError("checkpoint.json_large", file=short(path.name))
        found = parse(files.read(path, 0, size), path.name)
    if not isinstance(found, dict) or not _modest(found):
        raise InputError("checkpoint.json", file=short(path.name))
    return found


def short(name: str) -> str:
    """A name as a sentence quotes it: what cannot be printed marked, and no longer than a line."""
    shown = "".join(letter if letter.isprintable() else "�" for letter in name[: MOST_SHOWN + 1])
    return shown if len(shown) <= MOST_SHOWN else shown[: MOST_SHOWN - 1] + "…"


class _TwiceError(Exception):
    """A name that stands twice in one object."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object whose names stand once each: which of two is meant, readers differ about."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _TwiceError(Counter(name for name, _ in pairs).most_common(1)[0][0])
    return found


def _modest(value: object) -> bool:
    """Whether nothing is nested deeper than MOST_DEPTH, and all of its texts can be written."""
    level = [value]
    for _ in range(MOST_DEPTH):
        texts = [item for item in level if isinstance(item, str)]
        lists = [item for item in level if isinstance(item, list)]
        objects = [item for item in level if isinstance(item, dict)]
        if not all(writable(text) for text in texts):
            return False
        level = [item for inner in lists for item in inner]
        level += [item for inner in objects for pair in inner.items() for item in pair]
        if not level:
            return True
    return False


def writable(text: str) -> bool:
    """Whether a text can be written at all: half of a surrogate pair cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
