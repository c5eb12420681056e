"""PyTorch files larger than memory: opened and read in a child process whose memory is watched."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import psutil
import pytest
import torch

from ffn_explorer.checkpoints.readers.torch_file import open_torch
from tests.unit.torch_bytes import saved

D, F = 8192, 28_672
"""Widths of a 70B model's FFN."""

NEURON = 12_345
MOST_GROWTH_BYTES = 100_000_000
MOST_SECONDS = 1.0


def skeleton(path: Path, layers: int) -> None:
    """Write a file of large matrices whose numbers are holes, some of them filled in afterwards."""
    with torch.serialization.skip_data():
        weights = {}
        for layer in range(layers):
            weights[f"layers.{layer}.up"] = torch.empty(F, D, dtype=torch.bfloat16)
            weights[f"layers.{layer}.down"] = torch.empty(D, F, dtype=torch.bfloat16)
        weights["turned"] = weights["layers.0.up"].t()
        torch.save({"model": weights}, path)
    loaded = torch.load(path, weights_only=True, map_location="meta")["model"]
    name = f"layers.{layers - 1}"
    with path.open("r+b") as file:
        for matrix, places in (
            (f"{name}.up", range(D)),
            (f"{name}.down", range(D)),
            ("layers.0.up", range(D)),
        ):
            start = loaded[matrix].untyped_storage()._checkpoint_offset
            values = torch.arange(D, dtype=torch.float32).bfloat16().view(torch.uint16).numpy()
            if matrix.endswith("up"):
                file.seek(start + NEURON * D * 2)
                file.write(values.tobytes())
                continue
            for place in places:
                file.seek(start + (place * F + NEURON) * 2)
                file.write(values[place].tobytes())


def look(path: Path) -> dict[str, float]:
    """Open a file, read a neuron's row and columns; seconds of each, and how memory grew."""
    wanted = torch.arange(D, dtype=torch.float32).bfloat16().float().numpy()
    open_torch(path.with_name("small.pt")).close()  # what torch takes at first
    process = psutil.Process()
    before = process.memory_info().rss
    times = [time.monotonic()]
    source = open_torch(path)
    times.append(time.monotonic())
    last = [name for name in source.tensors if name.endswith("up")][-1]
    np.testing.assert_array_equal(source.row(last, NEURON), wanted)
    np.testing.assert_array_equal(source.column(last.replace("up", "down"), NEURON), wanted)
    np.testing.assert_array_equal(source.column("turned", NEURON), wanted)
    assert float(source.row("turned", 17)[NEURON]) == wanted[17]
    times.append(time.monotonic())
    growth = process.memory_info().rss - before
    source.close()
    return {"open": times[1] - times[0], "read": times[2] - times[1], "growth": growth}


@pytest.mark.parametrize("layers", [21, 64], ids=["20 GB", "60 GB"])
def test_files_larger_than_memory(tmp_path: Path, layers: int) -> None:
    path = tmp_path / "large.pt"
    skeleton(path, layers)
    assert path.stat().st_size > layers * 900_000_000
    if os.name == "posix" and path.stat().st_blocks * 512 > 2_000_000_000:
        pytest.skip("this disk keeps no holes in files")
    (tmp_path / "small.pt").write_bytes(saved({"w": torch.ones(2)}))
    code = (
        "import sys, json; from pathlib import Path; from tests.unit.test_torch_large import look;"
        "print(json.dumps(look(Path(sys.argv[1]))))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        capture_output=True, text=True, timeout=100, check=False, cwd=Path(__file__).resolve().parents[2],
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    result = json.loads(done.stdout.splitlines()[-1])
    assert result["growth"] < MOST_GROWTH_BYTES
    assert result["open"] < MOST_SECONDS
    assert result["read"] < 4 * MOST_SECONDS
