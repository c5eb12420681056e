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
_MOST_NUMBERS = 12
"""Numbers in the name of a layer's tensor: stacks within stacks, and experts in them, have three."""
_SIGNS = frozenset("#{}")
"""Letters that patterns and templates use themselves: a name with one of them is in no layer."""

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
        self._fixed: dict[tuple[str, Key], dict[Key, dict[Key, str]]] = {}

    @cached_property
    def templates(self) -> Mapping[str, Mapping[Key, str]]:
        """Names with every number replaced by "#" -> the numbers -> the name."""
        groups: dict[str, dict[Key, str]] = {}
        for name in self.shapes:
            template, count = _DIGITS.subn("#", name, _MOST_NUMBERS + 1)
            if count > _MOST_NUMBERS or not _SIGNS.isdisjoint(name):
                continue
            numbers = tuple(int(run) for run in _DIGITS.findall(name))
            groups.setdefault(template, {}).setdefault(numbers, name)
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
        for numbers, name in self._fitting(template, slots).items():
            if len(numbers) != len(slots):
                continue
            pairs = list(zip(slots, numbers, strict=True))
            key = tuple(n for slot, n in pairs if isinstance(slot, str) and slot not in ("expert", "adapter"))
            which = [n for slot, n in pairs if slot in ("expert", "adapter")]
            found.setdefault(key, {})[which[0] if which else -1] = name
        yield from found.items()

    def _fitting(self, template: str, slots: list[str | int]) -> Mapping[Key, str]:
        """Names of a template whose numbers are those that the slots fix, found without walking over all."""
        group = self.templates.get(template, {})
        places = tuple(at for at, slot in enumerate(slots) if isinstance(slot, int))
        if not places or not group:
            return group
        if (template, places) not in self._fixed:
            index: dict[Key, dict[Key, str]] = {}
            for numbers, name in group.items():
                if len(numbers) == len(slots):
                    index.setdefault(tuple(numbers[at] for at in places), {})[numbers] = name
            self._fixed[template, places] = index
        return self._fixed[template, places].get(tuple(slot for slot in slots if isinstance(slot, int)), {})

    @cached_property
    def _endings(self) -> Mapping[str, list[str]]:
        """Templates by their last two parts."""
        groups: dict[str, list[str]] = {}
        for template in self.templates:
            groups.setdefault(_ending(template), []).append(template)
        return groups

    def prefixes(self, pattern: str) -> tuple[str, ...]:
        """What stands before the pattern, wherever a name ends in it; the shortest first."""
        template = _SLOTS.sub("#", pattern)
        tail = re.compile(
            _SLOTS.sub(r"\\d+", re.escape(pattern).replace(r"\{", "{").replace(r"\}", "}")) + "$"
        )
        found: set[str] = set()
        for key in self._endings.get(_ending(template), ()) if "." in template else self.templates:
            if not key.endswith(template) or key[: -len(template)][-1:] not in ("", "."):
                continue
            for name in self.templates[key].values():
                match = tail.search(name)
                if match:
                    found.add(name[: match.start()])
                if len(found) >= _MOST_PREFIXES:
                    return _shortest_first(found)
        return _shortest_first(found)


def _ending(template: str) -> str:
    """The last two parts of a template."""
    return ".".join(template.rsplit(".", 2)[-2:])


def _shortest_first(prefixes: set[str]) -> tuple[str, ...]:
    return tuple(sorted(prefixes, key=lambda prefix: (len(prefix), prefix)))
