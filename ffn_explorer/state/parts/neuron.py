"""Neuron: the card of the chosen neuron, in the expert that is looked at."""

from dataclasses import dataclass

from ffn_explorer.core.readings import NeuronCard
from ffn_explorer.state.parts.part import Asked, Known, neuron_in
from ffn_explorer.state.requests import PartRequest


@dataclass(frozen=True, slots=True)
class NeuronRequest(PartRequest):
    """One neuron along one sentence -> NeuronCard."""

    neuron: int
    sentence: int
    expert: int | None


def ask(asked: Asked) -> NeuronRequest:
    """The chosen neuron, else the one that writes most at the chosen token."""
    chosen, index = asked.chosen, asked.run.expert_index
    expert = None if index is None else int(index[chosen.sentence, chosen.token, asked.slot])
    return NeuronRequest(asked.run.request, neuron_in(asked), chosen.sentence, expert)


def compute(request: NeuronRequest, known: Known) -> NeuronCard:
    """Weights and values of the neuron."""
    from ffn_explorer.core.neuron import neuron_card

    run = known(request.run).run
    assert run is not None
    return neuron_card(run, request.neuron, sentence=request.sentence, expert=request.expert)
