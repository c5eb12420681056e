"""Cutting by a pattern that a file brings along: with a limit of time, as some take for ever."""

import re
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from regex import Pattern
    from tokenizers import NormalizedString, PreTokenizedString

PATIENCE = 1.0
"""Seconds that all patterns of a file may take for one text."""

MOST_LETTERS = 4_000
"""Longest pattern; published ones have some hundred letters."""

OTHERWISE = re.compile(r"\{\d*,?\d*\}\+|\(\?[a-z]*m|\\[hHKXRGyYO]|\(\?<[^=!]|\(\?~|\\g|\\k")
"""What the format's own engine (Oniguruma, Ruby's grammar) reads in another way than the engine used here."""

Span = tuple[int, int, bool]
"""First and past letter of a part, and whether the pattern matched it."""


class Clock:
    """When cutting has to be done; shared by the patterns of one tokenizer."""

    def __init__(self) -> None:
        self.until = 0.0

    def start(self) -> None:
        """A new text: all of the time again."""
        self.until = time.monotonic() + PATIENCE

    @property
    def out(self) -> bool:
        """Whether the time is over."""
        return time.monotonic() > self.until

    @property
    def left(self) -> float:
        """Seconds; at least a little, so that a limit is always set."""
        return max(1e-3, self.until - time.monotonic())


class WatchedSplit:
    """A pre-tokenizer that cuts by a pattern, as Split of tokenizer.json does; TimeoutError past the time."""

    def __init__(self, pattern: str, behavior: str, *, invert: bool, clock: Clock) -> None:
        self._pattern = compiled(pattern)
        self._join = JOINS[behavior]
        self._invert, self._clock = invert, clock

    def pre_tokenize(self, text: "PreTokenizedString") -> None:
        """Cut every part of a text that is not a token yet."""
        text.split(self._cut)

    def _cut(self, _number: int, part: "NormalizedString") -> "list[NormalizedString]":
        spans = [
            (first, past, found != self._invert) for first, past, found in self._spans(str(part.normalized))
        ]
        parts = (part[first:past] for first, past in self._join(spans) if past > first)
        return [found for found in parts if found is not None]

    def _spans(self, text: str) -> Iterator[Span]:
        """Parts in turn; a match of nothing cuts where it is, but not where another match has just ended."""
        at = done = 0
        ended = -1
        while at <= len(text):
            match = self._pattern.search(text, at, timeout=self._clock.left)
            if self._clock.out:
                raise TimeoutError
            if match is None:
                break
            if match.start() == match.end() == ended:
                at += 1
                continue
            if match.start() > done:
                yield done, match.start(), False
            yield match.start(), match.end(), True
            at = done = ended = match.end()
        if done < len(text):
            yield done, len(text), False


def compiled(pattern: str) -> "Pattern[str]":
    """A pattern as the format's own engine reads it, lines included; ValueError where that cannot be."""
    import regex

    if len(pattern) > MOST_LETTERS or OTHERWISE.search(pattern):
        raise ValueError("read in another way, or not at all")
    try:
        return regex.compile(pattern, regex.VERSION1 | regex.MULTILINE)
    except (regex.error, RecursionError, OverflowError) as error:
        raise ValueError(str(error)) from error


def _isolated(spans: list[Span]) -> list[tuple[int, int]]:
    return [(first, past) for first, past, _ in spans]


def _removed(spans: list[Span]) -> list[tuple[int, int]]:
    return [(first, past) for first, past, found in spans if not found]


def _contiguous(spans: list[Span]) -> list[tuple[int, int]]:
    return _joined(spans, lambda before, here: before == here)


def _with_previous(spans: list[Span]) -> list[tuple[int, int]]:
    return _joined(spans, lambda before, here: here and not before)


def _with_next(spans: list[Span]) -> list[tuple[int, int]]:
    return _joined(spans, lambda before, here: before and not here)


def _joined(spans: list[Span], join: Callable[[bool, bool], bool]) -> list[tuple[int, int]]:
    """Parts, each joined to the one before it where the two matches say so."""
    found: list[tuple[int, int]] = []
    before: bool | None = None
    for first, past, here in spans:
        if before is not None and join(before, here):
            found[-1] = (found[-1][0], past)
        else:
            found.append((first, past))
        before = here
    return found


JOINS: dict[str, Callable[[list[Span]], list[tuple[int, int]]]] = {
    "Isolated": _isolated,
    "Removed": _removed,
    "Contiguous": _contiguous,
    "MergedWithPrevious": _with_previous,
    "MergedWithNext": _with_next,
}
"""What becomes of the parts that match, by the format's names."""
