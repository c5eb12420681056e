"""A folder larger than memory: listed by its headers, one neuron read where it lies, little memory taken."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from tests.unit.safetensors_bytes import entry, write_json

LAYERS, D, F, KV, VOCABULARY = 80, 8_192, 28_672, 1_024, 128_256
"""Llama 70B."""

LAYER, NEURON = 41, 20_011
SHARD_LAYERS = 4
MOST_MEGABYTES = 200

CHILD = """
import json, sys, time
from pathlib import Path
import numpy as np, psutil
from ffn_explorer.checkpoints.readers import folder, safetensors

process = psutil.Process()
before = process.memory_info().rss
said = {}

def spent(what, do):
    began = time.monotonic()
    found = do()
    said[what] = time.monotonic() - began
    return found

source = spent("open", lambda: folder.open_source(Path(sys.argv[1])))
prefix, neuron = sys.argv[2], int(sys.argv[3])
wanted = np.load(sys.argv[4])
up = spent("row", lambda: source.row(prefix + "up_proj.weight", neuron))
gate = source.row(prefix + "gate_proj.weight", neuron)
down = spent("column", lambda: source.column(prefix + "down_proj.weight", neuron))
blocks = source.blocks("lm_head.weight", past=20_000)
most = spent("blocks", lambda: max(float(np.abs(block).max()) for block in blocks))
found = {"up": up, "gate": gate, "down": down}
said["right"] = all(bool((found[name] == wanted[name]).all()) for name in found)
said["rows"] = [most, float(source.row("model.embed_tokens.weight", 128_255).sum())]
said["tensors"], said["bytes"] = len(source.tensors), sum(tensor.nbytes for tensor in source.tensors.values())
said["layers"] = source.header["config"]["num_hidden_layers"]
said["megabytes"] = (process.memory_info().rss - before) / 2**20
said["torch"] = "torch" in sys.modules
source.close()
print(json.dumps(said))
"""


def shapes_of(layers: range) -> dict[str, tuple[int, ...]]:
    """Every tensor of some layers."""
    found: dict[str, tuple[int, ...]] = {}
    for layer in layers:
        prefix = f"model.layers.{layer}."
        found |= {f"{prefix}self_attn.{name}_proj.weight": (D, D) for name in "qo"}
        found |= {f"{prefix}self_attn.{name}_proj.weight": (KV, D) for name in "kv"}
        found |= {f"{prefix}mlp.{name}_proj.weight": (F, D) for name in ("gate", "up")}
        found[f"{prefix}mlp.down_proj.weight"] = (D, F)
        found |= {f"{prefix}{name}_layernorm.weight": (D,) for name in ("input", "post_attention")}
    return found


def sparse(path: Path, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, int]:
    """A file of bfloat16 zeros that take no room -> place of each tensor."""
    header: dict[str, object] = {}
    at = 0
    for name, shape in shapes.items():
        size = 2 * int(np.prod(shape))
        header[name] = entry("BF16", shape, at, at + size)
        at += size
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text)
    os.truncate(path, 8 + len(text) + at)
    return {name: 8 + len(text) + tensor["data_offsets"][0] for name, tensor in header.items()}  # type: ignore[index]


def model(folder: Path) -> dict[str, np.ndarray]:
    """A model of sparse shards with one neuron's numbers in them -> these numbers."""
    weight_map: dict[str, str] = {}
    places: dict[str, tuple[Path, int]] = {}
    parts = [shapes_of(range(first, first + SHARD_LAYERS)) for first in range(0, LAYERS, SHARD_LAYERS)]
    ends = {
        "model.embed_tokens.weight": (VOCABULARY, D),
        "model.norm.weight": (D,),
        "lm_head.weight": (VOCABULARY, D),
    }
    for number, shapes in enumerate([*parts, ends], 1):
        path = folder / f"model-{number:05d}-of-{len(parts) + 1:05d}.safetensors"
        weight_map |= dict.fromkeys(shapes, path.name)
        places |= {name: (path, at) for name, at in sparse(path, shapes).items()}
    write_json(folder / "model.safetensors.index.json", {"metadata": {}, "weight_map": weight_map})
    write_json(folder / "config.json", {"model_type": "llama", "num_hidden_layers": LAYERS})
    numbers = np.random.default_rng(5)
    halves = {
        name: numbers.standard_normal(D).astype("<f4").view("<u4") >> 16 for name in ("up", "gate", "down")
    }
    prefix = f"model.layers.{LAYER}.mlp."
    for name in ("up", "gate"):
        path, at = places[f"{prefix}{name}_proj.weight"]
        with path.open("r+b") as file:
            file.seek(at + NEURON * D * 2)
            file.write(halves[name].astype("<u2").tobytes())
    path, at = places[f"{prefix}down_proj.weight"]
    with path.open("r+b", buffering=0) as file:
        for row, half in enumerate(halves["down"].astype("<u2")):
            file.seek(at + (row * F + NEURON) * 2)
            file.write(half.tobytes())
    return {name: (half << 16).astype("<u4").view("<f4") for name, half in halves.items()}


@pytest.mark.skipif(os.name == "nt", reason="files have no holes here unless one asks for them")
def test_seventy_billion_parameters(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    wanted = model(folder)
    np.savez(tmp_path / "wanted.npz", up=wanted["up"], gate=wanted["gate"], down=wanted["down"])
    arguments = [str(folder), f"model.layers.{LAYER}.mlp.", str(NEURON), str(tmp_path / "wanted.npz")]
    # In a process of its own: memory that this one has used before would hide what opening takes.
    done = subprocess.run(
        [sys.executable, "-c", CHILD, *arguments], check=True, capture_output=True, text=True
    )
    said = json.loads(done.stdout)
    assert said["right"], said
    assert said["rows"] == [0.0, 0.0]
    assert (said["tensors"], said["layers"]) == (LAYERS * 9 + 3, LAYERS)
    assert said["bytes"] > 130e9
    assert said["megabytes"] < MOST_MEGABYTES, said
    assert not said["torch"]
