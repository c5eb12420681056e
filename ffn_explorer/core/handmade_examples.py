"""Memories to begin with: the logic of two features, and a few facts; each works exactly under ReLU.

With features that are 0 or 1, a bias of −1 makes a neuron that reads two of them wait for both (McCulloch and
Pitts 1943); relu(a + b − 1) is then "and", and relu(a + b) − 2 · relu(a + b − 1) is "exclusive or".
"""

from collections.abc import Callable, Mapping
from itertools import product
from types import MappingProxyType

from ffn_explorer.core.handmade import HandMemory, HandNeuron, HandPattern

_BITS = tuple(HandPattern(f"{a}{b}", (float(a), float(b), 0.0)) for a, b in product((0, 1), repeat=2))
"""The four inputs of two features; the third dimension is where the answer will stand."""


def _any(value: float) -> HandNeuron:
    """Fires as often as features are on: a + b."""
    return HandNeuron("a+b", (1.0, 1.0, 0.0), 0.0, (0.0, 0.0, value))


def _both(value: float) -> HandNeuron:
    """Fires only when both features are on: a + b − 1."""
    return HandNeuron("a∧b", (1.0, 1.0, 0.0), -1.0, (0.0, 0.0, value))


_WORDS = ("france", "japan", "capital", "currency", "paris", "tokyo", "euro", "yen")
_FACTS = (
    ("france", "capital", "paris"),
    ("japan", "capital", "tokyo"),
    ("france", "currency", "euro"),
    ("japan", "currency", "yen"),
)


def _vector(*on: str) -> tuple[float, ...]:
    return tuple(float(word in on) for word in _WORDS)


def _facts() -> HandMemory:
    """Each key waits for a country and a question together; its value writes the answer."""
    neurons = tuple(
        HandNeuron(f"@{country}_{asked}", _vector(country, asked), -1.0, _vector(answer))
        for country, asked, answer in _FACTS
    )
    patterns = tuple(HandPattern(f"@{asked}_of_{land}", _vector(land, asked)) for land, asked, _ in _FACTS)
    alone = (HandPattern("@japan", _vector("japan")), HandPattern("@capital", _vector("capital")))
    return HandMemory("facts", tuple(f"@{word}" for word in _WORDS), neurons, (*patterns, *alone))


_MADE = (
    HandMemory("and", ("a", "b", "a∧b"), (_both(1.0),), _BITS),
    HandMemory("or", ("a", "b", "a∨b"), (_any(1.0), _both(-1.0)), _BITS),
    HandMemory("xor", ("a", "b", "a⊕b"), (_any(1.0), _both(-2.0)), _BITS),
    _facts(),
)

EXAMPLES: Mapping[str, HandMemory] = MappingProxyType({memory.name: memory for memory in _MADE})
"""By name; their words are "handmade.<name>" and "handmade.word.<word>" in the catalogue."""

TOLERANCE = 1e-6
"""Largest deviation of a number of y from the wanted one that still counts as the same (no unit)."""


def wanted_of(memory: HandMemory) -> tuple[tuple[float, ...] | None, ...]:
    """For each pattern, the y `[D]` that the example as it was made gives at the same x, under ReLU.

    None for patterns that the example does not have; each of its patterns is looked for once, first under its
    own name, so that a pattern added on top of one that is there has none.
    """
    example = EXAMPLES.get(memory.name)
    if example is None or example.d_model != memory.d_model:
        return (None,) * len(memory.patterns)
    found: dict[int, tuple[float, ...]] = {}
    free = list(example.patterns)
    same: tuple[Callable[[HandPattern, HandPattern], bool], ...] = (
        lambda one, other: one == other,
        lambda one, other: one.x == other.x,
    )
    for alike in same:
        for at, pattern in enumerate(memory.patterns):
            match = next((given for given in free if alike(pattern, given)), None)
            if at not in found and match is not None:
                free.remove(match)
                found[at] = _answer(example, match)
    return tuple(found.get(at) for at in range(len(memory.patterns)))


def written_by(memory: HandMemory) -> tuple[int, ...]:
    """Dimensions that some value writes, in the memory or in the example that it comes from."""
    example = EXAMPLES.get(memory.name, memory)
    neurons = (*memory.neurons, *(example.neurons if example.d_model == memory.d_model else ()))
    return tuple(d for d in range(memory.d_model) if any(neuron.value[d] for neuron in neurons))


def as_wanted(y: tuple[float, ...], wanted: tuple[float, ...]) -> bool:
    """Whether every number is the wanted one within TOLERANCE; ValueError for other lengths."""
    return all(abs(a - b) <= TOLERANCE for a, b in zip(y, wanted, strict=True))


def _answer(memory: HandMemory, pattern: HandPattern) -> tuple[float, ...]:
    """Y = x + Σᵢ max(0, keyᵢ · x + biasᵢ) · valueᵢ."""
    y = list(pattern.x)
    for neuron in memory.neurons:
        z = sum(k * x for k, x in zip(neuron.key, pattern.x, strict=True)) + neuron.bias
        y = [a + max(0.0, z) * v for a, v in zip(y, neuron.value, strict=True)]
    return tuple(y)
