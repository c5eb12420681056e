"""Words on an opened file: where its numbers come from, and what flows into its layer."""

from pathlib import Path

from ffn_explorer.checkpoints.scheme import LensScheme
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.stages import Stage
from ffn_explorer.state.app_state import Opened
from ffn_explorer.state.formulas import scaled
from ffn_explorer.state.numbers import count
from ffn_explorer.state.open_files import OPEN_FILES
from ffn_explorer.state.result import RunResult, XFrom
from ffn_explorer.state.tensor_slices import slices_of
from ffn_explorer.state.text import Text, text
from ffn_explorer.state.visible import visible


def origin_of_file(opened: Opened, settings: Settings, x_from: XFrom | None) -> Text:
    """File, layer, stored number format, and what the hidden states are."""
    held = OPEN_FILES.known(opened)
    name = visible(Path(opened.path).name)
    if held is None:
        return text("origin.file_closed", file=name, layer=count(settings.layer))
    layer = held.checkpoint.layers[settings.layer]
    return text(
        "origin.file",
        file=name,
        layer=count(layer.index),
        stack=layer.stack,
        stored=held.facts.dtypes[settings.layer],
        x=x_words(opened, x_from),
    )


def x_words(opened: Opened, x_from: XFrom | None) -> Text:
    """What flows into the layer, so that nobody takes it for what the model itself sends there."""
    return text(_x_key(opened, x_from), file=visible(Path(opened.x).name))


def x_wordings(opened: Opened, x_from: XFrom | None) -> tuple[Text, Text]:
    """The same, and in fewer words."""
    whole = x_words(opened, x_from)
    return whole, text(f"{_x_key(opened, x_from)}_short")


def x_origin(run: RunResult) -> Text | None:
    """Where the numbers of x come from, tensor or file named; None for a run of no file."""
    opened, settings = run.request.source.opened, run.request.settings
    if opened is None:
        return None
    if opened.x:
        key = "panel.proof.x_npy" if opened.x_is == "residual" else "panel.proof.x_npy_input"
        return text(key, file=visible(Path(opened.x).name), dtype=settings.dtype)
    if run.x_from != "embeddings":
        return text("panel.proof.x_seeded_file", seed=settings.seed, dtype=settings.dtype)
    held = OPEN_FILES.known(opened)
    tensor = "" if held is None else _row_of(held.facts.lens)
    name = visible(Path(opened.path).name)
    return text("panel.proof.x_embeddings", tensor=visible(tensor), file=name, dtype=settings.dtype)


def _row_of(lens: LensScheme) -> str:
    """What a token's row is: "norm(E)" or "5.657 · E" where the model norms or scales it, E the tensor."""
    name = f"norm({lens.embedding})" if lens.embedding_norm.weight else lens.embedding
    return scaled(name, lens.embedding_scale)


def tensors_of(run: RunResult, stage: Stage, expert: int | None) -> Text | None:
    """Names in the file of the tensors that a number is computed from; None where there are none."""
    if run.scheme is None:
        return None
    names = list(dict.fromkeys(filter(None, slices_of(run.scheme, stage, expert))))
    if not names:
        return None
    shown = text("panel.proof.tensors", names=visible(", ".join(names[:MOST_NAMES])))
    left = len(names) - MOST_NAMES
    return shown if left <= 0 else text("panel.proof.tensors_more", names=shown, n=count(left))


MOST_NAMES = 4
"""Tensors that are named before the rest is counted."""


def _x_key(opened: Opened, x_from: XFrom | None) -> str:
    if x_from == "npy" or opened.x:
        return "origin.x_npy" if opened.x_is == "residual" else "origin.x_npy_input"
    return "origin.x_embeddings" if x_from == "embeddings" else "origin.x_seeded"
