"""Contributions: what adds up to the chosen dimension of out at the chosen token."""

from dataclasses import dataclass

from ffn_explorer.core.readings import Contributions
from ffn_explorer.state.parts.part import Asked, Known, dim_in
from ffn_explorer.state.requests import PartRequest


@dataclass(frozen=True, slots=True)
class ContributionsRequest(PartRequest):
    """One dimension of out at one token -> Contributions."""

    sentence: int
    token: int
    dim: int


def ask(asked: Asked) -> ContributionsRequest:
    """The chosen dimension, else the one in which out is largest."""
    chosen = asked.chosen
    return ContributionsRequest(asked.run.request, chosen.sentence, chosen.token, dim_in(asked))


def compute(request: ContributionsRequest, known: Known) -> Contributions:
    """Parts of every neuron, largest first."""
    from ffn_explorer.core.contributions import contributions

    run = known(request.run).run
    assert run is not None
    return contributions(run, request.sentence, request.token, request.dim)
