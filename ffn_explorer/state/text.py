"""Text: what lower floors say, as a key and values; translated only when shown."""

import tomllib
from dataclasses import dataclass
from functools import cache
from typing import Any

from ffn_explorer.core.errors import ExplorerError
from ffn_explorer.state.assets import asset


@dataclass(frozen=True, slots=True)
class Text:
    """A catalogue key with its values; values may be Text themselves."""

    key: str
    values: tuple[tuple[str, Any], ...] = ()


def text(key: str, /, **values: Any) -> Text:  # noqa: ANN401 - numbers and strings alike
    """Text from a key and named values."""
    return Text(key, tuple(values.items()))


def said(error: ExplorerError) -> Text:
    """The sentence that an error stands for."""
    return text(error.key, **error.values)


@cache
def catalogue(language: str) -> dict[str, str]:
    """Flat catalogue of one language: "panel.stage.title" -> sentence with {placeholders}."""
    with asset(f"translations/{language}.toml").open("rb") as file:
        return dict(_flatten(tomllib.load(file)))


def say(language: str, what: Text | str, /, **values: Any) -> str:  # noqa: ANN401
    """Sentence in a language; a missing key is a defect, so it raises KeyError."""
    key, given = (what, values) if isinstance(what, str) else (what.key, dict(what.values))
    if not given:
        return _plain(language, key)
    filled = {name: say(language, v) if isinstance(v, Text) else v for name, v in given.items()}
    return catalogue(language)[key].format_map(filled)


@cache
def _plain(language: str, key: str) -> str:
    """Sentence without placeholders; every frame says dozens of them."""
    return catalogue(language)[key].format_map({})


def _flatten(table: dict[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    for key, value in table.items():
        name = f"{prefix}{key}"
        rows += _flatten(value, f"{name}.") if isinstance(value, dict) else [(name, value)]
    return rows
