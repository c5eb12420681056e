"""States of opened files for pictures: tiny folders with seeded numbers, opened once per session."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from ffn_explorer.state.app_state import Appearance, AppState, Opened, Point, Selection, Source, View
from ffn_explorer.state.open_files import OPEN_FILES
from ffn_explorer.state.opened_changes import look, use_opened
from ffn_explorer.state.scene import Scene
from tests import tiny_files

FILES = ("layers", "atlas", "reads", "promoters")
"""Panels that draw an opened file, and nothing but how to open one without it."""

SENTENCE = "The keys on the table are lost ."

_HERE = TemporaryDirectory(prefix="ffn-files-")


def damaged(folder: Path) -> Path:
    """A folder of the llama family with neurons that are not numbers, that are infinite, and that are 0."""
    tensors, config = tiny_files.llama_parts(seed=3)
    up = tensors["model.layers.1.mlp.up_proj.weight"]
    up[5, 2] = np.nan
    up[9, 0] = np.inf
    tensors["model.layers.1.mlp.down_proj.weight"][:, 11] = 0.0
    return tiny_files.saved(folder, tensors, config)


def biased(folder: Path) -> Path:
    """A folder in BERT's layout: two matrices with biases, an embedding, and no unembedding."""
    draw, drawn = np.random.default_rng(6), tiny_files.drawn
    d, f = tiny_files.D, tiny_files.F
    tensors = {"embeddings.word_embeddings.weight": drawn(draw, len(tiny_files.WORDS), d)}
    for n in range(2):
        head = f"encoder.layer.{n}."
        tensors[f"{head}intermediate.dense.weight"] = drawn(draw, f, d)
        tensors[f"{head}intermediate.dense.bias"] = drawn(draw, f)
        tensors[f"{head}output.dense.weight"] = drawn(draw, d, f)
        tensors[f"{head}output.dense.bias"] = drawn(draw, d)
        tensors[f"{head}output.LayerNorm.weight"] = drawn(draw, d)
        tensors[f"{head}output.LayerNorm.bias"] = drawn(draw, d)
    config: dict[str, object] = {
        "model_type": "bert", "hidden_size": d, "intermediate_size": f, "num_hidden_layers": 2,
        "num_attention_heads": 4, "hidden_act": "gelu", "layer_norm_eps": 1e-12,
    }  # fmt: skip
    return tiny_files.saved(folder, tensors, config)


MAKERS: Mapping[str, Callable[[Path], Path]] = {
    "llama": tiny_files.llama,
    "mixtral": tiny_files.mixtral,
    "damaged": damaged,
    "biased": biased,
    "bare": lambda folder: tiny_files.llama(folder, tokenizer=False, seed=4),
}


@cache
def opened(kind: str) -> Opened:
    """A folder, written and opened once."""
    return OPEN_FILES.open(str(MAKERS[kind](Path(_HERE.name) / kind)))


def state_of(
    kind: str = "llama",
    *,
    layer: int = 1,
    neuron: int | None = 7,
    asked: Mapping[str, Any] | None = None,
    **parts: Any,
) -> AppState:
    """State with a layer of a folder; asked: of Looking; parts: of AppState."""
    base = AppState(source=Source((SENTENCE,), ((),)), selection=Selection(token=4))
    state = use_opened(opened(kind), layer=layer, neuron=neuron).to(base)
    state = replace(state, selection=replace(state.selection, token=4), **parts)
    return look(**asked).to(state) if asked else state


def reading(scene: Scene) -> Scene:
    """The scene while nothing of the file's panels is read yet."""
    nothing = {
        "atlas": None,
        "neuron_tokens": None,
        "nearest": None,
        "promoters": None,
        "memory_tokens": None,
    }
    return replace(scene, **nothing)  # type: ignore[arg-type]


def halfway(scene: Scene) -> Scene:
    """The scene while lists are being read: what gate reads is there, part of the neurons is seen."""
    tokens, promoters = scene.neuron_tokens, scene.promoters
    return replace(
        scene,
        neuron_tokens=None if tokens is None else replace(tokens, lists=tokens.lists[:1], seen=0.37),
        promoters=None if promoters is None else replace(promoters, seen=0.5),
        nearest=None,
    )


ZOOMED = View(first=2_000, shown=5_000, first_row=1_000, rows=6_000, mode="down > 0.9", sort="-up_norm")

STATES: Mapping[str, Callable[[], AppState]] = {
    "file": lambda: state_of(asked={"token": "lost"}),
    "file dark ja": lambda: state_of(
        layer=2, neuron=30, asked={"token": "#3", "all_layers": True, "normed": False, "by": "gate"},
        appearance=Appearance("dark", "ja"),
    ),
    "file experts": lambda: state_of(
        "mixtral", layer=0, neuron=12, asked={"token": "table", "all_layers": True}
    ),
    "file damaged": lambda: state_of("damaged", views=(("atlas", View(sort="cos_up_down", scroll=30)),)),
    "file biased": lambda: state_of("biased", asked={"token": "lost", "by": "gate"}),
    "file bare": lambda: state_of("bare", neuron=None, asked={"token": "lost"}),
    "file zoomed": lambda: state_of(
        point=Point(neuron=20), asked={"across": "cos_gate_up", "upward": "up_norm"},
        views=(
            ("atlas", ZOOMED),
            ("layers", View(sort="-bytes", mode="silu swiglu", scroll=1)),
        ),
        appearance=Appearance("projector"),
    ),
    "file unlike": lambda: state_of(
        views=(("atlas", View(mode="what?")), ("layers", View(mode="nothing like it"))),
        asked={"token": "no such token"}, appearance=Appearance("light", "ja", scale=1.5),
    ),
}  # fmt: skip
"""By name: what the panels of a file must all be able to show."""


@cache
def file_look(name: str) -> Scene:
    """Return the scene of a look of `exact.LOOKS` for a panel that draws a file; in one there is none."""
    from tests.snapshots.exact import look as plain
    from tests.snapshots.scenes import scene_of

    states = {"light": "file", "dark": "file dark ja"}
    return scene_of(STATES[states[name]]()) if name in states else plain(name)
