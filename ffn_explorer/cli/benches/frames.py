"""Frames: what 3,600 frames of the playing window leave behind."""

from functools import cache
from typing import Any

from ffn_explorer.cli.benches.children import ask
from ffn_explorer.cli.benches.timing import Measured


def memory() -> Measured:
    """Growth of resident memory, MB."""
    return Measured((_found()["grown_bytes"] / 1e6,))


def references() -> Measured:
    """References to None lost in every block of frames: a binding that loses them aborts sooner or later."""
    return Measured((float(max(0, min(_found()["lost"]))),))


@cache
def _found() -> dict[str, Any]:
    return ask("frames_child")
