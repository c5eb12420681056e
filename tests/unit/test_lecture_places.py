"""Where a lecture was left: the same place is found again, and nothing else is believed of a file."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ffn_explorer.state.app_state import AppState
from ffn_explorer.state.lectures.changes import answer, resume, set_depth, to_beat, try_experiment
from ffn_explorer.state.lectures.model import Lecture
from ffn_explorer.state.lectures.places import lesson_from_json, place_to_json
from ffn_explorer.state.lectures.reading import lecture_of
from ffn_explorer.state.lectures.shown import lesson_shown
from ffn_explorer.state.lectures.store import LECTURES
from ffn_explorer.state.lesson import Lesson
from tests.unit.test_lectures import SMALL

BUILT_IN = LECTURES.open("")


def small(text: str = SMALL) -> Lecture:
    lecture, problems = lecture_of(tomllib.loads(text), path="")
    assert lecture is not None
    assert problems == ()
    return lecture


def stored(state: AppState) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json.dumps(place_to_json(state)))
    return found


@pytest.mark.parametrize("beat", range(len(BUILT_IN.beats) - 1))
def test_every_place_is_found_again(beat: int) -> None:
    state = set_depth("mathematics").to(to_beat(BUILT_IN, beat, rest=True).to(AppState()))
    again = lesson_from_json(BUILT_IN, stored(state))
    assert again == state.lesson
    assert again is not None
    # What the launch brings back besides: the state without the lecture, as sessions keep it.
    left = replace(state, lesson=None, views=(), playback=AppState().playback)
    assert resume(BUILT_IN, again).to(left) == state


def test_without_a_lecture_and_at_its_end_there_is_no_place() -> None:
    assert place_to_json(AppState()) == {}
    assert place_to_json(to_beat(BUILT_IN, len(BUILT_IN.beats) - 1).to(AppState())) == {}


def test_answers_and_the_experiment_under_way_come_back() -> None:
    first = answer(BUILT_IN, 1).to(to_beat(BUILT_IN, 0).to(AppState()))
    tries = next(
        at for at, beat in enumerate(BUILT_IN.beats) if beat.moves and BUILT_IN.scenes[beat.scene].experiments
    )
    state = try_experiment(BUILT_IN, 0).to(to_beat(BUILT_IN, tries).to(first))
    again = lesson_from_json(BUILT_IN, stored(state))
    assert again == state.lesson
    assert again is not None
    assert (again.chosen, again.tried) == (((0, 1),), 0)
    shown = lesson_shown(resume(BUILT_IN, again).to(replace(state, lesson=None)))
    assert shown is not None
    assert not shown.strayed


def test_a_scene_is_found_where_its_author_has_moved_it() -> None:
    """Answers belong to places of the old file, and are dropped."""
    lecture = small()
    state = to_beat(lecture, 2).to(AppState())
    place = {**place_to_json(replace(state, lesson=None)), "path": "", "depth": "shapes"}
    place |= {"scene": "memory", "part": "scene", "quiz": -1, "beat": 0, "chosen": [[0, 1]]}
    assert lesson_from_json(lecture, place) == Lesson("", 2, "shapes")
    # A question that is no longer asked: the scene's beginning.
    assert lesson_from_json(lecture, {**place, "part": "question"}) == Lesson("", 2, "shapes")
    assert lesson_from_json(lecture, {**place, "scene": "gone"}) is None


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 70) | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=6,
)


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "scene": st.sampled_from([scene.name for scene in BUILT_IN.scenes]) | PLAIN,
            "part": st.sampled_from([beat.part for beat in BUILT_IN.beats]) | PLAIN,
            "quiz": st.integers(-1, 3) | PLAIN,
            "beat": st.integers(0, len(BUILT_IN.beats)) | PLAIN,
            "depth": PLAIN,
            "chosen": st.lists(st.lists(st.integers(-2, 60), min_size=2, max_size=2)) | PLAIN,
            "tried": PLAIN,
        },
    )
)
def test_whatever_a_file_says_the_place_can_be_shown(place: dict[str, Any]) -> None:
    lesson = lesson_from_json(BUILT_IN, place)
    if lesson is None:
        assert place.get("scene") not in [scene.name for scene in BUILT_IN.scenes]
        return
    state = resume(BUILT_IN, lesson).to(AppState())
    shown = lesson_shown(state)
    assert shown is not None
    for beat, given_answer in lesson.chosen:
        question = BUILT_IN.question(BUILT_IN.beats[beat])
        assert question is not None
        assert given_answer < len(question.answers)
    if lesson.beat < len(BUILT_IN.beats) - 1:
        assert stored(state)["scene"] == place["scene"]
