"""What is computed agrees with core, whatever the settings; parts ask for their run; cancelling stops."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from ffn_explorer.core.errors import InputError, MemoryRefusal
from ffn_explorer.core.records import PositionCheck, Proof
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.stages import Stage, stages_of
from ffn_explorer.state.app_state import AppState, Cell, Compare, Playback, Selection, Source, Theta
from ffn_explorer.state.compute import CURVE_POINTS, Cancelled, attempt, compute, tokens_of
from ffn_explorer.state.needs import job_text, needs, ordinary, parts_of, wanted
from ffn_explorer.state.parts.table import PARTS
from ffn_explorer.state.requests import (
    ActivityRequest,
    DetailRequest,
    PositionRequest,
    ProofRequest,
    RooflineRequest,
    RunRequest,
    run_of,
)
from ffn_explorer.state.result import Activity, Detail, RunResult
from ffn_explorer.state.results import Failure, Results
from ffn_explorer.state.text import say

SMALL = Settings(d_model=16, d_ff=48, heads=4, kv_heads=4)
BATCH = Source(("The keys on the table are lost.", "Two words."), ((), ()))
KINDS = [
    SMALL,
    SMALL.with_(activation="swiglu", norm="rms", norm_placement="sandwich"),
    SMALL.with_(activation="gelu", norm="none", residual=False, bias=False, dtype="bfloat16"),
    SMALL.with_(norm_placement="post", dtype="float64"),
    SMALL.with_(experts=4, top_k=2, shared_experts=1, activation="geglu", dtype="float16"),
    SMALL.with_(mixer=True, dropout=0.5, training=True),
]


def state_of(settings: Settings) -> AppState:
    return AppState(source=BATCH, settings=settings, selection=Selection(token=2))


def run_result(settings: Settings, results: Results) -> RunResult:
    request = RunRequest(BATCH, settings)
    made = compute(request, results)
    assert isinstance(made, RunResult)
    results.put(request, made)
    return made


@pytest.mark.parametrize("settings", KINDS)
def test_values_are_those_of_the_trace(settings: Settings) -> None:
    made = run_result(settings, Results())
    assert made.run is not None
    assert made.stages == stages_of(made.spec)
    assert made.lengths == (8, 3)
    wanted_type = np.float64 if settings.dtype == "float64" else np.float32
    for stage in made.stages:
        exact = made.run.trace.stage(stage).double().numpy()
        assert made.values[stage].dtype == wanted_type
        np.testing.assert_array_equal(made.values[stage], exact)
        assert not made.values[stage].flags.writeable
        assert not made.values[stage][1, 3:].any()
        assert made.pyramids[stage].levels[0].value.shape == made.values[stage].shape
        assert made.pyramids[stage].non_finite == 0
    assert (made.expert_index is not None) == settings.is_moe == (made.expert_dropped is not None)
    if made.expert_dropped is not None:
        assert made.expert_dropped.shape == (2, 8, 2)
        assert not made.expert_dropped.any()
    if made.expert_index is not None and made.expert_weight is not None and made.router_logits is not None:
        assert made.expert_index.shape == made.expert_weight.shape == (2, 8, 2)
        assert made.router_logits.shape == (2, 8, 4)
    assert made.bill.ffn_weights == (3 if settings.gated else 2) * 16 * 48 * (5 if settings.is_moe else 1) + (
        64 if settings.is_moe else 0
    )


def test_slots_without_room_are_told_and_have_no_paths() -> None:
    results = Results()
    made = run_result(SMALL.with_(experts=4, top_k=1, capacity_factor=0.01), results)
    assert made.expert_dropped is not None
    first = made.expert_dropped[0, :, 0]
    assert first.any()
    assert not first.all()
    for token in range(8):
        detail = compute(DetailRequest(made.request, 0, token), results)
        assert isinstance(detail, Detail)
        assert (len(detail.paths.neuron) == 0) == bool(first[token])
        assert detail.counts.sum() == 48


def test_float32_values_share_the_memory_of_the_trace() -> None:
    made = run_result(SMALL, Results())
    assert made.run is not None
    assert made.values[Stage.UP].ctypes.data == made.run.trace.up.data_ptr()
    weights = 2 * 16 * 48 * 4
    assert weights < made.nbytes < 20 * weights


@pytest.mark.parametrize("settings", KINDS)
def test_everything_a_state_needs_can_be_computed(settings: Settings) -> None:
    state, results = state_of(settings), Results()
    kinds = []
    while missing := needs(state, results):
        entry = attempt(missing[0], results)
        assert not isinstance(entry, Failure), entry
        kinds.append(type(missing[0]))
    always = [RunRequest, DetailRequest, ActivityRequest, PositionRequest, ProofRequest]
    assert kinds[: len(always)] == always
    assert len(set(kinds)) == len(kinds)
    assert set(kinds[len(always) :]) <= {RooflineRequest, *(row.kind for row in PARTS)}
    position = results.get(PositionRequest(run_of(state)))
    assert isinstance(position, PositionCheck)
    assert position.holds != settings.mixer


def test_needs_follow_hover_choice_and_comparison() -> None:
    results = Results()
    run = run_result(SMALL, results)
    state = state_of(SMALL)
    hovered = Cell(Stage.ACT, 1, 2, 47)
    chosen = Selection(sentence=0, token=1, dim=3, stage=Stage.OUT)
    both = AppState(source=BATCH, settings=SMALL, selection=chosen, hover=hovered)
    assert parts_of(both, run).proof == ProofRequest(run.request, hovered)
    padding = AppState(source=BATCH, settings=SMALL, selection=chosen, hover=Cell(Stage.ACT, 1, 3, 0))
    assert parts_of(padding, run).proof == ProofRequest(run.request, Cell(Stage.OUT, 0, 1, 3))
    # Nothing hovered, nothing chosen: the largest value of the stage under way is proved.
    last = run.values[Stage.RESIDUAL][0, 2]
    assert parts_of(state, run).proof == ProofRequest(
        run.request, Cell(Stage.RESIDUAL, 0, 2, int(np.abs(last).argmax()))
    )
    early = replace(state, playback=Playback(time=0.0))
    assert parts_of(early, run).proof.cell.stage is Stage.INPUT
    compared = AppState(source=BATCH, settings=SMALL, compare=Compare(SMALL.with_(activation="gelu")))
    assert RunRequest(BATCH, SMALL.with_(activation="gelu")) in wanted(compared, results)
    for request in wanted(both, results):
        for language in ("en", "ja"):
            assert say(language, job_text(request))


def test_a_refused_run_leaves_the_picture_its_own_wants() -> None:
    results = Results()
    run = run_result(SMALL, results)
    refused = replace(state_of(SMALL.with_(d_ff=64)), hover=Cell(Stage.ACT, 0, 1, 2))
    asked = needs(refused, results, run)
    assert asked[0] == run_of(refused)
    assert ProofRequest(run.request, Cell(Stage.ACT, 0, 1, 2)) in asked
    assert PositionRequest(run.request) in asked


def test_a_run_larger_than_the_store_is_computed_once() -> None:
    state, results = state_of(SMALL), Results(limit_bytes=10)
    computed = 0
    while missing := needs(state, results):
        attempt(missing[0], results)
        computed += 1
    assert computed == len(wanted(state, results))


@pytest.mark.parametrize("theta", [0.0, 0.1, 0.7])
@pytest.mark.parametrize("relative", [False, True])
def test_activity_counts_real_tokens(theta: float, relative: bool) -> None:
    results = Results()
    run = run_result(SMALL.with_(activation="swiglu"), results)
    lit = compute(ActivityRequest(run.request, theta, relative), results)
    assert isinstance(lit, Activity)
    hidden = run.values[Stage.HIDDEN].astype(np.float64)
    size = np.sqrt((hidden**2).mean(axis=-1, keepdims=True)) if relative else 1.0
    on = np.abs(hidden) > theta * size
    np.testing.assert_allclose(lit.per_token[0], on[0].mean(axis=-1))
    real = np.concatenate([on[0], on[1, :3]])
    assert lit.overall == pytest.approx(real.mean())
    assert set(lit.share) == {Stage.ACT, Stage.HIDDEN}
    np.testing.assert_array_equal(lit.share[Stage.HIDDEN][0] == 255, on)


def test_detail_is_of_its_token() -> None:
    results = Results()
    run = run_result(SMALL, results)
    detail = compute(DetailRequest(run.request, 1, 2), results)
    assert isinstance(detail, Detail)
    assert detail.counts.sum() == 48
    act = run.values[Stage.ACT][1, 2]
    np.testing.assert_allclose(detail.paths.m, act[detail.paths.neuron], rtol=1e-6)


def test_proof_is_of_its_cell() -> None:
    results = Results()
    run = run_result(SMALL, results)
    for stage in run.stages:
        proof = compute(ProofRequest(run.request, Cell(stage, 0, 4, 9)), results)
        assert isinstance(proof, Proof)
        assert proof.shown == run.values[stage][0, 4, 9]
        assert proof.difference <= proof.tolerance


def test_orders_permute_the_rows() -> None:
    results = Results()
    natural = run_result(SMALL, results)
    order = (7, 0, 1, 2, 3, 4, 6, 5)
    moved = compute(RunRequest(Source(BATCH.sentences, (order, ())), SMALL), results)
    assert isinstance(moved, RunResult)
    assert moved.tokens[0] == tuple(natural.tokens[0][i] for i in order)
    np.testing.assert_allclose(
        moved.values[Stage.OUT][0], natural.values[Stage.OUT][0][list(order)], rtol=0, atol=1e-5
    )


def test_an_order_that_does_not_fit_is_the_natural_one() -> None:
    assert tokens_of(Source(("a b",), ((2, 0, 1),))) == (("a", "b"),)
    assert tokens_of(Source(("a b", "c"), ((1, 0),))) == (("b", "a"), ("c",))


def test_curve_has_zero_among_its_points() -> None:
    curve = run_result(SMALL.with_(activation="gelu"), Results()).curve
    assert curve.z.shape == curve.value.shape == curve.slope.shape == (CURVE_POINTS,)
    middle = CURVE_POINTS // 2
    assert (curve.z[middle], curve.value[middle], curve.slope[middle]) == (0.0, 0.0, 0.5)


def test_refusals_become_failures_and_are_not_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ffn_explorer.core.budget.free_bytes", lambda _device="cpu": 1_000)
    state, results = state_of(SMALL), Results()
    entry = attempt(run_of(state), results)
    assert isinstance(entry, Failure)
    assert entry.message.key == "error.memory"
    for language in ("en", "ja"):
        assert say(language, entry.message)
    assert ordinary(state, results) == ()
    with pytest.raises(MemoryRefusal):
        compute(PositionRequest(run_of(state)), Results())
    with pytest.raises(InputError):
        compute(RunRequest(Source((" ",), ((),)), SMALL), results)


def test_cancelling_stops_between_steps_and_keeps_nothing() -> None:
    asked = 0

    def after_three() -> bool:
        nonlocal asked
        asked += 1
        return asked > 3

    results = Results()
    with pytest.raises(Cancelled):
        attempt(RunRequest(BATCH, SMALL), results, cancelled=after_three)
    assert asked == 4
    assert results.nbytes == 0


def test_theta_follows_the_activation_unless_chosen() -> None:
    results = Results()
    run = run_result(SMALL.with_(activation="gelu"), results)
    state = state_of(run.request.settings)
    assert parts_of(state, run).activity.theta == 0.1
    chosen = AppState(source=BATCH, settings=run.request.settings, theta=Theta(0.3, relative=True))
    assert parts_of(chosen, run).activity == ActivityRequest(run.request, 0.3, relative=True)


def test_state_imports_neither_qt_nor_torch() -> None:
    code = (
        "import importlib, pkgutil, sys\n"
        "import ffn_explorer.state as package\n"
        "for module in pkgutil.iter_modules(package.__path__):\n"
        "    importlib.import_module(f'{package.__name__}.{module.name}')\n"
        "print([name for name in ('torch', 'PySide6', 'shiboken6', 'pyqtgraph') if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
