"""What a state wants computed, most important first, and what of it is still missing."""

from typing import NamedTuple

import numpy as np

from ffn_explorer.core.settings import Settings
from ffn_explorer.state import timeline
from ffn_explorer.state.app_state import AppState, Cell, Selection, Theta
from ffn_explorer.state.change import part
from ffn_explorer.state.requests import (
    ActivityRequest,
    DetailRequest,
    PositionRequest,
    ProofRequest,
    Request,
    RunRequest,
    run_of,
)
from ffn_explorer.state.result import RunResult
from ffn_explorer.state.results import Results
from ffn_explorer.state.text import Text, text


class Parts(NamedTuple):
    """Requests behind the parts of one run's scene."""

    detail: DetailRequest
    activity: ActivityRequest
    position: PositionRequest
    proof: ProofRequest


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
        parts = parts_of(state, run)
        found += [parts.detail, parts.activity, parts.position, parts.proof]
    if state.compare:
        found.append(RunRequest(state.source, state.compare.settings))
    return tuple(found)


def needs(state: AppState, results: Results, shown: RunResult | None = None) -> tuple[Request, ...]:
    """What the scene lacks, most important first; a request that failed is not asked again.

    What the state uses is kept in the store from now on: else a run larger than the store would be dropped
    for its own parts, and computed again without end.
    """
    used = wanted(state, results, shown)
    results.keep(used)
    return tuple(request for request in used if results.get(request) is None)


def parts_of(state: AppState, run: RunResult) -> Parts:
    """Requests for a run, which may be older than the state: the selection goes to what exists in it."""
    chosen = selection_in(run, state.selection)
    cell = cell_in(run, state.hover) or cell_in(run, chosen.cell()) or _largest(state, run, chosen)
    theta = theta_in(run.request.settings, state.theta)
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
    return Cell(stage, chosen.sentence, chosen.token, int(np.argmax(np.nan_to_num(np.abs(row), nan=-1.0))))


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


def theta_in(settings: Settings, theta: Theta) -> float:
    """Theta in force for these settings: the chosen one, or the activation's default."""
    return settings.activation_row.default_theta if theta.value is None else theta.value


_JOBS = {
    RunRequest: "job.run",
    ActivityRequest: "job.activity",
    DetailRequest: "job.detail",
    PositionRequest: "job.position",
    ProofRequest: "job.proof",
}


def job_text(request: Request) -> Text:
    """What is said while a request is being computed."""
    return text(_JOBS[type(request)])
