"""A folder larger than memory through `inspect`: one neuron and its tokens, in little time and memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from ffn_explorer.checkpoints.readers.folder import open_source
from tests.unit import test_large_folder as large

VOCABULARY = 16_384
"""An eighth of Llama's: what remains is the same, and takes less of everybody's time."""

UP, DOWN = 777, 9_001
"""Tokens whose rows are made the neuron's own column, and its opposite."""

MEGABYTES = 200


def halves(numbers: np.ndarray) -> bytes:
    """Numbers that bfloat16 holds, as it stores them."""
    return (np.ascontiguousarray(numbers, "<f4").view("<u4") >> 16).astype("<u2").tobytes()


@pytest.mark.skipif(os.name == "nt", reason="files have no holes here unless one asks for them")
def test_a_neuron_of_seventy_billion_parameters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large, "VOCABULARY", VOCABULARY)
    wanted = large.model(tmp_path)
    with closing(open_source(tmp_path)) as source:
        head, norm = source.tensors["lm_head.weight"], source.tensors["model.norm.weight"]
    with head.path.open("r+b") as file:
        for token, sign in ((UP, 1.0), (DOWN, -1.0)):
            file.seek(head.offset + token * head.row_bytes)
            file.write(halves(sign * wanted["down"]))
    with norm.path.open("r+b") as file:
        file.seek(norm.offset)
        file.write(halves(np.full(large.D, 2.0)))
    command = [sys.executable, "-m", "ffn_explorer", "inspect", str(tmp_path), "--json", "--timing"]
    command += ["--top", "2", "--layer", str(large.LAYER), "--neuron", str(large.NEURON)]
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=root)
    found = json.loads(done.stdout)
    neuron, timing = found["neuron"], found["timing"]
    assert [row["index"] for row in found["layers"]] == list(range(large.LAYERS))
    exact = {role: vector.astype(np.float64) for role, vector in wanted.items()}
    for role, vector in exact.items():
        assert neuron["norms"][role] == pytest.approx(float(np.linalg.norm(vector)), rel=1e-12)
    product = float(exact["up"] @ exact["down"])
    cosine = product / neuron["norms"]["up"] / neuron["norms"]["down"]
    assert neuron["cosine"]["up_down"] == pytest.approx(cosine, abs=1e-12)
    own = float(exact["down"] @ exact["down"])
    for key, token, sign in (("promotes", UP, 1.0), ("suppresses", DOWN, -1.0)):
        assert neuron[key][0]["id"] == token
        assert neuron[key][0]["score"] == pytest.approx(sign * 2.0 * own, rel=1e-12)
        assert neuron["plain"][key][0]["score"] == pytest.approx(sign * own, rel=1e-12)
        assert neuron[key][0]["cosine"] == pytest.approx(sign, abs=1e-12)
    assert all(timing[name] > 0.0 for name in ("import_s", "open_s", "card_s", "tokens_s")), timing
    assert timing["rss_growth_bytes"] < MEGABYTES * 2**20, timing
