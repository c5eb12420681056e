"""Folders as transformers writes them, opened without it: the same tensors, bit by bit."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from ffn_explorer.checkpoints.readers.folder import open_source
from ffn_explorer.core.errors import InputError


@pytest.fixture(scope="module")
def model() -> LlamaForCausalLM:
    """A tiny model in bfloat16."""
    torch.manual_seed(3)
    config = LlamaConfig(
        vocab_size=40, hidden_size=16, intermediate_size=24, num_hidden_layers=3, num_attention_heads=2
    )
    return LlamaForCausalLM(config).bfloat16()


def assert_same(path: Path, model: LlamaForCausalLM, shape: str) -> None:
    """See that a path leads to all of the model's tensors, in the format meant."""
    source = open_source(path)
    assert source.format == shape
    assert source.header["config"] == json.loads((path / "config.json").read_text("utf-8"))
    wanted = model.state_dict()
    assert set(source.tensors) == set(wanted)
    for name, tensor in wanted.items():
        numbers = tensor.to(torch.float32).numpy()
        np.testing.assert_array_equal(source.whole(name), numbers)
        rows = numbers.reshape(-1, numbers.shape[-1])
        np.testing.assert_array_equal(source.row(name, len(rows) - 1), rows[-1])
        np.testing.assert_array_equal(source.column(name, 5), rows[:, 5])
    source.close()


@pytest.mark.parametrize(("size", "files"), [("1GB", 1), ("9KB", 2)])
def test_saved_as_safetensors(size: str, files: int, model: LlamaForCausalLM, tmp_path: Path) -> None:
    model.save_pretrained(tmp_path, max_shard_size=size)
    found = len(list(tmp_path.glob("*.safetensors")))
    assert found >= files
    assert_same(tmp_path, model, "safetensors")
    assert len(open_source(tmp_path).header["weights"]) == found  # type: ignore[arg-type]


@pytest.mark.parametrize("shards", [1, 2])
@pytest.mark.parametrize("legacy", [False, True])
def test_saved_by_torch(shards: int, legacy: bool, model: LlamaForCausalLM, tmp_path: Path) -> None:
    model.config.save_pretrained(tmp_path)
    tensors = model.state_dict()
    names = ["pytorch_model.bin"]
    if shards > 1:
        names = [f"pytorch_model-{number + 1:05d}-of-{shards:05d}.bin" for number in range(shards)]
    weight_map = {name: names[at % shards] for at, name in enumerate(tensors)}
    for file in names:
        part = {name: tensors[name] for name, place in weight_map.items() if place == file}
        torch.save(part, tmp_path / file, _use_new_zipfile_serialization=not legacy)
    if shards > 1:
        (tmp_path / "pytorch_model.bin.index.json").write_text(
            json.dumps({"weight_map": weight_map}), "utf-8"
        )
    # What trainers leave beside the weights is no second set.
    torch.save({"state": {}}, tmp_path / "optimizer.pt")
    assert_same(tmp_path, model, "torch")


def test_shards_of_two_formats_are_refused(model: LlamaForCausalLM, tmp_path: Path) -> None:
    model.save_pretrained(tmp_path)
    torch.save({"a": torch.zeros(2)}, tmp_path / "more.bin")
    weight_map = {"a": "more.bin", "lm_head.weight": "model.safetensors"}
    (tmp_path / "x.safetensors.index.json").write_text(json.dumps({"weight_map": weight_map}), "utf-8")
    with pytest.raises(InputError) as caught:
        open_source(tmp_path / "x.safetensors.index.json")
    assert caught.value.key == "checkpoint.mixed"


def test_a_torch_file_under_the_other_name_is_refused(tmp_path: Path) -> None:
    torch.save({"a": torch.zeros(2)}, tmp_path / "model.safetensors")
    with pytest.raises(InputError) as caught:
        open_source(tmp_path)
    assert caught.value.key == "checkpoint.renamed"
