"""Good checkpoints of every format, small: what mutated ones are made from, as files by their names."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from struct import pack

import numpy as np

from tests.unit.gguf_bytes import ARRAY, STRING, array, entry, gguf, tensor, text
from tests.unit.safetensors_bytes import entry as place
from tests.unit.safetensors_bytes import file_of

D, F, LAYERS = 4, 6, 2
COMMIT = "0123456789abcdef0123456789abcdef01234567"
HUB = "models--org--name"

LLAMA = {
    "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_act": "silu", "hidden_size": D,
    "intermediate_size": F, "num_hidden_layers": LAYERS, "num_attention_heads": 2, "rms_norm_eps": 1e-6,
    "tie_word_embeddings": False, "vocab_size": 9,
}  # fmt: skip
MIXTRAL = {**LLAMA, "model_type": "mixtral", "num_local_experts": 3, "num_experts_per_tok": 2}
DEEPSEEK = {
    **LLAMA, "model_type": "deepseek_v3", "n_routed_experts": 2, "num_experts_per_tok": 1, "n_group": 1,
    "topk_group": 1, "norm_topk_prob": True, "routed_scaling_factor": 2.5, "n_shared_experts": 1,
    "moe_intermediate_size": F, "first_k_dense_replace": 1, "scoring_func": "sigmoid",
    "quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128]},
}  # fmt: skip
GPT_OSS = {
    **LLAMA, "model_type": "gpt_oss", "num_local_experts": 2, "num_experts_per_tok": 1, "swiglu_limit": 7.0,
    "hidden_size": 32, "intermediate_size": 32, "quantization_config": {"quant_method": "mxfp4"},
}  # fmt: skip
BERT = {"model_type": "bert", "hidden_act": "gelu", "hidden_size": D, "num_hidden_layers": LAYERS}
ADAPTER = {"peft_type": "LORA", "r": 2, "lora_alpha": 4, "target_modules": ["up_proj"]}
TOKENIZER = {"version": "1.0", "model": {"type": "BPE", "vocab": {"a": 0, "b": 1}, "merges": []}}

SIZES = {"F32": 4, "BF16": 2, "F8_E4M3": 1, "U8": 1, "F16": 2}
Shapes = Mapping[str, tuple[str, tuple[int, ...]]]


@dataclass(frozen=True)
class Specimen:
    """Files by name within a folder, links by name, and which of them is opened ("" for the folder)."""

    files: Mapping[str, bytes]
    opened: str = ""
    links: tuple[tuple[str, str], ...] = ()


def safetensors(shapes: Shapes) -> bytes:
    """A file of tensors with numbers that differ."""
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    at = 0
    for name, (dtype, shape) in shapes.items():
        size = SIZES[dtype] * int(np.prod(shape))
        header[name] = place(dtype, shape, at, at + size)
        at += size
    # Small bytes: as float32, bfloat16 and float8 alike these are numbers that are neither huge nor none.
    return file_of(header, bytes(at % 61 for at in range(at)))


def llama(layers: range = range(LAYERS), *, dtype: str = "F32", ends: bool = True) -> Shapes:
    """Tensors of some layers of a llama, without attention."""
    found: dict[str, tuple[str, tuple[int, ...]]] = {}
    for layer in layers:
        at = f"model.layers.{layer}."
        found |= {f"{at}mlp.{role}_proj.weight": (dtype, (F, D)) for role in ("gate", "up")}
        found[f"{at}mlp.down_proj.weight"] = (dtype, (D, F))
        found |= {f"{at}{kind}_layernorm.weight": (dtype, (D,)) for kind in ("input", "post_attention")}
    if ends:
        found |= {"model.embed_tokens.weight": (dtype, (9, D)), "lm_head.weight": (dtype, (9, D))}
        found["model.norm.weight"] = (dtype, (D,))
    return found


def mixtral() -> Shapes:
    """Experts by their numbers, and a router."""
    found: dict[str, tuple[str, tuple[int, ...]]] = {"model.embed_tokens.weight": ("F32", (9, D))}
    for layer in range(LAYERS):
        at = f"model.layers.{layer}."
        found[f"{at}block_sparse_moe.gate.weight"] = ("F32", (3, D))
        found[f"{at}post_attention_layernorm.weight"] = ("F32", (D,))
        for expert in range(3):
            for role, shape in (("w1", (F, D)), ("w3", (F, D)), ("w2", (D, F))):
                found[f"{at}block_sparse_moe.experts.{expert}.{role}.weight"] = ("F16", shape)
    return found


def deepseek() -> Shapes:
    """float8 with scales: a dense layer, then experts, a shared one and a bias of the choice."""
    found: dict[str, tuple[str, tuple[int, ...]]] = {}

    def mlp(at: str) -> None:
        for role, shape in (("gate", (F, D)), ("up", (F, D)), ("down", (D, F))):
            found[f"{at}{role}_proj.weight"] = ("F8_E4M3", shape)
            found[f"{at}{role}_proj.weight_scale_inv"] = ("F32", (1, 1))

    mlp("model.layers.0.mlp.")
    found["model.layers.0.post_attention_layernorm.weight"] = ("BF16", (D,))
    found["model.layers.1.post_attention_layernorm.weight"] = ("BF16", (D,))
    found["model.layers.1.mlp.gate.weight"] = ("BF16", (2, D))
    found["model.layers.1.mlp.gate.e_score_correction_bias"] = ("F32", (2,))
    for expert in range(2):
        mlp(f"model.layers.1.mlp.experts.{expert}.")
    mlp("model.layers.1.mlp.shared_experts.")
    return found


def gpt_oss() -> Shapes:
    """mxfp4: blocks and exponents, biases, a router with one."""
    found: dict[str, tuple[str, tuple[int, ...]]] = {}
    for layer in range(LAYERS):
        at = f"model.layers.{layer}."
        found[f"{at}mlp.router.weight"] = ("BF16", (2, 32))
        found[f"{at}mlp.router.bias"] = ("BF16", (2,))
        found[f"{at}post_attention_layernorm.weight"] = ("BF16", (32,))
        for name, rows in (("gate_up_proj", 64), ("down_proj", 32)):
            found[f"{at}mlp.experts.{name}_blocks"] = ("U8", (2, rows, 1, 16))
            found[f"{at}mlp.experts.{name}_scales"] = ("U8", (2, rows, 1))
            found[f"{at}mlp.experts.{name}_bias"] = ("BF16", (2, rows))
    return found


def adapter() -> Shapes:
    """Low-rank pairs and nothing else."""
    at = "base_model.model.model.layers.0.mlp.up_proj"
    return {f"{at}.lora_A.weight": ("F32", (2, D)), f"{at}.lora_B.weight": ("F32", (F, 2))}


def state(names: Shapes) -> dict[str, object]:
    """The same tensors for torch.save, some of them turned in memory."""
    import torch

    made = {
        name: (torch.arange(float(np.prod(shape))).reshape(shape) % 7 - 3) / 4
        for name, (_, shape) in names.items()
    }
    turned = {name: t.t().contiguous().t() for name, t in made.items() if name.endswith("down_proj.weight")}
    return {**made, **turned}


def saved(thing: object, *, legacy: bool = False) -> bytes:
    """What torch.save writes."""
    import torch

    into = io.BytesIO()
    torch.save(thing, into, _use_new_zipfile_serialization=not legacy)
    return into.getvalue()


def shards(first: bytes, second: bytes, *, stem: str, ending: str, names: tuple[Shapes, Shapes]) -> Specimen:
    """A folder of two shards with their index, a configuration and a tokenizer."""
    files = [f"{stem}-0000{number}-of-00002{ending}" for number in (1, 2)]
    weight_map = dict.fromkeys(names[0], files[0]) | dict.fromkeys(names[1], files[1])
    index = {"metadata": {"total_size": len(first) + len(second)}, "weight_map": weight_map}
    return Specimen(
        {
            f"{stem}{ending}.index.json": json.dumps(index).encode(),
            files[0]: first,
            files[1]: second,
            "config.json": json.dumps(LLAMA).encode(),
            "tokenizer.json": json.dumps(TOKENIZER).encode(),
        }
    )


def gguf_file(*, version: int, part: int | None = None, architecture: str = "llama") -> bytes:
    """A GGUF model of quantised and plain tensors; part: the first or second of two."""
    entries = [
        entry("general.architecture", STRING, text(architecture)),
        entry("general.alignment", 4, pack("<I", 32)),
        entry(f"{architecture}.block_count", 4, pack("<I", LAYERS)),
        entry(f"{architecture}.embedding_length", 4, pack("<I", 256)),
        entry(f"{architecture}.attention.layer_norm_rms_epsilon", 6, pack("<f", 1e-5)),
        entry("tokenizer.ggml.tokens", ARRAY, array(STRING, 3, text("a") + text("b") + text("c"))),
        entry("tokenizer.ggml.scores", ARRAY, array(6, 3, pack("<3f", 1, 2, 3))),
    ]
    if part is not None:
        entries = [*(entries if part == 0 else []), entry("split.no", 2, pack("<H", part))]
        entries += [entry("split.count", 2, pack("<H", 2)), entry("split.tensors.count", 5, pack("<i", 9))]
    rows: list[bytes] = []
    at = 0
    # Q4_K, Q8_0, Q6_K, Q4_0 and plain: ggml's number, bytes for 256 numbers.
    kinds = {"gate": (12, 144), "up": (8, 272), "norm": (0, 1024), "other": (14, 210), "more": (2, 144)}
    wanted = [("token_embd.weight", "other", 2)] if not part else []
    for layer in range(LAYERS) if part is None else (part,):
        kind = "gate" if layer == 0 else "more"
        wanted += [(f"blk.{layer}.ffn_gate.weight", kind, 8), (f"blk.{layer}.ffn_up.weight", "up", 8)]
        wanted += [(f"blk.{layer}.ffn_norm.weight", "norm", 0), (f"blk.{layer}.ffn_down.weight", "down", 8)]
    for name, kind, height in wanted:
        number, row_bytes = kinds.get(kind, (1, 0))
        dims = [8, 256] if kind == "down" else [256, height] if height else [256]
        rows.append(tensor(name, dims, kind=number, offset=at))
        size = 2 * 8 * 256 if kind == "down" else row_bytes * max(1, height)
        at += -(-size // 32) * 32
    return gguf(entries, rows, data=bytes(at % 53 for at in range(at)), version=version)


def _single(shapes: Shapes, config: object | None = None) -> Callable[[], Specimen]:
    def make() -> Specimen:
        files = {"model.safetensors": safetensors(shapes)}
        if config is not None:
            files["config.json"] = json.dumps(config).encode()
        return Specimen(files)

    return make


def _halves(*, torch: bool) -> Specimen:
    names = llama(range(1), ends=False), llama(range(1, LAYERS))
    one, two = (saved(state(half)) if torch else safetensors(half) for half in names)
    stem, ending = ("pytorch_model", ".bin") if torch else ("model", ".safetensors")
    return shards(one, two, stem=stem, ending=ending, names=names)


def _hub() -> Specimen:
    at = f"{HUB}/snapshots/{COMMIT}/"
    files = {
        f"{HUB}/blobs/weights": safetensors(llama(dtype="BF16")),
        f"{HUB}/blobs/config": json.dumps(LLAMA).encode(),
        f"{HUB}/refs/main": COMMIT.encode(),
    }
    links = (
        (f"{at}model.safetensors", "../../blobs/weights"),
        (f"{at}config.json", "../../blobs/config"),
    )
    return Specimen(files, HUB, links)


def _bert() -> Specimen:
    names: dict[str, tuple[str, tuple[int, ...]]] = {"embeddings.word_embeddings.weight": ("F32", (9, D))}
    for layer in range(LAYERS):
        at = f"encoder.layer.{layer}."
        names |= {
            f"{at}intermediate.dense.weight": ("F32", (F, D)), f"{at}intermediate.dense.bias": ("F32", (F,)),
            f"{at}output.dense.weight": ("F32", (D, F)), f"{at}output.dense.bias": ("F32", (D,)),
            f"{at}output.LayerNorm.weight": ("F32", (D,)), f"{at}output.LayerNorm.bias": ("F32", (D,)),
        }  # fmt: skip
    return _single(names, BERT)()


def _torch(*, legacy: bool) -> Specimen:
    whole = {"model_state_dict": state(llama()), "args": {"dim": D, "name": "x"}, "step": 7}
    return Specimen({"model.pt": saved(whole, legacy=legacy)}, "model.pt")


def _gguf_parts() -> Specimen:
    files = {f"m-0000{at + 1}-of-00002.gguf": gguf_file(version=3, part=at) for at in (0, 1)}
    return Specimen(files, "m-00001-of-00002.gguf")


SPECIMENS: Mapping[str, Mapping[str, Callable[[], Specimen]]] = {
    "safetensors": {
        "single": lambda: Specimen({"m.safetensors": safetensors(llama())}, "m.safetensors"),
        "shards": lambda: _halves(torch=False),
        "hub": _hub,
        "bert": _bert,
        "mixtral": _single(mixtral(), MIXTRAL),
        "deepseek": _single(deepseek(), DEEPSEEK),
        "gpt_oss": _single(gpt_oss(), GPT_OSS),
    },
    "torch": {
        "zip": lambda: _torch(legacy=False),
        "legacy": lambda: _torch(legacy=True),
        "bins": lambda: _halves(torch=True),
    },
    "gguf": {
        "v2": lambda: Specimen({"m.gguf": gguf_file(version=2)}, "m.gguf"),
        "v3": lambda: Specimen({"m.gguf": gguf_file(version=3)}, "m.gguf"),
        "parts": _gguf_parts,
    },
}
"""Formats -> layouts of each -> one that opens."""


def written(specimen: Specimen, folder: Path) -> Path:
    """Put a specimen into an empty folder -> what is to be opened."""
    for name, content in specimen.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    for name, target in specimen.links:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(target)
    return folder / specimen.opened if specimen.opened else folder
