"""Trace: every intermediate of one pass, kept and named."""

from dataclasses import dataclass

from torch import Tensor

from ffn_explorer.core.spec import FFNSpec
from ffn_explorer.core.stages import Stage


@dataclass(frozen=True, slots=True, eq=False)
class Routing:
    """What the router did, and what the chosen experts computed.

    logits `[B, S, E]`; scores `[B, S, E]` (after softmax or sigmoid); index, weight `[B, S, K]`;
    dropped `[B, S, K]` bool (over capacity: that expert is skipped for that token);
    up, gate, act, hidden `[B, S, K, F]`: the intermediates of the K chosen experts;
    expert_out `[B, S, K, D]` before weighting; shared: trace of the shared expert, or None.
    """

    logits: Tensor
    scores: Tensor
    index: Tensor
    weight: Tensor
    dropped: Tensor
    up: Tensor
    gate: Tensor | None
    act: Tensor
    hidden: Tensor
    expert_out: Tensor
    shared: "Trace | None" = None
    shared_weight: Tensor | None = None
    """sigmoid(shared_gate . x) `[B, S, 1]`, or None."""


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """Every stage of one pass, batch first: `[B, S, D]` outside, `[B, S, F]` inside.

    skip: what the residual adds back.  x: what enters the sublayer.  normed: after the pre-norm, or x itself.
    plain: act = f(up), hidden = act.  gated: act = f(gate), hidden = act * up.
    residual = skip * skip_scale + residual_scale * post(out) for pre, post_only and sandwich norms;
    for post-norm, residual = skip + out and post_norm = norm(residual).
    For a Mixture of Experts up, gate, act and hidden are those of each token's first choice (slot 0).
    mask: `[B, S]` bool, True where a real token stands (padding is False), or None.
    """

    spec: FFNSpec
    skip: Tensor
    x: Tensor
    normed: Tensor
    up: Tensor
    gate: Tensor | None
    act: Tensor
    hidden: Tensor
    out: Tensor
    post_norm: Tensor | None
    residual: Tensor
    mask: Tensor | None = None
    routing: Routing | None = None
    read: Tensor | None = None
    """What up reads `[B, S, D]` where that is not normed: a mix with the token before (RWKV)."""
    openness: Tensor | None = None
    """Factor of every dimension of out `[B, S, D]`, which follows from two tokens as well (RWKV)."""

    @property
    def entering(self) -> Tensor:
        """What up and gate read `[B, S, D]`: normed, or its mix with the token before."""
        return self.normed if self.read is None else self.read

    def stage(self, stage: Stage) -> Tensor:
        """Tensor of a stage: `[B, S, F]` for wide stages, `[B, S, D]` for others; KeyError if absent."""
        tensor: Tensor | None = {
            Stage.INPUT: self.x,
            Stage.NORM: self.normed,
            Stage.UP: self.up,
            Stage.GATE: self.gate,
            Stage.ACT: self.act,
            Stage.HIDDEN: self.hidden,
            Stage.OUT: self.out,
            Stage.POST_NORM: self.post_norm,
            Stage.RESIDUAL: self.residual,
        }[stage]
        if tensor is None:
            raise KeyError(stage)
        return tensor

    @property
    def result(self) -> Tensor:
        """What leaves the sublayer `[B, S, D]`: the normed sum for post-norm, the sum otherwise."""
        if self.spec.norm.placement == "post" and self.post_norm is not None:
            return self.post_norm
        return self.residual
