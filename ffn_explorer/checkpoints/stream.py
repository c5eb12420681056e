"""Tokens -> rows of the embedding: what a model's stream begins with, before any layer."""

from collections.abc import Sequence

import numpy as np

from ffn_explorer.checkpoints.codec import Floats
from ffn_explorer.checkpoints.scheme import LensScheme
from ffn_explorer.checkpoints.tensors import Source
from ffn_explorer.core.errors import InputError

NORM_EPS = 1e-5
"""Of the norm right after the embedding, which only BLOOM has."""


def has_embedding(source: Source, lens: LensScheme, d_model: int) -> bool:
    """Whether the file's embedding has rows of the width of the stream."""
    stored = source.tensors.get(lens.embedding)
    return stored is not None and len(stored.shape) == 2 and stored.columns == d_model


def token_rows(source: Source, lens: LensScheme, ids: Sequence[int]) -> Floats:
    """Embedding rows `[S, D]` of token ids: E[id] · scale (Gemma: √D), normed where the model norms them.

    No positions are added, and no token types: what else a model adds is not in the token's own row.
    Raises InputError for an id that the embedding has no row for.
    """
    stored = source.stored(lens.embedding)
    outside = [number for number in ids if not 0 <= number < stored.rows]
    if outside:
        raise InputError("checkpoint.token_outside", token=outside[0], rows=stored.rows)
    known = {number: source.row(lens.embedding, number) for number in sorted(set(ids))}
    rows = np.stack([known[number] for number in ids])  # [S, D]
    if lens.embedding_norm.weight:
        rows = _layer_norm(rows, source, lens)
    return rows * rows.dtype.type(lens.embedding_scale) if lens.embedding_scale != 1.0 else rows


def _layer_norm(rows: Floats, source: Source, lens: LensScheme) -> Floats:
    """(x − mean) / √(var + eps) · w + b (Ba 2016), over the last axis of `[S, D]`."""
    wide = rows.astype(np.float64)
    centred = wide - wide.mean(axis=-1, keepdims=True)
    normed = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + NORM_EPS)
    normed = normed * source.whole(lens.embedding_norm.weight)
    if lens.embedding_norm.bias:
        normed = normed + source.whole(lens.embedding_norm.bias)
    found: Floats = normed.astype(rows.dtype)
    return found
