"""Where the shipped files lie: inside the installed package, or beside it in a checkout."""

from functools import cache
from pathlib import Path


@cache
def _root() -> Path:
    package = Path(__file__).resolve().parent.parent
    for place in (package / "assets", package.parent / "assets"):
        if place.is_dir():
            return place
    raise FileNotFoundError(
        "assets: the folder with fonts, translations and pictures is missing; reinstall the program"
    )


def asset(name: str) -> Path:
    """Path of a shipped file, e.g. "translations/en.toml"."""
    return _root() / name
