"""Proof steps of the wide stages: up, gate, activation, hidden."""

import math
from statistics import NormalDist

import torch
from torch import Tensor

from ffn_explorer.core import activations
from ffn_explorer.core.experiment import Run
from ffn_explorer.core.ffn import FFN
from ffn_explorer.core.forward_pass import before_cut
from ffn_explorer.core.keep import column_norms, strength_of, strongest_first
from ffn_explorer.core.memory import expert_at
from ffn_explorer.core.proof_narrow import norm_parts
from ffn_explorer.core.proof_step import At, Step, eps, held, signed, sum_tolerance, sum_written, written
from ffn_explorer.core.spec import FFNSpec

# {z} stands where brackets are around it already, {held} where a negative number needs its own.
_CURVES = {
    "relu": "max(0, {z})",
    "gelu": "{held} · Φ({z})",
    "gelu_tanh": "½ · {held} · (1 + tanh(√(2 / 3.14159) · ({z} + 0.044715 · {held}^3)))",
    "quick_gelu": "{held} · σ({alpha} · {held})",
    "silu": "{held} · σ({alpha} · {held})",
    "relu2": "max(0, {z})²",
    "identity": "{z}",
    "sigmoid": "σ({z})",
}
_XIELU = ("{p} · {held}² + {beta} · {held}", "{n} · (expm1(min({z}, {eps})) − {held}) + {beta} · {held}")
"""xIELU above 0, and from 0 down (Huang & Schlag 2024)."""
_ALPHA = {"quick_gelu": 1.702, "silu": 1.0}

_ROUNDINGS = 4
"""Units in the last place allowed to a few elementwise operations after one another."""


def up_step(run: Run, at: At) -> Step:
    """Step of up: Σ W_up · norm + b_up, within its limit."""
    return _read(run, at, "up")


def gate_step(run: Run, at: At) -> Step:
    """Step of gate: Σ W_gate · norm + b_gate, then multiplier, sparsity and limit where there are any."""
    return _read(run, at, "gate")


def act_step(run: Run, at: At) -> Step:
    """Step of act: f(gate) of a gated FFN, f(up) of a plain one."""
    if dropped(run, at):
        return _nothing("act", at)
    spec = expert_at(run, at.sentence, at.token).spec
    name, kept = ("up", run.trace.up) if run.trace.gate is None else ("gate", run.trace.gate)
    z = at.of(kept)
    exact = activations.apply(spec.function, torch.tensor(z, dtype=torch.float64), spec.function_params)
    value = float(exact if spec.act_limit is None else exact.clamp(*spec.act_limit))
    shape = _curve(spec, positive=z > 0)
    if spec.act_limit is not None:
        shape = _clamped(shape, spec.act_limit)
    return Step(
        value,
        _ROUNDINGS * eps(kept.dtype) * (abs(value) + abs(z)),
        f"act{at} = {shape.format(z='z', held='z')}, z = {name}{at}",
        f"{shape.format(z=written(z), held=held(z))} = {written(value)}",
        (f"{name}{at}",),
    )


def hidden_step(run: Run, at: At) -> Step:
    """Step of hidden: act · up of a gated FFN, act of a plain one, then multiplier, inner norm and cut."""
    if dropped(run, at):
        return _nothing("hidden", at)
    ffn = expert_at(run, at.sentence, at.token)
    step = _uncut_step(run, at, ffn)
    return _cut(run, at, ffn=ffn, step=step) if ffn.spec.keep else step


