"""The stages of one pass through the FFN sublayer, in the order in which they happen."""

from collections.abc import Collection
from enum import StrEnum

from ffn_explorer.core.spec import FFNSpec


class Stage(StrEnum):
    """One named step of the pass; drives colours, captions and the timeline."""

    INPUT = "input"
    NORM = "norm"
    UP = "up"
    GATE = "gate"
    ACT = "act"
    HIDDEN = "hidden"
    OUT = "out"
    POST_NORM = "post_norm"
    RESIDUAL = "residual"


WIDE = frozenset({Stage.UP, Stage.GATE, Stage.ACT, Stage.HIDDEN})
"""Stages whose vectors have F = Dff entries; all others have D = d_model."""


def enters_act(stages: Collection[Stage]) -> Stage:
    """Of these stages, the one that the function reads: gate where there is one, else up."""
    return Stage.GATE if Stage.GATE in stages else Stage.UP


def enters_down(stages: Collection[Stage]) -> Stage:
    """Of these stages, the one that W_down reads: hidden, or act where nothing changes it on the way."""
    return Stage.HIDDEN if Stage.HIDDEN in stages else Stage.ACT


def stages_of(spec: FFNSpec) -> tuple[Stage, ...]:
    """Stages that this FFN really has, in order; identical or absent ones are left out.

    Plain FFN: act and hidden are the same tensor, so ACT stays and HIDDEN is what follows only when
    something changes it (a gate, an inner norm, a multiplier).
    Post-norm (2017, BERT) normalises the sum, so POST_NORM comes last there.
    """
    before = [Stage.INPUT] + ([Stage.NORM] if spec.normalises_input else [])
    wide = [Stage.GATE, Stage.UP] if spec.gated else [Stage.UP]
    wide.append(Stage.ACT)
    if spec.changes_hidden:
        wide.append(Stage.HIDDEN)
    after = [Stage.OUT]
    if spec.norm.placement in ("post_only", "sandwich"):
        after.append(Stage.POST_NORM)
    if spec.residual:
        after.append(Stage.RESIDUAL)
    if spec.norm.placement == "post":
        after.append(Stage.POST_NORM)
    return tuple(before + wide + after)
