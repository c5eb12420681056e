"""Sums: a formula, computed by hand from what it shows, gives its number."""

from __future__ import annotations

from math import prod

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ffn_explorer.core.sums import ZERO, Factor, Product, Sum, product, term

LETTERS = ("D", "F₁", "H_kv", "(T + 1)", "")
D, F = Factor("D", 512), Factor("F", 2_048)

factors = st.builds(Factor, st.sampled_from(LETTERS), st.integers(0, 10**6))
products = st.lists(factors, max_size=5).map(lambda found: Product(tuple(found)))
sums = st.lists(products, max_size=4).map(lambda found: Sum(tuple(found)))


def computed(numbers: str) -> int:
    """Value of sums of products of plain numbers, as a person would compute it."""
    return sum(prod(int(n.replace(",", "")) for n in one.split("·")) for one in numbers.split(" + "))


@given(sums)
def test_the_numbers_compute_to_the_value(found: Sum) -> None:
    assert computed(found.numbers) == found.value


@given(sums)
def test_the_symbols_stand_for_the_same_numbers(found: Sum) -> None:
    """Where each symbol is replaced by its number, the symbols become the numbers."""
    for one in found.terms:
        shown = [factor for factor in one.factors if factor.symbol or factor.value != 1]
        pieces = one.symbols.split("·")
        if not shown:
            assert pieces == ["1"]
            continue
        assert len(pieces) == len(shown)
        for piece, factor in zip(pieces, shown, strict=True):
            assert piece == (factor.symbol or f"{factor.value:,}")


@given(sums, sums)
def test_sums_add(one: Sum, other: Sum) -> None:
    both = one + other
    assert both.value == one.value + other.value
    assert computed(both.numbers) == both.value


@given(sums, st.lists(factors | st.integers(0, 99), max_size=3))
def test_more_factors_multiply(found: Sum, more: list[Factor | int]) -> None:
    times = prod(each if isinstance(each, int) else each.value for each in more)
    assert found.times(*more).value == found.value * times
    assert len(found.times(*more).terms) == len(found.terms)


@given(st.lists(factors | st.integers(0, 99), max_size=5))
def test_plain_numbers_stand_in_front(given_factors: list[Factor | int]) -> None:
    plain = [not factor.symbol for factor in product(*given_factors).factors]
    assert plain == sorted(plain, reverse=True)
    assert product(*given_factors).value == term(*given_factors).value


@given(st.lists(factors, max_size=4))
def test_a_factor_of_nothing_leaves_no_term(found: list[Factor]) -> None:
    assume(all(factor.value for factor in found))
    assert len(term(*found).terms) == 1
    assert term(*found, 0) is ZERO
    assert term(*found, Factor("w", 0)) == ZERO


@pytest.mark.parametrize(
    ("made", "equation"),
    [
        (ZERO, "0"),
        (term(), "1"),
        (term(5), "5"),
        (term(Factor("F", 1)), "F = 1"),
        (term(1, F), "F = 2,048"),
        (term(D, F), "D·F = 512·2,048 = 1,048,576"),
        (term(D, 2, F), "2·D·F = 2·512·2,048 = 2,097,152"),
        (term(F) + term(D), "F + D = 2,048 + 512 = 2,560"),
        ((term(F) + term(D)).times(2, Factor("L", 1)), "2·L·F + 2·L·D = 2·1·2,048 + 2·1·512 = 5,120"),
        (term(2, 3) + term(4), "2·3 + 4 = 10"),
    ],
)
def test_an_equation_says_nothing_twice(made: Sum, equation: str) -> None:
    assert made.equation == equation


def test_a_sum_is_a_value() -> None:
    assert term(D, F) == term(Factor("D", 512), Factor("F", 2_048))
    assert hash(term(D, F)) == hash(term(D, F))
    assert term(D, F) != term(D, Factor("F", 2_049))
    # Numbers alone may be exact far beyond float64.
    assert term(10**20, 10**20 + 1).value == 10**40 + 10**20
