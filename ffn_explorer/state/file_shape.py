"""Stacks of an opened file as the sizes that a bill follows from."""

from collections import Counter
from dataclasses import replace

from ffn_explorer.checkpoints.as_shape import shape_of
from ffn_explorer.checkpoints.scheme import LayerScheme
from ffn_explorer.core.architecture import AttentionShape, LayerShape, ModelShape, Stack
from ffn_explorer.core.settings import Settings
from ffn_explorer.state.file_facts import FileFacts


def stack_shape(file: FileFacts, settings: Settings) -> ModelShape:
    """All layers of the stack that the settings' layer belongs to, each with its own FFN.

    Attention has the heads of the settings, which follow the configuration, or one head of width D.
    """
    mine = file.layers[settings.layer]
    here = [one for one in file.layers if (one.stack, one.d_model) == (mine.stack, mine.d_model)]
    kinds = Counter(_layer(one, settings) for one in here)
    return _model(settings, tuple(replace(one, count=count) for one, count in kinds.items()))


def layer_shape(file: FileFacts, settings: Settings) -> ModelShape:
    """The settings' layer alone."""
    return _model(settings, (_layer(file.layers[settings.layer], settings),))


def _model(settings: Settings, layers: tuple[LayerShape, ...]) -> ModelShape:
    norm = settings.norm
    return ModelShape(d_model=settings.d_model, layers=layers, norm=norm, norms=0, unembedding=False)


def _layer(layer: LayerScheme, settings: Settings) -> LayerShape:
    stack: Stack = "decoder" if settings.stack == "decoder" else "encoder"
    attention = AttentionShape(settings.heads, settings.kv_heads, settings.head_width)
    return LayerShape(count=1, attention=attention, ffn=shape_of(layer), norms=_norms(layer), stack=stack)


def _norms(layer: LayerScheme) -> int:
    """Norms of a layer: those of the FFN, and as many of attention, which shares them in parallel blocks."""
    own = sum(bool(norm.weight) for norm in (layer.pre_norm, layer.post_norm))
    return own if layer.spec.norm.placement == "parallel" else 2 * own
