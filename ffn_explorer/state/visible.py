"""Tokens as shown: what would be invisible, or would turn the line around, is written as its code point."""

import unicodedata
from functools import lru_cache

_MARKED = frozenset({"Cc", "Cs", "Cn", "Co", "Zl", "Zp"})
"""Control characters, lone surrogates, unassigned and private ones, line and paragraph separators."""

_JOINERS = frozenset("\u200c\u200d\ufe0e\ufe0f") | frozenset(map(chr, range(0xE0020, 0xE0080)))
"""Parts of one emoji or ligature: invisible, and harmless inside a longer token."""


@lru_cache(maxsize=4096)
def visible(token: str) -> str:
    """Token with unprintable characters as "<U+202E>"; an empty or blank one shows every character so."""
    whole = not any(unicodedata.category(c)[0] not in "CZM" for c in token)
    return "".join(f"<U+{ord(c):04X}>" if _hidden(c, alone=whole) else c for c in token)


def _hidden(c: str, *, alone: bool) -> bool:
    kind = unicodedata.category(c)
    if kind in _MARKED:
        return True
    if kind == "Cf":
        return alone or c not in _JOINERS
    # A combining mark with nothing to stand on, or a blank.
    return alone and kind[0] in "ZM"
