"""Records of a measured roofline, free of torch."""

from dataclasses import dataclass

SIZES = tuple(2**power for power in range(12))
"""Tokens S of the operating points: 1 … 2,048."""


@dataclass(frozen=True, slots=True)
class Roof:
    """What a device can do in one dtype: FLOP/s in matrix products, bytes/s from memory (both measured)."""

    flops_per_s: float
    bytes_per_s: float

    @property
    def ridge(self) -> float:
        """FLOPs per byte from which on arithmetic, and no longer memory, is the limit."""
        return self.flops_per_s / self.bytes_per_s

    def bound(self, intensity: float) -> float:
        """Most FLOP/s at so many FLOPs per byte (Williams 2009, the roofline model)."""
        return min(self.flops_per_s, intensity * self.bytes_per_s)


@dataclass(frozen=True, slots=True)
class Operating:
    """One FFN pass over S tokens: what it computes, what must move at least, and the shortest time it took.

    bytes: every matrix once, the hidden states in and out once; the intermediate may stay in caches.
    """

    tokens: int
    flops: int
    bytes: int
    seconds: float

    @property
    def intensity(self) -> float:
        """FLOPs per byte."""
        return self.flops / self.bytes

    @property
    def rate(self) -> float:
        """FLOP/s reached."""
        return self.flops / self.seconds


@dataclass(frozen=True, slots=True)
class Roofline:
    """A roof with the operating points of one FFN under it.

    device, dtype: where and in what it was measured; machine: that device's own name.  d_model, d_ff,
    activation: of the FFN.  points: one for each S that takes at most POINT_S seconds.
    """

    machine: str
    device: str
    dtype: str
    d_model: int
    d_ff: int
    activation: str
    roof: Roof
    points: tuple[Operating, ...]

    def reached(self, point: Operating) -> float:
        """Share of the bound that a point reaches."""
        return point.rate / self.roof.bound(point.intensity)


def moved_bytes(*, tokens: int, d_model: int, weights: int, item: int) -> int:
    """Bytes that one pass must move at least: `(weights + 2 S D) · item`."""
    return (weights + 2 * tokens * d_model) * item
