"""Proof steps at both ends: what enters the sublayer, and the FFN's output."""

import math
from dataclasses import replace

import torch
from torch import Tensor

from ffn_explorer.core.dropout import Dropout
from ffn_explorer.core.experiment import Run
from ffn_explorer.core.ffn import FFN
from ffn_explorer.core.mixer import Mixer, mix
from ffn_explorer.core.proof_step import (
    At,
    Step,
    accumulator_eps,
    eps,
    signed,
    sum_tolerance,
    sum_written,
    written,
)

_ROUNDINGS = 4
"""Roundings to the stored type between the stream before the mixer and after it."""


def input_step(run: Run, at: At) -> Step:
    """Step of x: the hidden state given, or what the attention mixer made of it."""
    given = at.of(run.x)
    if run.mixer is None:
        return Step(given, 0.0, f"x{at} = h{at}", written(given), (f"h{at}",))
    sentence = run.x[at.sentence : at.sentence + 1, : run.lengths[at.sentence]].cpu().double()  # [1, S, D]
    mixed = mix(_widened(run.mixer), sentence, at=slice(at.token, at.token + 1))  # [1, 1, D]
    value = float(mixed[0, 0, at.index])
    # Sums over D, over the tokens and over the heads' widths, with q, k, softmax and v each rounded once.
    terms = run.mixer.output.shape[1] + run.x.shape[-1] + sentence.shape[1]
    dtype = run.x.dtype
    unit = _ROUNDINGS * eps(dtype) + accumulator_eps(dtype) * math.sqrt(terms)
    return Step(
        value,
        unit * float(sentence.abs().max()),
        f"x{at} = h{at} + attention(h){at}",
        f"{written(given)} {signed(value - given)} = {written(value)}",
        (f"h[{at.sentence}, :, :]", "W_query", "W_key", "W_value", f"W_output[{at.index}, :]"),
    )


def out_step(run: Run, at: At) -> Step:
    """Step of out: Σ W_down · hidden + b_down, or the weighted sum over a token's experts; then dropout."""
    step = _dense(run, run.layer, at) if isinstance(run.layer, FFN) else _mixture(run, at)
    factor, name = _factors(run, at)
    if not name:
        return replace(
            step,
            formula=f"out{at} = {step.formula}",
            numbers=f"{step.numbers} = {written(step.value)}",
        )
    value = step.value * factor
    return Step(
        value,
        step.tolerance * abs(factor) + 2 * eps(run.trace.out.dtype) * abs(value),
        f"out{at} = {name} · ({step.formula})",
        f"{written(factor)} · ({step.numbers}) = {written(value)}",
        (*step.slices, *(part for part in name.split(" · ") if "[" in part)),
    )


def _dense(run: Run, ffn: FFN, at: At) -> Step:
    row = ffn.down[at.index].cpu().double()  # [F]
    hidden = at.row_of(run.trace.hidden)
    bias = None if ffn.down_bias is None else float(ffn.down_bias[at.index])
    # A plain FFN has no step between act and hidden, and the pictures call it act.
    name = "hidden" if run.trace.spec.changes_hidden else "act"
    terms = row * hidden
    value = float(terms.sum()) + (bias or 0.0)
    tail = "" if bias is None else f" + b_down[{at.index}]"
    slices = (f"W_down[{at.index}, :]", f"{name}{at.row()}", *([f"b_down[{at.index}]"] if tail else []))
    return Step(
        value,
        sum_tolerance(terms, value, dtype=ffn.down.dtype, bias=bias or 0.0),
        f"Σ W_down[{at.index}, i] · {name}{at.row('i')}{tail}",
        sum_written(row, hidden, bias=bias),
        slices,
    )


def _mixture(run: Run, at: At) -> Step:
    """Σ over the K chosen experts of weight · expert's out, and the shared expert's out."""
    trace, b, s = run.trace, at.sentence, at.token
    assert trace.routing is not None
    assert trace.spec.routing is not None
    routing = trace.routing
    outs = routing.expert_out[b, s, :, at.index].cpu().double()  # [K]
    weigh_output = trace.spec.routing.weigh == "output"
    weights = routing.weight[b, s].cpu().double() if weigh_output else torch.ones_like(outs)
    # A weight that multiplies what an expert reads (Llama 4) is in its output already.
    weighed, read = (f"w[{b}, {s}, k] · ", [f"w[{b}, {s}, :]"]) if weigh_output else ("", [])
    formula = f"Σ {weighed}E_out[{b}, {s}, k, {at.index}]"
    slices = [*read, f"E_out[{b}, {s}, :, {at.index}]"]
    shared = shared_at(run, at)
    terms = weights * outs
    value = float(terms.sum()) + (shared or 0.0)
    if shared is not None:
        name = shared_name(run, at)
        formula += f" + {name}"
        slices += name.split(" · ")
    total = float(terms.abs().sum()) + abs(shared or 0.0)
    # Every product and every partial sum is stored in the run's dtype.
    tolerance = (len(terms) + 2) * eps(trace.out.dtype) * total
    return Step(value, tolerance, formula, sum_written(weights, outs, bias=shared), tuple(slices))


def shared_at(run: Run, at: At) -> float | None:
    """What the shared experts add to one number of out, None where there are none."""
    routing = run.trace.routing
    if routing is None or routing.shared is None:
        return None
    gate = routing.shared_weight
    factor = 1.0 if gate is None else float(gate[at.sentence, at.token, 0])
    return factor * at.of(routing.shared.out)


def shared_name(run: Run, at: At) -> str:
    """Symbols of what `shared_at` gives; g_shared is the sigmoid that weighs it, where there is one."""
    gated = run.trace.routing is not None and run.trace.routing.shared_weight is not None
    return f"g_shared[{at.sentence}, {at.token}] · shared{at}" if gated else f"shared{at}"


def _factors(run: Run, at: At) -> tuple[float, str]:
    """What multiplies out after the sum, and its name: output scale, LayerScale, openness, dropout."""
    factor, names = 1.0, []
    if run.trace.spec.output_scale != 1.0:
        factor *= run.trace.spec.output_scale
        names.append(written(run.trace.spec.output_scale))
    if run.layer.layer_scale is not None:
        factor *= float(run.layer.layer_scale[at.index])
        names.append(f"layer_scale[{at.index}]")
    if run.trace.openness is not None:
        factor *= at.of(run.trace.openness)
        names.append(f"open{at}")
    settings = run.settings
    if settings.training and settings.dropout > 0:
        kept: Tensor = Dropout(settings.dropout, settings.seed)(
            torch.ones(run.trace.out.shape, dtype=torch.float64)
        )
        factor *= at.of(kept)
        names.append(f"dropout{at}")
    return factor, " · ".join(names)


def _widened(mixer: Mixer) -> Mixer:
    return replace(
        mixer,
        query=mixer.query.cpu().double(),
        key=mixer.key.cpu().double(),
        value=mixer.value.cpu().double(),
        output=mixer.output.cpu().double(),
    )
