"""Compared: A and B in a few words, and everything in which they differ."""

from ffn_explorer.core.edits import Edits
from ffn_explorer.core.settings import Settings
from ffn_explorer.state import numbers
from ffn_explorer.state.app_state import Compare
from ffn_explorer.state.flash import Delta, Words, differing
from ffn_explorer.state.text import Text, text


def pair(settings: Settings, edits: Edits, compare: Compare) -> Text:
    """A and B side by side: activation and Dff, or the first thing in which they differ where those agree."""
    found = differences(settings, edits, compare)
    if not found:
        return text("compare.equal")
    a, b = _usual(settings), _usual(compare.settings)
    if a == b:
        a, b = (_named(found[0].name, value) for value in (found[0].before, found[0].after))
    return text("compare.pair", a=a, b=b)


def differences(settings: Settings, edits: Edits, compare: Compare) -> tuple[Delta, ...]:
    """Every setting and edit in which B differs from A."""
    return differing(settings, compare.settings, (edits, compare.edits))


def _usual(settings: Settings) -> Words:
    width = numbers.count(settings.d_ff)
    return text("compare.side", name=settings.activation_row.label, value=width)


def _named(name: Text, value: Words) -> Words:
    return text("compare.side", name=name, value=value)
