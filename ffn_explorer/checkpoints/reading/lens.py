"""Token lens: which tokens a neuron's row reads, and which its column promotes; a reading, not a meaning.

A neuron's true input is the stream of its layer, not the embeddings; its column passes all layers above it
before the unembedding. Both products leave that out, and say what is in them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ffn_explorer.checkpoints.codec import Floats
from ffn_explorer.checkpoints.reading.banks import Bank
from ffn_explorer.checkpoints.reading.gains import Gain
from ffn_explorer.checkpoints.reading.products import Wide, products, wide
from ffn_explorer.checkpoints.reading.ranking import Best, Ranked
from ffn_explorer.checkpoints.reading.steps import Asked, Steps, Told, never, quiet
from ffn_explorer.checkpoints.reading.token_banks import embedding_bank, unembedding_bank
from ffn_explorer.checkpoints.reading.vectors import cosine
from ffn_explorer.checkpoints.scheme import LensScheme
from ffn_explorer.checkpoints.tensors import Source


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """Token ids with their scores, largest first and smallest first; cosines once all tokens are done.

    tensor: whose rows were multiplied.  gain: the norm's weight that took part, None without the norm.
    seen: share 0..1 of the vocabulary that took part.  Ids are rows of the tensor, more than some tokenizers
    have.
    """

    most: Ranked
    least: Ranked
    tensor: str
    gain: str | None
    seen: float = 1.0


Found = Callable[[tuple[Tokens, ...]], None]
Map = Callable[[Wide], Wide]


def unheard(_tokens: tuple[Tokens, ...]) -> None:
    """Show nobody what was found so far."""


def read_tokens(
    source: Source,
    lens: LensScheme,
    vector: Floats,
    *,
    gains: Sequence[Gain | None],
    count: int = 10,
    told: Told = quiet,
    found: Found = unheard,
    cancelled: Asked = never,
) -> tuple[Tokens, ...]:
    """Tokens whose embeddings e a reading row r `[D]` answers to most, and least; one answer for each gain.

    Score: c e · r for a gain of None, c e · P (g ⊙ r) with that of the layer's norm (P: see Gain); c is the
    model's embedding scale.  Positions and a norm on the embeddings are left out, so is the norm's division.
    Raises Stopped when cancelled, InputError where the file has no embedding of this width.
    """
    rows = _each(vector, [None if gain is None else gain.before for gain in gains]) * lens.embedding_scale
    bank = embedding_bank(source, lens, rows.shape[-1])
    return _ranked(bank, rows, gains, count=count, found=found, steps=Steps(told, cancelled))


def written_tokens(
    source: Source,
    lens: LensScheme,
    vector: Floats,
    *,
    gains: Sequence[Gain | None],
    count: int = 10,
    told: Told = quiet,
    found: Found = unheard,
    cancelled: Asked = never,
) -> tuple[Tokens, ...]:
    """Tokens that a value column v `[D]` promotes most, and suppresses most; one answer for each gain.

    Score: s U v for a gain of None, s U (g ⊙ P v) with that of the final norm (P: see Gain); s is the model's
    logit scale.  Left out: the norm's division, which scales all scores alike; biases, which are the same
    for every neuron; the layer's own output scale; a bound on the logits (softcap), which keeps their order.
    Raises Stopped when cancelled, InputError where the file has no unembedding of this width.
    """
    columns = _each(vector, [None if gain is None else gain.after for gain in gains]) * lens.logit_scale
    bank = unembedding_bank(source, lens, columns.shape[-1])
    return _ranked(bank, columns, gains, count=count, found=found, steps=Steps(told, cancelled))


def _each(vector: Floats, maps: Sequence[Map | None]) -> Wide:
    """One vector through several maps -> `[k, D]`."""
    one = wide(vector)
    with np.errstate(all="ignore"):
        return np.array([one if mapped is None else mapped(one) for mapped in maps]).reshape(-1, len(one))


def _ranked(
    bank: Bank, vectors: Wide, gains: Sequence[Gain | None], *, count: int, found: Found, steps: Steps
) -> tuple[Tokens, ...]:
    """Answers for vectors `[k, D]`, one for each gain, in one pass over the tokens."""
    bests = [Best(count) for _ in gains]
    names = [None if gain is None else gain.tensor for gain in gains]

    def so_far(share: float) -> tuple[Tokens, ...]:
        return tuple(
            Tokens(best.most(), best.least(), bank.plane.name, name, share)
            for best, name in zip(bests, names)
        )

    for part in products(bank, vectors):
        for best, dots in zip(bests, part.dots):
            best.add(part.first, dots)
        if steps.at(part.share) and part.share < 1.0 and part.dots.size:
            found(so_far(part.share))
    done = tuple(_with_cosines(tokens, bank, vector) for tokens, vector in zip(so_far(1.0), vectors))
    found(done)
    return done


def _with_cosines(tokens: Tokens, bank: Bank, vector: Wide) -> Tokens:
    """The same with the cosine of each winner's own row, read once more."""

    def cosines(ranked: Ranked) -> Ranked:
        found = [cosine(bank.vector(int(token)), vector) for token in ranked.ids]
        return replace(ranked, cosines=np.array(found, np.float64))

    return replace(tokens, most=cosines(tokens.most), least=cosines(tokens.least))
