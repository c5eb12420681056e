"""One neuron as `inspect` shows it to people: what it is, where it stands, and its tokens side by side."""

from collections.abc import Iterator
from typing import Any

from ffn_explorer.cli.aligned import aligned
from ffn_explorer.state.numbers import short
from ffn_explorer.state.text import say
from ffn_explorer.state.visible import visible

ROLES = ("gate", "up", "down")
LISTS = ("reads", "promotes", "suppresses")


def neuron_lines(found: dict[str, Any], lang: str) -> Iterator[str]:
    """Lines of the card: vectors with their norms and slices, cosines, tokens, and notes."""
    key = {None: "neuron", "shared": "neuron_shared"}.get(found["expert"], "neuron_expert")
    yield say(
        lang, f"cli.inspect.{key}", neuron=f"{found['neuron']:,}", layer=found["place"],
        stack=visible(found["stack"]), expert=found["expert"],
    )  # fmt: skip
    columns = ("vector", "norm", "bias", "dtype", "slice")
    rows = [[say(lang, f"cli.inspect.column.{name}") for name in columns]]
    rows += [
        [
            say(lang, f"cli.inspect.role.{role}"), _number(found["norms"][role]),
            _number(found["bias"][role]) if role in found["bias"] else "–",
            visible(found["dtype"][role]), visible(found["slices"][role]),
        ]
        for role in ROLES
        if role in found["norms"]
    ]  # fmt: skip
    yield from aligned(rows, right=(1, 2))
    cosines = "  ".join(
        f"cos({pair.replace('_', ', ')}) = {_number(value)}" for pair, value in found["cosine"].items()
    )
    yield cosines
    for key in LISTS:
        if found.get(key):
            yield ""
            yield from _tokens(found, key, lang)
    yield from found["notes"]


def _tokens(found: dict[str, Any], key: str, lang: str) -> Iterator[str]:
    """One list with its heading, which says what was multiplied with what; beside it the one without norm."""
    by = found["reads_by" if key == "reads" else "promotes_by"]
    gain = by["gain"]
    what = {"tensor": visible(by["tensor"]), "role": found["reads_with"]}
    if gain is None:
        yield say(lang, f"cli.inspect.{key}", **what)
    else:
        yield say(lang, f"cli.inspect.{key}_normed", **what, gain=visible(gain))
    columns = ("score", "cosine", "token", "text")
    heads = [say(lang, f"cli.inspect.column.{name}") for name in columns]
    rows = [_row(row) for row in found[key]]
    if gain is not None:
        heads += [say(lang, "cli.inspect.column.plain_score"), *heads[2:]]
        rows = [[*row, *_plain(other)] for row, other in zip(rows, found["plain"][key])]
    yield from aligned([heads, *rows], right=(0, 1, 2, 4, 5))


def _row(row: dict[str, Any]) -> list[str]:
    return [_number(row["score"]), _number(row["cosine"]), str(row["id"]), visible(row["text"] or "–")]


def _plain(row: dict[str, Any]) -> list[str]:
    score, _, token, text = _row(row)
    return [score, token, text]


def _number(value: float | None) -> str:
    return short(float("nan") if value is None else value)
