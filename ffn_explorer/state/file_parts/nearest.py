"""Nearest: neurons of the layer that read or write as the chosen one does."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ffn_explorer.state.file_parts.part import TOKENS, Way, is_open, neuron_of, pairs_of, place_in
from ffn_explorer.state.file_results import NearestNeurons
from ffn_explorer.state.looking import By
from ffn_explorer.state.parts.part import Asked
from ffn_explorer.state.requests import FileRequest

if TYPE_CHECKING:
    from ffn_explorer.state.open_files import OpenFile


@dataclass(frozen=True, slots=True)
class NearestRequest(FileRequest):
    """Neurons by the cosine between one of their vectors and this neuron's -> NearestNeurons."""

    neuron: int
    by: By


def ask(asked: Asked) -> NearestRequest | None:
    """The neuron on the card, by the vector chosen; up stands for a gate that is not there."""
    if not is_open(asked):
        return None
    by = asked.state.looking.by
    if by == "gate" and not asked.run.spec.gated:
        by = "up"
    return NearestRequest(**place_in(asked), neuron=neuron_of(asked), by=by)


def compute(request: NearestRequest, held: "OpenFile", way: Way) -> NearestNeurons:
    """Cosines streamed over the layer."""
    from ffn_explorer.checkpoints.reading.nearest import nearest

    checkpoint = held.checkpoint
    found = nearest(
        checkpoint.source,
        checkpoint.layers[request.layer],
        request.neuron,
        by=request.by,
        count=TOKENS,
        expert=request.expert,
        told=way.told,
        cancelled=way.cancelled,
    )
    most, least = pairs_of(found.most), pairs_of(found.least)
    return NearestNeurons(request.layer, request.neuron, request.expert, request.by, most, least)
