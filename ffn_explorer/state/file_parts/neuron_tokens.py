"""A neuron in tokens: what its rows read, what its column promotes and suppresses."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ffn_explorer.core.errors import InputError
from ffn_explorer.state.file_parts.part import TOKENS, Way, is_open, neuron_of, place_in, token_rows
from ffn_explorer.state.file_results import NeuronTokens, TokenList
from ffn_explorer.state.parts.part import Asked
from ffn_explorer.state.requests import FileRequest

if TYPE_CHECKING:
    from ffn_explorer.checkpoints.reading.lens import Tokens
    from ffn_explorer.checkpoints.reading.vectors import NeuronVectors
    from ffn_explorer.state.looking import By
    from ffn_explorer.state.open_files import OpenFile

WRITES_SHARE = 0.5
"""Share of the work that the unembedding is, once the embedding is done."""


@dataclass(frozen=True, slots=True)
class NeuronTokensRequest(FileRequest):
    """One neuron against embedding and unembedding, with or without the norms -> NeuronTokens."""

    neuron: int
    normed: bool


def ask(asked: Asked) -> NeuronTokensRequest | None:
    """The neuron on the card."""
    if not is_open(asked):
        return None
    return NeuronTokensRequest(**place_in(asked), neuron=neuron_of(asked), normed=asked.state.looking.normed)


def compute(request: NeuronTokensRequest, held: "OpenFile", way: Way) -> NeuronTokens:
    """Both products streamed over the vocabulary; what is found so far is shown meanwhile."""
    from ffn_explorer.checkpoints.reading.vectors import neuron_vectors

    checkpoint = held.checkpoint
    layer = checkpoint.layers[request.layer]
    vectors = neuron_vectors(checkpoint.source, layer, request.neuron, expert=request.expert)
    reading = _Reading(request, held, vectors, way)
    reading.read()
    reading.write()
    return reading.made(1.0)


class _Reading:
    """The lists of one neuron as they come."""

    def __init__(
        self, request: NeuronTokensRequest, held: "OpenFile", vectors: "NeuronVectors", way: Way
    ) -> None:
        self.request = request
        self.held = held
        self.vectors = vectors
        self.way = way
        self.lists: dict[By, TokenList] = {}
        self.why = ""

    def read(self) -> None:
        """Tokens whose embeddings gate and up answer to; none without an embedding of this width."""
        from ffn_explorer.checkpoints.reading.gains import pre_gain
        from ffn_explorer.checkpoints.reading.lens import read_tokens

        checkpoint, vectors = self.held.checkpoint, self.vectors
        gain = pre_gain(checkpoint.source, checkpoint.layers[self.request.layer])
        rows: dict[By, object] = {"up": vectors.up}
        if vectors.gate is not None:
            rows = {"gate": vectors.gate, "up": vectors.up}
        for place, role in enumerate(rows):
            share = (place / len(rows) * WRITES_SHARE, WRITES_SHARE / len(rows))
            try:
                self._keep(role, read_tokens(
                    checkpoint.source, checkpoint.scheme.lens, getattr(vectors, role),
                    gains=(gain if self.request.normed else None,), count=TOKENS,
                    told=lambda done, share=share: self.way.told(share[0] + share[1] * done),  # type: ignore[misc]
                    found=lambda found, role=role: self._sketch(role, found),  # type: ignore[misc]
                    cancelled=self.way.cancelled,
                ))  # fmt: skip
            except InputError:
                self.why = "no_embedding"
                return

    def write(self) -> None:
        """Tokens that the column promotes and suppresses; none without an unembedding of this width."""
        from ffn_explorer.checkpoints.reading.gains import final_gain
        from ffn_explorer.checkpoints.reading.lens import written_tokens

        checkpoint = self.held.checkpoint
        gain = final_gain(checkpoint.source, checkpoint.scheme) if self.request.normed else None
        try:
            self._keep("down", written_tokens(
                checkpoint.source, checkpoint.scheme.lens, self.vectors.down, gains=(gain,), count=TOKENS,
                told=lambda done: self.way.told(WRITES_SHARE + (1.0 - WRITES_SHARE) * done),
                found=lambda found: self._sketch("down", found), cancelled=self.way.cancelled,
            ))  # fmt: skip
        except InputError:
            self.why = "no_lens" if self.why else "no_unembedding"

    def made(self, seen: float) -> NeuronTokens:
        """What there is by now."""
        request, vectors = self.request, self.vectors
        return NeuronTokens(
            layer=request.layer,
            neuron=request.neuron,
            expert=request.expert,
            lists=tuple(self.lists.values()),
            slices=tuple(vectors.slices.items()),
            norms=tuple(vectors.norms.items()),
            cosines=tuple((name, float(np.float64(value))) for name, value in vectors.cosines.items()),
            why=self.why if seen == 1.0 else "",
            seen=seen,
        )

    def _keep(self, role: "By", found: "tuple[Tokens, ...]") -> None:
        tokens = found[0]
        most, least = token_rows(self.held, tokens.most), token_rows(self.held, tokens.least)
        self.lists[role] = TokenList(role, most, least, tokens.tensor, tokens.gain)

    def _sketch(self, role: "By", found: "tuple[Tokens, ...]") -> None:
        self._keep(role, found)
        self.way.sketched(self.made(min(0.99, found[0].seen)))
