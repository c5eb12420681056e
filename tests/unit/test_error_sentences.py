"""Every sentence that the code can raise exists in both languages, with the values that it is given."""

import ast
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

import ffn_explorer
from ffn_explorer.state.text import catalogue

PACKAGE = Path(ffn_explorer.__file__).parent
ERRORS = {"InputError", "SettingError", "MemoryRefusal"}


def raised() -> Iterator[tuple[str, str, set[str] | None]]:
    """Place, key and names of the values of every error made anywhere; None where they are computed."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (
                isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ERRORS
            ):
                continue
            names = {keyword.arg for keyword in node.keywords}
            given = None if None in names else {name for name in names if name}
            for key in ast.walk(node.args[0]):
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    yield f"{path.relative_to(PACKAGE)}:{node.lineno}", key.value, given


def named(sentence: str) -> set[str]:
    """Placeholders of a sentence."""
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name}


@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_error_has_its_sentence(language: str) -> None:
    known = catalogue(language)
    found = list(raised())
    assert len(found) > 30
    assert [place for place, key, _ in found if key not in known] == []
    assert [place for place, key, given in found if given is not None and named(known[key]) - given] == []


@pytest.mark.parametrize("language", ["en", "ja"])
def test_errors_are_one_sentence_with_an_advice(language: str) -> None:
    """What is wrong, then what to do: English joins them, Japanese takes two short sentences."""
    for key, sentence in catalogue(language).items():
        if key.startswith(("error.", "cli.error.")) and "forward" not in key:
            assert sentence.endswith("。" if language == "ja" else "."), key
            assert "\n" not in sentence
            assert (
                (sentence.count("。") >= 2) if language == "ja" else (":" in sentence or ";" in sentence)
            ), key
