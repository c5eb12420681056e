"""Files that appear whole or not at all."""

from pathlib import Path

from ffn_explorer.core.errors import InputError
from ffn_explorer.state.files import reason_of, try_place, whole


def write_bytes(content: bytes, path: Path) -> None:
    """Write a file; InputError, with the system's reason, where that fails."""
    try:
        with whole(path) as file:
            file.write(content)
    except (OSError, ValueError) as error:
        raise InputError("export.write", path=str(path), why=reason_of(error)) from error


def check_place(path: Path) -> None:
    """Raise the same InputError where a file could not be written now; what is there stays."""
    try:
        try_place(path)
    except (OSError, ValueError) as error:
        raise InputError("export.write", path=str(path), why=reason_of(error)) from error
