"""Files: small JSON files read with a bound, and any file written whole or not at all."""

import errno
import json
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Literal

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


class NotRegular(OSError):
    """A pipe, device or socket where a file should be: read, it may never end; replaced, it would be lost."""


def kind_of(path: Path) -> Literal["file", "folder", "special", "nothing"]:
    """What a path leads to; nothing also where that cannot be told, as with a name too long."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return "nothing"
    if stat.S_ISDIR(mode):
        return "folder"
    return "file" if stat.S_ISREG(mode) else "special"


def reason_of(error: Exception) -> Text | str:
    """Why a file cannot be used, in the system's own words where it has some."""
    if isinstance(error, NotRegular):
        return text("state.why_regular")
    return (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__


def read_json(path: Path) -> dict[str, Any]:
    """Object in a JSON file; OSError where it cannot be read, Damaged where it is not one."""
    if kind_of(path) == "special":
        raise Damaged(text("state.why_regular"))
    with path.open("rb") as file:
        raw = file.read(LIMIT_BYTES + 1)
    return json_in(raw)


def json_in(raw: bytes) -> dict[str, Any]:
    """Object in the bytes of some JSON; Damaged where it is too long or none."""
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
    """Write a JSON file whole; OSError as in `whole`."""
    # Lone surrogates can be typed; as escapes they survive.
    content = json.dumps(data, ensure_ascii=True, allow_nan=False, indent=1).encode("ascii")
    with whole(path) as file:
        file.write(content)


@contextmanager
def whole(path: Path) -> Iterator[IO[bytes]]:
    """File to write into: a neighbour, flushed to the disk and moved into place when all went well.

    OSError where that cannot be, NotRegular where the place holds no regular file; what was there then stays
    as it was.
    """
    import secrets  # not wanted before the first picture: it opens OpenSSL

    # Through a link to the file itself, so that the link stays one.
    target = Path(os.path.realpath(path))
    _check_place(target)
    neighbour = target.with_name(f".ffn-explorer.{secrets.token_hex(8)}.tmp")
    try:
        with neighbour.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        with suppress(OSError):
            shutil.copymode(target, neighbour)
        neighbour.replace(target)
    except BaseException:
        with suppress(OSError):
            neighbour.unlink()
        raise
    _settle(target.parent)


class _Tried(Exception):
    """Nothing is written after all."""


def try_place(path: Path) -> None:
    """Whether `whole` could begin to write here: OSError as there; nothing is changed or left behind."""
    with suppress(_Tried), whole(path):
        raise _Tried


def aside(path: Path, ending: str, *, keep: bool = False) -> Path:
    """Move a file to a free name beside it, so that nothing is lost; `keep` copies, once for each content.

    OSError where that cannot be.
    """
    import filecmp  # wanted only when something went wrong

    number = 1
    while os.path.lexists(place := path.with_name(f"{path.name}.{ending}-{number}")):
        if keep and kind_of(place) == "file" and filecmp.cmp(path, place, shallow=False):
            return place
        number += 1
    if keep:
        with whole(place) as file:
            file.write(path.read_bytes())
    else:
        path.rename(place)
    return place


def _check_place(target: Path) -> None:
    kind = kind_of(target)
    if kind == "special":
        raise NotRegular(errno.EINVAL, os.strerror(errno.EINVAL))
    if kind == "folder":
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    # Moving a file into place would not ask for the right to write the old one.
    if kind == "file" and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def _settle(folder: Path) -> None:
    """Flush the folder's entry, where the system can (Windows cannot open folders)."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
