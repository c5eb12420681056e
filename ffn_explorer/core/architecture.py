"""Architecture: the sizes of a whole Transformer, from which its parameters and FLOPs follow; no tensors."""

from dataclasses import dataclass
from typing import Literal

Stack = Literal["encoder", "decoder"]

NORM_VECTORS = {"none": 0, "layer": 2, "layer_no_bias": 1, "rms": 1}
"""Vectors of length D that a norm learns: LayerNorm a scale and a shift, RMSNorm a scale."""


@dataclass(frozen=True, slots=True)
class LatentShape:
    """Multi-head latent attention: queries, and keys with values, pass through a narrow latent.

    q_rank: width of the queries' latent, 0 for none.  kv_rank: width of the latent that is cached.
    rope_dim: width of the rotated part, of each query head and of the one key that all heads share.
    Source: DeepSeek-V2, arXiv 2405.04434, section 2.1.
    """

    kv_rank: int
    rope_dim: int
    q_rank: int = 0


@dataclass(frozen=True, slots=True)
class AttentionShape:
    """One attention sublayer: H query heads and K key-value heads of width h.

    value_dim: width of a value head, 0 for h.  window: tokens that one token looks back on, itself included;
    0 for all.  With a latent, h is the part of a head that is not rotated.
    qk_norm: "head" norms every head with one scale of width h, "all" norms the heads side by side.
    sinks: one learned logit per head.
    """

    heads: int
    kv_heads: int
    head_dim: int
    value_dim: int = 0
    qkv_bias: bool = False
    out_bias: bool = False
    qk_norm: Literal["", "head", "all"] = ""
    sinks: bool = False
    window: int = 0
    latent: LatentShape | None = None

    @property
    def value_width(self) -> int:
        """Width of a value head."""
        return self.value_dim or self.head_dim


@dataclass(frozen=True, slots=True)
class FFNShape:
    """One FFN sublayer: two matrices, or three with a gate; or E experts of that form and a router.

    shared_width: width F of the FFN that every token passes beside its experts, 0 for none.
    shared_gate: a vector of D weights scales what it returns.  selection_bias: one number per expert that
    only its choice heeds.  biased: the only roles (gate, up, down) with a bias, () for all of them where
    `bias`; shared_biased: those of the shared FFN, None for the same.  sum_bias: one of width D that is added
    after the sum over the experts.  receptance: RWKV's matrix D x D and its two mixes with the token before.
    """

    d_ff: int
    gated: bool = True
    bias: bool = False
    experts: int = 1
    top_k: int = 1
    shared_width: int = 0
    shared_gate: bool = False
    router_bias: bool = False
    selection_bias: bool = False
    biased: tuple[str, ...] = ()
    shared_biased: tuple[str, ...] | None = None
    sum_bias: bool = False
    receptance: bool = False

    @property
    def roles(self) -> tuple[str, ...]:
        """Its matrices, in the order of the pass."""
        return ("gate", "up", "down") if self.gated else ("up", "down")

    @property
    def biases(self) -> tuple[str, ...]:
        """Roles with a bias."""
        return (self.biased or self.roles) if self.bias else ()

    @property
    def shared_biases(self) -> tuple[str, ...]:
        """Roles of the shared FFN with a bias."""
        return self.biases if self.shared_biased is None else self.shared_biased

    @property
    def matrices(self) -> int:
        """Matrices of one FFN."""
        return 3 if self.gated else 2

    @property
    def is_moe(self) -> bool:
        """Whether a router chooses among several experts."""
        return self.experts > 1


@dataclass(frozen=True, slots=True)
class LayerShape:
    """Layers of one form.

    count: how many there are.  norms: norms of width D in each.  cross: attention to the encoder's tokens.
    """

    count: int
    attention: AttentionShape
    ffn: FFNShape
    norms: int = 2
    stack: Stack = "decoder"
    cross: AttentionShape | None = None


@dataclass(frozen=True, slots=True)
class Extra:
    """Parameters that stand beside all that, and are looked up or rarely used: a name and how many."""

    name: str
    count: int


@dataclass(frozen=True, slots=True)
class ModelShape:
    """A whole model.

    tied: the unembedding is the embedding.  vocab: 0 for a stack without embeddings.
    positions: learned position vectors.  norms: norms outside the layers.  head_bias: one number per token of
    the vocabulary.  unembedding: whether the model predicts tokens at all.
    """

    d_model: int
    layers: tuple[LayerShape, ...]
    norm: str = "rms"
    vocab: int = 0
    tied: bool = False
    unembedding: bool = True
    positions: int = 0
    norms: int = 1
    head_bias: bool = False
    extras: tuple[Extra, ...] = ()

    @property
    def depth(self) -> int:
        """Layers of all forms together."""
        return sum(layer.count for layer in self.layers)

    @property
    def usual_layer(self) -> LayerShape:
        """The form that most layers have."""
        return max(self.layers, key=lambda layer: layer.count)
