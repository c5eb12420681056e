"""Damaged checkpoints of every format through the one door: opened or refused in a sentence, nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.guarded import MOST_BYTES, SECONDS
from tests.unit.mutations import mutated
from tests.unit.specimens import SPECIMENS

ROOT = Path(__file__).resolve().parents[2]
COUNTS = {"safetensors": 210, "torch": 120, "gguf": 120}
"""Damaged files of each format."""

LEAST_KEYS = 12
"""Sentences that as many files meet at least: fewer would mean that the damage is all of one kind."""


def results_of(form: str, folder: Path, *, first: int, count: int, seconds: float) -> dict[str, object]:
    """What a process of its own makes of damaged files; the last line that it wrote says which one it was."""
    arguments = [form, str(first), str(count), str(seconds), str(folder / "files")]
    done = subprocess.run(
        [sys.executable, "-m", "tests.unit.guarded", *arguments],
        capture_output=True, text=True, check=False, cwd=ROOT, timeout=seconds + 60,
    )  # fmt: skip
    lines = done.stdout.splitlines()
    replay = (
        "again: python -m tests.unit.guarded " + " ".join(lines[-1].split(":")[0].split()) if lines else ""
    )
    assert done.returncode == 0, f"{lines[-1:]} ended the process; {replay} FOLDER\n{done.stderr[-3000:]}"
    found: dict[str, object] = json.loads(lines[-1])
    sys.stdout.write(f"{form}: {json.dumps(found)}\n")
    return found


@pytest.mark.parametrize("form", SPECIMENS)
def test_damaged_files_are_opened_or_refused(form: str, tmp_path: Path) -> None:
    found = results_of(form, tmp_path, first=0, count=COUNTS[form], seconds=100)
    results, keys = found["results"], found["keys"]
    assert isinstance(results, dict)
    assert isinstance(keys, dict)
    assert sum(results.values()) == COUNTS[form]
    assert isinstance(found["longest"], float)
    assert found["longest"] < SECONDS
    assert isinstance(found["growth"], int)
    assert found["growth"] < MOST_BYTES
    # The damage neither misses everything nor ends at the first bytes.
    assert COUNTS[form] // 20 < results["opened"] < COUNTS[form] * 0.8
    assert len(keys) >= LEAST_KEYS, keys


@pytest.mark.parametrize("form", SPECIMENS)
def test_a_seed_gives_the_same_damage(form: str) -> None:
    for name, make in SPECIMENS[form].items():
        specimen = make()
        made = [mutated(specimen, f"{name}:{seed}") for seed in range(30)]
        assert made[:5] == [mutated(specimen, f"{name}:{seed}") for seed in range(5)]
        # A second change may undo the first; that is rare.
        assert sum(one.specimen.files != specimen.files for one in made) > 27
        assert len({one.done.split()[0] for one in made}) > 4


CODE = """
import os, subprocess, sys
from tests.unit.guarded import Guard

guard, missed = Guard(), []
acts = {
    "os.system": lambda: os.system("true"), "subprocess": lambda: subprocess.run(["true"]),
    "eval": lambda: eval("1"), "exec": lambda: exec("1"), "compile": lambda: compile("1", "f", "eval"),
    "import": lambda: __import__("this"), "write": lambda: open(sys.argv[1], "w"),
    "os.open": lambda: os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY), "mkdir": lambda: os.mkdir(sys.argv[1]),
    "remove": lambda: os.remove(sys.argv[1]), "socket": lambda: __import__("socket").socket(),
    "fork": lambda: os.fork(),
}
import socket
for name, act in acts.items():
    guard.seen.clear()
    guard.armed = True
    try:
        act()
        missed.append(name)
    except PermissionError:
        if not guard.seen:
            missed.append(name)
    finally:
        guard.armed = False
guard.armed = True
open(sys.executable, "rb").close()
guard.armed = False
assert not missed, missed
"""


@pytest.mark.skipif(sys.platform == "win32", reason="forks and the like are of other systems")
def test_the_guard_sees_what_a_file_might_do(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CODE, str(tmp_path / "made")],
        capture_output=True, text=True, check=False, cwd=ROOT, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    assert not (tmp_path / "made").exists()
