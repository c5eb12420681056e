"""Names of a hand-built memory as words: those of the examples in every language, others as typed."""

from dataclasses import replace
from functools import lru_cache

from ffn_explorer.core.handmade import WORD
from ffn_explorer.state.app_state import Source
from ffn_explorer.state.result import RunResult
from ffn_explorer.state.text import catalogue
from ffn_explorer.state.token_lengths import natural_tokens, ordered


def hand_word(language: str, name: str) -> str:
    """A name as it is shown: "@paris" is a word of the catalogue, "a∧b" is itself."""
    if not name.startswith(WORD):
        return name
    return catalogue(language).get(f"handmade.word.{name.removeprefix(WORD)}", name)


def spoken(run: RunResult, language: str) -> RunResult:
    """The run with its tokens in a language; the very same object where nothing changes."""
    return run if run.request.source.memory is None else _spoken(run, language)


def first_tokens(source: Source, language: str) -> tuple[tuple[str, ...], ...]:
    """Tokens as they stand now, before the first run; InputError where a sentence has none."""
    tokens = tuple(ordered(source, i, named) for i, named in enumerate(natural_tokens(source)))
    if source.memory is None:
        return tokens
    return tuple(tuple(hand_word(language, token) for token in sentence) for sentence in tokens)


# Hand-built runs are a few hundred numbers: keeping some costs nothing, and keeps their identity.
@lru_cache(maxsize=8)
def _spoken(run: RunResult, language: str) -> RunResult:
    words = tuple(tuple(hand_word(language, token) for token in sentence) for sentence in run.tokens)
    return run if words == run.tokens else replace(run, tokens=words)
