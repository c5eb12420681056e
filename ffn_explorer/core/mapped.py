"""Anything made of tensors, with every one of them changed: another dtype, another device."""

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import TypeVar, cast

from torch import Tensor

from ffn_explorer.core.experts import StoredExperts

_Part = TypeVar("_Part")


def mapped(part: _Part, change: Callable[[Tensor], Tensor]) -> _Part:
    """A layer, mixer or any part of them with `change` of each tensor; experts of a file when looked at."""
    made: object = part
    if isinstance(part, Tensor):
        made = change(part)
    elif isinstance(part, StoredExperts):
        made = part.changed(lambda expert: mapped(expert, change))
    elif isinstance(part, tuple):
        made = tuple(mapped(item, change) for item in part)
    elif is_dataclass(part) and not isinstance(part, type):
        made = replace(part, **{f.name: mapped(getattr(part, f.name), change) for f in fields(part)})
    return cast(_Part, made)
