"""The first scene: what the program computes today, loaded quickly and without torch."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ffn_explorer.core.records import PositionCheck
from ffn_explorer.core.settings import Settings
from ffn_explorer.state.app_state import AppState, Source, Theta
from ffn_explorer.state.assets import asset
from ffn_explorer.state.compute import compute
from ffn_explorer.state.first_scene import NAME, preload, write
from ffn_explorer.state.layouts import DEFAULT_LAYOUT, LAYOUTS, panels_of
from ffn_explorer.state.needs import needs
from ffn_explorer.state.requests import DetailRequest, PositionRequest, run_of
from ffn_explorer.state.result import Detail, Floats, RunResult
from ffn_explorer.state.results import Results

STATE = AppState(shown=frozenset({*panels_of(LAYOUTS[DEFAULT_LAYOUT]), "proof"}))
"""What the window opens with, and the proof, which can be brought in before torch is there."""


def close(stored: Floats, now: Floats) -> None:
    """Equal up to the order of sums, which differs between processors: 1e-5 of the largest magnitude."""
    assert stored.dtype == now.dtype
    np.testing.assert_allclose(stored, now, rtol=0, atol=1e-5 * float(np.abs(now).max()))


@pytest.fixture(scope="module")
def stored() -> Results:
    results = Results()
    assert preload(results, STATE)
    return results


@pytest.fixture(scope="module")
def fresh() -> Results:
    results = Results()
    while missing := needs(STATE, results):
        results.put(missing[0], compute(missing[0], results))
    return results


def run_in(results: Results) -> RunResult:
    found = results.get(run_of(STATE))
    assert isinstance(found, RunResult)
    return found


def test_nothing_is_missing(stored: Results) -> None:
    assert needs(STATE, stored) == ()


def test_the_run_is_what_is_computed_today(stored: Results, fresh: Results) -> None:
    old, new = run_in(stored), run_in(fresh)
    assert old.run is None
    for name in ("request", "spec", "stages", "tokens", "bill"):
        assert getattr(old, name) == getattr(new, name)
    for stage in new.stages:
        close(old.values[stage], new.values[stage])
        assert old.pyramids[stage].non_finite == 0
        assert len(old.pyramids[stage].levels) == len(new.pyramids[stage].levels)
    for name in ("z", "value", "slope"):
        np.testing.assert_allclose(getattr(old.curve, name), getattr(new.curve, name), rtol=1e-12)


def test_details_and_check_are_what_is_computed_today(stored: Results, fresh: Results) -> None:
    run = run_of(STATE)
    for token in range(8):
        request = DetailRequest(run, 0, token)
        old, new = stored.get(request), compute(request, fresh)
        assert isinstance(old, Detail)
        assert isinstance(new, Detail)
        close(old.paths.strength, new.paths.strength)
        # Neighbours of equal strength may change places; each still tells its own value.
        hidden = run_in(fresh).values[run_in(fresh).stages[3]][0, token]
        close(old.paths.m, hidden[old.paths.neuron])
        close(old.edges, new.edges)
        assert old.counts.sum() == new.counts.sum() == 2_048
        # A value on the edge between two bars may fall to either side.
        assert np.abs(old.counts - new.counts).sum() <= 4
    old_check, new_check = stored.get(PositionRequest(run)), fresh.get(PositionRequest(run))
    assert isinstance(old_check, PositionCheck)
    assert isinstance(new_check, PositionCheck)
    assert old_check.holds
    assert new_check.holds
    assert old_check.tolerance == pytest.approx(new_check.tolerance, rel=1e-4)


def test_other_theta_is_lit_from_the_same_numbers() -> None:
    results = Results()
    state = replace(STATE, theta=Theta(0.5))
    assert preload(results, state)
    assert needs(state, results) == ()


@pytest.mark.parametrize(
    "state", [AppState(settings=Settings(seed=8)), AppState(source=Source(("Other words.",), ((),)))]
)
def test_only_for_the_very_same_request(state: AppState) -> None:
    results = Results()
    assert not preload(results, state)
    assert results.nbytes == 0


def test_a_file_that_cannot_be_read_is_no_error(tmp_path: Path) -> None:
    results = Results()
    whole = asset(NAME).read_bytes()
    for name, content in (
        ("cut", whole[:5_000]),
        ("empty", b""),
        ("text", b"words"),
        ("half", whole[: len(whole) // 2]),
    ):
        path = tmp_path / name
        path.write_bytes(content)
        assert not preload(results, STATE, path=path)
    assert not preload(results, STATE, path=tmp_path / "missing")
    other = tmp_path / "other.npz"
    np.savez(other, facts=np.frombuffer(b'{"made_from": {}}', np.uint8))
    assert not preload(results, STATE, path=other)
    assert results.nbytes == 0


def test_what_is_written_is_what_is_read(tmp_path: Path) -> None:
    path = tmp_path / "again.npz"
    write(path)
    results = Results()
    assert preload(results, STATE, path=path)
    assert needs(STATE, results) == ()


def test_loading_needs_no_torch() -> None:
    code = (
        "import sys\n"
        "from ffn_explorer.state.app_state import AppState\n"
        "from ffn_explorer.state.first_scene import preload\n"
        "from ffn_explorer.state.resolver import Resolver\n"
        "from ffn_explorer.state.results import Results\n"
        "results = Results()\n"
        "assert preload(results, AppState())\n"
        "scene = Resolver(results).resolve(AppState())\n"
        "print(len(scene.chips), scene.detail is not None, 'torch' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["8", "True", "False"]
