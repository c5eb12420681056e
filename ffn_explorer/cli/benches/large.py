"""Large: frames and choices at S = 64, D = 4,096, Dff = 11,008, against the same images in bare pyqtgraph."""

from functools import cache
from typing import Any

from ffn_explorer.cli.benches.children import ask
from ffn_explorer.cli.benches.timing import Measured, milliseconds


def frame() -> Measured:
    """One frame of the playing window."""
    return _measured("frame")


def select() -> Measured:
    """From a chosen token or neuron to its picture."""
    return _measured("select")


def _measured(what: str) -> Measured:
    """Not sound when either side painted nothing."""
    found = _found()[what]
    return Measured(milliseconds(found["ours"]), milliseconds(found["bare"]), sound=found["painted"])


@cache
def _found() -> dict[str, Any]:
    return ask("large_child")
