"""Formulas of the stages: what this very FFN computes, with its norms, biases, limits and scales."""

import math
from statistics import NormalDist

from ffn_explorer.core.activation_table import FUNCTIONS
from ffn_explorer.core.layer_parts import LayerParts, NormParts, parts_of_settings
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.spec import FFNSpec, NormSpec
from ffn_explorer.core.stages import Stage
from ffn_explorer.state import numbers

_NORMS = {
    "layer": "({v} − mean({v})) / √(var({v}) + ε)",
    "rms": "{v} / √(mean({v}²) + ε)",
}
"""LayerNorm (Ba 2016) and RMSNorm (Zhang & Sennrich 2019) of a vector v, before what is learned."""

_ALPHA = {"quick_gelu": 1.702, "silu": 1.0}
"""What the names of these functions stand for: z · σ(α z)."""


def formula(stage: Stage, spec: FFNSpec, settings: Settings, parts: LayerParts | None = None) -> str:
    """Formula of one stage, e.g. "up = W_up · norm(x) + b_up"; of experts, the first choice's.

    parts: tensors that the layer has, where the settings do not decide it.
    """
    has = parts_of_settings(settings) if parts is None else parts
    read = "norm(x)" if spec.normalises_input else "x"
    if has.shift:
        read = f"mix({read})"
    match stage:
        case Stage.INPUT:
            return "x = h + attention(norm(h))" if _mixes_normed(settings) else _input(settings)
        case Stage.NORM:
            return "norm(x) = " + normed("x", spec.norm, has.pre)
        case Stage.UP | Stage.GATE:
            return f"{stage} = {_reading(str(stage), spec, has, read)}"
        case Stage.ACT:
            return f"act = {bounded(applied(spec, 'gate' if spec.gated else 'up'), spec.act_limit)}"
        case Stage.HIDDEN:
            return _hidden(spec, has)
        case Stage.OUT:
            return _out(spec, settings, has, read=read)
        case Stage.POST_NORM:
            return _post_norm(spec, has)
        case Stage.RESIDUAL:
            return residual(spec)


def applied(spec: FFNSpec, argument: str) -> str:
    """The scalar function applied to a name: "ReLU(up)", "σ(gate)"; identity adds nothing."""
    function, given = spec.function, dict(spec.function_params)
    if function == "identity":
        return argument
    if function in _ALPHA and given.get("alpha", _ALPHA[function]) != _ALPHA[function]:
        return f"{argument} · σ({number(given['alpha'])} · {argument})"
    label = "σ" if function == "sigmoid" else FUNCTIONS[function].label
    learned = [f"{_LEARNED[name]} = {number(value)}" for name, value in given.items() if name in _LEARNED]
    return f"{label}({', '.join((argument, *learned))})"


_LEARNED = {"alpha_p": "α₁", "alpha_n": "α₂", "beta": "β"}
"""Parameters of xIELU, in the symbols of its formula."""


def normed(name: str, norm: NormSpec, has: NormParts) -> str:
    """A norm of a vector, with the weight and bias that it has: "x / √(mean(x²) + ε) · (1 + w)"."""
    weight = f" · ({number(norm.weight_offset)} + w)" if norm.weight_offset else " · w"
    return _NORMS[norm.kind].format(v=name) + (weight if has.weight else "") + (" + b" if has.bias else "")


def bounded(inside: str, limit: tuple[float, float] | None) -> str:
    """A value kept within limits: "clamp(up, −7, 7)", "min(gate, 7)"."""
    if limit is None:
        return inside
    low, high = limit
    if math.isinf(low):
        return f"min({inside}, {number(high)})"
    return (
        f"max({inside}, {number(low)})"
        if math.isinf(high)
        else f"clamp({inside}, {number(low)}, {number(high)})"
    )


def residual(spec: FFNSpec) -> str:
    """The sum that leaves the sublayer, with its scales: "y = x + 0.22 · norm(out)"."""
    branch = "norm(out)" if spec.norm.placement in ("post_only", "sandwich") else "out"
    return f"y = {scaled('x', spec.skip_scale)} + {scaled(branch, spec.residual_scale)}"


def factor(spec: FFNSpec) -> str:
    """What act is multiplied with in a gated FFN: "up", "(up + 1)"."""
    return f"(up + {number(spec.up_offset)})" if spec.up_offset else "up"


def scaled(inside: str, scale: float) -> str:
    """Something times a number; 1 is left out."""
    return inside if scale == 1.0 else f"{number(scale)} · {inside}"


def number(value: float) -> str:
    """A constant of a formula, in at most four digits, none of them a 0 at the end."""
    return f"{value:.4g}".replace("-", numbers.MINUS)


def _mixes_normed(settings: Settings) -> bool:
    return settings.mixer and settings.norm != "none"


def _input(settings: Settings) -> str:
    return "x = h + attention(h)" if settings.mixer else "x"


