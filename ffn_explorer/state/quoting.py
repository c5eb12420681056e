"""Values inside sentences: what a person typed, or a file held, is shown whole only where it is harmless."""

from typing import Any

from ffn_explorer.state.text import Text, text
from ffn_explorer.state.visible import visible

WIDEST = 80
"""Characters kept of a value that was typed or read."""
WIDEST_PLACE = 240
"""Characters kept of a path, a list of names or a foreign message, which lose more by being cut."""
MOST_NAMES = 5
"""Names listed one by one."""

_PLACES = frozenset(
    {"path", "file", "folder", "name", "names", "keys", "message", "reason", "why", "error", "what"}
)
_OURS = frozenset({"choices", "known", "available", "libraries", "packages"})
"""Lists that the program itself wrote, each word of which may be needed."""


def quoted(value: str, widest: int = WIDEST) -> str:
    """Value with control characters as code points; of a longer one than `widest`, the middle as "…"."""
    if len(value) <= widest:
        return visible(value)
    head = widest * 2 // 3
    return visible(value[:head]) + "…" + visible(value[head + 1 - widest :])


def harmless(what: Text) -> Text:
    """The same sentence with every string among its values quoted."""
    return Text(what.key, tuple((name, _harmless(name, value)) for name, value in what.values))


def listed(names: list[str]) -> Text | str:
    """The first few names, and how many more there are."""
    shown = ", ".join(quoted(name, 40) for name in names[:MOST_NAMES])
    more = len(names) - MOST_NAMES
    return text("state.and_more", names=shown, count=more) if more > 0 else shown


def _harmless(name: str, value: Any) -> Any:  # noqa: ANN401 - numbers and strings alike
    if isinstance(value, Text):
        return harmless(value)
    if not isinstance(value, str) or name in _OURS:
        return value
    return quoted(value, WIDEST_PLACE if name in _PLACES else WIDEST)