def _uncut_step(run: Run, at: At, ffn: FFN) -> Step:
    """Step of hidden before any memory is cut."""
    spec, dtype = ffn.spec, run.trace.hidden.dtype
    row, text, numbers, slices = (
        at.row_of(run.trace.act),
        f"act{at}",
        written(at.of(run.trace.act)),
        [f"act{at}"],
    )
    if spec.gated:
        up, offset = at.row_of(run.trace.up), spec.up_offset
        row = row * (up + offset)
        plus = f" + {written(offset)}" if offset else ""
        text += f" · (up{at}{plus})" if offset else f" · up{at}"
        factor = at.of(run.trace.up)
        numbers = f"{held(at.of(run.trace.act))} · " + (
            f"({written(factor)}{plus})" if offset else held(factor)
        )
        slices.append(f"up{at}")
    if spec.hidden_multiplier != 1.0:
        row = row * spec.hidden_multiplier
        text, numbers = (f"{written(spec.hidden_multiplier)} · {part}" for part in (text, numbers))
    value = float(row[at.index])
    tolerance = _ROUNDINGS * eps(dtype) * abs(value)
    if spec.inner_norm is not None:
        step = norm_parts(row, at, ("hidden", "h"), spec=spec.inner_norm, weights=ffn.inner_norm, dtype=dtype)
        return Step(step.value, step.tolerance, f"{step.formula}, h = {text}", step.numbers, tuple(slices))
    if spec.gated or spec.hidden_multiplier != 1.0:
        numbers = f"{numbers} = {written(value)}"
    return Step(value, tolerance, f"hidden{at} = {text}", numbers, tuple(slices))


def _cut(run: Run, at: At, *, ffn: FFN, step: Step) -> Step:
    """The step after keep-top-k: its value where it is among the k strongest of its token, else 0.

    Which are kept is asked in the run's own dtype: near ties another one would cut elsewhere.
    """
    k, row = ffn.spec.keep, (at.sentence, at.token)
    strength = strength_of(before_cut(ffn, run.trace.up[row], run.trace.act[row]), column_norms(ffn))  # [F]
    order = strongest_first(strength)
    kept = bool((order[:k] == at.index).any())
    mine, last = float(strength[at.index]), float(strength[order[min(k, len(order)) - 1]])
    sign = "≥" if kept else "<" if mine < last else "="
    name, _, text = step.formula.partition(" = ")
    return Step(
        step.value if kept else 0.0,
        step.tolerance if kept else 0.0,
        f"{name} = keep({text}, k = {k:,})",
        f"{step.numbers}, |m| · ‖v‖ = {written(mine)} {sign} {written(last)}{'' if kept else ' → 0'}",
        (*step.slices, f"act{at.row()}", "W_down"),
    )


def dropped(run: Run, at: At) -> bool:
    """Whether the token's first expert had no room left, so that nothing was computed."""
    routing = run.trace.routing
    return routing is not None and bool(routing.dropped[at.sentence, at.token, 0])


def prefix(run: Run, at: At) -> str:
    """What stands before a weight's name: "E3." for a token's first-choice expert, nothing when dense."""
    routing = run.trace.routing
    return "" if routing is None else f"E{int(routing.index[at.sentence, at.token, 0])}."


def _read(run: Run, at: At, role: str) -> Step:
    """Σ W · norm + b of one row of up or gate, then what the spec adds."""
    if dropped(run, at):
        return _nothing(role, at)
    ffn = expert_at(run, at.sentence, at.token)
    weight, bias = (ffn.up, ffn.up_bias) if role == "up" else (ffn.gate, ffn.gate_bias)
    if weight is None:
        raise KeyError(role)
    x, source = entering(run, at)
    row = weight[at.index].cpu().double()  # [D]
    added = None if bias is None else float(bias[at.index])
    terms = row * x
    value = float(terms.sum()) + (added or 0.0)
    name = f"{prefix(run, at)}W_{role}"
    text = f"Σ {name}[{at.index}, d] · {source}"
    slices = [f"{name}[{at.index}, :]", f"{_read_name(run)}{at.row()}"]
    if added is not None:
        text += f" + {prefix(run, at)}b_{role}[{at.index}]"
        slices.append(f"{prefix(run, at)}b_{role}[{at.index}]")
    tolerance = sum_tolerance(terms, value, dtype=weight.dtype, bias=added or 0.0)
    numbers = sum_written(row, x, bias=added)
    value, text, numbers = _bent(ffn, role, value, text=text, numbers=numbers, x=x)
    if role == "gate" and ffn.spec.gate_sparsity:
        # The cutoff follows from the gates of all neurons.
        slices.append(name)
        text += f", g = {_all_gates(ffn, name, source)}"
    return Step(value, tolerance, f"{role}{at} = {text}", f"{numbers} = {written(value)}", tuple(slices))


def _all_gates(ffn: FFN, name: str, source: str) -> str:
    """What the cutoff is counted over: the gates of all neurons, with their multiplier."""
    times = ffn.spec.gate_multiplier
    return f"{'' if times == 1.0 else f'{written(times)} · '}{name} · {source.replace(', d]', ', :]')}"


