"""Values of options as they are typed, read; every mistake is one sentence that names the option."""

import math
import re
from fractions import Fraction
from typing import Any

from ffn_explorer.core.errors import InputError


def index_of(name: str, given: dict[str, Any], count: int) -> int | None:
    """The number of an option, below a count; None where it was not given.  InputError otherwise."""
    if name not in given:
        return None
    value = whole(name, given[name])
    if not 0 <= value < count:
        raise InputError("error.range", field=flag(name), value=value, low=0, high=count - 1)
    return value


def theta_of(text: str) -> float:
    """A threshold: a finite number from 0 on; InputError otherwise."""
    value = number("theta", text)
    if not (math.isfinite(value) and value >= 0):
        raise InputError("cli.error.theta", value=text)
    return value


def ratio_of(text: str) -> Fraction:
    """A ratio like 4, 2.5 or 8/3; InputError otherwise."""
    # Plain digits only: Fraction alone would compute 1e999999999 to its last digit.
    digits = r"\d{1,6}(?:\.\d{1,6})?"
    if re.fullmatch(rf"{digits}(?:/{digits})?", text, re.ASCII):
        above, _, below = text.partition("/")
        top, bottom = Fraction(above), Fraction(below or 1)
        if top > 0 and bottom > 0:
            return top / bottom
    raise InputError("cli.error.ratio", value=text)


def whole(name: str, text: str) -> int:
    """A whole number; InputError otherwise."""
    if not re.fullmatch(r"[+-]?\d{1,18}", text.strip(), re.ASCII):
        raise InputError("cli.error.whole", option=flag(name), value=text)
    return int(text)


def number(name: str, text: str) -> float:
    """A number; InputError otherwise."""
    try:
        return float(text)
    except ValueError as error:
        raise InputError("cli.error.number", option=flag(name), value=text) from error


def word(_: str, text: str) -> str:
    """The word itself."""
    return text


def switch(_: str, on: bool) -> bool:
    """The switch itself."""
    return on


def one_of(name: str, value: str, choices: tuple[Any, ...]) -> Any:  # noqa: ANN401 - one of the literals given
    """One of the choices; InputError otherwise."""
    if value not in choices:
        raise InputError("error.choice", field=flag(name), value=value, choices=", ".join(choices))
    return value


def flag(name: str) -> str:
    """The option as it is typed."""
    return "--" + name.replace("_", "-")
