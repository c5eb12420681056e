"""The position lab: every token alone against the full pass, per number format, with and without mixer."""

from dataclasses import dataclass

from ffn_explorer.core.readings import PositionLab
from ffn_explorer.state.parts.part import Asked, Known
from ffn_explorer.state.requests import PartRequest


@dataclass(frozen=True, slots=True)
class LabRequest(PartRequest):
    """The lab of a whole run: it belongs to no token."""


def ask(asked: Asked) -> LabRequest:
    """Every run has one."""
    return LabRequest(asked.run.request)


def compute(request: LabRequest, known: Known) -> PositionLab:
    """The checks, from the tensors of the run."""
    from ffn_explorer.core.position_lab import position_lab

    run = known(request.run).run
    assert run is not None  # `known` gives runs with their tensors
    return position_lab(run)
