"""Mistakes in a lecture name the line on which an author finds them."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ffn_explorer.core.errors import InputError
from ffn_explorer.state.assets import asset
from ffn_explorer.state.lectures.lines import line_at, lines_of
from ffn_explorer.state.lectures.reading import MOST_BYTES, read_lecture
from ffn_explorer.state.lectures.store import BUILT_IN
from ffn_explorer.state.text import say
from tests.unit.test_lectures import SMALL

ODD = '''
# a comment with [[brackets]] and "quotes
title = """
[[not.a.header]]
a = 1 ""quoted"""""
other = \'\'\'
# no comment \'\'
b = 2\'\'\'  # a comment
list = [
  1, # [
  { x = "}" },
]
a."b c".d = 1
[plain] # after
  key = "with # no comment, and \\\\"
[[many]]
n = 0
[many.inside]
n = 1
[[many.deep]]
n = 2
[[many.deep]]
n = 3
[[many]]
n = 4
[[many.deep]]
n = 5'''


def test_lines_of_every_kind_of_entry() -> None:
    tomllib.loads(ODD)
    assert lines_of(ODD) == {
        "title": 3,
        "other": 6,
        "list": 9,
        "many": 16,
        "a": 13,
        "a.b c": 13,
        "a.b c.d": 13,
        "plain": 14,
        "plain.key": 15,
        "many[0]": 16,
        "many[0].n": 17,
        "many[0].inside": 18,
        "many[0].inside.n": 19,
        "many[0].deep": 20,
        "many[0].deep[0]": 20,
        "many[0].deep[0].n": 21,
        "many[0].deep[1]": 22,
        "many[0].deep[1].n": 23,
        "many[1]": 24,
        "many[1].n": 25,
        "many[1].deep": 26,
        "many[1].deep[0]": 26,
        "many[1].deep[0].n": 27,
    }


@pytest.mark.parametrize(
    ("place", "line"),
    [("list[1].x", 9), ("many[0].deep[1].no.such", 22), ("many[7]", 16), ("gone", None), ("", None)],
)
def test_a_place_without_a_line_has_that_of_what_is_around_it(place: str, line: int | None) -> None:
    assert line_at(lines_of(ODD), place) == line


def places(value: object, place: str = "") -> dict[str, object]:
    """Return all tables and entries of a TOML file, by place."""
    found: dict[str, object] = {place: value} if place else {}
    if isinstance(value, dict):
        for name, inside in value.items():
            found |= places(inside, f"{place}.{name}" if place else name)
    if isinstance(value, list):
        for at, inside in enumerate(value):
            found |= places(inside, f"{place}[{at}]")
    return found


def test_the_built_in_lecture() -> None:
    """Each line that is told begins with the name of its entry, or is a header that ends with it."""
    text = asset(BUILT_IN).read_text("utf-8")
    known, written = lines_of(text), text.splitlines()
    there = places(tomllib.loads(text))
    assert set(known) <= set(there)
    assert len(known) > 500
    for place, line in known.items():
        name = place.split("[")[-2].split(".")[-1] if place.endswith("]") else place.split(".")[-1]
        assert name in written[line - 1].split("=")[0], (place, line)


def test_a_mistake_names_its_line(tmp_path: Path) -> None:
    path = tmp_path / "talk.toml"
    path.write_bytes(SMALL.replace("speed = 2.0", "speed = 2000.0\nspead = 1").replace("\n", "\r\n").encode())
    lines = path.read_text("utf-8").splitlines()
    _, problems = read_lecture(path)
    said = [say("en", problem) for problem in problems]
    assert [line.split(":")[0] for line in said] == [
        f"line {lines.index('speed = 2000.0') + 1}, chapters[0].scenes[0].speed",
        f"line {lines.index('spead = 1') + 1}, chapters[0].scenes[0].spead",
    ]
    assert say("ja", problems[0]).startswith(f"{lines.index('speed = 2000.0') + 1} 行目")


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("[[chapters.quiz]]", "[[chapters.quizz]]", "chapters[0].quizz"),
        ("[[chapters.quiz]]", "[[chapter]]", "chapter"),
        (
            "[[chapters.quiz]]",
            r'[["chapters"."qu\u0069zz"]]',
            "chapters[0].quizz",
        ),
        (
            "[chapters.scenes.experiments.state.settings]",
            "[chapters.scenes.experiments.sttate.settings]",
            "chapters[0].scenes[0].experiments[0].sttate",
        ),
        ("speed = 2.0", '"sp\\u0065ad" = 2', "chapters[0].scenes[0].spead"),
    ],
)
def test_a_name_that_is_wrong_names_its_line(tmp_path: Path, old: str, new: str, place: str) -> None:
    text = SMALL.replace(old, new)
    path = tmp_path / "talk.toml"
    path.write_text(text, "utf-8")
    line = text.splitlines().index(new) + 1
    said = [say("en", problem) for problem in read_lecture(path)[1]]
    assert any(words.startswith(f"line {line}, {place}:") for words in said), said


def test_what_an_experiment_inherits_is_told_once_where_it_stands(tmp_path: Path) -> None:
    text = SMALL.replace("selection = { token = 2,", "selection = { token = 99,")
    path = tmp_path / "talk.toml"
    path.write_text(text, "utf-8")
    line = next(at for at, words in enumerate(text.splitlines(), 1) if "token = 99" in words)
    (problem,) = read_lecture(path)[1]
    assert say("en", problem).startswith(f"line {line}, chapters[0].scenes[0].state.selection.token:")


def test_a_value_that_cannot_be_names_its_own_line(tmp_path: Path) -> None:
    new = "d_model = 0"
    text = SMALL.replace(
        'settings = { d_model = 8, d_ff = 16, activation = "gelu" }',
        f"[chapters.scenes.state.settings]\n{new}",
    )
    text = text.replace("selection = {", "[chapters.scenes.state.selection]\n#").replace("views = {", "#")
    path = tmp_path / "talk.toml"
    path.write_text(text, "utf-8")
    (problem, *_) = read_lecture(path)[1]
    line = text.splitlines().index(new) + 1
    assert say("en", problem).startswith(f"line {line}, chapters[0].scenes[0].state.settings.d_model:")


def test_the_first_table_too_many_is_named(tmp_path: Path) -> None:
    quiz = SMALL[SMALL.index("[[chapters.quiz]]") :]
    text = SMALL + quiz * 10
    path = tmp_path / "talk.toml"
    path.write_text(text, "utf-8")
    (problem,) = read_lecture(path)[1]
    line = len(text.splitlines()) - len(quiz.splitlines()) + 1
    assert say("en", problem).startswith(f"line {line}, chapters[0].quiz[10]:")


@pytest.mark.parametrize("start", ["\ufeff", "", "x = 1\n", "[a]\n", "a = [{"])
@pytest.mark.parametrize("part", ["a", '"\\""', '"a b"', "'c'"])
def test_a_key_of_endless_parts_is_refused_before_it_is_read(tmp_path: Path, start: str, part: str) -> None:
    path = tmp_path / "talk.toml"
    path.write_text(f"{start}{f'{part}.' * 3_000}a=1", "utf-8")
    with pytest.raises(InputError, match="deep"):
        read_lecture(path)


def test_the_second_scene_of_a_name_is_the_mistake(tmp_path: Path) -> None:
    path = tmp_path / "talk.toml"
    path.write_text(SMALL.replace('name = "memory"', 'name = "plain"'), "utf-8")
    (problem,) = read_lecture(path)[1]
    lines = SMALL.splitlines()
    second = len(lines) - lines[::-1].index('name = "memory"')
    assert (
        say("en", problem)
        == f"line {second}, chapters[0].scenes[1].name: another scene is called plain as well"
    )


TEXTS = st.text(st.sampled_from("ab \n\"'#[]{}=.\\1,"), max_size=60)


@given(TEXTS)
def test_no_text_stops_it_and_valid_ones_name_only_what_is_there(text: str) -> None:
    known = lines_of(text)
    assert all(1 <= line <= text.count("\n") + 1 for line in known.values())
    try:
        data: dict[str, Any] = tomllib.loads(text)
    except ValueError:
        return
    tables = {place for place in known if "\\" not in place}
    assert tables <= set(places(data)) | {""}
    assert set(data) <= {place.split("[")[0].split(".")[0] for place in known} or "\\" in text


def test_the_largest_value_there_may_be() -> None:
    text = "a = [\n" + '"x", # [\n' * (MOST_BYTES // 9) + "]\n"
    assert lines_of(text) == {"a": 1}
