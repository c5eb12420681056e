"""Memory tokens: what the strongest memories at the chosen token promote and suppress."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ffn_explorer.state.file_parts.part import Way, is_open, place_in, token_rows
from ffn_explorer.state.file_results import MemoryTokens
from ffn_explorer.state.parts.part import Asked
from ffn_explorer.state.requests import FileRequest

if TYPE_CHECKING:
    from ffn_explorer.checkpoints.reading.ranking import Ranked
    from ffn_explorer.state.open_files import OpenFile

MEMORIES = 20
"""Memories whose tokens are read: as many as a tall list shows."""

WORDS = 3
"""Tokens of each."""


@dataclass(frozen=True, slots=True)
class MemoryTokensRequest(FileRequest):
    """Columns of some neurons against the unembedding -> MemoryTokens; negative: those whose m is below 0."""

    neurons: tuple[int, ...]
    negative: frozenset[int]
    normed: bool


def ask(asked: Asked) -> MemoryTokensRequest | None:
    """The memories that write most at the chosen token."""
    if not is_open(asked) or asked.run.expert_index is not None:
        return None
    hidden = asked.run.values[asked.run.enters_down][asked.chosen.sentence, asked.chosen.token]  # [F]
    norms = asked.run.down_norms
    with np.errstate(over="ignore", invalid="ignore"):  # a file may hold any number
        strength = np.nan_to_num(np.abs(hidden) * (1.0 if norms is None else norms), nan=-1.0)
    first = np.argsort(-strength, kind="stable")[:MEMORIES]
    return MemoryTokensRequest(
        **place_in(asked),
        neurons=tuple(sorted(first.tolist())),
        negative=frozenset(i for i in first.tolist() if hidden[i] < 0.0),
        normed=asked.state.looking.normed,
    )


def compute(request: MemoryTokensRequest, held: "OpenFile", way: Way) -> MemoryTokens:
    """All columns in one pass over the vocabulary."""
    from ffn_explorer.checkpoints.reading.columns import written_by
    from ffn_explorer.checkpoints.reading.gains import final_gain
    from ffn_explorer.checkpoints.reading.vectors import neuron_vectors

    checkpoint = held.checkpoint
    layer = checkpoint.layers[request.layer]
    columns = np.stack(
        [
            neuron_vectors(checkpoint.source, layer, neuron, expert=request.expert).down
            for neuron in request.neurons
        ]
    )  # [n, D]
    gain = final_gain(checkpoint.source, checkpoint.scheme) if request.normed else None
    found = written_by(
        checkpoint.source, checkpoint.scheme.lens, columns, gain=gain, count=WORDS,
        told=way.told, cancelled=way.cancelled,
    )  # fmt: skip

    def words(ranked: "Ranked") -> tuple[str, ...]:
        return tuple(row.shown or f"#{row.token}" for row in token_rows(held, ranked))

    pairs = list(zip(request.neurons, found, strict=True))
    up = tuple((n, words(t.least if n in request.negative else t.most)) for n, t in pairs)
    down = tuple((n, words(t.most if n in request.negative else t.least)) for n, t in pairs)
    return MemoryTokens(request.layer, request.expert, up, down, None if gain is None else gain.tensor)
