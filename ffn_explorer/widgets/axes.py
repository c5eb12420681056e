"""Axes: ticks at round places."""

import math

from ffn_explorer.state import numbers

_STEPS = (1, 2, 5, 10)


def signed(value: float) -> str:
    """Number of a scale around zero, with its sign: "+2.6", "0", "−2.6"."""
    return f"+{numbers.axis(value)}" if value > 0 else numbers.axis(value)


def round_step(span: float, most: int) -> float:
    """Smallest of 1, 2, 5, 10, 20 ... that cuts a span into at most `most` pieces."""
    least = span / max(1, most)
    power = 10.0 ** math.floor(math.log10(least))
    return next(step * power for step in _STEPS if step * power >= least * (1 - 1e-9))


def ticks(low: float, high: float, *, most: int) -> tuple[float, ...]:
    """Multiples of a round step between low and high."""
    step = round_step(high - low, most)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return tuple(i * step for i in range(first, last + 1))


def whole_ticks(first: int, past: int, *, most: int) -> tuple[int, ...]:
    """Whole numbers between two column edges: powers of two where they divide both, as widths often are."""
    span = past - first
    least = max(1, math.ceil(span / max(1, most)))
    binary = 1 << (least - 1).bit_length()
    if first % binary == 0 and past % binary == 0:
        return tuple(range(first, past + 1, binary))
    step = max(1, round(round_step(span, most)))
    return tuple(range(-(-first // step) * step, past + 1, step))
