"""Files that appear whole or not at all."""

from pathlib import Path

from ffn_explorer.core.errors import InputError
from ffn_explorer.state.files import reason_of, whole


def write_bytes(content: bytes, path: Path) -> None:
    """Write a file; InputError, with the system's reason, where that fails."""
    try:
        with whole(path) as file:
            file.write(content)
    except (OSError, ValueError) as error:
        raise InputError("export.write", path=str(path), why=reason_of(error)) from error
