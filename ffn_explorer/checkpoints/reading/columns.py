"""Many columns at once in tokens: one pass over the vocabulary for all of them."""

from dataclasses import dataclass

import numpy as np

from ffn_explorer.checkpoints.codec import Floats
from ffn_explorer.checkpoints.reading.gains import Gain
from ffn_explorer.checkpoints.reading.products import products, wide
from ffn_explorer.checkpoints.reading.ranking import Best, Ranked
from ffn_explorer.checkpoints.reading.steps import Asked, Steps, Told, never, quiet
from ffn_explorer.checkpoints.reading.token_banks import unembedding_bank
from ffn_explorer.checkpoints.scheme import LensScheme
from ffn_explorer.checkpoints.tensors import Source


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """Tokens that one column promotes most, and suppresses most."""

    most: Ranked
    least: Ranked


def written_by(
    source: Source,
    lens: LensScheme,
    columns: Floats,
    *,
    gain: Gain | None,
    count: int,
    told: Told = quiet,
    cancelled: Asked = never,
) -> tuple[Column, ...]:
    """For columns v `[n, D]`, scores s U v, with a gain s U (g ⊙ P v), as `written_tokens` has them for one.

    Raises Stopped when cancelled, InputError where the file has no unembedding of this width.
    """
    vectors = wide(columns)
    with np.errstate(all="ignore"):
        if gain is not None:
            vectors = np.stack([gain.after(vector) for vector in vectors])
        vectors = vectors * lens.logit_scale
    bank, steps = unembedding_bank(source, lens, vectors.shape[1]), Steps(told, cancelled)
    bests = [Best(count) for _ in vectors]
    for part in products(bank, vectors):
        steps.at(part.share)
        for best, dots in zip(bests, part.dots, strict=True):
            best.add(part.first, dots)
    return tuple(Column(best.most(), best.least()) for best in bests)
