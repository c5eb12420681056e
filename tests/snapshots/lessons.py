"""Lessons for pictures: a small lecture with every kind of beat, in both languages."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.state.lectures.model import Lecture
from ffn_explorer.state.lectures.reading import lecture_of
from ffn_explorer.state.lectures.shown import LessonShown
from ffn_explorer.state.lesson import Lesson
from ffn_explorer.state.scene import Scene

LECTURE = """
format = 1
title = { en = "An example", ja = "例" }
[[chapters]]
letter = "A"
title = { en = "First", ja = "最初" }
summary = [
    { en = "Each row is computed alone.", ja = "行ごとに独立に計算します。" },
    { en = "Heights are counts.", ja = "高さは個数です。" },
    { en = "Up, bend, down.", ja = "広げ、曲げ、戻します。" },
]
[[chapters.scenes]]
name = "one"
title = { en = "One row", ja = "1 行" }
idea = { en = "Each token has a row of its own.", ja = "トークンごとに 1 行があります。" }
shapes = { en = "[S, D] → [S, F] → [S, D]", ja = "[S, D] → [S, F] → [S, D]" }
mathematics = { en = "out = W_down f(W_up x)", ja = "out = W_down f(W_up x)" }
columns = [["stage"]]
[chapters.scenes.state]
settings = { d_model = 16, d_ff = 64 }
[chapters.scenes.question]
asks = { en = "Which row changes?", ja = "どの行が変わりますか。" }
answers = [{ en = "All of them", ja = "すべて" }, { en = "None", ja = "なし" }]
right = 1
why = { en = "A row reads no other.", ja = "ほかの行は読みません。" }
[[chapters.scenes.experiments]]
name = { en = "With a gate", ja = "ゲートあり" }
claim = { en = "A gate mixes rows.", ja = "ゲートは行を混ぜます。" }
truth = { en = "It does not.", ja = "混ぜません。" }
state.settings.activation = "swiglu"
[[chapters.quiz]]
asks = { en = "How wide is out?", ja = "out の幅はどれですか。" }
answers = [{ en = "D", ja = "D" }, { en = "F", ja = "F" }]
right = 0
why = { en = "W_down leads back to D.", ja = "W_down が D に戻します。" }
"""
QUESTION, ANSWER, SUMMARY, QUIZ, QUIZ_ANSWER = range(5)

DARK = Appearance("dark", "ja")

STATES: Mapping[str, tuple[Lesson, Appearance, bool]] = {
    "question": (Lesson(beat=QUESTION), Appearance(), False),
    "answered dark ja": (
        Lesson(beat=ANSWER, depth="mathematics", chosen=((QUESTION, 0),)),
        DARK,
        False,
    ),
    "tried": (Lesson(beat=ANSWER, tried=0, depth="shapes"), Appearance(), False),
    "strayed": (Lesson(beat=ANSWER), Appearance("projector"), True),
    "summary": (Lesson(beat=SUMMARY), Appearance("projector"), False),
    "summary dark ja": (Lesson(beat=SUMMARY), DARK, False),
    "quiz": (Lesson(beat=QUIZ), Appearance(), False),
    "quiz answered": (Lesson(beat=QUIZ_ANSWER, chosen=((QUIZ, 0),)), Appearance(scale=1.5), False),
}
"""Place, look, and whether a person has strayed."""

LOOKS = {"light": "question", "dark": "answered dark ja", "projector": "summary"}


@cache
def lecture() -> Lecture:
    """Return the lecture, which has no mistakes."""
    made, problems = lecture_of(tomllib.loads(LECTURE), path="")
    assert made is not None, problems
    assert not problems
    return made


def lesson(name: str) -> Scene:
    """Return the scene of a state above, on a plain pass."""
    from tests.snapshots.scenes import scene

    at, look, strayed = STATES[name]
    return replace(scene("plain"), look=look, lesson=LessonShown(lecture(), at, strayed))


def lesson_look(name: str) -> Scene:
    """Return the scene of one of the looks that are approved."""
    return lesson(LOOKS[name])
