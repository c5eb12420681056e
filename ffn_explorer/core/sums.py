"""Exact sums of products of named whole numbers: the number and its formula come from the same factors."""

from dataclasses import dataclass
from math import prod
from typing import NamedTuple, Self


class Factor(NamedTuple):
    """A whole number and the symbol that stands for it; "" where the number speaks for itself."""

    symbol: str
    value: int


@dataclass(frozen=True, slots=True)
class Product:
    """A product such as 2·D·F; without factors it is 1."""

    factors: tuple[Factor, ...]

    @property
    def value(self) -> int:
        """The number."""
        return prod(factor.value for factor in self.factors)

    @property
    def symbols(self) -> str:
        """Such as "2·D·F"; a factor of 1 without a symbol is left out."""
        shown = [f.symbol or f"{f.value:,}" for f in self.factors if f.symbol or f.value != 1]
        return "·".join(shown) or "1"

    @property
    def numbers(self) -> str:
        """Such as "2·512·2,048"."""
        shown = [f"{f.value:,}" for f in self.factors if f.symbol or f.value != 1]
        return "·".join(shown) or "1"


@dataclass(frozen=True, slots=True)
class Sum:
    """A sum of products; without terms it is 0."""

    terms: tuple[Product, ...] = ()

    @property
    def value(self) -> int:
        """The number."""
        return sum(term.value for term in self.terms)

    @property
    def symbols(self) -> str:
        """Such as "2·D·F + F + D"."""
        return " + ".join(term.symbols for term in self.terms) or "0"

    @property
    def numbers(self) -> str:
        """Such as "2·512·2,048 + 2,048 + 512"."""
        return " + ".join(term.numbers for term in self.terms) or "0"

    @property
    def equation(self) -> str:
        """Such as "D·F = 512·2,048 = 1,048,576"; one number alone is not said twice."""
        value = f"{self.value:,}"
        return " = ".join(dict.fromkeys((self.symbols, self.numbers, value)))

    def __add__(self, other: "Sum") -> Self:
        """Both sums, one after the other."""
        return type(self)(self.terms + other.terms)

    def times(self, *factors: "Factor | int") -> Self:
        """Every term with more factors in front."""
        return type(self)(tuple(product(*factors, *one.factors) for one in self.terms))


ZERO = Sum()


def product(*factors: Factor | int) -> Product:
    """A product with its plain numbers in front."""
    made = [Factor("", each) if isinstance(each, int) else each for each in factors]
    return Product(tuple(sorted(made, key=lambda factor: bool(factor.symbol))))


def term(*factors: Factor | int) -> Sum:
    """A sum of one product; 0 where one of its factors is."""
    made = product(*factors)
    return Sum((made,)) if made.value else ZERO
