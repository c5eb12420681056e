"""Tiny folders of weights, as people have them: a model's type in a configuration, or nothing but tensors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save_file

D, F, LAYERS, WORDS = 8, 16, 3, 12


def numbers(*shape: int, seed: int) -> np.ndarray[Any, np.dtype[np.float32]]:
    """Some numbers of a shape, the same ones every time."""
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def llama(folder: Path, *, layers: int = LAYERS, d_ff: int = F, seed: int = 0) -> Path:
    """A folder of the llama family: gate, up, down and a norm in each layer, and an embedding."""
    tensors = {"model.embed_tokens.weight": numbers(WORDS, D, seed=seed)}
    for layer in range(layers):
        head = f"model.layers.{layer}"
        tensors[f"{head}.post_attention_layernorm.weight"] = np.ones(D, np.float32)
        for at, (name, shape) in enumerate({"gate": (d_ff, D), "up": (d_ff, D), "down": (D, d_ff)}.items()):
            tensors[f"{head}.mlp.{name}_proj.weight"] = numbers(*shape, seed=seed + 10 * layer + at)
    config = {
        "model_type": "llama",
        "hidden_act": "silu",
        "hidden_size": D,
        "intermediate_size": d_ff,
        "num_hidden_layers": layers,
        "num_attention_heads": 2,
        "rms_norm_eps": 1e-5,
    }
    return written(folder, tensors, config)


def nameless(folder: Path, *, layers: int = LAYERS) -> Path:
    """A folder of no family, without a configuration: two matrices a layer, whose function nobody says."""
    tensors = {}
    for layer in range(layers):
        tensors[f"net.blocks.{layer}.fc1.weight"] = numbers(F, D, seed=layer)
        tensors[f"net.blocks.{layer}.fc2.weight"] = numbers(D, F, seed=layer + 50)
    return written(folder, tensors, None)


def written(folder: Path, tensors: dict[str, Any], config: dict[str, Any] | None) -> Path:
    """The folder, with a file of tensors and a configuration."""
    folder.mkdir(parents=True, exist_ok=True)
    save_file(tensors, folder / "model.safetensors")
    if config is not None:
        (folder / "config.json").write_text(json.dumps(config))
    return folder
