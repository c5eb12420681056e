"""Terms: every product in the sum behind the number in question."""

from dataclasses import dataclass

from ffn_explorer.core.readings import Terms
from ffn_explorer.core.stages import WIDE, Stage
from ffn_explorer.state.app_state import Cell
from ffn_explorer.state.parts.part import Asked, Known, dim_in, neuron_in
from ffn_explorer.state.requests import PartRequest

SUMS = (Stage.UP, Stage.GATE, Stage.OUT)
"""Stages whose numbers are sums of products."""


@dataclass(frozen=True, slots=True)
class TermsRequest(PartRequest):
    """Terms of one number of up, gate or out."""

    cell: Cell


def ask(asked: Asked) -> TermsRequest:
    """The chosen number where it is a sum; else the sum that leads to it, or from it, in the same index."""
    chosen = asked.chosen
    stage = _stage(asked)
    index = neuron_in(asked) if stage in WIDE else dim_in(asked)
    return TermsRequest(asked.run.request, Cell(stage, chosen.sentence, chosen.token, index))


def compute(request: TermsRequest, known: Known) -> Terms:
    """The terms, largest first."""
    from ffn_explorer.core.terms import terms_of

    run = known(request.run).run
    assert run is not None
    cell = request.cell
    return terms_of(run, cell.stage, sentence=cell.sentence, token=cell.token, index=cell.index)


def _stage(asked: Asked) -> Stage:
    """Up or gate for whatever counts neurons, out for whatever counts dimensions after it."""
    stage = asked.chosen.stage or asked.stage
    if stage in SUMS:
        return stage
    reads = asked.run.enters_act if stage is Stage.ACT else Stage.UP
    return reads if stage in WIDE or stage in (Stage.INPUT, Stage.NORM) else Stage.OUT
