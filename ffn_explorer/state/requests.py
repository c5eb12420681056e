"""Requests: what a Scene needs computed, as hashable keys of the results store."""

from dataclasses import dataclass, field, replace

from ffn_explorer.core.edits import Edits
from ffn_explorer.core.settings import Settings
from ffn_explorer.state.app_state import AppState, Cell, Opened, Source
from ffn_explorer.state.costing import Measurement, measurement_of


@dataclass(frozen=True, slots=True)
class RunRequest:
    """One forward pass of these settings, with these edits, on these sentences -> RunResult."""

    source: Source
    settings: Settings
    edits: Edits = field(default_factory=Edits)


@dataclass(frozen=True, slots=True)
class ActivityRequest:
    """Which neurons count as active at this theta -> Activity."""

    run: RunRequest
    theta: float
    relative: bool


@dataclass(frozen=True, slots=True)
class DetailRequest:
    """Strongest contributions and pre-activation histogram at one token -> Detail."""

    run: RunRequest
    sentence: int
    token: int


@dataclass(frozen=True, slots=True)
class PositionRequest:
    """Position independence: one alone against all, and a permutation -> PositionCheck."""

    run: RunRequest


@dataclass(frozen=True, slots=True)
class ProofRequest:
    """One cell recomputed in float64 with its formula -> Proof."""

    run: RunRequest
    cell: Cell


@dataclass(frozen=True, slots=True)
class RooflineRequest:
    """What is known of this machine, or a measurement of it -> Measured."""

    measurement: Measurement


@dataclass(frozen=True, slots=True)
class PartRequest:
    """What some panels need of a run beyond all that; every kind is a row of `parts.table.PARTS`."""

    run: RunRequest


@dataclass(frozen=True, slots=True)
class FileRequest:
    """What some panels need of an opened file itself; every kind is a row of `file_parts.table.FILE_PARTS`.

    layer: its place in the file's list.  expert: of a mixture, else None.
    """

    opened: Opened
    layer: int
    expert: int | None


Request = (
    RunRequest
    | ActivityRequest
    | DetailRequest
    | PositionRequest
    | ProofRequest
    | RooflineRequest
    | PartRequest
    | FileRequest
)


def opened_in(request: Request) -> Opened | None:
    """The opened file that a request reads, or None."""
    if isinstance(request, RooflineRequest):
        return None
    if isinstance(request, FileRequest):
        return request.opened
    run = request if isinstance(request, RunRequest) else request.run
    return run.source.opened


def run_of(state: AppState) -> RunRequest:
    """The main run (A) that this state asks for."""
    return RunRequest(state.source, state.settings, state.edits)


def other_run_of(state: AppState) -> RunRequest | None:
    """The run to compare with (B), or None."""
    compare = state.compare
    return None if compare is None else RunRequest(state.source, compare.settings, compare.edits)


def roofline_of(state: AppState) -> RooflineRequest:
    """The roofline that this state shows: the one asked for, while its FFN is that of the settings."""
    known = measurement_of(state.settings)
    asked = state.asked
    same = asked is not None and replace(asked, serial=0) == known
    return RooflineRequest(asked if asked is not None and same else known)
