"""Exported programs run in a fresh interpreter, with one library alone, and print the same numbers."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ffn_explorer.core.edits import Edits
from ffn_explorer.core.errors import InputError
from ffn_explorer.core.settings import ORIGINAL_2017, Settings
from ffn_explorer.core.sparsity import fractions
from ffn_explorer.core.stages import Stage
from ffn_explorer.state.app_state import AppState, Source, Theta
from ffn_explorer.state.changes import use_memory
from ffn_explorer.state.code.dialect import DIALECTS, DialectName
from ffn_explorer.state.code.script import script_of
from ffn_explorer.state.compute import compute
from ffn_explorer.state.requests import run_of
from ffn_explorer.state.result import RunResult
from ffn_explorer.state.results import Results
from ffn_explorer.state.theta import theta_for

BASE = Settings(d_model=24, d_ff=40, heads=4, kv_heads=2)
EXPERTS = BASE.with_(experts=4, top_k=2, norm="rms", activation="swiglu")
BATCH = Source(("The keys on the table are lost.", "鍵は机の上。", "a \ud800 😀"), ((), (), ()))

Printed = Callable[[str, DialectName], dict[str, Any]]
"""What the program of a case prints in a dialect."""

CASES: dict[str, AppState] = {
    "plain": AppState(settings=BASE),
    "wide": AppState(settings=BASE.with_(d_model=37, d_ff=64, activation="gelu", seed=123)),
    "narrow": AppState(settings=BASE.with_(d_model=7, d_ff=5, heads=1, kv_heads=1)),
    "gated": AppState(settings=BASE.with_(activation="swiglu", norm="rms", bias=False), source=BATCH),
    "2017": AppState(settings=ORIGINAL_2017.with_(d_model=24, d_ff=40, heads=4, kv_heads=4, layer=3)),
    "sandwich": AppState(settings=BASE.with_(norm_placement="sandwich", stack="decoder")),
    "double": AppState(settings=BASE.with_(dtype="float64", activation="geglu")),
    "experts": AppState(settings=EXPERTS, source=BATCH),
    "shared": AppState(settings=EXPERTS.with_(shared_experts=2, routing="sigmoid_bias", expert_groups=2)),
    "capacity": AppState(settings=EXPERTS.with_(capacity_factor=0.5, bias=True, activation="relu")),
    "mixer": AppState(settings=BASE.with_(mixer=True), source=BATCH),
    "causal": AppState(settings=BASE.with_(mixer=True, stack="decoder", norm="rms"), source=BATCH),
    "dropout": AppState(settings=BASE.with_(dropout=0.3, training=True), source=BATCH),
    "kept": AppState(settings=BASE.with_(activation="gelu"), edits=Edits(keep=5)),
    "banned": AppState(settings=EXPERTS, edits=Edits(banned=(0,), forced=2)),
    "by hand": use_memory("xor").to(AppState()),
    "theta": AppState(settings=BASE.with_(activation="silu"), theta=Theta(0.5, relative=True)),
    "order": AppState(settings=BASE, source=Source(orders=((3, 1, 0, 2, 7, 6, 5, 4),))),
}
"""Every kind of setting that changes what the program says."""


def computed(state: AppState) -> RunResult:
    """Return the run of a state."""
    made = compute(run_of(state), Results())
    assert isinstance(made, RunResult)
    return made


def run_alone(program: str, folder: Path, *arguments: str) -> dict[str, Any]:
    """Return what a program prints that can import nothing of ours."""
    path = folder / "ffn.py"
    path.write_text(program, "utf-8")
    found: dict[str, Any] = json.loads(output_of([str(path), *arguments], folder))
    return found


def output_of(command: list[str], folder: Path) -> str:
    """Return what a fresh interpreter prints, isolated from settings, environment and folder."""
    command = [sys.executable, "-I", *command]
    done = subprocess.run(command, capture_output=True, cwd=folder, check=False, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


ONE_BY_ONE = """
import runpy, sys
for path in sys.argv[1:]:
    sys.argv = [path]
    runpy.run_path(path, run_name="__main__")
