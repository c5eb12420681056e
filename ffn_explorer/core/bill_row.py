"""Rows of a bill: what one kind of parameter or computation costs, with the formula of every number."""

from dataclasses import dataclass, replace
from typing import Literal, Self

from ffn_explorer.core.sums import ZERO, Factor, Sum

Part = Literal["ffn", "router", "attention", "scores", "norms", "embeddings", "other"]
"""What the bars of a bill are divided into."""


@dataclass(frozen=True, slots=True)
class Use:
    """What a model is used for: S tokens at once, or one after T cached ones; and how its numbers are kept.

    causal: whether the work on future tokens is skipped in decoders.  bits: of one weight, the scales of
    quantised blocks left out.  cache_bits: of one cached number.
    """

    tokens: int
    cached: int = 0
    causal: bool = True
    bits: int = 16
    cache_bits: int = 16

    def __post_init__(self) -> None:
        """Several tokens after cached ones have formulas of their own, which nobody needs here."""
        assert self.tokens == 1 or not self.cached

    @property
    def decoding(self) -> bool:
        """Whether tokens came before."""
        return self.cached > 0


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a bill (1 multiply-accumulate = 2 FLOPs).

    count: parameters there are.  active: those that one token uses.  flops: spent on all new tokens.
    cached: numbers that stay for later tokens.
    """

    name: str
    part: Part
    count: Sum = ZERO
    active: Sum = ZERO
    flops: Sum = ZERO
    cached: Sum = ZERO

    is_matrix: bool = False
    """Whether tokens are multiplied with it; biases, scales and tables are not."""

    def times(self, copies: Factor) -> Self:
        """The same for several layers."""
        return replace(
            self,
            count=self.count.times(copies),
            active=self.active.times(copies),
            flops=self.flops.times(copies),
            cached=self.cached.times(copies),
        )

    def plus(self, other: "Row") -> Self:
        """Both rows as one, under this one's name."""
        return replace(
            self,
            count=self.count + other.count,
            active=self.active + other.active,
            flops=self.flops + other.flops,
            cached=self.cached + other.cached,
        )


def matrix(name: str, part: Part, count: Sum, *, tokens: int, active: Sum | None = None) -> Row:
    """A matrix that every token is multiplied with: 2 FLOPs for each of its active weights and tokens."""
    used = count if active is None else active
    flops = used.times(2, Factor("S", tokens)) if tokens else ZERO
    return Row(name, part, count=count, active=used, flops=flops, is_matrix=True)


def vector(name: str, part: Part, count: Sum, *, active: Sum | None = None) -> Row:
    """Parameters that cost no matrix product."""
    return Row(name, part, count=count, active=count if active is None else active)
