"""Names for the tensors of a PyTorch file: which dictionary holds the model, and what stands beside."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from ffn_explorer.checkpoints.readers.json_text import short, writable
from ffn_explorer.checkpoints.readers.torch_plan import Other, Planned, Refused

CONTAINERS = ("state_dict", "model_state_dict", "model", "module", "params", "weights", "network", "net")
"""Keys that people keep a model's weights under, beside an optimiser and the like; the first there is."""

MOST_CONTAINERS = 3
"""Such dictionaries within each other."""

MOST_DEPTH = 8
"""Dictionaries and lists within each other that tensors are looked for in."""

MOST_SEEN = 1_000_000
"""Values that are looked at: shared ones count as often as they are met."""

MOST_TENSORS = 50_000
"""Tensors of one file; the largest published ones have some thousands."""

MOST_NAME = 1024
"""Letters of a tensor's name."""

MOST_ENTRIES, MOST_ITEMS, MOST_TEXT = 500, 32, 200
"""Values beside the tensors that are kept, items of one list, and letters of one text."""

Keys = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """A tensor: its name, and the keys that lead to it from the whole."""

    name: str
    keys: Keys
    tensor: Planned


def tensors_in(root: object) -> tuple[list[Found], dict[str, object]]:
    """Tensors of the model in a file; beside them: its container, plain entries, how many other tensors."""
    keys = _container(root)
    every = list(islice(_walk(root), MOST_TENSORS + 1))
    if len(every) > MOST_TENSORS:
        raise Refused("torch_many")
    found: dict[str, Found] = {}
    for place, tensor in every:
        if place[: len(keys)] != keys:
            continue
        name = ".".join(_text(key) for key in place[len(keys) :]) or "tensor"
        if len(name) > MOST_NAME or not writable(name):
            raise Refused("torch_names")
        if name in found:
            raise Refused("name_twice", name=short(name))
        found[name] = Found(name, place, tensor)
    beside: dict[str, object] = {
        "container": ".".join(_text(key) for key in keys),
        "others": len(every) - len(found),
        "entries": _plain(root, [MOST_ENTRIES], MOST_DEPTH) if isinstance(root, dict) else {},
    }
    return list(found.values()), beside


def _container(root: object) -> Keys:
    """Keys of the dictionary that holds the model's weights, () where that is the whole."""
    keys: Keys = ()
    while isinstance(root, dict) and len(keys) < MOST_CONTAINERS:
        # A matrix beside means that this is the model already, one of whose parts is called so.
        if any(isinstance(value, Planned) and len(value.shape) > 1 for value in root.values()):
            break
        inner = next((key for key in CONTAINERS if _holds_tensors(root.get(key))), None)
        if inner is None:
            break
        keys, root = (*keys, inner), root[inner]
    return keys


def _holds_tensors(value: object) -> bool:
    return isinstance(value, dict) and next(_walk(value), None) is not None


def _walk(root: object) -> Iterator[tuple[Keys, Planned]]:
    """Every tensor in dictionaries and lists, in the file's order, with the keys that lead to it."""
    waiting: list[tuple[Keys, object]] = [((), root)]
    seen = 0
    while waiting:
        keys, value = waiting.pop()
        if isinstance(value, Planned):
            yield keys, value
            continue
        if not isinstance(value, dict | list | tuple) or len(keys) == MOST_DEPTH:
            continue
        seen += len(value)
        if seen > MOST_SEEN:
            raise Refused("torch_many")
        inner = value.items() if isinstance(value, dict) else enumerate(value)
        waiting += [((*keys, key), part) for key, part in reversed(list(inner))]


def _text(key: object) -> str:
    return key if isinstance(key, str) else short(str(key))


def _plain(value: object, left: list[int], depth: int) -> object:
    """A value without its tensors, as plain ones; left: how many values may still come."""
    left[0] -= 1
    if isinstance(value, str):
        return value[:MOST_TEXT].encode("utf-8", "replace").decode()
    if isinstance(value, dict) and depth:
        return dict(_entries(value, left, depth))
    if isinstance(value, list | tuple) and depth:
        kept = [part for part in value[:MOST_ITEMS] if not isinstance(part, Planned) and left[0] > 0]
        return [_plain(part, left, depth - 1) for part in kept if left[0] > 0]
    if isinstance(value, Other):
        return value.kind
    if value is None or isinstance(value, bool | float) or (isinstance(value, int) and abs(value) < 2**63):
        return value
    return type(value).__name__.lower()


def _entries(value: Mapping[object, object], left: list[int], depth: int) -> Iterator[tuple[str, object]]:
    for key, part in value.items():
        if left[0] <= 0:
            return
        if isinstance(part, Planned):
            continue
        plain = _plain(part, left, depth - 1)
        # Dictionaries that held nothing but tensors say nothing here.
        if plain not in ({}, []):
            yield short(_text(key)), plain