"""
"""Runs programs in one interpreter, each in names of its own: importing torch takes longer than they do."""


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> Printed:
    """What the programs of all cases print; all of a dialect run when one is first asked for."""

    @cache
    def outputs(dialect: DialectName) -> dict[str, str]:
        folder = tmp_path_factory.mktemp(dialect)
        names = {name: folder / f"case_{at}.py" for at, name in enumerate(CASES)}
        for name, path in names.items():
            path.write_text(script_of(CASES[name], computed(CASES[name]), dialect), "utf-8")
        lines = output_of(["-c", ONE_BY_ONE, *map(str, names.values())], folder).splitlines()
        return dict(zip(names, lines, strict=True))

    def one(name: str, dialect: DialectName) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(outputs(dialect)[name])
        return found

    return one


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("name", ["plain", "gated", "experts", "by hand"])
def test_a_program_runs_in_a_fresh_interpreter(
    tmp_path: Path, printed: Printed, name: str, dialect: DialectName
) -> None:
    program = script_of(CASES[name], computed(CASES[name]), dialect)
    assert imports_of(program) <= {*STANDARD, dialect}
    assert run_alone(program, tmp_path) == printed(name, dialect)


STANDARD = frozenset({"hashlib", "json", "math", "sys", "base64"})


def imports_of(program: str) -> set[str]:
    """Return the packages that a program imports, but for those that it needs to save arrays."""
    body = ast.parse(program).body
    nodes = [node for part in body if not isinstance(part, ast.If) for node in ast.walk(part)]
    plain = {
        name.name.partition(".")[0] for node in nodes if isinstance(node, ast.Import) for name in node.names
    }
    return plain | {str(node.module).partition(".")[0] for node in nodes if isinstance(node, ast.ImportFrom)}


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("name", CASES)
def test_a_program_prints_the_numbers_of_the_pass(printed: Printed, name: str, dialect: DialectName) -> None:
    state = CASES[name]
    run = computed(state)
    found = printed(name, dialect)
    hidden = run.values[run.enters_down]
    known = fractions(hidden, theta_for(state, state.settings), relative=state.theta.relative, mask=run.real)
    assert found["tokens"] == [list(sentence) for sentence in run.tokens]
    assert found["shapes"]["hidden"] == list(hidden.shape)
    assert found["shapes"]["out"] == list(run.values[Stage.OUT].shape)
    assert found["active_fraction"]["overall"] == pytest.approx(known.overall, abs=1e-12)
    assert found["exact_zero_fraction"] == pytest.approx(known.exact_zero, abs=1e-12)
    for row, length, told in zip(
        known.per_token, run.lengths, found["active_fraction"]["per_token"], strict=True
    ):
        assert told == pytest.approx(row[:length].tolist(), abs=1e-12)
    assert run.run is not None
    result = run.run.trace.result.double().numpy()
    close = closeness(state, dialect)
    for rows, length, norms in zip(result, run.lengths, found["result_norm"], strict=True):
        assert norms == pytest.approx(np.linalg.norm(rows[:length], axis=1).tolist(), rel=close)


def closeness(state: AppState, dialect: DialectName) -> float:
    """Return how near the norms must be, as a share of them."""
    if dialect == "torch" and state.settings.dtype == "float64":
        return 1e-12
    # One rounding of a float32 is 6e-8 of it; measured are 1e-7 at most.
    return 3e-7


@pytest.mark.parametrize("name", ["plain", "wide", "2017", "sandwich", "by hand", "theta", "double"])
def test_pytorch_gives_the_very_numbers_where_nothing_is_padded(printed: Printed, name: str) -> None:
    run = computed(CASES[name]).run
    assert run is not None
    assert printed(name, "torch")["result_first"] == [run.trace.result[0, 0, :4].double().tolist()]


def test_arrays_are_saved_where_a_file_is_named(tmp_path: Path) -> None:
    state = CASES["gated"]
    run = computed(state)
    for dialect in ("torch", "numpy"):
        run_alone(script_of(state, run, dialect), tmp_path, "stages.npz")
        with np.load(tmp_path / "stages.npz") as arrays:
            for stage, name in ((Stage.UP, "up"), (Stage.GATE, "gate"), (Stage.OUT, "out")):
                assert np.allclose(arrays[f"{name}_1"], run.values[stage][1:2, : run.lengths[1]], atol=1e-5)


def test_half_precision_is_left_to_pytorch(tmp_path: Path) -> None:
    state = AppState(settings=BASE.with_(dtype="bfloat16"))
    run = computed(state)
    found = run_alone(script_of(state, run, "torch"), tmp_path)
    assert found["active_fraction"]["overall"] == pytest.approx(
        fractions(run.values[run.enters_down], 0.0).overall, abs=0.01
    )
    with pytest.raises(InputError) as caught:
        script_of(state, run, "numpy")
    assert caught.value.key == "export.script_dtype"


def test_no_line_is_too_long_to_read() -> None:
    for state in CASES.values():
        run = computed(replace(state, settings=state.settings))
        for dialect in ("torch", "numpy"):
            lines = script_of(state, run, dialect).splitlines()
            long = [line for line in lines if len(line) > 120 and not line.startswith(("SETTINGS", "TOKENS"))]
            assert [
                line for line in long if not line.startswith(("W_", "    (drawn", "shared", "X = "))
            ] == []