def _bent(ffn: FFN, role: str, value: float, *, text: str, numbers: str, x: Tensor) -> tuple[float, str, str]:
    """Multiplier, Gaussian sparsity and limit, in that order, on value and both texts."""
    spec = ffn.spec
    if role == "gate" and spec.gate_multiplier != 1.0:
        value *= spec.gate_multiplier
        text, numbers = (f"{written(spec.gate_multiplier)} · ({part})" for part in (text, numbers))
    if role == "gate" and spec.gate_sparsity:
        cutoff = _cutoff(ffn, x)
        value = max(0.0, value - cutoff)
        text = f"max(0, {text} − (mean(g) {_deviations(spec)} · std(g)))"
        numbers = f"max(0, {numbers} − {held(cutoff)})"
    limit = spec.up_limit if role == "up" else spec.gate_limit
    if limit is not None:
        value = min(max(value, limit[0]), limit[1]) if not math.isnan(value) else value
        text, numbers = _clamped(text, limit), _clamped(numbers, limit)
    return value, text, numbers


def _cutoff(ffn: FFN, x: Tensor) -> float:
    """Gaussian top-k cutoff of the gate's whole row (Gemma 3n)."""
    assert ffn.gate is not None
    row = ffn.gate.cpu().double() @ x  # [F]
    row = (row if ffn.gate_bias is None else row + ffn.gate_bias.cpu()) * ffn.spec.gate_multiplier
    return float(row.mean() + row.std(unbiased=False) * NormalDist().inv_cdf(ffn.spec.gate_sparsity))


def _deviations(spec: FFNSpec) -> str:
    """How many standard deviations above the mean the cutoff lies, with its sign."""
    return signed(NormalDist().inv_cdf(spec.gate_sparsity))


def entering(run: Run, at: At) -> tuple[Tensor, str]:
    """What the matrices read `[D]` in float64, and its name; Llama 4 weighs the expert's input."""
    x = at.row_of(run.trace.entering)
    routing = run.trace.routing
    if routing is None or run.trace.spec.routing is None or run.trace.spec.routing.weigh == "output":
        return x, f"{_read_name(run)}{at.row('d')}"
    weight = routing.weight[at.sentence, at.token, 0]
    # The pass stores this product in its own dtype before the matrices read it.
    sent = (run.trace.normed[at.sentence, at.token] * weight).cpu().double()
    return sent, f"({written(float(weight))} · {_read_name(run)}{at.row('d')})"


def _read_name(run: Run) -> str:
    """Name of what the matrices read: the normed row, or x itself where no norm stands before them."""
    if run.trace.read is not None:
        return "mixed"
    return "norm" if run.trace.spec.normalises_input else "x"


def _curve(spec: FFNSpec, *, positive: bool) -> str:
    """Formula of f with {z} and {held} to fill in; a factor of 1 inside σ is left out."""
    given = dict(spec.function_params)
    if spec.function == "xielu":
        default = {"alpha_p": 0.8, "alpha_n": 0.8, "beta": 0.5, "eps": -1e-6}
        p, n, beta, low = (written((default | given)[name]) for name in default)
        text = _XIELU[0 if positive else 1]
        return text.replace("{p}", p).replace("{n}", n).replace("{beta}", beta).replace("{eps}", low)
    alpha = given.get("alpha", _ALPHA.get(spec.function, 1.0))
    template = _CURVES[spec.function]
    if alpha == 1.0:
        template = template.replace("{alpha} · {held}", "{z}")
    return template.replace("{alpha}", written(alpha))


def _clamped(text: str, limit: tuple[float, float]) -> str:
    low, high = limit
    if math.isinf(low):
        return f"min({text}, {written(high)})"
    if math.isinf(high):
        return f"max({text}, {written(low)})"
    return f"clamp({text}, {written(low)}, {written(high)})"


def _nothing(name: str, at: At) -> Step:
    """A slot dropped for lack of capacity: nothing was computed, and 0 stands there."""
    place = f"[{at.sentence}, {at.token}, 0]"
    return Step(0.0, 0.0, f"{name}{at} = 0, dropped{place} = 1", "0", (f"dropped{place}",))
