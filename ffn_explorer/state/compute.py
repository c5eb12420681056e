"""Compute: request -> result, on workers; the only file of this floor that runs core's heavy parts."""

from collections.abc import Callable
from dataclasses import fields, replace
from typing import TYPE_CHECKING, assert_never

import numpy as np
from numpy.typing import NDArray

from ffn_explorer.core import cost, sparsity
from ffn_explorer.core.errors import ExplorerError
from ffn_explorer.core.records import PositionCheck, Proof
from ffn_explorer.core.spec import FFNSpec
from ffn_explorer.core.stages import Stage, stages_of
from ffn_explorer.state.app_state import Source
from ffn_explorer.state.arrays import to_numpy
from ffn_explorer.state.parts.table import KINDS
from ffn_explorer.state.pyramid import activity_levels, pyramid
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
)
from ffn_explorer.state.result import Activity, Curve, Detail, Floats, Measured, Pyramid, Result, RunResult
from ffn_explorer.state.results import Entry, Failure, Results
from ffn_explorer.state.run_bytes import bytes_of
from ffn_explorer.state.run_facts import facts_of, shape_in
from ffn_explorer.state.text import said
from ffn_explorer.state.token_lengths import natural_tokens, order_of, ordered

if TYPE_CHECKING:
    from ffn_explorer.core.experiment import Run
    from ffn_explorer.state.opened_run import Given

CURVE_LIMIT = 4.0
"""The activation's curve is sampled on z in ±this (no unit)."""

CURVE_POINTS = 257
"""An odd number, so that z = 0 is one of them."""

Asked = Callable[[], bool]
Told = Callable[[float], None]


class Cancelled(Exception):
    """The result is not wanted any more."""


def never() -> bool:
    """Whether to stop: no."""
    return False


def quiet(_share: float) -> None:
    """Tell nobody how much is done."""


def attempt(request: Request, results: Results, *, cancelled: Asked = never) -> Entry:
    """Compute, or say why not, and keep either in `results`; Cancelled passes through and keeps nothing."""
    entry: Entry
    try:
        entry = compute(request, results, cancelled=cancelled)
    except ExplorerError as error:
        entry = Failure(said(error))
    results.put(request, entry)
    return entry


def compute(request: Request, results: Results, *, cancelled: Asked = never, told: Told = quiet) -> Result:
    """Result of one request; a run that it needs and that is not in `results` is computed and put there.

    cancelled: asked between steps.  told: hears how much is done, 0..1, where that is known.
    Raises Cancelled, or ExplorerError with a sentence for the person.
    """
    match request:
        case RunRequest():
            return _run(request, cancelled)
        case ActivityRequest():
            return _activity(request, _known(request.run, results, cancelled))
        case DetailRequest():
            return _detail(request, _known(request.run, results, cancelled, with_torch=True))
        case PositionRequest():
            return _position(_known(request.run, results, cancelled, with_torch=True))
        case ProofRequest():
            return _proof(request, _known(request.run, results, cancelled, with_torch=True))
        case RooflineRequest():
            return _roofline(request, results, cancelled, told=told)
        case PartRequest():
            part = KINDS[type(request)]
            return part.compute(request, lambda run: _known(run, results, cancelled, with_torch=True))
        case FileRequest():
            return _of_file(request, results, cancelled, told=told)
        case _:
            assert_never(request)


def _of_file(request: FileRequest, results: Results, cancelled: Asked, *, told: Told) -> Result:
    """What is read of an opened file; what is found so far is shown meanwhile."""
    from ffn_explorer.checkpoints.reading.steps import Stopped
    from ffn_explorer.state.file_parts.part import Way
    from ffn_explorer.state.file_parts.table import FILE_KINDS
    from ffn_explorer.state.open_files import OPEN_FILES

    way = Way(told, lambda found: results.sketch(request, found), cancelled)
    try:
        return FILE_KINDS[type(request)].compute(request, OPEN_FILES.get(request.opened), way)
    except Stopped as error:
        raise Cancelled from error


def _known(request: RunRequest, results: Results, cancelled: Asked, *, with_torch: bool = False) -> RunResult:
    """The run from the store; anew where it is missing, or was read from a file without its tensors."""
    found = results.get(request)
    if isinstance(found, RunResult) and (found.run is not None or not with_torch):
        return found
    made = _run(request, cancelled)
    results.put(request, made)
    _check(cancelled)
    return made


