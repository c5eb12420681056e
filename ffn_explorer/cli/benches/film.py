"""Film: what a film of 60 frames at 1280 x 720 takes, against drawing the same frames alone."""

from ffn_explorer.cli.benches.children import ask
from ffn_explorer.cli.benches.timing import Measured, milliseconds


def mp4() -> Measured:
    """H.264."""
    return _measured(".mp4")


def gif() -> Measured:
    """255 colours for the whole film."""
    return _measured(".gif")


def webp() -> Measured:
    """Lossless."""
    return _measured(".webp")


def apng() -> Measured:
    """Lossless."""
    return _measured(".apng")


def _measured(suffix: str) -> Measured:
    found = ask("film_child", suffix)
    return Measured(milliseconds(found["film"]), milliseconds(found["drawing"]))
