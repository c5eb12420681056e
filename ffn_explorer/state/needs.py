"""What a state wants computed, most important first, and what of it is still missing."""

from typing import NamedTuple

import numpy as np

from ffn_explorer.state import numbers, timeline
from ffn_explorer.state.app_state import AppState, Cell, Selection
from ffn_explorer.state.change import part
from ffn_explorer.state.parts.part import Asked, largest
from ffn_explorer.state.parts.table import KINDS, PARTS
from ffn_explorer.state.requests import (
    ActivityRequest,
    DetailRequest,
    FileRequest,
    PartRequest,
    PositionRequest,
    ProofRequest,
    Request,
    RooflineRequest,
    RunRequest,
    other_run_of,
    roofline_of,
    run_of,
)
from ffn_explorer.state.result import Detail, RunResult
from ffn_explorer.state.results import Results
from ffn_explorer.state.text import Text, text
from ffn_explorer.state.theta import theta_for


class Parts(NamedTuple):
    """Requests behind the parts of one run's scene that are there whatever panels are in sight."""

    detail: DetailRequest
    activity: ActivityRequest
    position: PositionRequest
    proof: ProofRequest


_OFTEN = {"position": frozenset({"proof", "position"}), "proof": frozenset({"proof"})}
"""Parts that are left out while none of these panels is in sight."""


ROOFLINE = frozenset({"roofline"})
"""Panels that draw what is known of this machine."""


def wanted(state: AppState, results: Results, shown: RunResult | None = None) -> tuple[Request, ...]:
    """Every request that the state uses, most important first.

    The parts of a run are known only once the run is there; until then they are those of the run on screen
    (`shown`), which stays while the new one is computed, and for good when it is refused.
    """
    main = run_of(state)
    found: list[Request] = [main]
    found_run = results.get(main)
    run = found_run if isinstance(found_run, RunResult) else shown
    if run is not None:
        found += _of_run(state, results, run)
    if in_sight(state, ROOFLINE):
        found.append(roofline_of(state))
    if run is not None and run.request.source.opened is not None:
        found += file_parts(state, results, run).values()
    return tuple(found)


def _of_run(state: AppState, results: Results, run: RunResult) -> list[Request]:
    """What the panels in sight draw of a run, and of the run to compare it with."""
    parts = parts_of(state, run)
    found: list[Request] = [parts.detail, parts.activity]
    other = other_run_of(state)
    if other is not None:
        found += [other, other_activity_of(state, other)]
    found += [getattr(parts, name) for name, panels in _OFTEN.items() if in_sight(state, panels)]
    return [*found, *extra_parts(state, results, run).values()]


def in_sight(state: AppState, panels: frozenset[str]) -> bool:
    """Whether one of these panels is on the board."""
    return state.shown is None or not panels.isdisjoint(state.shown)


def extra_parts(state: AppState, results: Results, run: RunResult) -> dict[str, PartRequest]:
    """Request of each row of PARTS that a panel in sight draws, by its field of Scene."""
    asked = asked_of(state, results, run)
    made = {row.field: row.request(asked) for row in PARTS if in_sight(state, row.panels)}
    return {field: request for field, request in made.items() if request is not None}


def file_parts(state: AppState, results: Results, run: RunResult) -> dict[str, FileRequest]:
    """Request of each row of FILE_PARTS that a panel in sight draws, by its field of Scene."""
    from ffn_explorer.state.file_parts.table import FILE_PARTS  # the first picture needs none of it

    asked = asked_of(state, results, run)
    made = {row.field: row.request(asked) for row in FILE_PARTS if in_sight(state, row.panels)}
    return {field: request for field, request in made.items() if request is not None}


def asked_of(state: AppState, results: Results, run: RunResult) -> Asked:
    """What the requests of PARTS are made from."""
    chosen = selection_in(run, state.selection)
    detail = results.get(DetailRequest(run.request, chosen.sentence, chosen.token))
    wanted_other = other_run_of(state)
    other = None if wanted_other is None else results.get(wanted_other)
    return Asked(
        state=state,
        run=run,
        chosen=chosen,
        slot=slot_in(run, chosen),
        theta=theta_for(state, run.request.settings),
        stage=timeline.current(state.playback.time, run.stages),
        detail=detail if isinstance(detail, Detail) else None,
        # B may still be of older sentences, in which the chosen token need not be.
        other=other if isinstance(other, RunResult) and other.request.source == run.request.source else None,
    )


