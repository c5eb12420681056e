"""Lines that bend the intermediate: the gate's multiplier, sparsity and limits, and the function itself."""

import math
from collections.abc import Iterator
from statistics import NormalDist

from ffn_explorer.core.spec import FFNSpec
from ffn_explorer.state.code.dialect import Dialect

_ALPHA = {"quick_gelu": 1.702, "silu": 1.0}
_XIELU = {"alpha_p": 0.8, "alpha_n": 0.8, "beta": 0.5, "eps": -1e-6}
"""Parameters of the functions, where the spec gives none."""


def gate_lines(spec: FFNSpec, row: Dialect) -> Iterator[str]:
    """What happens to the gate before f: multiplier, Gaussian top-k (Gemma 3n), limit."""
    if spec.gate_multiplier != 1.0:
        yield f"gate = {spec.gate_multiplier!r} * gate"
    if spec.gate_sparsity:
        torch = row.name == "torch"
        keep, unbiased = ("keepdim", ", unbiased=False") if torch else ("keepdims", "")
        deviations = NormalDist().inv_cdf(spec.gate_sparsity)
        yield f"cut = {deviations!r} * gate.std(-1, {keep}=True{unbiased})"
        yield f"cut = cut + gate.mean(-1, {keep}=True)"
        yield "gate = " + row.functions["relu"].format(z="(gate - cut)" if not torch else "gate - cut")
    yield from limit_lines("gate", spec.gate_limit, row)


def limit_lines(name: str, limit: tuple[float, float] | None, row: Dialect) -> Iterator[str]:
    """A value kept within limits."""
    if limit is None:
        return
    low, high = limit
    if row.name == "torch":
        bounds = [f"min={low!r}"] * math.isfinite(low) + [f"max={high!r}"] * math.isfinite(high)
        yield f"{name} = {name}.clamp({', '.join(bounds)})"
    else:
        ends = (repr(end) if math.isfinite(end) else "None" for end in limit)
        yield f"{name} = np.clip({name}, {', '.join(ends)})"


def act_lines(spec: FFNSpec, row: Dialect) -> Iterator[str]:
    """The function of the gate, or of up in a plain FFN, with the parameters of this FFN, and its limit."""
    z, given = "gate" if spec.gated else "up", dict(spec.function_params)
    alpha = given.get("alpha", _ALPHA.get(spec.function, 1.0))
    if spec.function == "xielu":
        yield from _xielu(z, _XIELU | given, row)
    elif spec.function in _ALPHA and alpha != _ALPHA[spec.function]:
        yield f"act = {z} * {row.sigmoid.format(x=f'{alpha!r} * {z}')}"
    else:
        yield f"act = {row.functions[spec.function].format(z=z)}"
    yield from limit_lines("act", spec.act_limit, row)


def _xielu(z: str, values: dict[str, float], row: Dialect) -> Iterator[str]:
    """Huang & Schlag 2024."""
    library = "torch" if row.name == "torch" else "np"
    low = f"{z}.clamp(max=eps)" if row.name == "torch" else f"np.minimum({z}, eps)"
    yield f"a_p, a_n = {values['alpha_p']!r}, {values['alpha_n']!r}"
    yield f"b, eps = {values['beta']!r}, {values['eps']!r}"
    yield f"falls = a_n * ({library}.expm1({low}) - {z}) + b * {z}"
    yield f"act = {library}.where({z} > 0, a_p * {z} ** 2 + b * {z}, falls)"
