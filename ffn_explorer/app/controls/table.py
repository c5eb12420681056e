"""CONTROLS: every knob, one frozen row each."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from ffn_explorer.core.settings import Settings

Kind = Literal["int", "float", "choice", "flag", "ratio", "theta"]
Group = Literal["bar", "norm", "depth", "experts", "training", "numbers"]


@dataclass(frozen=True, slots=True)
class Control:
    """One knob. Texts: control.<field> (label) and control.<field>_tip (tooltip)."""

    field: str
    kind: Kind
    group: Group
    step: float = 1
    usable: Callable[[Settings], bool] = lambda _: True
    needs: str = ""
    """Catalogue key of the sentence that says why it cannot be used now."""


def _has_norm(s: Settings) -> bool:
    return s.norm != "none"


def _has_experts(s: Settings) -> bool:
    return s.is_moe


def _has_groups(s: Settings) -> bool:
    return s.is_moe and s.routing == "sigmoid_bias"


def _has_dropout(s: Settings) -> bool:
    return s.dropout > 0


CONTROLS: tuple[Control, ...] = (
    Control("d_model", "int", "bar", step=64),
    Control("d_ff", "int", "bar", step=64),
    Control("ratio", "ratio", "bar"),
    Control("activation", "choice", "bar"),
    Control("norm", "choice", "bar"),
    Control("bias", "flag", "bar"),
    Control("experts", "int", "bar"),
    Control("norm_placement", "choice", "norm", usable=_has_norm, needs="control.needs_norm"),
    Control("residual", "flag", "norm"),
    Control("stack", "choice", "depth"),
    Control("layers", "int", "depth"),
    Control("layer", "int", "depth"),
    Control("heads", "int", "depth"),
    Control("kv_heads", "int", "depth"),
    Control("head_dim", "int", "depth", step=16),
    Control("mixer", "flag", "depth"),
    Control("top_k", "int", "experts", usable=_has_experts, needs="control.needs_experts"),
    Control("routing", "choice", "experts", usable=_has_experts, needs="control.needs_experts"),
    Control("shared_experts", "int", "experts", usable=_has_experts, needs="control.needs_experts"),
    Control(
        "capacity_factor", "float", "experts", step=0.25, usable=_has_experts, needs="control.needs_experts"
    ),
    Control("expert_groups", "int", "experts", usable=_has_groups, needs="control.needs_groups"),
    Control("groups_kept", "int", "experts", usable=_has_groups, needs="control.needs_groups"),
    Control("dropout", "float", "training", step=0.05),
    Control("training", "flag", "training", usable=_has_dropout, needs="control.needs_dropout"),
    Control("theta", "theta", "numbers", step=0.05),
    Control("seed", "int", "numbers"),
    Control("dtype", "choice", "numbers"),
    Control("device", "choice", "numbers"),
)
COLUMNS: tuple[tuple[Group, ...], ...] = (("norm", "training"), ("depth",), ("experts",), ("numbers",))
"""Groups of the popup, column by column."""


def controls_in(group: Group) -> tuple[Control, ...]:
    """Rows of one group, in order."""
    return tuple(row for row in CONTROLS if row.group == group)
