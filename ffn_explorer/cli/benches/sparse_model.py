"""A folder of weights larger than memory: Llama 70B's shapes in bfloat16, zeros that take no room on disk."""

import json
from collections.abc import Iterator, Mapping
from math import prod
from pathlib import Path

LAYERS, D, F, KV, VOCABULARY = 80, 8_192, 28_672, 1_024, 128_256
SHARD_LAYERS = 4
CONFIG = {
    "model_type": "llama", "hidden_size": D, "intermediate_size": F, "num_hidden_layers": LAYERS,
    "num_attention_heads": 64, "num_key_value_heads": 8, "hidden_act": "silu", "rms_norm_eps": 1e-5,
    "tie_word_embeddings": False,
}  # fmt: skip

Shapes = Mapping[str, tuple[int, ...]]


def write(folder: Path) -> None:
    """Write the folder; 141 GB long, some kilobytes large where the file system knows holes."""
    places: dict[str, str] = {}
    for number, shapes in enumerate(_shards()):
        name = f"model-{number + 1:05d}-of-{LAYERS // SHARD_LAYERS + 1:05d}.safetensors"
        _write(folder / name, shapes)
        places |= dict.fromkeys(shapes, name)
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": places}))
    (folder / "config.json").write_text(json.dumps(CONFIG))


def _shards() -> Iterator[Shapes]:
    for first in range(0, LAYERS, SHARD_LAYERS):
        found: dict[str, tuple[int, ...]] = {}
        for layer in range(first, first + SHARD_LAYERS):
            head = f"model.layers.{layer}."
            found |= {f"{head}self_attn.{name}_proj.weight": (D, D) for name in "qo"}
            found |= {f"{head}self_attn.{name}_proj.weight": (KV, D) for name in "kv"}
            found |= {f"{head}mlp.{name}_proj.weight": (F, D) for name in ("gate", "up")}
            found[f"{head}mlp.down_proj.weight"] = (D, F)
            found |= {f"{head}{name}_layernorm.weight": (D,) for name in ("input", "post_attention")}
        yield found
    ends = dict.fromkeys(("model.embed_tokens.weight", "lm_head.weight"), (VOCABULARY, D))
    yield {**ends, "model.norm.weight": (D,)}


def _write(path: Path, shapes: Shapes) -> None:
    header: dict[str, object] = {}
    at = 0
    for name, shape in shapes.items():
        size = 2 * prod(shape)
        header[name] = {"dtype": "BF16", "shape": shape, "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header).encode()
    with path.open("wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        file.truncate(8 + len(text) + at)
