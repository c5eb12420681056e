"""Lines of a lecture's file: where each entry of a TOML text stands, which its reader does not tell."""

import re
import tomllib
from collections.abc import Iterator, Mapping

_TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}'  # a string may end in up to two quotes of its own
    r"|'''.*?'{3,5}"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'[^'\n]*'"
    r"|#[^\n]*"
    r"|[\[\]{}]|\n"
    r"|[^\"'#\[\]{}\n]+",
    re.DOTALL,
)
_PART = r"""(?:[A-Za-z0-9_-]+|"(?:\\.|[^"\\\n])*"|'[^'\n]*')"""
_KEY = re.compile(rf"\s*({_PART}(?:[ \t]*\.[ \t]*{_PART})*)")
_LAST = re.compile(r"(?:\.[^.\[\]]+|\[\d+\]|^[^.\[\]]+)$")
"""The last step of a place: an entry's name, or its number in an array."""


def lines_of(text: str) -> Mapping[str, int]:
    """Lines, counted from 1, by place ("chapters[0].scenes[2].idea"), of a text that is valid TOML.

    What stands inside a value of many lines has none of its own: `line_at` gives the value's.
    """
    lines: dict[str, int] = {}
    counts: dict[str, int] = {}
    table = ""
    for line, said in _statements(text):
        many = said.startswith("[[")
        key = _KEY.match(said.lstrip("["))
        if key is None:
            continue
        parts = _parts(key[1])
        if said.startswith("["):
            table = ""
            for place in _tables(parts, counts, many=many):
                table = place
                lines.setdefault(place, line)
            continue
        place = table
        for part in parts:
            place = f"{place}.{part}" if place else part
            lines.setdefault(place, line)
    return lines


def line_at(lines: Mapping[str, int], place: str) -> int | None:
    """The line of a place, or else of the nearest entry around it; None where none is known."""
    while place and place not in lines:
        shorter = _LAST.sub("", place)
        place = "" if shorter == place else shorter
    return lines.get(place)


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """Headers and entries, each with the line that it begins on; comments and empty lines left out."""
    line, begun, depth = 1, 1, 0
    said: list[str] = []
    for found in _TOKEN.finditer(text + "\n"):
        piece = found[0]
        if piece == "\n" and depth == 0:
            if said:
                yield begun, "".join(said).strip()
            said = []
        elif not piece.startswith("#") and (said or not piece.isspace()):
            begun = begun if said else line
            depth += (piece in "[{") - (piece in "]}")
            said.append(piece)
        line += piece.count("\n")


def _parts(key: str) -> list[str]:
    """Names of a dotted key, as the reader of TOML understands quotes and escapes."""
    if "\\" not in key and '"' not in key and "'" not in key:
        return [part.strip() for part in key.split(".")]
    try:
        found: object = tomllib.loads(f"{key} = 0")
    except tomllib.TOMLDecodeError:
        return [key]
    parts = []
    while isinstance(found, dict):
        ((name, found),) = found.items()
        parts.append(name)
    return parts


def _tables(parts: list[str], counts: dict[str, int], *, many: bool) -> Iterator[str]:
    """Places of a header, the outer before the inner; each [[…]] is one more of its array."""
    place = ""
    for at, part in enumerate(parts):
        place = f"{place}.{part}" if place else part
        yield place
        if many and at == len(parts) - 1:
            counts[place] = counts.get(place, -1) + 1
        if place in counts:
            place += f"[{counts[place]}]"
            yield place
