"""What was found in a checkpoint: its FFN layers, each with tensors, formula, and what is not certain."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from ffn_explorer.checkpoints.family import Expert, Layout, Part
from ffn_explorer.core.spec import FFNSpec

GATED_NAMES = {
    "silu": "swiglu", "gelu": "geglu", "gelu_tanh": "geglu", "quick_gelu": "geglu", "relu": "reglu",
    "sigmoid": "glu", "identity": "bilinear",
}  # fmt: skip
"""What a gated FFN is called by its function."""


@dataclass(frozen=True, slots=True)
class Note:
    """A sentence of the catalogue and its values: what is doubtful, left out or not supported."""

    key: str
    values: tuple[tuple[str, object], ...] = ()


@dataclass(frozen=True, slots=True)
class TensorRef:
    """Where one matrix stands, by the names of the file.

    names: one, or one for each expert.  biases: as many, or none.  shape: (out, in) of one expert's matrix.
    groups: of the grouped layout.  quantised: method by which the file packs it, "" for plain numbers.
    """

    names: tuple[str, ...]
    shape: tuple[int, int]
    layout: Layout = "out_in"
    part: Part = ""
    expert: Expert = ""
    biases: tuple[str, ...] = ()
    groups: int = 1
    quantised: str = ""


@dataclass(frozen=True, slots=True)
class NormRef:
    """Names of a norm's weight and bias, "" where the model stores none."""

    weight: str = ""
    bias: str = ""


@dataclass(frozen=True, slots=True)
class MlpScheme:
    """One FFN, one expert of many, or the shared expert: tensors and formula.

    params: tensors with the function's parameters.  adapters: number and names (A `[r, in]`, B `[out, r]`)
    of pairs whose product is added to the matrix of gate and up.
    """

    up: TensorRef
    down: TensorRef
    spec: FFNSpec
    gate: TensorRef | None = None
    inner_norm: NormRef = field(default_factory=NormRef)
    params: tuple[str, ...] = ()
    adapters: tuple[tuple[int, tuple[str, str]], ...] = ()
    shift: tuple[str, str, str] | None = None
    """Tensors of a token shift: mix of the key, mix of the receptance, receptance."""

    @property
    def roles(self) -> Mapping[str, TensorRef]:
        """The matrices by role, in the order of the data."""
        gate = {"gate": self.gate} if self.gate is not None else {}
        return {**gate, "up": self.up, "down": self.down}


@dataclass(frozen=True, slots=True)
class RouterScheme:
    """The router's tensors; the rule is in the layer's spec."""

    weight: str
    layout: Layout = "out_in"
    bias: str = ""
    select_bias: str = ""
    output_bias: str = ""
    shared_gate: str = ""


@dataclass(frozen=True, slots=True)
class LayerScheme:
    """One FFN layer.

    index: as the file counts, or in order where several counters name it.  mlp: the FFN, or every expert's.
    activation: row of FUNCTIONS, "" where it is unknown; said: what the configuration says then.
    spec: norms, residual and routing around the whole.  doubts: what the file leaves open.
    gaps: what cannot be computed yet; the layer is listed, not built.  limits: what pictures leave out.
    """

    index: int
    stack: str
    kind: Literal["dense", "moe"]
    mlp: MlpScheme
    spec: FFNSpec
    d_model: int
    d_ff: int
    experts: int = 0
    shared: MlpScheme | None = None
    router: RouterScheme | None = None
    pre_norm: NormRef = field(default_factory=NormRef)
    post_norm: NormRef = field(default_factory=NormRef)
    layer_scale: str = ""
    residual_tanh: str = ""
    said: str = ""
    doubts: tuple[Note, ...] = ()
    gaps: tuple[Note, ...] = ()
    limits: tuple[Note, ...] = ()

    @property
    def activation(self) -> str:
        """Name of the scalar function."""
        return self.mlp.spec.function

    @property
    def gated(self) -> bool:
        """Whether two routes meet in a product."""
        return self.mlp.gate is not None

    @property
    def variant(self) -> str:
        """What people call it: swiglu, geglu; the activation where there is no gate."""
        return GATED_NAMES.get(self.activation, "gated") if self.gated else self.activation

    @property
    def bias(self) -> bool:
        """Whether any of its linear maps has a bias."""
        return any(ref.biases for ref in self.mlp.roles.values())

    @property
    def tensors(self) -> tuple[str, ...]:
        """Names of every tensor that the layer is built from."""
        refs = [*self.mlp.roles.values(), *(self.shared.roles.values() if self.shared else ())]
        names = [name for ref in refs for name in (*ref.names, *ref.biases)]
        if self.router:
            names += [self.router.weight, self.router.bias, self.router.select_bias]
            names += [self.router.output_bias, self.router.shared_gate]
        names += [*(self.mlp.shift or ()), *self.mlp.params]
        names += [name for _, pair in self.mlp.adapters for name in pair]
        for norm in (self.pre_norm, self.post_norm, self.mlp.inner_norm):
            names += [norm.weight, norm.bias]
        names += [self.layer_scale, self.residual_tanh]
        return tuple(dict.fromkeys(filter(None, names)))


@dataclass(frozen=True, slots=True)
class LensScheme:
    """Tensors between tokens and stream, by the names of the file, "" where it has none.

    unembedding: the embedding's own name where the two are tied.  embedding_scale multiplies a token's row;
    hidden_scale the stream before the unembedding; logit_scale the logits; logit_softcap bounds them.
    """

    embedding: str = ""
    final_norm: NormRef = field(default_factory=NormRef)
    unembedding: str = ""
    unembedding_bias: str = ""
    unembedding_layout: Layout = "out_in"
    tied: bool = False
    embedding_norm: NormRef = field(default_factory=NormRef)
    embedding_scale: float = 1.0
    logit_scale: float = 1.0
    logit_softcap: float = 0.0
    doubts: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class Scheme:
    """How a checkpoint stores its FFN layers.

    prefix: before the layers' names.  version: hub, or v5 (transformers 5 in memory).
    confidence: 1 where the model type decided, less where names or structure did.
    """

    family: str
    prefix: str
    version: Literal["hub", "v5"]
    layers: tuple[LayerScheme, ...]
    lens: LensScheme
    confidence: float
    doubts: tuple[Note, ...] = ()
