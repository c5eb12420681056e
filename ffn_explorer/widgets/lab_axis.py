"""A logarithmic axis of differences, with a place of its own for exact zeros."""

import math
from dataclasses import dataclass

from ffn_explorer.widgets.flow_columns import Box

MOST_DECADES = 18


@dataclass(frozen=True, slots=True)
class LogAxis:
    """Decades from low to high over `area`; zeros stand at `zero`, left of it."""

    low: int
    high: int
    area: Box
    zero: float

    def x(self, value: float) -> float:
        """Place of a difference; what is smaller or larger than the axis stands at its end."""
        if value <= 0.0:
            return self.zero
        if math.isinf(value):
            return self.area.right
        share = (math.log10(value) - self.low) / (self.high - self.low)
        return self.area.x + min(1.0, max(0.0, share)) * self.area.w

    def ticks(self, least: float) -> tuple[int, ...]:
        """Decades to label, at least so many pixels apart."""
        each = self.area.w / (self.high - self.low)
        step = max(1, math.ceil(least / max(1e-6, each)))
        return tuple(range(self.low, self.high + 1, step))


def decades(values: tuple[float, ...]) -> tuple[int, int]:
    """First and last decade that hold all positive finite values, with room beside the outermost."""
    logs = [math.log10(value) for value in values if 0.0 < value < math.inf]
    if not logs:
        return -16, 0
    low, high = math.floor(min(logs) - 0.3), math.ceil(max(logs) + 0.3)
    return max(low, high - MOST_DECADES), max(high, low + 3)
