"""Names of tensors, indexed so that a pattern with counters finds its layers at once."""

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from types import MappingProxyType

Shape = tuple[int, ...]
Key = tuple[int, ...]
"""Values of a pattern's counters other than {expert}, in order."""

WRAPPERS = frozenset({"_orig_mod", "module", "_fsdp_wrapped_module", "_checkpoint_wrapped_module"})
"""Parts of names that torch.compile, DDP and FSDP put between the others."""

_WRAPPED = re.compile(
    r"(?:^|\.)(?:_orig_mod|module|_fsdp_wrapped_module|_checkpoint_wrapped_module|base_layer)\."
    r"|^base_model\."
)
_DIGITS = re.compile(r"\d{1,9}")
_SLOTS = re.compile(r"\{(\w+)\}|(\d{1,9})")
_MOST_PREFIXES = 64
"""A wildcard prefix stands for no more than this many."""


def unwrapped(name: str) -> str:
    """The name without wrappers, nor the one that PEFT puts in front."""
    if not _WRAPPED.search(name):
        return name
    parts = [part for part in name.split(".") if part not in WRAPPERS]
    if parts[:2] == ["base_model", "model"]:
        parts = parts[2:]
    return ".".join(part for part in parts if part != "base_layer")


class Names:
    """The tensors of a checkpoint by their unwrapped names."""

    def __init__(
        self, tensors: Mapping[str, Shape], renames: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        self.own: dict[str, str] = {}
        """Unwrapped name -> name in the file; of two that become one, the first counts."""
        self.shapes: dict[str, Shape] = {}
        for name, shape in tensors.items():
            plain = unwrapped(name)
            for old, new in renames.items():
                plain = plain.replace(old, new)
            if plain not in self.own:
                self.own[plain] = name
                self.shapes[plain] = shape
        self._found: dict[str, Mapping[Key, Mapping[int, str]]] = {}

    @cached_property
    def templates(self) -> Mapping[str, Mapping[Key, str]]:
        """Names with every number replaced by "#" -> the numbers -> the name."""
        groups: dict[str, dict[Key, str]] = {}
        for name in self.shapes:
            numbers = tuple(int(run) for run in _DIGITS.findall(name))
            groups.setdefault(_DIGITS.sub("#", name), {}).setdefault(numbers, name)
        return groups

    def find(self, pattern: str) -> Mapping[Key, Mapping[int, str]]:
        """Counters -> expert number (-1 without experts) -> name, of all names that fit the whole pattern."""
        if pattern not in self._found:
            self._found[pattern] = dict(self._search(pattern))
        return self._found[pattern]

    def _search(self, pattern: str) -> Iterator[tuple[Key, Mapping[int, str]]]:
        slots = [match.group(1) or int(match.group(2)) for match in _SLOTS.finditer(pattern)]
        template = _SLOTS.sub("#", pattern)
        found: dict[Key, dict[int, str]] = {}
        for numbers, name in self.templates.get(template, {}).items():
            if len(numbers) != len(slots):
                continue
            pairs = list(zip(slots, numbers, strict=True))
            if any(isinstance(slot, int) and slot != number for slot, number in pairs):
                continue
            key = tuple(n for slot, n in pairs if isinstance(slot, str) and slot not in ("expert", "adapter"))
            which = [n for slot, n in pairs if slot in ("expert", "adapter")]
            found.setdefault(key, {})[which[0] if which else -1] = name
        yield from found.items()

    def prefixes(self, pattern: str) -> tuple[str, ...]:
        """What stands before the pattern, wherever a name ends in it; the shortest first."""
        template = _SLOTS.sub("#", pattern)
        tail = re.compile(
            _SLOTS.sub(r"\\d+", re.escape(pattern).replace(r"\{", "{").replace(r"\}", "}")) + "$"
        )
        found: set[str] = set()
        for key, group in self.templates.items():
            if not key.endswith(template) or key[: -len(template)][-1:] not in ("", "."):
                continue
            for name in group.values():
                match = tail.search(name)
                if match:
                    found.add(name[: match.start()])
                if len(found) >= _MOST_PREFIXES:
                    break
        return tuple(sorted(found, key=lambda prefix: (len(prefix), prefix)))
