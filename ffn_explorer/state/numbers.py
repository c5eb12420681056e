"""Numbers as shown: 3 significant digits, a true minus sign, thousands separated, K M G T on axes."""

import math
from fractions import Fraction

MINUS = "−"
_SUPERSCRIPT = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_UNITS = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "K"))


def short(value: float, *, digits: int = 3) -> str:
    """Number with `digits` significant digits: "0.0312", "−1.50", "12,346", "2.10×10⁻⁷", "NaN", "∞"."""
    special = _special(value)
    if special is not None:
        return special
    # Rounded first: 9.996 has one digit more before the point than 9.99 has.
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    power = int(exponent)
    if not -4 <= power < 6:
        return _signed(f"{mantissa}×10{str(power).translate(_SUPERSCRIPT)}")
    return _signed(f"{value:,.{max(0, digits - 1 - power)}f}")


def count(value: int) -> str:
    """Whole number with separated thousands: "2,048"."""
    return _signed(f"{value:,}")


def axis(value: float) -> str:
    """Number on an axis, as short as it can be: "0", "1.5 K", "−20", "2.1 M", "1×10⁻⁵"."""
    special = _special(value)
    if special is not None:
        return special
    rounded = float(f"{value:.2e}")
    for size, unit in _UNITS:
        if abs(rounded) >= size:
            return _signed(f"{rounded / size:.3g} {unit}") if abs(rounded) < 1e15 else short(value)
    if abs(rounded) < 1e-3:
        mantissa, exponent = f"{rounded:.2e}".split("e")
        short_mantissa = mantissa.rstrip("0").rstrip(".")
        return _signed(f"{short_mantissa}×10{str(int(exponent)).translate(_SUPERSCRIPT)}")
    return _signed(f"{rounded:.3g}")


def tenths(value: float) -> str:
    """Number with one decimal at most: "1", "2.5", "1,024.3"."""
    return _signed(f"{value:,.1f}".removesuffix(".0"))


def whole_or_tenths(value: Fraction) -> str:
    """Exact number: whole as such, else with one decimal: "2,048", "1,365.3"."""
    return count(int(value)) if value.denominator == 1 else tenths(float(value))


def percent(fraction: float) -> str:
    """Fraction 0..1 as "52.0 %"; what is not none or not all is never rounded to it."""
    if not math.isfinite(fraction):
        return short(fraction)
    if 0.0 < fraction < 0.0005:
        return "< 0.1 %"
    if 0.9995 <= fraction < 1.0:
        return "> 99.9 %"
    return _signed(f"{100 * fraction:.1f} %")


def shape(sizes: tuple[int, ...]) -> str:
    """Shape of a tensor as in code: "[1, 8, 2048]"."""
    return f"[{', '.join(map(str, sizes))}]"


def _special(value: float) -> str | None:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    return "0" if value == 0 else None


def _signed(digits: str) -> str:
    return digits.replace("-", MINUS, 1)