def _reading(role: str, spec: FFNSpec, has: LayerParts, read: str) -> str:
    """Σ W · x + b, then what the spec adds: multiplier, sparsity, limit, in this order."""
    # The first choice of the router is the expert whose intermediate is shown.
    of = "" if spec.routing is None else "[e₁]"
    x = f"(w₁ · {read})" if weighs_input(spec) else read
    whole = f"W_{role}{of} · {x}" + (f" + b_{role}{of}" if role in has.biases else "")
    if role == "up":
        return bounded(whole, spec.up_limit)
    if spec.gate_multiplier != 1.0:
        whole = scaled(f"({whole})", spec.gate_multiplier)
    if not spec.gate_sparsity:
        return bounded(whole, spec.gate_limit)
    above = f"max(0, g − mean(g) {signed_deviations(spec.gate_sparsity)} · std(g))"
    return f"{bounded(above, spec.gate_limit)}, g = {whole}"


def signed_deviations(share: float) -> str:
    """Standard deviations above the mean below which that share of a normal row lies, as taken away."""
    found = NormalDist().inv_cdf(share)
    return f"− {number(found)}" if found >= 0 else f"+ {number(-found)}"


def weighs_input(spec: FFNSpec) -> bool:
    """Whether the router's weight multiplies what an expert reads (Llama 4)."""
    return spec.routing is not None and spec.routing.weigh == "input"


def _hidden(spec: FFNSpec, has: LayerParts) -> str:
    whole = f"act ⊙ {factor(spec)}" if spec.gated else "act"
    whole = scaled(whole, spec.hidden_multiplier)
    if spec.inner_norm is not None:
        kept = _kept(normed("h", spec.inner_norm, has.inner), spec)
        return f"hidden = {kept}, h = {whole}"
    return f"hidden = {_kept(whole, spec)}"


def _kept(whole: str, spec: FFNSpec) -> str:
    return f"keep({whole}, k = {spec.keep:,})" if spec.keep else whole


def _out(spec: FFNSpec, settings: Settings, has: LayerParts, *, read: str) -> str:
    if spec.routing is not None:
        summed = f"Σₖ expert[eₖ](wₖ · {read})" if weighs_input(spec) else f"Σₖ wₖ · expert[eₖ]({read})"
        if has.shared:
            gate = f"σ(w_shared · {read}) · " if has.shared_gate else ""
            summed += f" + {gate}shared({read})"
    else:
        hidden = "hidden" if spec.changes_hidden else "act"
        summed = f"W_down · {hidden}{' + b_down' if 'down' in has.biases else ''}"
    summed = _with_scales(summed, spec, has)
    drops = settings.training and settings.dropout > 0
    return f"out = dropout({summed})" if drops else f"out = {summed}"


def _with_scales(summed: str, spec: FFNSpec, has: LayerParts) -> str:
    """A sum with the output scale and LayerScale that stand before it."""
    factors = [number(spec.output_scale) + " ·"] if spec.output_scale != 1.0 else []
    factors += ["λ ⊙"] if has.layer_scale else []
    factors += ["σ(W_r · mixᵣ) ⊙"] if has.shift else []
    return f"{' '.join(factors)} ({summed})" if factors else summed


def memory_value(spec: FFNSpec) -> str:
    """How strongly a memory answers: "f(z) · up", "norm(f(z) · (up + 1))"."""
    whole = f"f(z) · {factor(spec)}" if spec.gated else "f(z)"
    whole = scaled(whole, spec.hidden_multiplier)
    return whole if spec.inner_norm is None else f"norm({whole})"


def memories_sum(spec: FFNSpec, has: LayerParts) -> str:
    """What the memories add up to, with all that stands around their sum."""
    summed = "Σᵢ mᵢ · vᵢ" + (" + b" if "down" in has.biases else "")
    if spec.routing is not None:
        weight = "" if weighs_input(spec) else "wₖ · "
        summed = f"Σₖ {weight}({summed})" + (" + shared" if has.shared else "")
    return _with_scales(summed, spec, has)


def after_sum(stage: Stage, spec: FFNSpec, has: LayerParts) -> str:
    """What happens to the sum behind a number of up, gate or out; "Σ" where nothing does."""
    if stage is Stage.UP:
        return bounded("Σ", spec.up_limit)
    if stage is Stage.GATE:
        whole = scaled("Σ", spec.gate_multiplier)
        return bounded(f"max(0, {whole} − c)" if spec.gate_sparsity else whole, spec.gate_limit)
    whole = scaled("Σ", spec.output_scale)
    whole = f"λ · {whole}" if has.layer_scale else whole
    return f"open · {whole}" if has.shift else whole


def _post_norm(spec: FFNSpec, has: LayerParts) -> str:
    if spec.norm.placement in ("post_only", "sandwich"):
        return "norm(out) = " + normed("out", spec.norm, has.post)
    name = "y" if spec.residual else "out"
    return f"norm({name}) = " + normed(name, spec.norm, has.post)
