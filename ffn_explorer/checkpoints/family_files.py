"""Reads families/*.toml into Family values; anything that the schema does not know is an error."""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields, replace
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from ffn_explorer.checkpoints.family import Act, Family, Inner, Lens, Mlp, Norm, Role, RouterRule, Stack

FOLDER = Path(__file__).parent / "families"
"""One file per naming family."""

T = TypeVar("T")
Table = Mapping[str, Any]

_CHOICES = {
    "layout": ("out_in", "in_out", "grouped"),
    "unembedding_layout": ("out_in", "in_out"),
    "part": ("", "half0", "half1", "even", "odd"),
    "expert": ("", "name", "axis0", "flat"),
    "place": ("none", "pre", "post", "post_only", "sandwich", "parallel"),
    "kind": ("rms", "layer", "rms+1", "layer+1", "@norm"),
    "order": ("score_first", "top_first"),
    "group_score": ("max", "top2sum"),
    "weigh": ("output", "input"),
    "block": ("sequential", "parallel"),
    "evidence": ("executed", "read", "secondary"),
    "origin": ("transformers", "non-hf"),
}
"""Values that a field may have."""


@lru_cache
def families() -> Mapping[str, Family]:
    """Every family by its name; ValueError where a file is wrong."""
    found: dict[str, Family] = {}
    for path in sorted(FOLDER.glob("*.toml")):
        family = read_family(path)
        if family.family in found:
            raise ValueError(f"{path.name}: family {family.family!r} is there twice")
        found[family.family] = family
    return MappingProxyType(found)


@lru_cache
def families_by_type() -> Mapping[str, tuple[Family, ...]]:
    """The families that claim a model type."""
    found: dict[str, tuple[Family, ...]] = {}
    for family in families().values():
        for kind in family.types:
            found[kind] = (*found.get(kind, ()), family)
    return MappingProxyType(found)


def read_family(path: Path) -> Family:
    """The family in one file; ValueError naming the file and what is wrong with it."""
    with path.open("rb") as file:
        table = tomllib.load(file)
    try:
        return _family(table)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path.name}: {error}") from error


def _family(table: Table) -> Family:
    every = table.get("every", {})
    stacks = [made for stack in table.get("stack", ()) for made in _stacks({**every, **stack})]
    rest = {key: value for key, value in table.items() if key not in ("stack", "every")}
    return _made(
        Family,
        rest,
        {"lens": _lens, "layout": _texts, "renames": _texts, "defaults": _defaults},
        stacks=tuple(stacks),
    )


def _stacks(table: Table) -> tuple[Stack, ...]:
    """The stack as hubs have it and, where it differs, as transformers 5 holds it."""
    old = {key: value for key, value in table.items() if key != "v5"}
    makers: dict[str, Callable[[Any], Any]] = {
        "norm": _norms, "ffn": _mlp, "experts": _mlp, "shared": _mlp, "router": _router, "hook": _names,
    }  # fmt: skip
    hub = _made(Stack, old, makers)
    if "v5" not in table:
        return (hub,)
    new = _made(
        Stack, {key: _over(old.get(key), value) for key, value in {**old, **table["v5"]}.items()}, makers
    )
    return hub, replace(new, version="v5")


def _over(old: object, new: object) -> object:
    """A table in which the new one's values replace the old one's; anything else is replaced whole."""
    return {**old, **new} if isinstance(old, dict) and isinstance(new, dict) else new


def _mlp(table: Table) -> Mlp:
    makers: dict[str, Callable[[Any], Any]] = {
        "gate": _role, "up": _role, "down": _role, "act": _act, "inner_norm": lambda t: _made(Inner, t, {}),
    }  # fmt: skip
    return _made(Mlp, table, makers)


def _role(value: str | Table) -> Role:
    if isinstance(value, str):
        return Role((value,), expert="name" if "{expert}" in value else "")
    rest = {key: item for key, item in value.items() if key != "name"}
    names = _names(value["name"])
    by_name = {} if "expert" in rest or "{expert}" not in names[0] else {"expert": "name"}
    return _made(Role, {**rest, **by_name}, {}, names=names)


def _act(table: Table) -> Act:
    rest = {key: value for key, value in table.items() if key != "key"}
    made = _made(Act, rest, {"means": _texts}, keys=_names(table.get("key", ())))
    if not (made.fixed or made.keys or made.unknown):
        raise ValueError("an act says nothing")
    return made


def _norms(value: Table | list[Table]) -> tuple[Norm, ...]:
    tables = value if isinstance(value, list) else [value]
    return tuple(_made(Norm, table, {}) for table in tables)


def _router(table: Table) -> RouterRule:
    return _made(RouterRule, table, {"weight": _names, "select_bias": _names})


def _lens(table: Table) -> Lens:
    return _made(Lens, table, {"embedding": _names, "unembedding": _names})


def _defaults(table: Table) -> Mapping[str, Mapping[str, object]]:
    for name, values in table.items():
        if not isinstance(values, dict):
            raise ValueError(f"defaults.{name} is no table")
    return MappingProxyType({name: MappingProxyType(values) for name, values in table.items()})


def _texts(table: Table) -> Mapping[str, str]:
    if not isinstance(table, dict) or not all(isinstance(value, str) for value in table.values()):
        raise ValueError(f"{table!r} is no table of words")
    return MappingProxyType(dict(table))


def _names(value: str | list[str] | tuple[str, ...]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def _made(kind: type[T], table: Table, makers: Mapping[str, Callable[[Any], Any]], **ready: Any) -> T:  # noqa: ANN401
    """A value of this dataclass; every key must be one of its fields, every value of its type."""
    known = {f.name: f for f in fields(kind)}  # type: ignore[arg-type]
    if unknown := set(table) - set(known):
        raise ValueError(f"unknown {', '.join(sorted(unknown))} in {kind.__name__}")
    values = dict(ready)
    for name, value in table.items():
        values[name] = makers[name](value) if name in makers else _checked(known[name], value)
    for name, f in known.items():
        if name not in values and f.default is MISSING and f.default_factory is MISSING:
            raise ValueError(f"{name} is missing in {kind.__name__}")
    return kind(**values)


def _checked(f: "Field[Any]", value: object) -> object:
    """The value, lists as tuples, if it fits the field's annotation."""
    if isinstance(value, list):
        value = tuple(value)
    wanted = str(f.type)
    fits = {
        str: ("str" in wanted or "Literal" in wanted) and "tuple" not in wanted,
        bool: "bool" in wanted,
        int: "float" in wanted,
        float: "float" in wanted,
        tuple: "tuple" in wanted,
    }
    if not fits.get(type(value), False):
        raise ValueError(f"{f.name} = {value!r} is no {wanted}")
    if f.name in _CHOICES and value not in _CHOICES[f.name]:
        raise ValueError(f"{f.name} = {value!r} is none of {_CHOICES[f.name]}")
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value
