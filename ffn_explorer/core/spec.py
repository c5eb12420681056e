"""What one FFN computes, as plain values without tensors."""

from dataclasses import dataclass, field
from typing import Literal

NormKind = Literal["none", "layer", "rms"]
Placement = Literal["none", "pre", "post", "post_only", "sandwich", "parallel"]


@dataclass(frozen=True, slots=True)
class NormSpec:
    """Which norm stands around the FFN, and where.

    pre: x + ffn(norm(x)).  post: norm(x + ffn(x)) (2017, BERT).  post_only: x + norm(ffn(x)) (OLMo 2).
    sandwich: x + post(ffn(pre(x))) (Gemma 2).  parallel: attention and FFN read one norm of the block input.
    """

    kind: NormKind = "none"
    placement: Placement = "none"
    eps: float = 1e-5
    weight_offset: float = 0.0
    """Added to the stored weight: 1 for Gemma's RMSNorm, which stores w of (1 + w)."""

    def __post_init__(self) -> None:
        """Kind and placement agree: no norm means no place for it."""
        if (self.kind == "none") != (self.placement == "none"):
            raise ValueError(f"norm kind {self.kind!r} does not fit placement {self.placement!r}")


@dataclass(frozen=True, slots=True)
class RoutingSpec:
    """How a router chooses K of E experts for each token, and with which weights.

    score_first: s = score(logits), the K best are chosen (Mixtral, Switch, DeepSeek).
    top_first: the K best logits are chosen, then score runs over those K (gpt-oss, Granite).
    """

    experts: int
    top_k: int
    order: Literal["score_first", "top_first"] = "score_first"
    score: Literal["softmax", "sigmoid", "sqrt_softplus"] = "softmax"
    renormalise: bool = False
    """Divide the K weights by their sum (plus `renormalise_eps`)."""
    renormalise_eps: float = 0.0
    renormalise_min: float = 0.0
    """Lower bound of that sum (ERNIE's moe_norm_min)."""
    renormalise_power: float = 1.0
    """p of the p-norm that stands for the sum (DBRX's moe_normalize_expert_weights)."""
    logit_softcap: float = 0.0
    """Logits become cap * tanh(logits / cap) before they are scored (Laguna); 0 means no cap."""
    scale: float = 1.0
    """routed_scaling_factor: multiplies the weights at the end."""
    groups: int = 1
    groups_kept: int = 1
    group_score: Literal["max", "top2sum"] = "max"
    group_fill: float = 0.0
    """Score given to experts outside the kept groups: 0 (DeepSeek-V2) or -inf (V3)."""
    weigh: Literal["output", "input"] = "output"
    """Where the weight multiplies: the expert's output, or its input (Llama 4)."""
    capacity: int | None = None
    """Tokens an expert takes per sentence; later ones are dropped (Switch). None: no limit."""
    banned: tuple[int, ...] = ()
    """Experts that a person has taken away: no token may choose them."""
    forced: int | None = None
    """Expert that a person makes every token choose."""


@dataclass(frozen=True, slots=True)
class FFNSpec:
    """What one FFN computes: normed -> (gate, up) -> act -> hidden -> out -> residual.

    plain: hidden = f(up).  gated: hidden = f(gate) * (up + up_offset).
    """

    function: str = "relu"
    """Name of the scalar function f, a key of FUNCTIONS."""
    function_params: tuple[tuple[str, float], ...] = ()
    """Parameters of f beyond z, e.g. (("alpha", 1.702),) or the learned ones of xIELU."""
    gated: bool = False
    norm: NormSpec = field(default_factory=NormSpec)
    residual: bool = True
    inner_norm: NormSpec | None = None
    """A norm on the intermediate just before down (BitNet, NormFormer)."""
    gate_limit: tuple[float, float] | None = None
    """Gate is clamped to this interval before f (gpt-oss: (-inf, 7))."""
    up_limit: tuple[float, float] | None = None
    up_offset: float = 0.0
    """Added to up before the product (gpt-oss: 1)."""
    act_limit: tuple[float, float] | None = None
    """f(gate) is clamped after the activation (Step-3)."""
    gate_sparsity: float = 0.0
    """Gaussian top-k on the gate: the share of the lowest gates set to 0 (Gemma 3n)."""
    gate_multiplier: float = 1.0
    hidden_multiplier: float = 1.0
    output_scale: float = 1.0
    """Multiplies out (Falcon-H1 down multiplier, half-step FFNs)."""
    residual_scale: float = 1.0
    """residual = skip * skip_scale + residual_scale * out."""
    skip_scale: float = 1.0
    keep: int = 0
    """Memories each token keeps, the strongest by |m| · ||v||; the others become 0. 0 keeps all."""
    position_wise: bool = True
    reads: str = ""
    """Why it is not position-wise, when it is not: "previous token" or "neighbours (kernel 3)"."""
    routing: RoutingSpec | None = None

    def __post_init__(self) -> None:
        """A plain FFN has no gate to limit, thin out or scale, and no product to offset."""
        of_gate = self.gate_limit or self.gate_sparsity or self.gate_multiplier != 1.0 or self.up_offset
        if of_gate and not self.gated:
            raise ValueError("gate_limit, gate_sparsity, gate_multiplier and up_offset need a gated FFN")

    @property
    def normalises_input(self) -> bool:
        """Whether x passes a norm before up and gate."""
        return self.norm.placement in ("pre", "sandwich", "parallel")

    @property
    def changes_hidden(self) -> bool:
        """Whether hidden differs from act: a product, an inner norm, a multiplier or a cut follows."""
        changed = self.gated or self.inner_norm is not None or self.hidden_multiplier != 1.0
        return changed or self.keep > 0
