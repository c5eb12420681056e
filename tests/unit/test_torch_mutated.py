"""PyTorch files with some bytes changed: an InputError or numbers, nothing else, soon, in little memory."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.torch_bytes import archive_of, made_quietly, records_in, said, saved

SEEDS = 400
"""Mutated files of each form that a child process opens."""

MOST_SECONDS = 5.0
MOST_GROWTH_BYTES = 300_000_000

EYE = torch.eye(4)
THINGS = {
    "model": {"up": torch.randn(6, 4), "turned": torch.randn(4, 6).t(), "half": torch.randn(9).bfloat16()},
    "parameter": torch.nn.Parameter(torch.ones(3)),
    "sparse": EYE.to_sparse(),
    "csr": made_quietly(EYE.to_sparse_csr),
    "quantised": made_quietly(lambda: torch.quantize_per_tensor(EYE, 0.1, 0, torch.qint8)),
    "meta": torch.zeros(2, device="meta"),
    "complex": EYE.to(torch.complex64),
    "set": {1, 2},
    "bytes": b"abc",
    "array": bytearray(b"abc"),
    "args": {"n_layer": 2, "size": torch.Size([1, 2]), "dtype": torch.float16, "long": 1 << 80},
}


def mutated(content: bytes, seed: int, *, avoid: bytes = b"") -> bytes:
    """Return a file with bytes changed, left out, repeated or cut off; the same for the same seed."""
    draw = random.Random(seed)
    raw = bytearray(content)
    # Half of the changes hit where the structure is, not the numbers.
    places = [at for sign in (b"PK", b"torch", b"storage", b"tQ", b"K") for at in _all(content, sign)]
    for _ in range(draw.choice([1, 1, 2, 4, 16])):
        at = draw.choice(places) + draw.randrange(40) if draw.random() < 0.5 else draw.randrange(len(raw))
        at = min(at, len(raw) - 1)
        match draw.randrange(8):
            case 0:
                del raw[at : at + draw.choice([1, 2, 8, 64])]
            case 1:
                raw[at:at] = raw[at : at + draw.choice([1, 2, 8, 64])]
            case 2:
                del raw[max(1, at) :]
            case 3:
                raw[at : at + 4] = draw.choice([b"\xff" * 4, b"\x00" * 4, b"\xff\xff\xff\x7f"])
            case _:
                raw[at] = draw.choice([draw.randrange(256), raw[at] ^ (1 << draw.randrange(8)), 255, 0])
        if len(raw) < 2:
            break
    return bytes(raw)


def _all(content: bytes, sign: bytes) -> list[int]:
    found, at = [], content.find(sign)
    while at >= 0:
        found.append(at)
        at = content.find(sign, at + 1)
    return found


def repaired(content: bytes, seed: int) -> bytes:
    """Return an archive whose pickle is mutated and whose checksums are right."""
    records = records_in(content)
    records["archive/data.pkl"] = mutated(records["archive/data.pkl"], seed)
    return archive_of(records)


def open_all(folder: Path, form: str, first: int, past: int) -> dict[str, object]:
    """Open mutated files; how often each key was said, the longest time, and how memory grew."""
    content = saved(THINGS, legacy=form == "legacy")
    change = repaired if form == "pickle" else mutated
    said(folder, content)
    process = psutil.Process()
    before, longest, keys = process.memory_info().rss, 0.0, dict[str, int]()
    for seed in range(first, past):
        started = time.monotonic()
        key = said(folder, change(content, seed))
        longest = max(longest, time.monotonic() - started)
        keys[key] = keys.get(key, 0) + 1
    return {"keys": keys, "longest": longest, "growth": process.memory_info().rss - before}


@pytest.mark.parametrize("form", ["zip", "legacy", "pickle"])
def test_a_child_survives_mutated_files(tmp_path: Path, form: str) -> None:
    code = (
        "import sys, json, faulthandler; faulthandler.enable(); from pathlib import Path;"
        "from tests.unit.test_torch_mutated import open_all;"
        "print(json.dumps(open_all(Path(sys.argv[1]), sys.argv[2], 0, int(sys.argv[3]))))"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, str(tmp_path), form, str(SEEDS)],
        capture_output=True, text=True, timeout=110, check=False,
        cwd=Path(__file__).resolve().parents[2],
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    result = json.loads(done.stdout.splitlines()[-1])
    assert sum(result["keys"].values()) == SEEDS
    assert result["longest"] < MOST_SECONDS
    assert result["growth"] < MOST_GROWTH_BYTES
    assert len(result["keys"]) > 3


@settings(max_examples=100)
@given(st.integers(0, 10**9), st.sampled_from(["zip", "legacy", "pickle"]))
def test_mutated_files_are_refused_in_one_sentence(
    tmp_path_factory: pytest.TempPathFactory, seed: int, form: str
) -> None:
    open_all(tmp_path_factory.mktemp("mutated"), form, seed, seed + 1)


@settings(max_examples=150)
@given(st.binary(max_size=300))
def test_any_bytes_as_a_pickle(tmp_path_factory: pytest.TempPathFactory, raw: bytes) -> None:
    records = records_in(saved({"w": torch.ones(2)}))
    folder = tmp_path_factory.mktemp("bytes")
    said(folder, archive_of(records | {"archive/data.pkl": b"\x80\x02" + raw}))
    said(folder, b"\x80\x02" + raw)
    said(folder, b"PK\x03\x04" + raw)
