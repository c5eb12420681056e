"""A − B: what is subtracted, what is left out, and how large it is."""

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ffn_explorer.core.settings import Settings
from ffn_explorer.core.stages import Stage
from ffn_explorer.state.app_state import AppState, Compare
from ffn_explorer.state.needs import asked_of
from ffn_explorer.state.parts.difference import ask_difference, relative_size
from ffn_explorer.state.requests import other_run_of, run_of
from ffn_explorer.state.result import Difference, RunResult
from ffn_explorer.state.results import Results
from tests.snapshots.scenes import BATCH, computed

PLAIN = Settings(d_model=24, d_ff=64, heads=2, kv_heads=2)


def pair(other: Settings) -> tuple[RunResult, RunResult, Difference]:
    state = AppState(settings=PLAIN, source=BATCH, compare=Compare(other))
    results = computed(state)
    asked = other_run_of(state)
    assert asked is not None
    a, b = results.get(run_of(state)), results.get(asked)
    assert isinstance(a, RunResult)
    assert isinstance(b, RunResult)
    request = ask_difference(asked_of(state, results, a))
    assert request is not None
    made = results.get(request)
    assert isinstance(made, Difference)
    return a, b, made


def test_every_common_stage_is_subtracted() -> None:
    a, b, made = pair(PLAIN.with_(activation="gelu"))
    assert tuple(made.values) == a.stages
    for stage, values in made.values.items():
        wide = a.values[stage].astype(np.float64) - b.values[stage].astype(np.float64)
        assert np.abs(values - wide).max() <= 1e-6 * max(1.0, np.abs(wide).max())
        relative = np.linalg.norm(wide) / np.linalg.norm(b.values[stage].astype(np.float64))
        assert math.isclose(made.relative[stage], relative, rel_tol=1e-5)
        assert made.pyramids[stage].levels[0].value.shape[:2] == values.shape[:2]
    assert made.relative[Stage.INPUT] == made.relative[Stage.UP] == 0.0
    assert made.relative[Stage.ACT] > 0.0


def test_stages_of_another_width_and_those_that_b_lacks_are_left_out() -> None:
    _, _, made = pair(PLAIN.with_(d_ff=96, residual=False))
    assert tuple(made.values) == (Stage.INPUT, Stage.NORM, Stage.OUT)


def test_without_b_there_is_nothing_to_subtract() -> None:
    state = AppState(settings=PLAIN)
    results = computed(state)
    found = results.get(run_of(state))
    assert isinstance(found, RunResult)
    assert ask_difference(asked_of(state, results, found)) is None
    waiting = AppState(settings=PLAIN, compare=Compare(PLAIN.with_(seed=3)))
    only_a = Results()
    only_a.put(run_of(state), found)
    assert ask_difference(asked_of(waiting, only_a, found)) is None


@settings(max_examples=60, deadline=None)
@given(arrays(np.float32, (2, 3, 5), elements=st.floats(-100, 100, width=32)), st.floats(0.125, 8))
def test_relative_size_scales_and_is_zero_only_for_equals(values: np.ndarray, factor: float) -> None:
    size = relative_size((factor * values.astype(np.float64)), values)
    assert size == 0.0 if not np.any(values) else math.isclose(size, factor, rel_tol=1e-9)
    zero = np.zeros_like(values)
    assert relative_size(zero, values) == 0.0
    assert relative_size(values, zero) == (math.inf if np.any(values) else 0.0)
