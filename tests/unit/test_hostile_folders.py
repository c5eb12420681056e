"""Folders and files made to hang or to fill the memory: one sentence, soon, and little memory."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ffn_explorer.checkpoints.catalog import open_checkpoint
from ffn_explorer.checkpoints.readers import folder
from ffn_explorer.checkpoints.readers import gguf as readers_gguf
from ffn_explorer.checkpoints.readers.folder import open_source
from ffn_explorer.core import budget
from ffn_explorer.core.errors import MemoryRefusal
from tests.unit.gguf_bytes import STRING, entry, gguf, tensor, text
from tests.unit.guarded import checked
from tests.unit.hostile import D, layers, refused
from tests.unit.safetensors_bytes import entry as place
from tests.unit.safetensors_bytes import float32s, write_json, written
from tests.unit.specimens import LLAMA


def test_a_million_shards_that_are_not_there(tmp_path: Path) -> None:
    path = tmp_path / "m-000001-of-999999.safetensors"
    path.write_bytes(b"x")
    assert refused(tmp_path).key == refused(path).key == "checkpoint.index"
    for number in range(300):
        (tmp_path / f"m{number}-000001-of-999999.safetensors").touch()
    assert refused(tmp_path).key == "checkpoint.several"


@pytest.mark.skipif(os.name == "nt", reason="links are rare there")
def test_one_file_under_many_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Links cost nothing, and each would be read as if it were a shard of its own."""
    written(tmp_path / "real", *float32s({f"t{number}": [1] for number in range(400)}))
    for number in range(1, 501):
        (tmp_path / f"m-{number:05d}-of-00500.safetensors").symlink_to("real")
        (tmp_path / f"m-{number:05d}-of-00500.gguf").symlink_to("part")
    monkeypatch.setattr(folder, "MOST_TENSORS", 10_000)
    assert refused(tmp_path / "m-00001-of-00500.safetensors").values["file"] == "m-00026-of-00500.safetensors"
    entries = [entry(f"k{number}", STRING, text("x" * 300_000)) for number in range(80)]
    (tmp_path / "part").write_bytes(gguf(entries, [tensor("t", [1])], data=bytes(32)))
    assert refused(tmp_path / "m-00001-of-00500.gguf").key == "checkpoint.metadata_large"
    rows = [tensor(f"t{number}", [1], offset=32 * number) for number in range(400)]
    (tmp_path / "part").write_bytes(gguf([], rows, data=bytes(32 * 400)))
    monkeypatch.setattr(readers_gguf, "MOST_TENSORS", 10_000)
    assert refused(tmp_path / "m-00001-of-00500.gguf").values["file"] == "m-00026-of-00500.gguf"


@pytest.mark.skipif(os.name == "nt", reason="files have no holes here unless one asks for them")
def test_vectors_larger_than_memory_are_not_read(tmp_path: Path) -> None:
    """A bias in a hole of the file: its matrices are small, it is not."""
    header, data = float32s({**layers(1), "model.layers.0.post_attention_layernorm.weight": [D]})
    size = 4 * 2**40
    header["model.layers.0.mlp.up_proj.bias"] = place("F32", [size // 4], len(data), len(data) + size)
    path = written(tmp_path / "model.safetensors", header, data)
    os.truncate(path, path.stat().st_size + size)
    write_json(tmp_path / "config.json", {**LLAMA, "num_hidden_layers": 1, "mlp_bias": True})
    with open_checkpoint(tmp_path) as checkpoint:
        with pytest.raises(MemoryRefusal) as caught:
            checkpoint.ffn(0)
        checked(caught.value)
        name = "model.layers.0.mlp.up_proj.bias"
        with pytest.raises(MemoryRefusal):
            checkpoint.source.row(name, 0)
        with pytest.raises(MemoryRefusal):
            next(iter(checkpoint.source.blocks(name)))
        with pytest.raises(MemoryRefusal):
            checkpoint.source.tile(name, (0, 1), (5, size // 4))


def test_room_is_asked_for_columns_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path / "a.safetensors", {"a": place("U8", [2**27, 2], 0, 2**28)})
    os.truncate(path, path.stat().st_size + 2**28)
    monkeypatch.setattr(budget, "free_bytes", lambda: 2**30)
    source = open_source(path)
    with pytest.raises(MemoryRefusal):
        source.column("a", 1)
    assert source.column("a", 1, past=9).tolist() == [0] * 9
    source.close()
