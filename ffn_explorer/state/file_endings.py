"""What a file is, by how its name ends: weights, sessions, lectures; nothing is imported to tell."""

WEIGHTS = (".safetensors", ".gguf", ".pt", ".pth", ".bin", ".ckpt", ".index.json")
"""Endings of files of weights."""

SUFFIX = ".ffnx"
"""Ending of session files."""

PICTURES = (".png", ".svg", ".pdf", ".apng", ".webp", ".gif", ".mp4")
"""Suffixes of pictures and films that carry the session they were made from; `sessions_in` reads them."""

LECTURE = ".toml"
"""Ending of lectures."""


def holds_session(path: str) -> bool:
    """Whether a file of this name is a session, or a picture that may hold one."""
    return path.lower().endswith((SUFFIX, *PICTURES))


def holds_lecture(path: str) -> bool:
    """Whether a file of this name may be a lecture."""
    return path.lower().endswith(LECTURE)
