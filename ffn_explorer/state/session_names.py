"""Names of files that hold sessions: session files, and pictures that the program has exported."""

from ffn_explorer.state.storage import SUFFIX

PICTURES = (".png", ".svg", ".pdf", ".apng", ".webp", ".gif", ".mp4")
"""Suffixes of pictures and films that carry the session they were made from; `sessions_in` reads them."""


def holds_session(path: str) -> bool:
    """Whether a file of this name is a session, or a picture that may hold one."""
    return path.lower().endswith((SUFFIX, *PICTURES))
