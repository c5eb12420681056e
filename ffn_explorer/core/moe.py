"""MoE: several experts behind one router."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from torch import Tensor

from ffn_explorer.core.ffn import FFN, NormWeights, Origin
from ffn_explorer.core.spec import FFNSpec, RoutingSpec


@dataclass(frozen=True, slots=True, eq=False)
class Router:
    """Router: weight `[E, D]`, bias `[E]` (part of the logits), selection_bias `[E]` (chooses only)."""

    weight: Tensor
    bias: Tensor | None = None
    selection_bias: Tensor | None = None


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class MoE:
    """A Mixture of Experts in the FFN's place.

    `experts`: E bare FFNs (no norm, no residual) of one shape, made when looked at where a file holds them.
    `shared`: an FFN that every token passes, times sigmoid(shared_gate . x) when `shared_gate` `[1, D]` is
    there (Qwen2-MoE).
    Norms and residual stand around the whole and belong to `spec`.
    """

    spec: FFNSpec
    router: Router
    experts: Sequence[FFN]
    shared: FFN | None = None
    shared_gate: Tensor | None = None
    pre_norm: NormWeights = field(default_factory=NormWeights)
    post_norm: NormWeights = field(default_factory=NormWeights)
    layer_scale: Tensor | None = None
    origin: Origin = field(default_factory=lambda: Origin("computed"))

    @property
    def routing(self) -> RoutingSpec:
        """The routing rule (present by construction)."""
        assert self.spec.routing is not None
        return self.spec.routing

    @property
    def d_model(self) -> int:
        """D, the width of the hidden states."""
        return self.experts[0].d_model

    @property
    def d_ff(self) -> int:
        """F, the width of one expert's intermediate."""
        return self.experts[0].d_ff
