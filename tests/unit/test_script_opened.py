"""Programs of an opened file: they read its tensors themselves, and print the numbers of the pass."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from ffn_explorer.core.errors import InputError
from ffn_explorer.state.app_state import AppState, Source
from ffn_explorer.state.code import weighing
from ffn_explorer.state.code.dialect import DIALECTS, DialectName
from ffn_explorer.state.code.script import script_of
from ffn_explorer.state.compute import compute
from ffn_explorer.state.open_files import OPEN_FILES
from ffn_explorer.state.opened_changes import use_opened
from ffn_explorer.state.requests import run_of
from ffn_explorer.state.result import RunResult
from ffn_explorer.state.results import Results
from tests.tiny_files import llama, llama_parts, mixtral

SENTENCES = Source(("The keys are lost .", "The keys ."), ((), ()))


@pytest.fixture(autouse=True)
def files_closed() -> Iterator[None]:
    """Let go of what a test opened."""
    yield
    OPEN_FILES.close()


def computed(path: Path) -> tuple[AppState, RunResult]:
    """A layer of a file, and its run."""
    state = use_opened(OPEN_FILES.open(path), layer=1).to(replace(AppState(), source=SENTENCES))
    made = compute(run_of(state), Results())
    assert isinstance(made, RunResult)
    return state, made


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("make", [llama, mixtral])
def test_a_layer_of_a_file_is_computed_again(
    tmp_path: Path, make: Callable[[Path], Path], dialect: DialectName
) -> None:
    state, run = computed(make(tmp_path / "model"))
    path = tmp_path / "ffn.py"
    path.write_text(script_of(state, run, dialect), "utf-8")
    command = [sys.executable, "-I", str(path)]
    done = subprocess.run(command, capture_output=True, cwd=tmp_path, check=False, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert run.run is not None
    assert found["tokens"] == [list(sentence) for sentence in run.tokens]
    result = run.run.trace.result.double().numpy()
    for rows, length, norms in zip(result, run.lengths, found["result_norm"], strict=True):
        assert norms == pytest.approx(np.linalg.norm(rows[:length], axis=1).tolist(), rel=1e-6)


def test_a_file_that_a_few_lines_cannot_read_is_refused(tmp_path: Path) -> None:
    tensors, config = llama_parts()
    torch.save(
        {name: torch.from_numpy(part) for name, part in tensors.items()}, tmp_path / "pytorch_model.bin"
    )
    (tmp_path / "config.json").write_text(json.dumps(config), "utf-8")
    state, run = computed(tmp_path)
    with pytest.raises(InputError) as caught:
        script_of(state, run, "torch")
    assert caught.value.key == "export.script_file"


def test_too_many_hidden_states_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    state, run = computed(llama(tmp_path / "model"))
    monkeypatch.setattr(weighing, "MOST_BYTES", 100)
    with pytest.raises(InputError) as caught:
        script_of(state, run, "numpy")
    assert caught.value.key == "export.script_large"
    assert caught.value.values["rows"] == sum(run.lengths)
