"""Find: one line of the search, and the words by which it is found."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ffn_explorer.state.app_state import Language
from ffn_explorer.state.text import Text, catalogue, say

LANGUAGES: tuple[Language, ...] = ("en", "ja")
LONGEST_NUMBER = 9
"""Digits of a number that is looked at; nothing here counts further, and no setting goes further."""


@dataclass(frozen=True, slots=True)
class Find:
    """One line of the search: words, what it is found by, its key, and what Enter does (None: nothing)."""

    words: str
    known_as: str
    keys: str
    run: Callable[[], object] | None
    titles: tuple[str, ...] = ()
    """The words in every language, case-folded, and what else it is called by name."""


def find_of(
    language: Language,
    words: Text,
    run: Callable[..., Any],
    *,
    keys: str = "",
    also: tuple[str, ...] = (),
    name: str = "",
) -> Find:
    """A line found by its words, its key and more catalogue keys, in both languages alike.

    also: keys whose sentences are searched too; what no catalogue has is taken as it is.
    name: one more title, the name that commands and files know it by.
    """
    titles = (*(say(each, words).casefold() for each in LANGUAGES), *([name] if name else []))
    known = [*titles, keys, *(catalogue(each).get(key, key) for each in LANGUAGES for key in also)]
    return Find(say(language, words), " ".join(known).casefold(), keys, run, titles)
