"""Memories: every neuron's share of what is written at the chosen token, ranked."""

from dataclasses import dataclass, replace

from ffn_explorer.core.readings import Memories
from ffn_explorer.state.parts.part import Asked, Known
from ffn_explorer.state.requests import PartRequest, RunRequest


@dataclass(frozen=True, slots=True)
class MemoriesRequest(PartRequest):
    """All memories at one token, of one of its experts, and those of B -> Memories."""

    sentence: int
    token: int
    slot: int
    other: RunRequest | None = None


def ask(asked: Asked) -> MemoriesRequest:
    """The chosen token and expert, of the pass that keeps all.

    How many memories are kept changes neither x nor the ranking, so that every k has the same answer at once.
    """
    chosen = asked.chosen
    compared = None if asked.other is None else _uncut(asked.other.request)
    return MemoriesRequest(_uncut(asked.run.request), chosen.sentence, chosen.token, asked.slot, compared)


def compute(request: MemoriesRequest, known: Known) -> Memories:
    """All memories, the strongest first, with their running sums."""
    found = _ranked(request, request.run, known)
    return found if request.other is None else replace(found, other=_ranked(request, request.other, known))


def _ranked(request: MemoriesRequest, of: RunRequest, known: Known) -> Memories:
    from ffn_explorer.core.memories import ranked

    result = known(of)
    assert result.run is not None
    chosen = 1 if result.expert_index is None else result.expert_index.shape[2]
    return ranked(result.run, request.sentence, request.token, slot=min(request.slot, chosen - 1))


def _uncut(run: RunRequest) -> RunRequest:
    return replace(run, edits=replace(run.edits, keep=0))