def slot_in(run: RunResult, chosen: Selection) -> int:
    """Place of the chosen expert among those of the chosen token; 0 where it is none of them."""
    if run.expert_index is None or chosen.expert is None:
        return 0
    slots = np.flatnonzero(run.expert_index[chosen.sentence, chosen.token] == chosen.expert)
    return int(slots[0]) if slots.size else 0


def other_activity_of(state: AppState, other: RunRequest) -> ActivityRequest:
    """Activity of B at the theta of A, so that both are counted alike."""
    return ActivityRequest(other, theta_for(state, state.settings), state.theta.relative)


def needs(state: AppState, results: Results, shown: RunResult | None = None) -> tuple[Request, ...]:
    """What the scene lacks, most important first; a request that failed is not asked again.

    What the state uses is kept in the store from now on: else a run larger than the store would be dropped
    for its own parts, and computed again without end.
    """
    used = wanted(state, results, shown)
    results.keep(used)
    return tuple(request for request in used if results.get(request) is None)


def ordinary(state: AppState, results: Results, shown: RunResult | None = None) -> tuple[Request, ...]:
    """What the scene lacks and what is computed one after the other."""
    lacking = needs(state, results, shown)
    return tuple(request for request in lacking if not isinstance(request, RooflineRequest | FileRequest))


def measurements(state: AppState, results: Results, shown: RunResult | None = None) -> tuple[Request, ...]:
    """What takes seconds of this machine, and must not keep everything else waiting."""
    return tuple(request for request in needs(state, results, shown) if isinstance(request, RooflineRequest))


def readings(state: AppState, results: Results, shown: RunResult | None = None) -> tuple[Request, ...]:
    """What is read of an opened file for its own panels, beside everything else."""
    return tuple(request for request in needs(state, results, shown) if isinstance(request, FileRequest))


def parts_of(state: AppState, run: RunResult) -> Parts:
    """Requests for a run, which may be older than the state: the selection goes to what exists in it."""
    chosen = selection_in(run, state.selection)
    cell = cell_in(run, state.hover) or cell_in(run, chosen.cell()) or _largest(state, run, chosen)
    theta = theta_for(state, run.request.settings)
    return Parts(
        detail=DetailRequest(run.request, chosen.sentence, chosen.token),
        activity=ActivityRequest(run.request, theta, state.theta.relative),
        position=PositionRequest(run.request),
        proof=ProofRequest(run.request, cell),
    )


def _largest(state: AppState, run: RunResult, chosen: Selection) -> Cell:
    """The largest value of the stage under way at the chosen token: what there is to prove unasked."""
    stage = timeline.current(state.playback.time, run.stages)
    row = run.values[stage][chosen.sentence, chosen.token]  # [N]
    return Cell(stage, chosen.sentence, chosen.token, largest(row))


def selection_in(run: RunResult, selection: Selection) -> Selection:
    """Nearest selection that exists in a run."""
    settings = run.request.settings
    chosen = selection.clamped(run.lengths, settings.d_model, settings.d_ff)
    expert = chosen.expert
    return part(
        chosen,
        stage=chosen.stage if chosen.stage in run.stages else None,
        expert=expert if expert is not None and expert < settings.experts else None,
    )


def cell_in(run: RunResult, cell: Cell | None) -> Cell | None:
    """The cell, where the run has it (padding has none), else None."""
    if cell is None or cell.stage not in run.values:
        return None
    if not 0 <= cell.sentence < len(run.tokens) or not 0 <= cell.token < len(run.tokens[cell.sentence]):
        return None
    return cell if 0 <= cell.index < run.values[cell.stage].shape[2] else None


_JOBS = {
    RunRequest: "job.run",
    ActivityRequest: "job.activity",
    DetailRequest: "job.detail",
    PositionRequest: "job.position",
    ProofRequest: "job.proof",
    RooflineRequest: "job.roofline",
}


def job_text(request: Request, share: float | None = None) -> Text:
    """What is said while a request is being computed; share: how much of it is done, where that is known."""
    key = _job_key(request)
    return text(key) if share is None else text("job.share", what=text(key), share=numbers.percent(share))


def _job_key(request: Request) -> str:
    if isinstance(request, PartRequest):
        return f"job.{KINDS[type(request)].field}"
    if isinstance(request, FileRequest):
        from ffn_explorer.state.file_parts.table import FILE_KINDS

        return f"job.{FILE_KINDS[type(request)].field}"
    return _JOBS[type(request)]


def stopped_text(request: Request) -> Text:
    """What is said once a person has stopped this, and how it can be had after all."""
    if isinstance(request, FileRequest):
        return text("window.stopped_reading")
    return text("window.stopped_measuring" if isinstance(request, RooflineRequest) else "window.stopped")
