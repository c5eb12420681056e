"""A memory built by hand from the plain values of a session file; nothing of another kind passes."""

from typing import Any

from ffn_explorer.core.handmade import HandMemory, HandNeuron, HandPattern
from ffn_explorer.core.handmade_examples import EXAMPLES


def memory_from_json(data: object) -> HandMemory:
    """The memory that `dataclasses.asdict` wrote.

    Raises TypeError, KeyError or ValueError for values of another kind, InputError for impossible ones.
    """
    given = _table(data, {"name", "features", "neurons", "patterns"})
    if given["name"] not in EXAMPLES:
        raise ValueError("its words are not in the catalogue")
    return HandMemory(
        name=given["name"],
        features=tuple(map(_name, _list(given["features"]))),
        neurons=tuple(map(_neuron, _list(given["neurons"]))),
        patterns=tuple(map(_pattern, _list(given["patterns"]))),
    )


def _neuron(data: object) -> HandNeuron:
    given = _table(data, {"name", "key", "bias", "value"})
    return HandNeuron(_name(given["name"]), _row(given["key"]), _number(given["bias"]), _row(given["value"]))


def _pattern(data: object) -> HandPattern:
    given = _table(data, {"name", "x"})
    return HandPattern(_name(given["name"]), _row(given["x"]))


def _table(data: object, names: set[str]) -> dict[str, Any]:
    if not isinstance(data, dict) or set(data) != names:
        raise TypeError("not a table of these names")
    return data


def _list(data: object) -> list[object]:
    if not isinstance(data, list | tuple):
        raise TypeError("not a list")
    return list(data)


def _name(data: object) -> str:
    if not isinstance(data, str):
        raise TypeError("not a name")
    return data


def _row(data: object) -> tuple[float, ...]:
    return tuple(map(_number, _list(data)))


def _number(data: object) -> float:
    if isinstance(data, bool) or not isinstance(data, int | float):
        raise TypeError("not a number")
    # float() of a whole number too large for one raises OverflowError, which is no ValueError.
    return float(data) if abs(data) < 1e300 else float("inf")
