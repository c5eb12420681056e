"""Parts of a proof: the cell, the finished step, numbers as written, and a sum with its largest terms."""

import math
import re
from dataclasses import dataclass

import torch
from torch import Tensor

SHOWN_TERMS = 3
"""Terms of a sum written out, largest first."""


@dataclass(frozen=True, slots=True)
class At:
    """A cell `[sentence, token, index]` of one stage."""

    sentence: int
    token: int
    index: int

    def __str__(self) -> str:
        """As in a formula: "[0, 5, 17]"."""
        return f"[{self.sentence}, {self.token}, {self.index}]"

    def row(self, axis: str = ":") -> str:
        """Its row, with a letter or ":" for the last axis: "[0, 5, d]"."""
        return f"[{self.sentence}, {self.token}, {axis}]"

    def of(self, t: Tensor) -> float:
        """Value of `[B, S, N]` in this cell."""
        return float(t[self.sentence, self.token, self.index])

    def row_of(self, t: Tensor) -> Tensor:
        """Row `[N]` of `[B, S, N]` in float64."""
        return t[self.sentence, self.token].cpu().double()


@dataclass(frozen=True, slots=True)
class Step:
    """One recomputed number: value in float64, how far rounding may move the shown one, and both texts."""

    value: float
    tolerance: float
    formula: str
    numbers: str
    slices: tuple[str, ...]


def written(value: float) -> str:
    """A number in four significant digits with a true minus sign: "−0.01235", "1e−5"."""
    if math.isnan(value):
        return "NaN"
    return re.sub(r"e([+-])0*", r"e\1", f"{value + 0.0:.4g}").replace("e+", "e").replace("-", "−")


def held(value: float) -> str:
    """A number as a factor: negative ones in brackets."""
    return f"({written(value)})" if value < 0 else written(value)


def eps(dtype: torch.dtype) -> float:
    """Distance from 1 to the next number of a dtype."""
    return torch.finfo(dtype).eps


def accumulator_eps(dtype: torch.dtype) -> float:
    """The same for the type in which sums run: float32 for half types, else the dtype itself."""
    return eps(torch.promote_types(dtype, torch.float32))


def sum_tolerance(terms: Tensor, value: float, *, dtype: torch.dtype, bias: float = 0.0) -> float:
    """How far a rounded sum of products `[n]` may lie from the exact one.

    √n · eps · Σ |term| for the accumulation (probabilistic bound, Higham & Mary 2019, with λ = 2), and
    one unit of the stored type for the sum, for the bias and for the total.
    """
    total = float(terms.abs().sum())
    stored = abs(float(terms.sum())) + abs(bias) + abs(value)
    return accumulator_eps(dtype) * math.sqrt(len(terms)) * total + eps(dtype) * stored


def sum_written(left: Tensor, right: Tensor, *, bias: float | None = None) -> str:
    """Σ left · right, largest terms first: "0.0123·1.25 − 0.004·2.1 + … (n = 2,045) + 0.01".

    n is the number of terms left out. Terms that are not finite come first: they decide the sum.
    """
    size = (left * right).abs().nan_to_num(nan=math.inf)
    chosen = size.argsort(descending=True, stable=True)[:SHOWN_TERMS].tolist()
    parts = [_term(float(left[i]), float(right[i])) for i in chosen]
    if len(left) > len(chosen):
        parts.append(f"+ … (n = {len(left) - len(chosen):,})")
    if bias is not None:
        parts.append(signed(bias))
    text = " ".join(parts).removeprefix("+ ")
    return text.replace("− ", "−", 1) if text.startswith("− ") else text


def signed(value: float) -> str:
    """A summand with its sign in front: "+ 0.01", "− 0.2"."""
    return f"− {written(-value)}" if value < 0 else f"+ {written(value)}"


def _term(left: float, right: float) -> str:
    sign = "−" if left * right < 0 else "+"
    return f"{sign} {written(abs(left))}·{written(abs(right))}"
