"""Formulas of the stages: what this very FFN computes, with its norms and biases."""

from ffn_explorer.core.activation_table import FUNCTIONS
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.spec import FFNSpec
from ffn_explorer.core.stages import Stage

_NORMS = {
    "layer": "({v} − mean({v})) / √(var({v}) + ε) · w + b",
    "rms": "{v} / √(mean({v}²) + ε) · w",
}
"""LayerNorm (Ba 2016) and RMSNorm (Zhang & Sennrich 2019) of a vector v."""


def formula(stage: Stage, spec: FFNSpec, settings: Settings) -> str:
    """Formula of one stage, e.g. "up = W_up · norm(x) + b_up"; of experts, the first choice's."""
    read = "norm(x)" if spec.normalises_input else "x"
    match stage:
        case Stage.INPUT:
            return "x = h + attention(norm(h))" if _mixes_normed(settings) else _input(settings)
        case Stage.NORM:
            return "norm(x) = " + _norm(spec, "x")
        case Stage.UP | Stage.GATE:
            return _affine(str(stage), read, settings=settings)
        case Stage.ACT:
            return f"act = {applied(spec.function, 'gate' if spec.gated else 'up')}"
        case Stage.HIDDEN:
            return _hidden(spec)
        case Stage.OUT:
            return _out(spec, settings, read)
        case Stage.POST_NORM:
            return _post_norm(spec)
        case Stage.RESIDUAL:
            return "y = x + norm(out)" if spec.norm.placement == "sandwich" else "y = x + out"


def applied(function: str, argument: str) -> str:
    """The scalar function applied to a name: "ReLU(up)", "σ(gate)"; identity adds nothing."""
    if function == "identity":
        return argument
    label = "σ" if function == "sigmoid" else FUNCTIONS[function].label
    return f"{label}({argument})"


def _mixes_normed(settings: Settings) -> bool:
    return settings.mixer and settings.norm != "none"


def _input(settings: Settings) -> str:
    return "x = h + attention(h)" if settings.mixer else "x"


def _norm(spec: FFNSpec, name: str) -> str:
    return _NORMS[spec.norm.kind].format(v=name)


def _affine(role: str, read: str, *, settings: Settings) -> str:
    # The first choice of the router is the expert whose intermediate is shown.
    of = "[e₁]" if settings.is_moe else ""
    bias = f" + b_{role}{of}" if settings.bias else ""
    return f"{role} = W_{role}{of} · {read}{bias}"


def _hidden(spec: FFNSpec) -> str:
    whole = "act ⊙ up" if spec.gated else "act"
    return f"hidden = keep({whole}, k = {spec.keep:,})" if spec.keep else f"hidden = {whole}"


def _out(spec: FFNSpec, settings: Settings, read: str) -> str:
    if settings.is_moe:
        shared = f" + shared({read})" if settings.shared_experts else ""
        summed = f"Σₖ wₖ · expert[eₖ]({read}){shared}"
    else:
        hidden = "hidden" if spec.changes_hidden else "act"
        summed = f"W_down · {hidden}{' + b_down' if settings.bias else ''}"
    drops = settings.training and settings.dropout > 0
    return f"out = dropout({summed})" if drops else f"out = {summed}"


def _post_norm(spec: FFNSpec) -> str:
    if spec.norm.placement == "sandwich":
        return "norm(out) = " + _norm(spec, "out")
    name = "y" if spec.residual else "out"
    return f"norm({name}) = " + _norm(spec, name)
