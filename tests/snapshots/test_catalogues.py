"""Both catalogues say the same things, the program uses what they hold and holds what it uses."""

from __future__ import annotations

import re
from string import Formatter

import pytest

from ffn_explorer.state.text import catalogue, say
from tests.snapshots.catalogue_use import SOURCES, Use, uses_in, words_in

EN, JA = catalogue("en"), catalogue("ja")
USES = [use for path in SOURCES for use in uses_in(path)]

JAPANESE = "\u3005\u3040-\u30ff\u4e00-\u9fff"
HALF_WIDTH = re.compile(rf"[{JAPANESE}][,.:;()?!]|(?<![a-z])[,.:;()?!][{JAPANESE}]")
"""Half-width marks beside Japanese; a function's bracket, as in ceil(…), is mathematics."""
SHAPE = re.compile(r"\[[^]]*\]")


def half_width(sentence: str) -> list[str]:
    """Return the half-width marks beside Japanese; shapes such as [文, トークン, D] are code."""
    return HALF_WIDTH.findall(SHAPE.sub("", sentence))


def placeholders(sentence: str) -> set[str]:
    """Return the names between braces."""
    return {name.partition(".")[0] for _, name, _, _ in Formatter().parse(sentence) if name is not None}


def test_both_languages_have_the_same_keys() -> None:
    assert sorted(EN.keys() ^ JA.keys()) == []


def test_both_languages_fill_in_the_same_values() -> None:
    both = sorted(EN.keys() & JA.keys())
    assert [key for key in both if placeholders(EN[key]) != placeholders(JA[key])] == []


def test_every_sentence_says_something() -> None:
    assert [key for words in (EN, JA) for key, sentence in words.items() if not sentence.strip()] == []


def test_every_key_in_the_program_exists() -> None:
    missing = [f"{use.where} {use.pattern}" for use in USES if not any(map(use.matches, EN))]
    assert missing == []


def test_every_value_of_a_sentence_is_given() -> None:
    assert [problem for use in USES for problem in lacking(use)] == []


def lacking(use: Use) -> list[str]:
    """Name the placeholders of a plainly named sentence that its caller leaves empty."""
    key = re.sub(r"\\(.)|\(\?:|\)\?", r"\1", use.pattern)
    if use.values is None or key not in EN:
        return []
    return [f"{use.where} {key}: {name}" for name in sorted(placeholders(EN[key]) - use.values)]


def test_no_key_is_left_over() -> None:
    words = [
        re.compile(rf"(?:panel\.[a-z]+\.)?(?:{pattern})") for path in SOURCES for pattern in words_in(path)
    ]
    patterns = {use.pattern for use in USES}
    # Most uses name one key, as it is.
    named = {re.sub(r"\\(.)", r"\1", pattern) for pattern in patterns} & EN.keys()
    built = [re.compile(pattern) for pattern in patterns if re.sub(r"\\(.)", r"\1", pattern) not in named]
    used = named | {key for key in EN.keys() - named if any(use.fullmatch(key) for use in built)}
    rest = [key for key in EN.keys() - used if not any(word.fullmatch(key) for word in words)]
    assert sorted(rest) == []


def test_japanese_has_full_width_punctuation() -> None:
    found = {key: half_width(sentence) for key, sentence in JA.items()}
    assert {key: places for key, places in found.items() if places} == {}


def test_the_check_sees_half_width_punctuation() -> None:
    assert half_width("値(θ)") == ["値("]
    assert half_width("です.") == ["す."]
    assert half_width("値（θ）：0.1、d_model") == []


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_missing_key_is_a_defect(language: str) -> None:
    with pytest.raises(KeyError):
        say(language, "no.such.key")
