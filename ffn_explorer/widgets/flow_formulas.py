"""What each step of the flow computes, as short formulas for the plates between the columns."""

from dataclasses import dataclass

from ffn_explorer.core.activation_table import FUNCTIONS
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.spec import FFNSpec, NormKind
from ffn_explorer.core.stages import Stage

NORM_LABELS: dict[NormKind, tuple[str, ...]] = {
    "layer": ("LayerNorm", "LN"),
    "rms": ("RMSNorm", "RMS"),
    "none": (),
}


@dataclass(frozen=True, slots=True)
class Formula:
    """Texts of one plate: the whole formula, then what nobody takes for a formula, down to a bare name."""

    stage: Stage
    texts: tuple[str, ...]
    shape: str = ""


def formulas_of(spec: FFNSpec, settings: Settings, stages: tuple[Stage, ...]) -> tuple[Formula, ...]:
    """Formula of every step after the input, in the names that stand above the columns."""
    d, f = settings.d_model, settings.d_ff
    up, down = f"[{d:,}→{f:,}]", f"[{f:,}→{d:,}]"
    known = {
        Stage.NORM: Formula(Stage.NORM, NORM_LABELS[spec.norm.kind]),
        Stage.UP: Formula(Stage.UP, _reads("W_up", stages, settings), up),
        Stage.GATE: Formula(Stage.GATE, _reads("W_gate", stages, settings), up),
        Stage.ACT: Formula(Stage.ACT, _function(spec)),
        Stage.HIDDEN: Formula(Stage.HIDDEN, _product(spec)),
        Stage.OUT: Formula(Stage.OUT, _writes(spec, settings, stages), down),
        Stage.POST_NORM: Formula(Stage.POST_NORM, NORM_LABELS[spec.norm.kind]),
        Stage.RESIDUAL: Formula(Stage.RESIDUAL, _sum(spec)),
    }
    return tuple(known[stage] for stage in stages if stage in known)


def _reads(matrix: str, stages: tuple[Stage, ...], settings: Settings) -> tuple[str, ...]:
    read = "norm(x)" if Stage.NORM in stages else "x"
    return (f"{matrix} · {read}{' + b' if settings.bias else ''}", matrix)


def _writes(spec: FFNSpec, settings: Settings, stages: tuple[Stage, ...]) -> tuple[str, ...]:
    hidden = "hidden" if Stage.HIDDEN in stages else "act"
    whole = f"W_down · {hidden}{' + b' if settings.bias else ''}"
    if spec.routing is not None:
        whole = f"Σₖ wₖ · ({whole})" if settings.bias else f"Σₖ wₖ · {whole}"
        whole += " + shared" if settings.shared_experts else ""
    if spec.output_scale != 1.0:
        whole = f"{_times(spec.output_scale)}({whole})"
    if settings.training and settings.dropout > 0:
        whole = f"dropout({whole})"
    return (whole, "W_down")


def _function(spec: FFNSpec) -> tuple[str, ...]:
    function = FUNCTIONS[spec.function]
    short = function.label.partition(" (")[0]
    return ("max(0, ·)", short) if spec.function == "relu" else tuple(dict.fromkeys((function.label, short)))


def _product(spec: FFNSpec) -> tuple[str, ...]:
    parts = ["⊙"] if spec.gated else []
    if spec.hidden_multiplier != 1.0:
        parts.append(f"× {spec.hidden_multiplier:g}")
    if spec.inner_norm is not None:
        parts += NORM_LABELS[spec.inner_norm.kind][:1]
    if spec.keep:
        parts.append(f"top {spec.keep:,}")
    if len(parts) < 2:
        return tuple(parts)
    return (" → ".join(parts), f"{parts[0]} …")


def _sum(spec: FFNSpec) -> tuple[str, ...]:
    scale = "" if spec.residual_scale == 1.0 else f"× {spec.residual_scale:g} "
    return (f"{scale}+ {_times(spec.skip_scale)}x",)


def _times(scale: float) -> str:
    return "" if scale == 1.0 else f"{scale:g} · "
