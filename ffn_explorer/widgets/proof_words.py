"""Words of a proof beyond its card: indices in the other order of axes, and its numbers as a table."""

import re
from collections.abc import Callable

from ffn_explorer.core.records import Proof

_INDICES = re.compile(r"\[(\d+), (\d+|:),")
"""Sentence and token, as they stand before a third index."""


def sequence_first(text: str) -> str:
    """Text with sentence and token exchanged in every index: "out[0, 5, 3]" becomes "out[5, 0, 3]".

    Tensors of two axes or one (weights, biases) have neither axis.
    """
    return _INDICES.sub(r"[\2, \1,", text)


def proof_table(proof: Proof | None, say: Callable[[str], str]) -> list[list[str]] | None:
    """The number and its recomputation, exact; None without a proof."""
    if proof is None:
        return None
    names = ("shown", "recomputed", "difference", "tolerance")
    rows = [[say(f"table.{name}"), repr(float(getattr(proof, name)))] for name in names]
    return [[proof.formula, say("table.value")], *rows]
