"""Small JSON files: read with a bound, written whole or not at all."""

import json
import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Any

from ffn_explorer.state.numbers import count
from ffn_explorer.state.text import Text, text

LIMIT_BYTES = 1_000_000
"""Largest file that is read; ours are a few kilobytes."""

VERSION = 1
"""Version of the files written."""


class Damaged(Exception):
    """Content that is not what it should be, and why, as words of the catalogue."""

    def __init__(self, why: Text) -> None:
        super().__init__(why)
        self.why = why


def read_json(path: Path) -> dict[str, Any]:
    """Object in a JSON file; OSError where it cannot be read, Damaged where it is not one."""
    with path.open("rb") as file:
        raw = file.read(LIMIT_BYTES + 1)
    if len(raw) > LIMIT_BYTES:
        raise Damaged(text("state.why_large", limit=count(LIMIT_BYTES)))
    try:
        data = json.loads(raw.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise Damaged(text("state.why_json")) from error
    if not isinstance(data, dict):
        raise Damaged(text("state.why_json"))
    return data


def version_of(data: dict[str, Any]) -> int:
    """Version of a file's content; Damaged where there is none."""
    version = data.get("version")
    if type(version) is not int or version < 1:
        raise Damaged(text("state.why_version"))
    return version


def write_json(path: Path, data: dict[str, Any]) -> None:
    """Write a file whole: to a neighbour, flushed to the disk, then moved into place.

    OSError where that cannot be; the old file then stays as it was.
    """
    # Lone surrogates can be typed; as escapes they survive.
    content = json.dumps(data, ensure_ascii=True, allow_nan=False, indent=1).encode("ascii")
    # Through a link to the file itself, so that the link stays one.
    target = Path(os.path.realpath(path))
    neighbour = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
    try:
        with neighbour.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        neighbour.replace(target)
    except BaseException:
        with suppress(OSError):
            neighbour.unlink()
        raise
    _settle(target.parent)


def _settle(folder: Path) -> None:
    """Flush the folder's entry, where the system can (Windows cannot open folders)."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
