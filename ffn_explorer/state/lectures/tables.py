"""Tables of a lecture's file: values taken by name and kind; whatever is wrong is kept as a sentence."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ffn_explorer.core.errors import ExplorerError
from ffn_explorer.state.files import Damaged
from ffn_explorer.state.lectures.lines import line_at, lines_of
from ffn_explorer.state.lectures.model import Words
from ffn_explorer.state.quoting import quoted
from ffn_explorer.state.text import Text, said, text

Made = TypeVar("Made")

MOST_PROBLEMS = 100
"""Sentences that are kept."""

MOST_LETTERS = 4_000
"""Letters of one text."""


@dataclass(eq=False)
class Problems:
    """What is wrong with a file, in the order of the file."""

    written: str = ""
    """Text of the file, which tells the lines; "" where there is none."""
    noted: list[tuple[str, Text]] = field(default_factory=list)
    """What is wrong, by place."""

    def add(self, place: str, why: Text) -> None:
        """Note what is wrong at a place."""
        if len(self.noted) < MOST_PROBLEMS:
            self.noted.append((place, why))

    def forget_repeated(self, table: str, *, base: str) -> None:
        """Forget what is wrong in a table only because it is in the one that it is based on."""
        known = {(place.removeprefix(base), why) for place, why in self.noted if place.startswith(base)}
        self.noted = [
            (place, why)
            for place, why in self.noted
            if not place.startswith(table) or (place.removeprefix(table), why) not in known
        ]

    @property
    def found(self) -> tuple[Text, ...]:
        """A sentence for each, with its line where that is known."""
        lines = lines_of(self.written) if self.noted else {}
        return tuple(_said(place, why, line=line_at(lines, place)) for place, why in self.noted)


def _said(place: str, why: Text, *, line: int | None) -> Text:
    if line is None:
        return text("lecture.at", place=quoted(place), why=why)
    return text("lecture.at_line", line=line, place=quoted(place), why=why)


@dataclass(eq=False)
class Table:
    """A table at a place of the file; its entries are taken one by one, and those left over are mistakes."""

    place: str
    data: Mapping[str, Any]
    problems: Problems
    left: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Nothing is taken yet."""
        self.left = set(self.data)

    def wrong(self, name: str, key: str, /, **values: Any) -> None:  # noqa: ANN401 - numbers and strings alike
        """Note what is wrong with an entry."""
        self.problems.add(self.at(name), text(f"lecture.{key}", **values))

    def at(self, name: str) -> str:
        """Place of an entry; of the table itself with ""."""
        return f"{self.place}.{name}" if self.place and name else self.place or name

    def take(self, name: str, kind: type | tuple[type, ...], default: Any) -> Any:  # noqa: ANN401 - any plain value
        """An entry of a kind; the default where it is absent (... : it must be there) or of another kind."""
        self.left.discard(name)
        if name not in self.data:
            if default is ...:
                self.wrong(name, "missing")
            return None if default is ... else default
        value = self.data[name]
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            self.wrong(name, "kind")
            return None if default is ... else default
        return value

    def number(self, name: str, default: float, *, low: float, high: float) -> float:
        """A number between two bounds."""
        value = self.take(name, (int, float), default)
        if not low <= value <= high:
            self.wrong(name, "bounds", low=low, high=high)
            return default
        return float(value)

    def words(self, name: str, *, wanted: bool = True) -> Words:
        """A text in both languages, or one for both."""
        value = self.take(name, (str, dict), ... if wanted else "")
        return Words() if value is None else self.as_words(name, value, wanted=wanted)

    def as_words(self, name: str, value: object, *, wanted: bool = True) -> Words:
        """Words of a plain value; wanted: an empty one is a mistake."""
        if not isinstance(value, str | dict):
            self.wrong(name, "kind")
            return Words()
        if isinstance(value, dict):
            if set(value) != {"en", "ja"} or not all(isinstance(each, str) for each in value.values()):
                self.wrong(name, "languages")
                return Words()
            found = Words(value["en"].strip(), value["ja"].strip())
        else:
            found = Words(value.strip(), value.strip())
        if wanted and not (found.en and found.ja):
            self.wrong(name, "empty")
        if max(len(found.en), len(found.ja)) > MOST_LETTERS:
            self.wrong(name, "long", most=MOST_LETTERS)
            return Words()
        return found

    def many(self, name: str, *, most: int) -> "list[Table]":
        """Tables of an array, with a bound on their number."""
        value = self.take(name, list, [])
        if len(value) > most:
            self.wrong(f"{name}[{most}]", "many", most=most)
        found = []
        for at, each in enumerate(value[:most]):
            place = self.at(f"{name}[{at}]")
            if isinstance(each, dict):
                found.append(Table(place, each, self.problems))
            else:
                self.problems.add(place, text("lecture.kind"))
        return found

    def inner(self, name: str) -> "Table | None":
        """A table inside; None where it is absent."""
        value = self.take(name, dict, None)
        return None if value is None else Table(self.at(name), value, self.problems)

    def end(self) -> None:
        """Every entry that nobody took is a mistake of the author."""
        for name in sorted(self.left):
            self.wrong(str(name), "unknown")


def attempt(table: Table, name: str, *, make: Callable[[], Made], default: Made) -> Made:
    """What is made of an entry; a refusal is noted at it."""
    try:
        return make()
    except ExplorerError as error:
        why = said(error)
    except Damaged as error:
        why = text("lecture.damaged", why=error.why)
        name = name or str(dict(error.why.values).get("name", ""))
    table.problems.add(table.at(name), why)
    return default
