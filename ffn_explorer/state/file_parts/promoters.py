"""Promoters: which neurons push a token, in the layer looked at or in the whole file."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ffn_explorer.core.errors import InputError
from ffn_explorer.state.file_parts.part import NEURONS, Way, is_open, place_in
from ffn_explorer.state.file_results import PromoterRow, Promoters
from ffn_explorer.state.parts.part import Asked
from ffn_explorer.state.requests import FileRequest

if TYPE_CHECKING:
    from ffn_explorer.checkpoints.reading.promoting import NeuronsRanked, Promoting
    from ffn_explorer.state.open_files import OpenFile

MOST_OTHERS = 5
"""Further tokens that a text may mean, which are named."""


@dataclass(frozen=True, slots=True)
class PromotersRequest(FileRequest):
    """Neurons of one layer, or of all of them (layer −1), against one token's row -> Promoters."""

    text: str
    normed: bool


def ask(asked: Asked) -> PromotersRequest | None:
    """The token that is typed, over what is chosen; nothing while none is."""
    looking = asked.state.looking
    if not is_open(asked) or not looking.token:
        return None
    place = place_in(asked) | {"expert": None}
    if looking.all_layers:
        place["layer"] = -1
    return PromotersRequest(**place, text=looking.token, normed=looking.normed)


def compute(request: PromotersRequest, held: "OpenFile", way: Way) -> Promoters:
    """Scores streamed over the columns; InputError where the text is no single token."""
    from ffn_explorer.checkpoints.reading.gains import final_gain
    from ffn_explorer.checkpoints.reading.promoting import promoting_neurons

    checkpoint = held.checkpoint
    source, scheme = checkpoint.source, checkpoint.scheme
    tokens = tokens_meant(held, request.text)
    layers = range(len(scheme.layers)) if request.layer < 0 else (request.layer,)

    def made(found: "Promoting") -> Promoters:
        return _made(request, held, tokens, found)

    done = promoting_neurons(
        source,
        scheme,
        tokens[0],
        layers=_of_width(held, layers),
        gain=final_gain(source, scheme) if request.normed else None,
        count=NEURONS,
        told=way.told,
        found=lambda found: way.sketched(made(found)),
        cancelled=way.cancelled,
    )
    return made(done)


def tokens_meant(held: "OpenFile", typed: str) -> tuple[int, ...]:
    """Tokens that a typed text may mean, the most literal first; a number after "#" is a token's own.

    Raises InputError where it is no single token of this file, or the file has no tokenizer.
    """
    number = typed.removeprefix("#")
    if typed.startswith("#") and number.isdecimal() and len(number) < 10:
        return (int(number),)
    if held.tokenizer is None:
        raise InputError("checkpoint.no_tokenizer", file=held.facts.name)
    found = held.tokenizer.find(typed)
    if not found:
        pieces = held.tokenizer.pieces(typed).shown
        raise InputError("checkpoint.no_single_token", text=typed, pieces=" ".join(pieces[:8]))
    return found


def _of_width(held: "OpenFile", layers: "range | tuple[int, ...]") -> tuple[int, ...]:
    """The layers whose stream the unembedding reads: vision towers have a width of their own."""
    scheme = held.checkpoint.scheme
    stored = held.checkpoint.source.tensors.get(scheme.lens.unembedding)
    if len(layers) == 1 or stored is None:
        return tuple(layers)
    return tuple(at for at in layers if scheme.layers[at].d_model in stored.shape)


def _made(
    request: PromotersRequest, held: "OpenFile", tokens: tuple[int, ...], found: "Promoting"
) -> Promoters:
    tokenizer = held.tokenizer

    def shown(token: int) -> str:
        return tokenizer.shown(token) if tokenizer is not None and token < tokenizer.size else f"#{token}"

    return Promoters(
        token=tokens[0],
        shown=shown(tokens[0]),
        layer=None if request.layer < 0 else request.layer,
        most=_rows(found.most),
        least=_rows(found.least),
        gain=found.gain,
        others=tuple((token, shown(token)) for token in tokens[1 : 1 + MOST_OTHERS]),
        seen=found.seen,
    )


def _rows(found: "NeuronsRanked") -> tuple[PromoterRow, ...]:
    columns = (found.layer.tolist(), found.expert.tolist(), found.neuron.tolist(), found.score.tolist())
    return tuple(
        PromoterRow(layer, expert if expert >= 0 else None, expert == -2, neuron, score)
        for layer, expert, neuron, score in zip(*columns, strict=True)
    )
