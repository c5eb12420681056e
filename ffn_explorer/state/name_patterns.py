"""Names of a file's tensors as patterns with {layer}: what a person chooses from."""

from collections.abc import Iterator, Mapping

from ffn_explorer.checkpoints.catalog import Checkpoint, shapes_of
from ffn_explorer.checkpoints.correction import Correction
from ffn_explorer.checkpoints.names import Key, Names
from ffn_explorer.checkpoints.schemes import unpacked_shapes
from ffn_explorer.core.errors import InputError

MOST_PATTERNS = 2_000
"""Patterns that a list shows; whoever needs another can type it."""

_WEIGHT = ".weight"


def patterns_of(checkpoint: Checkpoint) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Patterns of the file's matrices, and of its norms without `.weight`; each in the file's order."""
    names = _names(checkpoint)
    matrices: dict[str, None] = {}
    vectors: dict[str, None] = {}
    for template, group in names.templates.items():
        axes = len(names.shapes[next(iter(group.values()))])
        if axes >= 2:
            matrices.update(dict.fromkeys(_filled(template, group)))
        elif axes == 1 and template.endswith(_WEIGHT):
            vectors.update(dict.fromkeys(name.removesuffix(_WEIGHT) for name in _filled(template, group)))
        if len(matrices) + len(vectors) > MOST_PATTERNS:
            break
    return tuple(matrices)[:MOST_PATTERNS], tuple(vectors)[:MOST_PATTERNS]


def check_names(checkpoint: Checkpoint, by: Correction) -> None:
    """Refuse a reading with a name that no tensor of the file has; InputError with one sentence."""
    names = _names(checkpoint)
    norm = by.norm_name + _WEIGHT if by.norm_name else ""
    for pattern in (by.up, by.down, by.gate, norm):
        if pattern and not names.find(pattern):
            raise InputError("checkpoint.correct_nothing", tensor=pattern)


def _names(checkpoint: Checkpoint) -> Names:
    return Names(unpacked_shapes(shapes_of(checkpoint.source), checkpoint.config)[0])


def _filled(template: str, group: Mapping[Key, str]) -> Iterator[str]:
    """A template with {layer} for the number that takes most values, and every choice of the others."""
    parts = template.split("#")
    counters = len(parts) - 1
    values = [len({key[at] for key in group}) for at in range(counters)]
    layer = max(range(counters), key=lambda at: (values[at], -at), default=-1)
    for others in dict.fromkeys((*key[:layer], *key[layer + 1 :]) for key in group) if counters else [()]:
        numbers = iter([*others[: max(layer, 0)], "{layer}", *others[max(layer, 0) :]])
        yield parts[0] + "".join(f"{next(numbers)}{part}" for part in parts[1:])
