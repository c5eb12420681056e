"""Settings -> the sizes that a bill follows from."""

from functools import lru_cache

from ffn_explorer.core.architecture import AttentionShape, FFNShape, LayerShape, ModelShape
from ffn_explorer.core.settings import Settings

NORMS = {"pre": 2, "post": 2, "sandwich": 4}
"""Norms in one layer, by their placement."""


@lru_cache(maxsize=64)
def model_shape(settings: Settings) -> ModelShape:
    """The stack of layers that the settings describe; it has neither embeddings nor an unembedding."""
    s = settings
    layer = LayerShape(
        count=s.layers,
        attention=AttentionShape(s.heads, s.kv_heads, s.head_width),
        ffn=ffn_shape(s),
        norms=NORMS[s.norm_placement],
        stack="decoder" if s.stack == "decoder" else "encoder",
    )
    return ModelShape(d_model=s.d_model, layers=(layer,), norm=s.norm, norms=0, unembedding=False)


def ffn_shape(settings: Settings) -> FFNShape:
    """The FFN alone; the shared experts are one FFN of width n · F, as in DeepSeek's models."""
    s = settings
    return FFNShape(
        d_ff=s.d_ff,
        gated=s.gated,
        bias=s.bias,
        experts=s.experts,
        top_k=s.top_k if s.is_moe else 1,
        shared_width=s.shared_experts * s.d_ff if s.is_moe else 0,
        selection_bias=s.is_moe and s.routing == "sigmoid_bias",
    )
