"""Memories: every neuron's share of what is written at the chosen token, ranked."""

from dataclasses import dataclass, replace

from ffn_explorer.core.readings import Memories
from ffn_explorer.state.parts.part import Asked, Known
from ffn_explorer.state.requests import PartRequest


@dataclass(frozen=True, slots=True)
class MemoriesRequest(PartRequest):
    """All memories at one token, of one of its experts -> Memories."""

    sentence: int
    token: int
    slot: int


def ask(asked: Asked) -> MemoriesRequest:
    """The chosen token and expert, of the pass that keeps all.

    How many memories are kept changes neither x nor the ranking, so that every k has the same answer at once.
    """
    run = asked.run.request
    uncut = replace(run, edits=replace(run.edits, keep=0))
    return MemoriesRequest(uncut, asked.chosen.sentence, asked.chosen.token, asked.slot)


def compute(request: MemoriesRequest, known: Known) -> Memories:
    """All memories, the strongest first, with their running sums."""
    from ffn_explorer.core.memories import ranked

    run = known(request.run).run
    assert run is not None
    return ranked(run, request.sentence, request.token, slot=request.slot)
