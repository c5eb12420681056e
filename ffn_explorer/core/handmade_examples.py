"""Memories to begin with: the logic of two features, and a few facts; each works exactly under ReLU.

With features that are 0 or 1, a bias of −1 makes a neuron that reads two of them wait for both (McCulloch and
Pitts 1943); relu(a + b − 1) is then "and", and relu(a + b) − 2 · relu(a + b − 1) is "exclusive or".
"""

from collections.abc import Mapping
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
