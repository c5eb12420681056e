"""Small files of weights, as public ones are laid out, for tests that open them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save_file
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

D, F, E = 16, 40, 6
WORDS = ("[UNK]", "The", "keys", "on", "the", "table", "are", "lost", ".", "France", "is")

Tensors = dict[str, NDArray[np.float32]]


def llama(folder: Path, *, layers: int = 3, tokenizer: bool = True, seed: int = 1) -> Path:
    """A folder in Llama's layout: gated FFNs with RMSNorm, an embedding, an unembedding of its own."""
    tensors, config = llama_parts(layers=layers, seed=seed)
    return saved(folder, tensors, config, tokenizer=tokenizer)


def llama_parts(*, layers: int = 3, seed: int = 1) -> tuple[Tensors, dict[str, object]]:
    """Tensors and configuration of such a folder, for tests that change them."""
    draw = np.random.default_rng(seed)
    tensors = _ends(draw)
    for n in range(layers):
        head = f"model.layers.{n}."
        tensors[head + "mlp.gate_proj.weight"] = drawn(draw, F, D)
        tensors[head + "mlp.up_proj.weight"] = drawn(draw, F, D)
        tensors[head + "mlp.down_proj.weight"] = drawn(draw, D, F)
        tensors[head + "post_attention_layernorm.weight"] = drawn(draw, D)
    config: dict[str, object] = {
        "model_type": "llama", "hidden_size": D, "intermediate_size": F, "num_hidden_layers": layers,
        "num_attention_heads": 4, "num_key_value_heads": 2, "hidden_act": "silu", "rms_norm_eps": 1e-5,
        "tie_word_embeddings": False,
    }  # fmt: skip
    return tensors, config


def mixtral(folder: Path, *, layers: int = 2, seed: int = 2) -> Path:
    """A folder in Mixtral's layout: E experts, two of them for each token."""
    draw = np.random.default_rng(seed)
    tensors = _ends(draw)
    for n in range(layers):
        head = f"model.layers.{n}."
        tensors[head + "block_sparse_moe.gate.weight"] = drawn(draw, E, D)
        tensors[head + "post_attention_layernorm.weight"] = drawn(draw, D)
        for e in range(E):
            expert = f"{head}block_sparse_moe.experts.{e}."
            tensors[expert + "w1.weight"] = drawn(draw, F, D)
            tensors[expert + "w3.weight"] = drawn(draw, F, D)
            tensors[expert + "w2.weight"] = drawn(draw, D, F)
    config = {
        "model_type": "mixtral", "hidden_size": D, "intermediate_size": F, "num_hidden_layers": layers,
        "num_attention_heads": 4, "num_key_value_heads": 2, "hidden_act": "silu", "rms_norm_eps": 1e-5,
        "num_local_experts": E, "num_experts_per_tok": 2, "tie_word_embeddings": False,
    }  # fmt: skip
    return saved(folder, tensors, config)


def saved(folder: Path, tensors: Tensors, config: dict[str, object], *, tokenizer: bool = True) -> Path:
    """Write a folder with weights, configuration and, if wanted, a tokenizer of whole words."""
    folder.mkdir(parents=True, exist_ok=True)
    save_file(tensors, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(config))
    if tokenizer:
        made = Tokenizer(WordLevel({word: n for n, word in enumerate(WORDS)}, unk_token="[UNK]"))
        made.pre_tokenizer = Whitespace()
        made.save(str(folder / "tokenizer.json"))
    return folder


def drawn(draw: np.random.Generator, *shape: int) -> NDArray[np.float32]:
    """Normal numbers of a size at which every stage shows something."""
    made: NDArray[np.float32] = (draw.standard_normal(shape) / np.sqrt(shape[-1])).astype(np.float32)
    return made


def _ends(draw: np.random.Generator) -> Tensors:
    return {
        "model.embed_tokens.weight": drawn(draw, len(WORDS), D) * np.float32(4),
        "model.norm.weight": drawn(draw, D) + np.float32(1),
        "lm_head.weight": drawn(draw, len(WORDS), D),
    }
