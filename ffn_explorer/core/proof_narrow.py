"""Proof steps of norms and of the residual sum."""

import math

import torch
from torch import Tensor

from ffn_explorer.core.experiment import Run
from ffn_explorer.core.ffn import NormWeights
from ffn_explorer.core.proof_step import At, Step, accumulator_eps, eps, held, signed, written
from ffn_explorer.core.spec import NormSpec

_ROUNDINGS = 4
"""Units in the last place allowed to the elementwise part of a norm: difference, quotient, weight, bias."""


def pre_norm_step(run: Run, at: At) -> Step:
    """Step of norm: LayerNorm or RMSNorm of x, or x itself."""
    trace = run.trace
    if not trace.spec.normalises_input:
        value = at.of(trace.x)
        return Step(value, 0.0, f"norm{at} = x{at}", written(value), (f"x{at}",))
    row, weights = at.row_of(trace.x), run.layer.pre_norm
    return norm_parts(row, at, ("norm", "x"), spec=trace.spec.norm, weights=weights, dtype=trace.x.dtype)


def post_norm_step(run: Run, at: At) -> Step:
    """Step of post_norm: the norm of out, or (2017, BERT) of the sum."""
    trace = run.trace
    of_sum = trace.spec.norm.placement == "post"
    row, name = (trace.residual, "residual") if of_sum else (trace.out, "out")
    names, weights = ("post_norm", name), run.layer.post_norm
    return norm_parts(at.row_of(row), at, names, spec=trace.spec.norm, weights=weights, dtype=row.dtype)


def residual_step(run: Run, at: At) -> Step:
    """Step of residual: skip + branch, each with its scale; the branch alone where nothing is added back."""
    trace, spec = run.trace, run.trace.spec
    sandwiched = spec.norm.placement in ("post_only", "sandwich") and trace.post_norm is not None
    name, kept = ("post_norm", trace.post_norm) if sandwiched else ("out", trace.out)
    assert kept is not None
    branch = at.of(kept)
    if not spec.residual:
        return Step(branch, 0.0, f"residual{at} = {name}{at}", written(branch), (f"{name}{at}",))
    skip = at.of(trace.skip)
    value = skip * spec.skip_scale + branch * spec.residual_scale
    tolerance = (
        2 * eps(trace.residual.dtype) * (abs(skip * spec.skip_scale) + abs(branch * spec.residual_scale))
    )
    first, second = _factor(spec.skip_scale), _factor(spec.residual_scale)
    added = f"+ {second}{held(branch)}" if second else signed(branch)
    return Step(
        value,
        tolerance,
        f"residual{at} = {first}x{at} + {second}{name}{at}",
        f"{first}{held(skip) if first else written(skip)} {added} = {written(value)}",
        (f"x{at}", f"{name}{at}"),
    )


def norm_parts(
    row: Tensor, at: At, names: tuple[str, str], *, spec: NormSpec, weights: NormWeights, dtype: torch.dtype
) -> Step:
    """Step of one norm over a row `[N]` in float64; names: of the result, and of what is normalised."""
    name, source = names
    mean = float(row.mean()) if spec.kind == "layer" else 0.0
    variance = float((row - mean).square().mean())
    scale = math.sqrt(variance + spec.eps)
    weight = 1.0 if weights.weight is None else float(weights.weight[at.index]) + spec.weight_offset
    bias = 0.0 if weights.bias is None else float(weights.bias[at.index])
    x = float(row[at.index])
    value = (x - mean) / scale * weight + bias
    # The mean of N numbers carries √N units of rounding, and so does the variance, relative to its size.
    slack = accumulator_eps(dtype) * math.sqrt(len(row)) * (float(row.abs().mean()) + abs(x - mean))
    tolerance = slack * abs(weight) / scale + _ROUNDINGS * eps(dtype) * (abs(value) + abs(bias))

    with_bias = weights.bias is not None
    tail, tail_numbers = _learned(at, spec, weight, has_weight=weights.weight is not None)
    if with_bias:
        tail, tail_numbers = f"{tail} + b[{at.index}]", f"{tail_numbers} {signed(bias)}"
    root = f"√({written(variance)} + {written(spec.eps)})"
    if spec.kind == "layer":
        formula = f"{name}{at} = ({source}{at} − μ) / √(σ² + ε){tail}"
        numbers = f"({written(x)} {signed(-mean)}) / {root}{tail_numbers}"
    else:
        formula = f"{name}{at} = {source}{at} / √(Σ {source}{at.row('d')}² / {len(row)} + ε){tail}"
        numbers = f"{written(x)} / {root}{tail_numbers}"
    slices = [f"{source}{at.row()}"]
    slices += [f"w[{at.index}]"] if weights.weight is not None else []
    slices += [f"b[{at.index}]"] if with_bias else []
    return Step(value, tolerance, formula, f"{numbers} = {written(value)}", tuple(slices))


def _learned(at: At, spec: NormSpec, weight: float, *, has_weight: bool) -> tuple[str, str]:
    """The factor that a norm has learned, in symbols and numbers; Gemma stores w of (1 + w)."""
    if not has_weight:
        return "", ""
    offset = spec.weight_offset
    if not offset:
        return f" · w[{at.index}]", f" · {held(weight)}"
    stored = weight - offset
    return f" · ({written(offset)} + w[{at.index}])", f" · ({written(offset)} {signed(stored)})"


def _factor(scale: float) -> str:
    return "" if scale == 1.0 else f"{written(scale)} · "
