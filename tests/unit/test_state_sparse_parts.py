"""Spread and gate view: every value is counted once, where it belongs, and nothing that was not computed."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from ffn_explorer.core.settings import Settings
from ffn_explorer.core.stages import Stage
from ffn_explorer.state.app_state import AppState, Compare, Selection, Source, Theta
from ffn_explorer.state.compute import compute
from ffn_explorer.state.needs import extra_parts, needs, wanted
from ffn_explorer.state.parts import gate_view, spread
from ffn_explorer.state.parts.gate_view import GateRequest, density, quadrants_of
from ffn_explorer.state.parts.spread import MOST_DECADES, PER_DECADE, SpreadRequest, decades
from ffn_explorer.state.requests import ActivityRequest, RunRequest
from ffn_explorer.state.result import Activity, GateView, RunResult, Spread
from ffn_explorer.state.results import Results

SMALL = Settings(d_model=16, d_ff=48, heads=4, kv_heads=4)
GATED = SMALL.with_(activation="swiglu", bias=False)
TIGHT = GATED.with_(experts=2, top_k=2, capacity_factor=0.01)
BATCH = Source(("The keys on the table are lost.", "Two words."), ((), ()))
KINDS = [SMALL, SMALL.with_(activation="gelu"), GATED, GATED.with_(dtype="float64"), TIGHT]


def run_of(settings: Settings, results: Results | None = None) -> RunResult:
    made = compute(RunRequest(BATCH, settings), results or Results())
    assert isinstance(made, RunResult)
    return made


def spread_of(run: RunResult, other: RunResult | None = None) -> Spread:
    known = {each.request: each for each in (run, other) if each is not None}
    request = SpreadRequest(run.request, None if other is None else other.request)
    return spread.compute(request, lambda asked: known[asked])


def view_of(run: RunResult, *, sentence: int = 0, theta: float = 0.1, relative: bool = False) -> GateView:
    request = GateRequest(run.request, sentence, theta, relative)
    return gate_view.compute(request, lambda _: run)


@pytest.mark.parametrize("settings", KINDS)
def test_every_computed_value_is_counted_once(settings: Settings) -> None:
    run = run_of(settings)
    made = spread_of(run)
    computed = int(run.computed.sum())
    assert int(made.counts.sum()) + made.zeros + made.not_finite == computed * settings.d_ff
    np.testing.assert_array_equal(made.token_counts.sum(axis=(0, 1)), made.counts)
    assert not made.token_counts[~run.computed].any()
    hidden = run.values[run.enters_down][run.computed].astype(np.float64)
    assert made.zeros == int((hidden == 0).sum())
    top = 10.0 ** made.edges[-2]
    assert made.counts[-1] == int((np.abs(hidden) >= top).sum())


def test_nothing_is_counted_where_nothing_was_computed() -> None:
    results = Results()
    run = run_of(TIGHT, results)
    assert run.expert_dropped is not None
    dropped = run.expert_dropped[..., 0]
    assert dropped[0].any()
    assert not run.computed[dropped].any()
    made = compute(ActivityRequest(run.request, 0.1, relative=False), results)
    assert isinstance(made, Activity)
    hidden = run.values[Stage.HIDDEN][run.computed]  # [N, F]
    assert made.overall == (np.abs(hidden) > 0.1).mean()
    np.testing.assert_allclose(made.per_neuron, (np.abs(hidden) > 0.1).mean(axis=0), atol=1e-15)
    assert not made.per_token[dropped].any()
    assert not made.zero_per_token[dropped].any()
    assert made.zero_share == (hidden == 0).mean()


def test_edges_are_whole_powers_of_ten_and_bounded() -> None:
    made = decades([np.linspace(-30.0, 0.4, 1_000)])
    assert made[-1] == 1.0
    assert made[0] == 1.0 - MOST_DECADES
    assert len(made) == MOST_DECADES * PER_DECADE + 1
    np.testing.assert_array_equal(decades([np.array([-np.inf, np.nan])])[[0, -1]], [-1.0, 0.0])
    # One more value inside the range moves no edge.
    before = np.linspace(-2.9, 0.9, 10_000)
    np.testing.assert_array_equal(decades([before]), decades([before, np.array([-1.0])]))


def test_what_is_not_finite_is_counted_apart() -> None:
    run = run_of(SMALL)
    values = dict(run.values)
    broken = np.array(values[Stage.ACT])
    broken[0, 2, :3] = [np.nan, np.inf, -np.inf]
    broken[0, 3, :2] = [1e-30, 0.0]
    made = spread_of(replace(run, values=values | {Stage.ACT: broken}))
    assert made.not_finite == 3
    assert int(made.counts.sum()) + made.zeros + made.not_finite == int(run.computed.sum()) * SMALL.d_ff
    assert made.token_counts[0, 3, 0] >= 1  # the first bar holds whatever is smaller


def test_b_is_counted_between_the_same_edges() -> None:
    one, other = run_of(SMALL), run_of(SMALL.with_(activation="gelu", d_ff=64))
    made = spread_of(one, other)
    assert made.other is not None
    assert made.other.edges is made.edges
    assert int(made.other.counts.sum()) + made.other.zeros == int(other.computed.sum()) * 64
    assert made.nbytes > made.other.nbytes > 0


numbers = st.floats(-4, 4, width=32) | st.just(0.0) | st.just(float("nan"))
pairs = arrays.arrays(np.float32, (2, 3, 7), elements=numbers)


@given(pairs)
def test_quadrants_hold_every_pair_once(values: np.ndarray) -> None:
    gate, up = values
    known = ~(np.isnan(gate) | np.isnan(up))
    made = quadrants_of(gate, up)
    np.testing.assert_array_equal(made.sum(axis=-1), known.sum(axis=-1))
    # Turning both signs exchanges opposite quadrants, but for zeros, which count with +.
    inner = known & (gate != 0) & (up != 0)
    g, u = np.where(inner, gate, np.nan), np.where(inner, up, np.nan)
    np.testing.assert_array_equal(quadrants_of(-g, -u), quadrants_of(g, u)[..., ::-1])


@given(pairs)
def test_the_map_holds_every_finite_pair_and_agrees_with_the_quadrants(values: np.ndarray) -> None:
    gate, up = values
    x, y, counts = density(gate, up, cells=8)
    assert counts.sum() == int((np.isfinite(gate) & np.isfinite(up)).sum())
    assert x[4] == 0.0 == y[4]
    by_sign = [counts[4:, 4:], counts[4:, :4], counts[:4, 4:], counts[:4, :4]]
    assert [int(part.sum()) for part in by_sign] == quadrants_of(gate, up).sum(axis=0).tolist()


@pytest.mark.parametrize("relative", [False, True])
@pytest.mark.parametrize("activation", ["glu", "reglu", "geglu", "swiglu", "bilinear"])
def test_nearly_shut_is_told_by_act_alone(activation: str, relative: bool) -> None:
    run = run_of(GATED.with_(activation=activation))
    made = view_of(run, sentence=1, theta=0.3, relative=relative)
    act = run.values[Stage.ACT][1, :3].astype(np.float64)
    rms = np.sqrt((act**2).mean(axis=-1, keepdims=True))
    limit = 0.3 * rms if relative else 0.3
    np.testing.assert_array_equal(made.shut, (np.abs(act) <= limit).sum(axis=-1))
    assert made.quadrants.sum() == 3 * GATED.d_ff
    assert (made.sentence, made.theta, made.relative) == (1, 0.3, relative)


def test_tokens_without_room_have_no_gates() -> None:
    run = run_of(TIGHT)
    made = view_of(run)
    dropped = ~run.computed[0]
    assert dropped.any()
    assert not made.quadrants[dropped].any()
    assert not made.shut[dropped].any()
    assert int(made.counts.sum()) == int(run.computed[0].sum()) * TIGHT.d_ff


def parts_asked(settings: Settings, **parts: object) -> dict[str, object]:
    state = AppState(source=BATCH, settings=settings, selection=Selection(sentence=1), **parts)  # type: ignore[arg-type] # fields of AppState
    results = Results()
    for request in wanted(state, results):
        results.put(request, compute(request, results))
    while any(isinstance(request, RunRequest) for request in needs(state, results)):
        request = next(each for each in needs(state, results) if isinstance(each, RunRequest))
        results.put(request, compute(request, results))
    run = results.get(RunRequest(BATCH, settings))
    assert isinstance(run, RunResult)
    return dict(extra_parts(state, results, run))


def test_what_the_state_asks_for() -> None:
    asked = parts_asked(SMALL)
    assert asked["spread"] == SpreadRequest(RunRequest(BATCH, SMALL))
    assert "gate_view" not in asked
    plain_b = parts_asked(GATED, compare=Compare(SMALL), theta=Theta(0.2, relative=True))
    assert plain_b["spread"] == SpreadRequest(RunRequest(BATCH, GATED), RunRequest(BATCH, SMALL))
    assert plain_b["gate_view"] == GateRequest(RunRequest(BATCH, GATED), 1, 0.2, True)
    both = parts_asked(GATED, compare=Compare(GATED.with_(seed=8)))
    assert both["gate_view"] == GateRequest(
        RunRequest(BATCH, GATED), 1, 0.1, False, RunRequest(BATCH, GATED.with_(seed=8))
    )


def test_b_has_a_view_of_its_own() -> None:
    one, other = run_of(GATED), run_of(GATED.with_(activation="geglu", d_ff=64))
    request = GateRequest(one.request, 0, 0.1, relative=False, other=other.request)
    known = {one.request: one, other.request: other}
    made = gate_view.compute(request, lambda asked: known[asked])
    assert made.other is not None
    assert made.other.quadrants.sum() == 8 * 64
    np.testing.assert_array_equal(made.quadrants, view_of(one).quadrants)
