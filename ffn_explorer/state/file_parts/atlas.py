"""Atlas: norms and cosines of every neuron of the layer looked at."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ffn_explorer.state.file_parts.part import Way, is_open, nbytes_of, place_in
from ffn_explorer.state.file_results import Atlas
from ffn_explorer.state.parts.part import Asked
from ffn_explorer.state.requests import FileRequest

if TYPE_CHECKING:
    from ffn_explorer.state.open_files import OpenFile


@dataclass(frozen=True, slots=True)
class AtlasRequest(FileRequest):
    """All neurons of a layer, or of one of its experts -> Atlas."""


def ask(asked: Asked) -> AtlasRequest | None:
    """The layer on screen."""
    return AtlasRequest(**place_in(asked)) if is_open(asked) else None


def compute(request: AtlasRequest, held: "OpenFile", way: Way) -> Atlas:
    """Norms and cosines, streamed from the file."""
    from ffn_explorer.checkpoints.reading.atlas import layer_atlas

    checkpoint = held.checkpoint
    made = layer_atlas(
        checkpoint.source,
        checkpoint.layers[request.layer],
        expert=request.expert,
        told=way.told,
        cancelled=way.cancelled,
    )
    size = nbytes_of(made.up_norm, made.down_norm, made.cos_up_down, made.gate_norm)
    size += nbytes_of(made.cos_gate_down, made.cos_gate_up)
    return Atlas(request.layer, request.expert, made, size)
