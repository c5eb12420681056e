"""What a run of an opened file starts from: its layer, and the hidden states that flow into it."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ffn_explorer.core.errors import InputError
from ffn_explorer.core.settings import Settings
from ffn_explorer.state.app_state import Opened, Source, XIs
from ffn_explorer.state.hidden_states import numbers_of
from ffn_explorer.state.open_files import OPEN_FILES, OpenFile
from ffn_explorer.state.requests import RunRequest
from ffn_explorer.state.result import XFrom
from ffn_explorer.state.token_lengths import order_of

if TYPE_CHECKING:
    from torch import Tensor

    from ffn_explorer.core.ffn import FFN, Origin
    from ffn_explorer.core.moe import MoE


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """Layer and hidden states of a run; x None for seeded ones.  x `[B, S, D]`, padded with zeros."""

    layer: "FFN | MoE | None" = None
    x: "Tensor | None" = None
    x_is: XIs = "residual"
    x_from: XFrom = "seeded"
    origin: "Origin | None" = None
    """Of x, where it is read from a file."""


def given_of(request: RunRequest) -> Given:
    """Layer and hidden states of an opened file.

    The embeddings of the sentences' tokens, or the rows of an NPY file; where the file has no tokenizer or no
    embedding of the stream's width, seeded ones.  Raises InputError, one sentence each.
    """
    opened = request.source.opened
    assert opened is not None
    held = OPEN_FILES.get(opened)
    settings = request.settings
    wanted = held.settings(settings.layer, settings)
    if (wanted.d_model, wanted.d_ff, wanted.experts) != (settings.d_model, settings.d_ff, settings.experts):
        raise InputError("checkpoint.changed", file=held.facts.name)
    import torch

    from ffn_explorer.core.devices import check_device
    from ffn_explorer.core.ffn import Origin

    # Weights and hidden states go to the device before the run, which checks that it is there, begins.
    check_device(settings)
    layer = layer_of(held, settings)

    if opened.x:
        x = torch.from_numpy(_of_file(opened, request))
        return Given(layer, x, opened.x_is, x_from="npy", origin=Origin("loaded", file=opened.x))
    if not has_embeddings(held, settings.layer):
        return Given(layer)
    embedding = held.checkpoint.scheme.lens.embedding
    origin = Origin("loaded", file=held.facts.name, tensors=(embedding,))
    x = torch.from_numpy(_embeddings(held, request.source))
    return Given(layer, x, x_from="embeddings", origin=origin)


def layer_of(held: OpenFile, settings: Settings) -> "FFN | MoE":
    """The layer of these settings in their dtype, on their device; kept while anything uses it."""
    from ffn_explorer.checkpoints.build import build_layer
    from ffn_explorer.core.mapped import mapped
    from ffn_explorer.core.seeding import DTYPES

    at = (settings.layer, settings.dtype, settings.device)
    found = held.built.get(at)
    if found is None:
        scheme, dtype = held.checkpoint.layers[settings.layer], DTYPES[settings.dtype]
        found = build_layer(scheme, held.checkpoint.source, dtype=dtype)
        if settings.device != "cpu":
            found = mapped(found, lambda tensor: tensor.to(settings.device))
        held.built[at] = found
    return found


def has_embeddings(held: OpenFile, layer: int) -> bool:
    """Whether sentences can become rows of the file's own embedding, of the width of a layer's stream."""
    from ffn_explorer.checkpoints.stream import has_embedding

    checkpoint = held.checkpoint
    width = checkpoint.layers[layer].d_model
    return held.tokenizer is not None and has_embedding(checkpoint.source, checkpoint.scheme.lens, width)


def _embeddings(held: OpenFile, source: Source) -> NDArray[np.floating]:
    """Rows of the tokens of every sentence, in the order in which they stand now `[B, S, D]`."""
    from ffn_explorer.checkpoints.stream import token_rows

    checkpoint = held.checkpoint
    found = []
    for number, sentence in enumerate(source.sentences):
        ids = held.pieces(sentence).ids
        order = order_of(source, number)
        rows = token_rows(checkpoint.source, checkpoint.scheme.lens, [ids[place] for place in order])
        found.append(rows)
    longest = max(map(len, found))
    x = np.zeros((len(found), longest, found[0].shape[1]), found[0].dtype)
    for number, rows in enumerate(found):
        x[number, : len(rows)] = rows
    return x


def _of_file(opened: Opened, request: RunRequest) -> NDArray[np.floating]:
    x = numbers_of(opened.x)  # [B, S, D]
    if x.shape[2] != request.settings.d_model:
        width, d_model = x.shape[2], request.settings.d_model
        raise InputError("checkpoint.x_width", file=Path(opened.x).name, width=width, d_model=d_model)
    orders = [list(order_of(request.source, number)) for number in range(len(x))]
    return np.stack([rows[order] for rows, order in zip(x, orders, strict=True)])
