"""Numbers and tokens as shown."""

import math
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ffn_explorer.state import numbers
from ffn_explorer.state.visible import visible


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (1.0, "1.00"),
        (-1.5, "−1.50"),
        (0.03124, "0.0312"),
        (9.996, "10.0"),
        (1234.5, "1,234"),
        (12345.6, "12,346"),
        (2.1e-7, "2.10×10⁻⁷"),
        (-3e12, "−3.00×10¹²"),
        (math.nan, "NaN"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
    ],
)
def test_short(value: float, shown: str) -> None:
    assert numbers.short(value) == shown


@given(st.floats(-1e300, 1e300))
def test_short_is_right_to_three_digits(value: float) -> None:
    shown = numbers.short(value).replace("−", "-").replace(",", "")
    digits, _, power = shown.partition("×10")
    power = power.translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-"))
    assert float(f"{digits}e{power or 0}") == pytest.approx(value, rel=0.00501, abs=0.0)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0, "0"),
        (0.25, "0.25"),
        (-20.0, "−20"),
        (1500.0, "1.5 K"),
        (999_999.0, "1 M"),
        (2_097_152.0, "2.1 M"),
        (3.0e9, "3 G"),
        (1.0e12, "1 T"),
        (5.0e16, "5.00×10¹⁶"),
        (1.0e-5, "1×10⁻⁵"),
        (math.nan, "NaN"),
    ],
)
def test_axis(value: float, shown: str) -> None:
    assert numbers.axis(value) == shown


@pytest.mark.parametrize(
    ("fraction", "shown"),
    [
        (0.0, "0.0 %"),
        (1e-9, "< 0.1 %"),
        (0.52, "52.0 %"),
        (0.999999, "> 99.9 %"),
        (1.0, "100.0 %"),
        (math.nan, "NaN"),
    ],
)
def test_percent_never_rounds_some_to_none_or_all(fraction: float, shown: str) -> None:
    assert numbers.percent(fraction) == shown


def test_counts_and_shapes() -> None:
    assert numbers.count(2048) == "2,048"
    assert numbers.count(-1_000_000) == "−1,000,000"
    assert numbers.shape((1, 8, 2048)) == "[1, 8, 2048]"


@pytest.mark.parametrize(
    ("token", "shown"),
    [
        ("keys", "keys"),
        ("鍵", "鍵"),
        ("\u202e", "<U+202E>"),
        ("a\u202eb", "a<U+202E>b"),
        ("a\x00", "a<U+0000>"),
        ("\ud800", "<U+D800>"),
        ("\u0301", "<U+0301>"),
        ("e\u0301", "e\u0301"),
        ("\u3000", "<U+3000>"),
        ("👩\u200d💻", "👩\u200d💻"),
        ("\u200d", "<U+200D>"),
    ],
)
def test_what_cannot_be_seen_is_named(token: str, shown: str) -> None:
    assert visible(token) == shown


@given(st.text(min_size=1))
def test_shown_tokens_can_be_encoded_and_hold_no_control(token: str) -> None:
    shown = visible(token)
    assert shown.encode("utf-8")
    assert shown.strip()
    assert {unicodedata.category(c) for c in shown}.isdisjoint({"Cc", "Cs", "Cn", "Co", "Zl", "Zp"})
