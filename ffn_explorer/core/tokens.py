"""Sentence -> tokens without a dictionary: words, numbers, runs of a Japanese script, punctuation, emoji."""

from functools import cache
from typing import TYPE_CHECKING

from ffn_explorer.core.errors import InputError

if TYPE_CHECKING:
    from regex import Pattern

MAX_TOKENS = 2_048
"""Longest sentence, in tokens."""
MAX_SENTENCES = 32
"""Largest batch."""

# Han includes 々 and 〇; 〆 and the long-vowel marks are "common" to several scripts, so they are named.
_KANJI = r"[\p{Han}〆]"
_HIRAGANA = r"\p{Hiragana}\p{M}*+"
_KATAKANA = r"[\p{Katakana}ーｰﾞﾟ]\p{M}*+"
_LONG = r"[ーｰ]"

_KEYCAP = r"[0-9#*]\uFE0F?\u20E3"
# One letter or digit with its combining marks and joiners; Japanese scripts have runs of their own.
_OWN = r"[\p{Han}\p{Hiragana}\p{Katakana}〆ーｰﾞﾟ]"
_LETTER = rf"(?!{_KEYCAP})[[\p{{L}}\p{{N}}_]--{_OWN}][\p{{M}}\u200C\u200D]*+"
_JOINT = r"(?:['’\u2011-]|(?<=\p{Nd})[.,:．，](?=\p{Nd}))"

_TOKEN = rf"""
      (?:https?://|ftp://|www\.)[!-~--[<>"]]+(?<![.,;:!?)\]'])   # address, without the full stop after it
    | {_KEYCAP}
    | (?:{_LETTER})++(?:{_JOINT}(?:{_LETTER})++)*+               # don't, state-of-the-art, 3.14, 1,000
    | (?:{_KANJI}\p{{M}}*+)++
    | {_HIRAGANA}(?:{_HIRAGANA}|{_LONG})*+
    | (?:{_KATAKANA})++
    | \.{{2,}}+ | …++ | [-—―]{{2,}}+                              # dots and dashes that belong together
    | \X                                                          # everything else: one grapheme cluster
    """

# White space and the invisible characters that only separate: zero-width space, word joiner, byte-order mark.
_SPACE = r"[\s\u200B\u2060\uFEFF]+"


@cache
def _patterns() -> "tuple[Pattern[str], Pattern[str]]":
    """What parts tokens, and what a token is; compiled when a sentence is first cut."""
    import regex  # not wanted before the first picture

    return regex.compile(_SPACE), regex.compile(_TOKEN, regex.VERSION1 | regex.VERBOSE)


def split(text: str) -> tuple[str, ...]:
    """Tokens of a text exactly as typed (no normalisation), white space left out; `()` for an empty text.

    Words keep their apostrophes and hyphens, numbers their separators, and an emoji its whole grapheme
    cluster (Unicode Standard Annex 29). Japanese is cut where the script changes.
    """
    space, token = _patterns()
    return tuple(found for part in space.split(text) for found in token.findall(part))


def tokenize(sentences: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Tokens of each sentence of a batch; InputError when there are too many, or none."""
    if len(sentences) > MAX_SENTENCES:
        raise InputError("error.too_many_sentences", count=len(sentences), limit=MAX_SENTENCES)
    if not sentences:
        raise InputError("error.empty_sentence", number=1)
    tokens = tuple(split(sentence) for sentence in sentences)
    for number, sentence in enumerate(tokens, start=1):
        if not sentence:
            raise InputError("error.empty_sentence", number=number)
        if len(sentence) > MAX_TOKENS:
            raise InputError("error.too_many_tokens", count=len(sentence), limit=MAX_TOKENS)
    return tokens
