"""Lines of a bill for people: every row of one or two bills with its formulas, and what they add up to."""

from dataclasses import dataclass
from typing import NamedTuple

from ffn_explorer.core.bill_row import Row
from ffn_explorer.core.model_bill import ModelBill
from ffn_explorer.state import numbers
from ffn_explorer.state.costs import formula_of, group_of

TOTALS = {
    "all": (),
    "ffn": ("ffn", "router"),
    "attention": ("attention", "scores"),
}
"""Sums over the rows, and the parts that go into each; () for all."""


class Amounts(NamedTuple):
    """Parameters, FLOPs and bytes of a line."""

    parameters: int
    flops: int
    bytes: int


@dataclass(frozen=True, slots=True)
class CostLine:
    """One line: its key ("ffn.up", "total.ffn"), its piece of the bars ("" for sums), what it has in A and B.

    formulas: of parameters, FLOPs and bytes, of A where A has this line, else of B.
    """

    key: str
    group: str
    mine: Amounts | None
    theirs: Amounts | None
    formulas: tuple[str, str, str]


def lines_of(bill: ModelBill, other: ModelBill | None) -> tuple[CostLine, ...]:
    """The sums, that of everything first; then the rows of A, then those that only B has."""
    own = {row.name: row for row in bill.rows}
    theirs = {} if other is None else {row.name: row for row in other.rows}
    made = []
    for name in dict.fromkeys([*own, *theirs]):
        row, beside = own.get(name), theirs.get(name)
        whose, shown = (bill, row) if row is not None or other is None else (other, beside)
        assert shown is not None
        made.append(
            CostLine(
                name,
                group_of(shown),
                None if row is None else _amounts(bill, row),
                None if beside is None or other is None else _amounts(other, beside),
                _formulas(whose, shown),
            )
        )
    return (*(_total(name, bill, other) for name in TOTALS), *made)


def _amounts(bill: ModelBill, row: Row) -> Amounts:
    return Amounts(row.count.value, row.flops.value, bill.bytes_of(row))


def _formulas(bill: ModelBill, row: Row) -> tuple[str, str, str]:
    return row.count.equation, row.flops.equation, _bytes(bill, row)


def _bytes(bill: ModelBill, row: Row) -> str:
    """Numbers times bits over 8."""
    kept = formula_of(row)
    if not row.count.terms and not row.cached.terms:
        return "0"
    bits = bill.use.cache_bits if row.cached.terms else bill.use.bits
    total = numbers.count(bill.bytes_of(row))
    return f"({kept.symbols}) · {bits} / 8 = ({kept.numbers}) · {bits} / 8 = {total}"


def _total(name: str, bill: ModelBill, other: ModelBill | None) -> CostLine:
    inside = _inside(name, bill)
    formulas = [
        " + ".join(numbers.count(value) for value in values if value) + f" = {numbers.count(sum(values))}"
        for values in zip(*inside, strict=True)
    ]
    return CostLine(
        f"total.{name}",
        "",
        _sum(inside),
        None if other is None else _sum(_inside(name, other)),
        (formulas[0], formulas[1], formulas[2]),
    )


def _inside(name: str, bill: ModelBill) -> list[Amounts]:
    """The rows that go into a sum."""
    return [_amounts(bill, row) for row in bill.rows if not TOTALS[name] or row.part in TOTALS[name]]


def _sum(inside: list[Amounts]) -> Amounts:
    return Amounts(*(sum(values) for values in zip(*inside, strict=True)))
