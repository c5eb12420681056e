"""A lecture's TOML file -> Lecture, with every mistake as a sentence that names its place."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ffn_explorer.core.errors import InputError
from ffn_explorer.state.files import kind_of, reason_of
from ffn_explorer.state.layouts import FIXED, Layout, Slot, Split
from ffn_explorer.state.lectures.model import Chapter, Experiment, Lecture, Question, SceneOf, Words
from ffn_explorer.state.lectures.states import PANEL_NAMES, merged, state_of
from ffn_explorer.state.lectures.tables import Problems, Table
from ffn_explorer.state.lesson import DEPTHS
from ffn_explorer.state.quoting import quoted
from ffn_explorer.state.text import Text, text
from ffn_explorer.state.timeline_changes import SPEEDS

FORMAT = 1
"""Version of the format that this program reads."""

MOST_BYTES = 4_000_000
MOST_CHAPTERS, MOST_SCENES, MOST_EXPERIMENTS, MOST_QUIZ = 50, 100, 6, 10
MOST_COLUMNS, MOST_PANELS = 3, 3
"""Columns of panels beside the words, and panels in one of them."""

BESIDE = PANEL_NAMES - FIXED - {"lesson"}
"""Panels that may stand beside the words."""

MOST_WORDS, MOST_JAPANESE = 40, 120
"""Words, and letters in Japanese, of what a scene says at one depth: more is not read in a lecture."""

_WORD = re.compile(r"[^\W\d_]{2,}[^\W_’'-]*")
"""A word as it is read aloud: signs and single letters of formulas are none."""

_LETTER = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
"""A letter of Japanese; formulas have none."""

_DOTTED = re.compile(
    r"""(?:^|[{,\[])[ \t]*(?:(?:[A-Za-z0-9_-]+|"(?:\\.|[^"\\\n])*"|'[^'\n]*')[ \t]*\.[ \t]*){40}""",
    re.MULTILINE,
)
"""A key with so many parts makes a reader of TOML take memory without end."""

_NAME = re.compile(r"[A-Za-z0-9_-]{1,40}", re.ASCII)


def read_lecture(path: Path) -> tuple[Lecture | None, tuple[Text, ...]]:
    """A lecture and what is wrong with its file, the lecture None where nothing of it can be played.

    Raises InputError where the file cannot be read at all.
    """
    data, written = _table_in(path)
    return lecture_of(data, path=str(path), written=written)


def load_lecture(path: Path) -> Lecture:
    """A lecture without a mistake; InputError with the first one otherwise."""
    found, problems = read_lecture(path)
    if problems or found is None:
        more = len(problems) - 1
        key = "lecture.refused_more" if more > 0 else "lecture.refused"
        raise InputError(key, file=path.name, why=problems[0], more=more)
    return found


def lecture_of(
    data: Mapping[str, Any], *, path: str, written: str = ""
) -> tuple[Lecture | None, tuple[Text, ...]]:
    """The same of the values of a TOML file.  written: its text, for the lines of mistakes."""
    problems = Problems(written)
    top = Table("", data, problems)
    version = top.take("format", int, ...)
    if version is not None and version != FORMAT:
        top.wrong("format", "format", known=FORMAT)
    title = _line(top, "title")
    chapters = tuple(_chapter(table) for table in top.many("chapters", most=MOST_CHAPTERS))
    top.end()
    lecture = Lecture(title, chapters, path)
    if not lecture.scenes:
        problems.add("chapters", text("lecture.no_scenes"))
        return None, problems.found
    _check_names(lecture, problems)
    return lecture, problems.found


def _check_names(lecture: Lecture, problems: Problems) -> None:
    """Scenes are asked for by name."""
    seen: set[str] = set()
    for chapter, inside in enumerate(lecture.chapters):
        for number, scene in enumerate(inside.scenes):
            if scene.name in seen:
                place = f"chapters[{chapter}].scenes[{number}].name"
                problems.add(place, text("lecture.twice", name=scene.name))
            seen.add(scene.name)


def _table_in(path: Path) -> tuple[dict[str, Any], str]:
    """Values of a file, and its text."""
    kind = kind_of(path)
    if kind == "nothing":
        raise InputError("cli.error.no_file", path=str(path))
    if kind != "file":
        raise InputError("lecture.no_text", path=str(path))
    try:
        with path.open("rb") as file:
            raw = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise InputError("cli.error.read", path=str(path), why=reason_of(error)) from error
    if len(raw) > MOST_BYTES:
        raise InputError("lecture.large", file=path.name, limit=MOST_BYTES)
    try:
        written = raw.decode("utf-8-sig").replace("\r\n", "\n")
        if _DOTTED.search(written):
            raise InputError("lecture.deep", file=path.name)
        return tomllib.loads(written), written
    except RecursionError as error:
        raise InputError("lecture.deep", file=path.name) from error
    except ValueError as error:
        why = str(error).splitlines()[0] if isinstance(error, tomllib.TOMLDecodeError) else ""
        raise InputError("lecture.toml_at" if why else "lecture.toml", file=path.name, why=why) from error


def _chapter(table: Table) -> Chapter:
    letter = table.take("letter", str, "")[:3]
    title = _line(table, "title")
    lines = table.take("summary", list, [])
    summary = tuple(table.as_words("summary", line) for line in lines[:3])
    if len(lines) > 3:
        table.wrong("summary", "summary")
    scenes = tuple(_scene(each) for each in table.many("scenes", most=MOST_SCENES))
    quiz = tuple(found for each in table.many("quiz", most=MOST_QUIZ) if (found := _question(each)))
    if not scenes:
        table.wrong("scenes", "no_scenes")
    table.end()
    return Chapter(letter, title, scenes, summary, quiz)


def _scene(table: Table) -> SceneOf:
    name = table.take("name", str, ...) or "?"
    if not _NAME.fullmatch(name):
        table.wrong("name", "name")
    words = {depth: _short(table, depth) for depth in DEPTHS}
    given = table.inner("state")
    base = {} if given is None else dict(given.data)
    layout = _columns(table, "columns") or Slot("stage")
    question = table.inner("question")
    state = state_of(Table(f"{table.place}.state", base, table.problems))
    experiments = tuple(_experiment(each, base) for each in table.many("experiments", most=MOST_EXPERIMENTS))
    scene = SceneOf(
        name=name,
        title=_line(table, "title"),
        **words,
        state=state,
        layout=layout,
        deep=_columns(table, "deep") or layout,
        play=_play(table),
        speed=table.number("speed", 4.0, low=SPEEDS[0], high=SPEEDS[1]),
        notes=table.words("notes", wanted=False),
        minutes=table.number("minutes", 2.0, low=0.0, high=120.0),
        question=None if question is None else _question(question),
        experiments=experiments,
    )
    table.end()
    return scene


def _line(table: Table, name: str) -> Words:
    found = table.words(name)
    if "\n" in found.en + found.ja:
        table.wrong(name, "line")
    return found


def _short(table: Table, name: str) -> Words:
    found = table.words(name)
    _check_short(table, name, found)
    return found


def _check_short(table: Table, name: str, found: Words) -> None:
    if len(_WORD.findall(found.en)) > MOST_WORDS or len(_LETTER.findall(found.ja)) > MOST_JAPANESE:
        table.wrong(name, "wordy", words=MOST_WORDS, letters=MOST_JAPANESE)


def _experiment(table: Table, base: Mapping[str, Any]) -> Experiment:
    given = table.inner("state")
    whole = merged(base, {} if given is None else given.data)
    made = Experiment(
        table.words("name"),
        table.words("claim"),
        table.words("truth"),
        state_of(Table(f"{table.place}.state", whole, table.problems)),
    )
    table.end()
    scene = table.place.rpartition(".")[0]
    table.problems.forget_repeated(f"{table.place}.state", base=f"{scene}.state")
    return made


def _question(table: Table) -> Question | None:
    asks, why = _short(table, "asks"), table.words("why")
    given = table.take("answers", list, ...) or []
    answers = tuple(table.as_words("answers", each) for each in given)
    for each in answers:
        _check_short(table, "answers", each)
    if len(set(answers)) < len(answers):
        table.wrong("answers", "same")
    right = table.take("right", int, ...)
    alone = table.take("alone", bool, False)
    table.end()
    if not 2 <= len(answers) <= 4:
        table.wrong("answers", "answers")
        return None
    if right is None:
        return None
    if not 0 <= right < len(answers):
        table.wrong("right", "bounds", low=0, high=len(answers) - 1)
        return None
    return Question(asks, answers, right, why, alone)


def _play(table: Table) -> tuple[float, float]:
    given = table.take("play", list, [0.0, 1.0])
    numbers = all(isinstance(each, int | float) and not isinstance(each, bool) for each in given)
    if len(given) != 2 or not numbers or not 0 <= given[0] <= given[1] <= 1:
        table.wrong("play", "play")
        return 0.0, 1.0
    return float(given[0]), float(given[1])


def _columns(table: Table, name: str) -> Layout | None:
    """Columns of panels, with the shares that `shares` gives them; None where none are named."""
    given = table.take(name, list, [])
    shares = table.take("shares", list, [])
    if not given:
        return None
    names = [str(panel) for column in given if isinstance(column, list) for panel in column]
    unknown = next((panel for panel in names if panel not in BESIDE), None)
    if unknown is not None:
        table.wrong(name, "panel", name=quoted(unknown), choices=", ".join(sorted(BESIDE)))
        return None
    good = all(isinstance(column, list) and 1 <= len(column) <= MOST_PANELS for column in given)
    if not good or len(given) > MOST_COLUMNS or len(set(names)) != len(names):
        table.wrong(name, "columns", columns=MOST_COLUMNS, panels=MOST_PANELS)
        return None
    columns = tuple(_column(column) for column in given)
    if len(columns) == 1:
        return columns[0]
    whole = [type(share) is int and 0 < share <= 1_000 for share in shares]
    if shares and (not all(whole) or (len(shares) != len(columns) and name == "columns")):
        table.wrong("shares", "shares")
    sizes = tuple(shares) if len(shares) == len(columns) and all(whole) else (50,) * len(columns)
    return Split("row", columns, sizes)


def _column(panels: Sequence[str]) -> Layout:
    slots = tuple(map(Slot, panels))
    return slots[0] if len(slots) == 1 else Split("column", slots, (50,) * len(slots))
