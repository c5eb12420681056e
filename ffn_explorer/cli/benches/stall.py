"""Stall: the longest time in which the window heard nothing, while torch is imported and while it is used."""

from functools import cache
from typing import Any

from ffn_explorer.cli.benches.children import ask
from ffn_explorer.cli.benches.timing import Measured

ROUNDS = 3


def torch_import() -> Measured:
    """Longest gap of each round between the first picture and the end of the import, ms."""
    return Measured(tuple(found["import_ms"] for found in _found()))


def use() -> Measured:
    """Longest gap of each round over playing, knobs, pointing and selecting, ms."""
    return Measured(tuple(found["use_ms"] for found in _found()))


@cache
def _found() -> tuple[dict[str, Any], ...]:
    return tuple(ask("stall_child") for _ in range(ROUNDS))
