"""What each step of the flow computes, as short formulas for the plates between the columns."""

from dataclasses import dataclass

from ffn_explorer.core.activation_table import FUNCTIONS
from ffn_explorer.core.layer_parts import LayerParts, parts_of_settings
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.spec import FFNSpec, NormKind
from ffn_explorer.core.stages import Stage
from ffn_explorer.state.formulas import applied, bounded, factor, number, scaled, weighs_input

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


def formulas_of(
    spec: FFNSpec, settings: Settings, stages: tuple[Stage, ...], parts: LayerParts | None = None
) -> tuple[Formula, ...]:
    """Formula of every step after the input, in the names that stand above the columns.

    parts: tensors that the layer has, where the settings do not decide it.
    """
    d, f = settings.d_model, settings.d_ff
    has = parts_of_settings(settings) if parts is None else parts
    up, down = f"[{d:,}→{f:,}]", f"[{f:,}→{d:,}]"
    known = {
        Stage.NORM: Formula(Stage.NORM, NORM_LABELS[spec.norm.kind]),
        Stage.UP: Formula(Stage.UP, _reads("up", spec, has), up),
        Stage.GATE: Formula(Stage.GATE, _reads("gate", spec, has), up),
        Stage.ACT: Formula(Stage.ACT, _function(spec)),
        Stage.HIDDEN: Formula(Stage.HIDDEN, _product(spec)),
        Stage.OUT: Formula(Stage.OUT, _writes(spec, settings, has), down),
        Stage.POST_NORM: Formula(Stage.POST_NORM, NORM_LABELS[spec.norm.kind]),
        Stage.RESIDUAL: Formula(Stage.RESIDUAL, _sum(spec)),
    }
    return tuple(known[stage] for stage in stages if stage in known)


def _reads(role: str, spec: FFNSpec, has: LayerParts) -> tuple[str, ...]:
    read = "norm(x)" if spec.normalises_input else "x"
    read = f"(w · {read})" if weighs_input(spec) else f"mix({read})" if has.shift else read
    whole = f"W_{role} · {read}{' + b' if role in has.biases else ''}"
    if role == "up":
        return (bounded(whole, spec.up_limit), f"W_{role}")
    if spec.gate_multiplier != 1.0:
        whole = scaled(f"({whole})", spec.gate_multiplier)
    if spec.gate_sparsity:
        whole = f"max(0, {whole} − c)"
    return (bounded(whole, spec.gate_limit), f"W_{role}")


def _writes(spec: FFNSpec, settings: Settings, has: LayerParts) -> tuple[str, ...]:
    hidden = "hidden" if spec.changes_hidden else "act"
    bias = "down" in has.biases
    whole = f"W_down · {hidden}{' + b' if bias else ''}"
    if spec.routing is not None:
        weighed = not weighs_input(spec)
        inside = f"({whole})" if bias else whole
        whole = f"Σₖ wₖ · {inside}" if weighed else f"Σₖ {inside}"
        whole += (" + σ · shared" if has.shared_gate else " + shared") if has.shared else ""
    if has.shift:
        whole = f"σ(W_r · mixᵣ) ⊙ ({whole})"
    if has.layer_scale:
        whole = f"λ ⊙ ({whole})"
    if spec.output_scale != 1.0:
        whole = scaled(whole if has.layer_scale else f"({whole})", spec.output_scale)
    if settings.training and settings.dropout > 0:
        whole = f"dropout({whole})"
    return (whole, "W_down")


def _function(spec: FFNSpec) -> tuple[str, ...]:
    function = FUNCTIONS[spec.function]
    short = function.label.partition(" (")[0]
    if spec.act_limit is not None:
        return (bounded(applied(spec, "·"), spec.act_limit), short)
    if applied(spec, "·") != f"{function.label}(·)" and spec.function not in ("identity", "sigmoid", "xielu"):
        return (applied(spec, "z"), short)
    return ("max(0, ·)", short) if spec.function == "relu" else tuple(dict.fromkeys((function.label, short)))


def _product(spec: FFNSpec) -> tuple[str, ...]:
    parts = [f"⊙ {factor(spec)}" if spec.up_offset else "⊙"] if spec.gated else []
    if spec.hidden_multiplier != 1.0:
        parts.append(f"× {number(spec.hidden_multiplier)}")
    if spec.inner_norm is not None:
        parts += NORM_LABELS[spec.inner_norm.kind][:1]
    if spec.keep:
        parts.append(f"top {spec.keep:,}")
    if len(parts) < 2:
        return tuple(parts)
    return (" → ".join(parts), f"{parts[0]} …")


def _sum(spec: FFNSpec) -> tuple[str, ...]:
    scale = "" if spec.residual_scale == 1.0 else f"× {number(spec.residual_scale)} "
    return (f"{scale}+ {scaled('x', spec.skip_scale)}",)
