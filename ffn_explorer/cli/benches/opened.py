"""Opened: files of weights, from a click to what is seen of them."""

import json
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from ffn_explorer.cli.benches.children import ask
from ffn_explorer.cli.benches.timing import Measured, milliseconds

ROUNDS = 3
LAYER, NEURON = 41, 20_011


def layers() -> Measured:
    """The layer list of a folder of 141 GB."""
    return Measured(milliseconds([found["open_s"] for found in _inspected()]))


def neuron() -> Measured:
    """One neuron of it: key, value, norms, cosines."""
    return Measured(milliseconds([found["card_s"] for found in _inspected()]))


def tokens() -> Measured:
    """The tokens that it reads, promotes and suppresses, of 128,256, with the norms and without."""
    return Measured(milliseconds([found["tokens_s"] for found in _inspected()]))


def memory() -> Measured:
    """Growth of memory over all that."""
    return Measured(tuple(found["rss_growth_bytes"] / 1e6 for found in _inspected()))


def picture() -> Measured:
    """A layer of a GGUF file as large as SmolLM2-135M's on screen, after the imports."""
    return Measured(milliseconds([ask("opened_child")["seconds"] for _ in range(ROUNDS)]))


@cache
def _inspected() -> tuple[dict[str, Any], ...]:
    from ffn_explorer.cli.benches import sparse_model

    with tempfile.TemporaryDirectory() as folder:
        sparse_model.write(Path(folder))
        command = [sys.executable, "-m", "ffn_explorer", "inspect", folder, "--json", "--timing"]
        command += ["--layer", str(LAYER), "--neuron", str(NEURON)]
        # The first round only brings the file's places into the system's cache.
        runs = [
            subprocess.run(command, check=True, capture_output=True, text=True) for _ in range(ROUNDS + 1)
        ]
    return tuple(json.loads(run.stdout)["timing"] for run in runs[1:])