def _run(request: RunRequest, cancelled: Asked) -> RunResult:
    from ffn_explorer.core import experiment

    given = _given(request)
    tokens = tokens_of(request.source)
    run = experiment.run(
        request.settings,
        tokens,
        edits=request.edits,
        layer=given.layer,
        x=given.x,
        x_is=given.x_is,
        x_origin=given.origin,
    )
    spec = run.trace.spec
    stages = stages_of(spec)
    values: dict[Stage, Floats] = {}
    pyramids: dict[Stage, Pyramid] = {}
    for stage in stages:
        _check(cancelled)
        values[stage] = to_numpy(run.trace.stage(stage))
        pyramids[stage] = pyramid(values[stage])
    return RunResult(
        request=request,
        spec=spec,
        stages=stages,
        tokens=tokens,
        values=values,
        pyramids=pyramids,
        curve=curve_of(spec),
        bill=cost.bill(request.settings, [len(sentence) for sentence in tokens], ffn=shape_in(request)),
        nbytes=bytes_of(run, values, pyramids),
        run=run,
        x_from=given.x_from,
        **facts_of(run, request),
    )


def _given(request: RunRequest) -> "Given":
    """Layer and hidden states of an opened file or of a hand-built memory; none for random weights."""
    from ffn_explorer.state.opened_run import Given, given_of

    memory = request.source.memory
    if request.source.opened is not None:
        return given_of(request)
    if memory is None:
        return Given()
    from ffn_explorer.core.devices import check_device
    from ffn_explorer.core.handmade_layer import inputs_of, layer_of

    # Its numbers go to the device before the run, which checks that it is there, begins.
    check_device(request.settings)
    order = list(order_of(request.source, 0))
    x = inputs_of(memory, request.settings)[:, order]
    return Given(layer_of(memory, request.settings), x, x_from="hand")


def tokens_of(source: Source) -> tuple[tuple[str, ...], ...]:
    """Tokens of each sentence in the order in which they stand now."""
    return tuple(ordered(source, i, tokens) for i, tokens in enumerate(natural_tokens(source)))


def curve_of(spec: FFNSpec) -> Curve:
    """The scalar function of a spec and its slope, sampled in float64."""
    import torch

    from ffn_explorer.core import activations

    z = torch.linspace(-CURVE_LIMIT, CURVE_LIMIT, CURVE_POINTS, dtype=torch.float64)
    value = activations.apply(spec.function, z, spec.function_params)
    slope = activations.slope(spec.function, z, spec.function_params)
    if spec.act_limit is not None:
        low, high = spec.act_limit
        slope = torch.where((value < low) | (value > high), torch.zeros_like(slope), slope)
        value = value.clamp(low, high)
    return Curve(to_numpy(z), to_numpy(value), to_numpy(slope))


def _activity(request: ActivityRequest, run: RunResult) -> Activity:
    shares: dict[Stage, tuple[NDArray[np.uint8], ...]] = {}
    for stage in (Stage.ACT, Stage.HIDDEN):
        if stage in run.values:
            on = sparsity.active(run.values[stage], request.theta, relative=request.relative)
            shares[stage] = activity_levels(on, run.pyramids[stage])
    hidden, computed = run.values[run.enters_down], run.computed  # [B, S, F], [B, S]
    found = sparsity.fractions(hidden, request.theta, relative=request.relative, mask=computed)
    size = sum(level.nbytes for levels in shares.values() for level in levels)
    zeros = (hidden == 0).mean(axis=-1) * computed  # [B, S, F] -> [B, S]
    return Activity(
        share=shares,
        per_token=found.per_token,
        per_neuron=found.per_neuron,
        overall=found.overall,
        zero_per_token=zeros,
        zero_share=found.exact_zero,
        nbytes=size + found.per_token.nbytes + found.per_neuron.nbytes + zeros.nbytes,
    )


def _detail(request: DetailRequest, result: RunResult) -> Detail:
    from ffn_explorer.core.memory import strong_paths

    paths = strong_paths(_torch_run(result), request.sentence, request.token)
    before = result.values[result.enters_act]
    edges, counts = sparsity.histogram(before[request.sentence, request.token])
    arrays = [getattr(paths, field.name) for field in fields(paths)]
    size = sum(array.nbytes for array in arrays if array is not None)
    return Detail(paths, edges, counts, nbytes=size + edges.nbytes + counts.nbytes)


def _position(result: RunResult) -> PositionCheck:
    from ffn_explorer.core.position import position_check

    return position_check(_torch_run(result))


def _proof(request: ProofRequest, result: RunResult) -> Proof:
    from ffn_explorer.core.proof import prove

    cell = request.cell
    run = _torch_run(result)
    return prove(run, cell.stage, sentence=cell.sentence, token=cell.token, index=cell.index)


def _roofline(request: RooflineRequest, results: Results, cancelled: Asked, *, told: Told) -> Measured:
    """What is known, or a new measurement, which is known from then on."""
    from ffn_explorer.state.measuring import known_or_measured

    def step(share: float) -> None:
        _check(cancelled)
        told(share)

    found = known_or_measured(request.measurement, step)
    results.put(RooflineRequest(replace(request.measurement, serial=0)), found)
    return found


def _torch_run(result: RunResult) -> "Run":
    assert result.run is not None
    return result.run


def _check(cancelled: Asked) -> None:
    if cancelled():
        raise Cancelled
