"""What the library's FFN modules receive and give while the whole model runs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch import Tensor, nn

from ffn_explorer.checkpoints.family import Family, Stack
from ffn_explorer.checkpoints.scheme import LayerScheme

IN_MEMORY = (
    "",
    "model.",
    "model.language_model.",
    "language_model.",
    "model.decoder.",
    "backbone.",
    "encoder.",
)
"""Prefixes of stacks in transformers 5, whatever files call them."""

Seen = dict[tuple[str, int], tuple[Tensor, Tensor]]
"""Stack and layer -> input and output of its FFN."""


def hooked(model: nn.Module, family: Family, inputs: Mapping[str, Any]) -> Seen:
    """Input and output of every FFN that the family's hooks name, from one pass."""
    seen: dict[tuple[str, int], list[Tensor | None]] = {}
    handles = []
    for stack in family.stacks:
        into, out = (stack.hook * 2)[:2] if stack.hook else ("", "")
        for index, path in modules_of(model, family, stack, into):
            handles.append(
                model.get_submodule(path).register_forward_pre_hook(_taker(seen, (stack.name, index), 0))
            )
        for index, path in modules_of(model, family, stack, out):
            handles.append(
                model.get_submodule(path).register_forward_hook(_giver(seen, (stack.name, index), 1))
            )
    try:
        model(**inputs)
    finally:
        for handle in handles:
            handle.remove()
    return {
        key: (pair[0], pair[1]) for key, pair in seen.items() if pair[0] is not None and pair[1] is not None
    }


def alone(model: nn.Module, family: Family, stack: Stack, index: int, x: Tensor) -> Tensor | None:
    """What the layer's FFN module makes of x `[B, S, D]`; None where the hook is no module of its own."""
    parts = [dict(modules_of(model, family, stack, hook)).get(index, "") for hook in stack.hook]
    if not parts or not all(parts) or (len(parts) == 2 and not stack.hook[0].endswith("intermediate")):
        return None
    with torch.no_grad():
        for path in parts:
            x = _first(model.get_submodule(path)(x))
    return x


def modules_of(model: nn.Module, family: Family, stack: Stack, hook: str) -> Iterator[tuple[int, str]]:
    """Layer number and path of the modules that a hook names, in either of transformers' ways."""
    if not hook:
        return
    end = re.sub(r"\\\{\w+\\\}", r"(\\d+)", re.escape(stack.layers)) + re.escape(hook)
    paths = [path for path, _ in model.named_modules()]
    found: list[tuple[tuple[int, ...], str]] = []
    for prefix in dict.fromkeys(stack.prefixes or (*family.prefixes, *IN_MEMORY)):
        pattern = re.compile(re.escape(prefix) + end)
        found = found or [
            (tuple(map(int, m.groups())), path) for path in paths if (m := pattern.fullmatch(path))
        ]
    for order, (counters, path) in enumerate(sorted(found)):
        yield counters[0] if len(counters) == 1 else order, path


def _first(value: Any) -> Tensor:
    while not isinstance(value, Tensor):
        value = value[0]
    return value.detach().clone()


def _taker(seen: Any, key: tuple[str, int], place: int) -> Any:
    def take(_module: nn.Module, args: tuple[Any, ...]) -> None:
        if args:
            seen.setdefault(key, [None, None])[place] = _first(args)

    return take


def _giver(seen: Any, key: tuple[str, int], place: int) -> Any:
    def give(_module: nn.Module, _args: Any, output: Any) -> None:
        seen.setdefault(key, [None, None])[place] = _first(output)

    return give


def norm_modules(model: nn.Module, family: Family, layer: LayerScheme, which: str) -> Iterator[nn.Module]:
    """The library's module of the norm before ("pre") or after ("post") the FFN, where it has the name."""
    for stack in family.stacks:
        if stack.name != layer.stack:
            continue
        for norm in stack.norm:
            stem = norm.pre if which == "pre" else norm.post
            fits = norm.place == layer.spec.norm.placement and stem and not stem.startswith("/")
            path = dict(modules_of(model, family, stack, stem)).get(layer.index) if fits else None
            if path is not None:
                yield model.get_submodule(path)
                return
