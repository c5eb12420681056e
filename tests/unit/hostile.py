"""Checkpoints put together to hang, fill the memory or end the program, and how they are opened."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from ffn_explorer.checkpoints.catalog import open_checkpoint
from ffn_explorer.core.errors import ExplorerError, InputError
from tests.unit.guarded import checked
from tests.unit.safetensors_bytes import float32s, write_json, written

SECONDS = 5.0
D, F = 4, 6


@contextmanager
def soon() -> Iterator[None]:
    """What is done takes less processor time than anybody would wait."""
    began = time.process_time()
    yield
    assert time.process_time() - began < SECONDS


def refused(path: Path) -> ExplorerError:
    """The sentence that opening ends with, soon."""
    with soon(), pytest.raises(InputError) as caught:
        open_checkpoint(path)
    checked(caught.value)
    return caught.value


def model(folder: Path, shapes: Mapping[str, list[int]], config: object = None) -> Path:
    """A folder with tensors of zeros."""
    folder.mkdir(parents=True, exist_ok=True)
    written(folder / "model.safetensors", *float32s(shapes))
    if config is not None:
        write_json(folder / "config.json", config)
    return folder


def layer(at: str) -> dict[str, list[int]]:
    """Tensors of one gated layer."""
    return {
        f"{at}mlp.gate_proj.weight": [F, D],
        f"{at}mlp.up_proj.weight": [F, D],
        f"{at}mlp.down_proj.weight": [D, F],
    }


def layers(count: int, at: str = "model.layers.{}.") -> dict[str, list[int]]:
    return {name: shape for index in range(count) for name, shape in layer(at.format(index)).items()}
