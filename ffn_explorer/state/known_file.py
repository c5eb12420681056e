"""What is known of an opened file without asking the disk, so that the window may ask it with every frame."""

from typing import TYPE_CHECKING

from ffn_explorer.state.app_state import Opened
from ffn_explorer.state.quoting import quoted

if TYPE_CHECKING:
    from ffn_explorer.state.file_facts import FileFacts


def file_name(path: str) -> str:
    """Name of a file or folder by its path, as it may be shown."""
    plain = path.replace("\\", "/").rstrip("/")
    return quoted(plain.rpartition("/")[2] or path)


def facts_of(opened: Opened | None) -> "FileFacts | None":
    """What is known of a file; None without one, and while it is not open."""
    if opened is None:
        return None
    from ffn_explorer.state.open_files import OPEN_FILES  # the first picture needs none of it

    held = OPEN_FILES.known(opened)
    return None if held is None else held.facts
