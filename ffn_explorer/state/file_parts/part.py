"""FilePart: one kind of reading of an opened file that only some panels draw."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ffn_explorer.state.file_results import FileResult, TokenRow
from ffn_explorer.state.parts.part import Asked, neuron_in
from ffn_explorer.state.requests import FileRequest

if TYPE_CHECKING:
    from ffn_explorer.checkpoints.reading.ranking import Ranked
    from ffn_explorer.state.open_files import OpenFile

TOKENS = 8
"""Tokens listed of each vector, and as many at the other end."""

NEURONS = 24
"""Neurons listed, and as many at the other end."""


@dataclass(frozen=True, slots=True, eq=False)
class Way:
    """How a reading goes on: told hears the share done, sketched what is found so far; cancelled stops it."""

    told: Callable[[float], None]
    sketched: Callable[[FileResult], None]
    cancelled: Callable[[], bool]


@dataclass(frozen=True, slots=True)
class FilePart:
    """One row of FILE_PARTS.

    field: of Scene.  panels: that draw it.  request: what to read now, None where there is nothing to ask.
    compute: request, its open file and way -> result; heavy, on a worker of its own.
    Its words while it is read are "job.<field>" in the catalogue.
    """

    field: str
    panels: frozenset[str]
    kind: type[FileRequest]
    request: Callable[[Asked], FileRequest | None]
    compute: "Callable[[Any, OpenFile, Way], FileResult]"


def expert_in(asked: Asked) -> int | None:
    """The expert that is looked at: the chosen one, else the token's first choice; None for a dense FFN."""
    index = asked.run.expert_index
    if index is None:
        return None
    chosen = asked.chosen
    if chosen.expert is not None:
        return chosen.expert
    return int(index[chosen.sentence, chosen.token, asked.slot])


def place_in(asked: Asked) -> dict[str, Any]:
    """Fields that every request has: the file, the layer's place, the expert."""
    opened = asked.run.request.source.opened
    assert opened is not None
    return {"opened": opened, "layer": asked.run.request.settings.layer, "expert": expert_in(asked)}


def is_open(asked: Asked) -> bool:
    """Whether the run on screen is of an opened file."""
    return asked.run.request.source.opened is not None


def neuron_of(asked: Asked) -> int:
    """The neuron that is looked at, as on its card."""
    return neuron_in(asked)


def token_rows(held: "OpenFile", ranked: "Ranked") -> tuple[TokenRow, ...]:
    """Tokens with their texts as the file's tokenizer has them; ids beyond its vocabulary have none."""
    tokenizer = held.tokenizer
    rows = []
    for place, (token, score) in enumerate(zip(ranked.ids.tolist(), ranked.scores.tolist(), strict=True)):
        known = tokenizer is not None and token < tokenizer.size
        shown = tokenizer.shown(token) if known and tokenizer is not None else ""
        cosine = None if ranked.cosines is None else float(ranked.cosines[place])
        rows.append(TokenRow(token, shown, score, cosine))
    return tuple(rows)


def pairs_of(ranked: "Ranked") -> tuple[tuple[int, float], ...]:
    """Numbers and scores."""
    return tuple(zip(ranked.ids.tolist(), ranked.scores.tolist(), strict=True))


def nbytes_of(*arrays: "np.ndarray | None") -> int:
    """Bytes of arrays, of which some may be missing."""
    return sum(array.nbytes for array in arrays if array is not None)
