"""Lectures: what an author writes is what is played, and every mistake is told at its place."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ffn_explorer.core.errors import InputError
from ffn_explorer.core.stages import Stage
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import Appearance, AppState
from ffn_explorer.state.layouts import panels_of
from ffn_explorer.state.lectures.changes import (
    answer,
    back_to_scene,
    leave_lecture,
    next_depth,
    strayed,
    to_beat,
    to_scene,
    try_experiment,
)
from ffn_explorer.state.lectures.model import Lecture
from ffn_explorer.state.lectures.reading import lecture_of, load_lecture, read_lecture
from ffn_explorer.state.lectures.store import LECTURES
from ffn_explorer.state.text import say

SMALL = """
format = 1
title = "Small"
[[chapters]]
letter = "A"
title = "First"
summary = ["One.", "Two.", "Three."]
[[chapters.scenes]]
name = "plain"
title = "Plain"
idea = { en = "In English.", ja = "日本語で。" }
shapes = "shapes"
mathematics = "mathematics"
columns = [["stage"], ["curve", "sparsity"]]
deep = [["code"]]
play = [0.25, 0.75]
speed = 2.0
[chapters.scenes.state]
settings = { d_model = 8, d_ff = 16, activation = "gelu" }
selection = { token = 2, neuron = 3, stage = "act" }
views = { maps = { stage = "up", mode = "diff" }, layers = { mode = "any words" } }
[chapters.scenes.question]
asks = "Which?"
answers = ["no", "yes"]
right = 1
why = "Because."
[[chapters.scenes.experiments]]
name = "Gate"
claim = "It is the same."
truth = "It is not."
[chapters.scenes.experiments.state.settings]
activation = "swiglu"
[[chapters.scenes]]
name = "memory"
title = "Memory"
idea = "a"
shapes = "b"
mathematics = "c"
state.memory = "facts"
[[chapters.quiz]]
asks = "Which?"
answers = ["a", "b", "c"]
right = 2
why = "So."
"""


def data() -> dict[str, Any]:
    return tomllib.loads(SMALL)


@pytest.fixture
def lecture() -> Lecture:
    found, problems = lecture_of(data(), path="")
    assert problems == ()
    assert found is not None
    return found


def scene(values: dict[str, Any], number: int = 0) -> dict[str, Any]:
    """Table of a scene."""
    found: dict[str, Any] = values["chapters"][0]["scenes"][number]
    return found


def told(change: Callable[[dict[str, Any]], object]) -> list[str]:
    """What is said of the file after a change."""
    values = data()
    change(values)
    return [say("en", problem) for problem in lecture_of(values, path="")[1]]


def test_a_scene_is_the_state_that_it_declares(lecture: Lecture) -> None:
    scene = lecture.scenes[0]
    assert (scene.state.settings.d_model, scene.state.settings.activation) == (8, "gelu")
    assert (scene.state.selection.token, scene.state.selection.stage) == (2, Stage.ACT)
    assert (scene.state.view("maps").stage, scene.state.view("maps").mode) == (Stage.UP, "diff")
    assert panels_of(scene.layout) == ("stage", "curve", "sparsity")
    assert panels_of(scene.layout_at("mathematics")) == ("code",)
    assert (scene.play, scene.speed, scene.idea.say("ja")) == ((0.25, 0.75), 2.0, "日本語で。")
    tried = scene.experiments[0].state
    assert (tried.settings.activation, tried.settings.d_model) == ("swiglu", 8)
    assert tried.selection == scene.state.selection
    assert lecture.scenes[1].state.source.memory is not None


def test_the_way_leads_through_questions_summaries_and_quizzes(lecture: Lecture) -> None:
    assert [(beat.part, beat.scene) for beat in lecture.beats] == [
        ("question", 0), ("answer", 0), ("scene", 1), ("summary", 1), ("quiz", 1), ("quiz_answer", 1),
    ]  # fmt: skip
    assert [lecture.find(name) for name in ("memory", "2", "0", "3", "nix")] == [1, 1, None, None, None]
    assert [lecture.question(beat) is not None for beat in lecture.beats] == [
        True,
        True,
        False,
        False,
        True,
        True,
    ]


def at_rest(state: AppState) -> AppState:
    """The state once the move is done."""
    return changes.tick(1_000.0).to(state)


def test_jumping_and_walking_lead_to_the_same_state(lecture: Lecture) -> None:
    walked = replace(AppState(), appearance=Appearance(theme="dark", language="ja"))
    jumped = walked
    for beat in range(len(lecture.beats)):
        walked = at_rest(to_beat(lecture, beat).to(changes.select_token(1).to(walked)))
        assert walked == at_rest(to_beat(lecture, beat).to(jumped))
        assert (walked.appearance.theme, walked.appearance.language) == ("dark", "ja")
    assert to_scene(lecture, 1).to(jumped).lesson == to_beat(lecture, 2).to(jumped).lesson


def test_a_question_waits_and_its_answer_plays_the_move(lecture: Lecture) -> None:
    asked = to_beat(lecture, 0).to(AppState())
    assert (asked.playback.time, asked.playback.playing) == (0.25, False)
    answered = answer(lecture, 0).to(asked)
    assert answered.lesson is not None
    assert (answered.lesson.beat, answered.lesson.answer(0)) == (1, 0)
    assert (answered.playback.time, answered.playback.playing) == (0.25, True)
    assert at_rest(answered).playback.time == 0.75
    # Beyond where the scene rests, a person may go on to the end.
    assert at_rest(changes.play().to(at_rest(answered))).playback.time == 1.0
    still = replace(AppState(), appearance=Appearance(reduce_motion=True))
    assert to_beat(lecture, 1).to(still).playback.time == 0.75
    assert not to_beat(lecture, 1).to(still).playback.playing


def test_what_is_tried_or_changed_can_be_left_for_the_scene(lecture: Lecture) -> None:
    scene = at_rest(to_beat(lecture, 1).to(AppState()))
    assert not strayed(scene, lecture)
    tried = try_experiment(lecture, 0).to(scene)
    assert tried.settings.activation == "swiglu"
    assert tried.lesson is not None
    assert tried.lesson.tried == 0
    assert not strayed(tried, lecture)
    played = changes.set_setting("d_ff", 24).to(tried)
    assert strayed(played, lecture)
    assert back_to_scene(lecture).to(played) == scene
    assert strayed(changes.select_token(0).to(scene), lecture)  # the words are about one token
    assert not strayed(changes.select_token(2).to(scene), lecture)


def test_depth_stays_and_the_end_leaves_the_picture(lecture: Lecture) -> None:
    first = to_beat(lecture, 0).to(AppState())
    deep = to_beat(lecture, 2).to(next_depth(first).to(first))
    assert deep.lesson is not None
    assert deep.lesson.depth == "shapes"
    left = leave_lecture().to(deep)
    assert left.lesson is None
    assert left.source == deep.source


@pytest.mark.parametrize(
    ("change", "place", "says"),
    [
        (lambda d: d.pop("format"), "format", "missing"),
        (lambda d: d.update(format=9), "format", "format 1"),
        (lambda d: scene(d).update(titel="x"), "chapters[0].scenes[0].titel", "no entry"),
        (lambda d: scene(d).update(name="a b"), "scenes[0].name", "1 to 40"),
        (lambda d: scene(d, 1).update(name="plain"), "scenes[1].name", "called plain as well"),
        (lambda d: scene(d).update(idea={"en": "x"}), "scenes[0].idea", "both languages"),
        (lambda d: scene(d).update(idea="word " * 41), "scenes[0].idea", "40 words"),
        (lambda d: scene(d).update(columns=[["nix"]]), "scenes[0].columns", "there are"),
        (lambda d: scene(d).update(play=[0.9, 0.1]), "scenes[0].play", "two times"),
        (lambda d: scene(d).update(speed=99), "scenes[0].speed", "between"),
        (lambda d: scene(d)["state"]["settings"].update(d_model=0), "state", "settings.d_model"),
        (lambda d: scene(d)["state"]["settings"].update(width=3), "width", "no entry"),
        (lambda d: scene(d, 1)["state"].update(memory="nix"), "state.memory", "one of"),
        (lambda d: scene(d)["state"]["views"].update(nix={}), "views.nix", "one of"),
        (lambda d: scene(d)["question"].update(right=2), "question.right", "between"),
        (lambda d: d["chapters"][0]["quiz"][0].update(answers=["a"]), "quiz[0].answers", "two to four"),
        (lambda d: d["chapters"][0].update(scenes=[]), "chapters", "no scene"),
        (lambda d: d["chapters"][0].update(summary=["a", "b", "c", "d"]), "summary", "three lines"),
        (lambda d: d["chapters"][0].update(summary=["a", ""]), "chapters[0].summary", "write something"),
        (lambda d: scene(d).update(title=" "), "scenes[0].title", "write something"),
        (lambda d: scene(d).update(title="a\nb"), "scenes[0].title", "one line"),
        (lambda d: scene(d)["question"].update(asks="word " * 41), "question.asks", "40 words"),
        (lambda d: scene(d)["question"].update(answers=["a", 2]), "question.answers", "another kind"),
        (lambda d: scene(d)["question"].update(answers=["a", "a"]), "question.answers", "another one"),
        (lambda d: scene(d).update(columns=[["lesson"]]), "scenes[0].columns", "no panel lesson"),
        (lambda d: scene(d)["state"]["selection"].update(token=500), "selection.token", "between 0 and 7"),
        (lambda d: scene(d)["state"]["selection"].update(neuron=16), "selection.neuron", "between 0 and 15"),
        (lambda d: scene(d)["state"].update(edits={"keep": 64}), "edits.keep", "between 0 and 16"),
        (lambda d: scene(d)["state"].update(source={"orders": [[1, 0]]}), "source.orders", "8 of them"),
        (lambda d: scene(d)["state"]["views"]["maps"].update(mode="c"), "maps.mode", '"", "b", "diff"'),
        (lambda d: scene(d)["state"]["views"].update(stage={"mode": "b"}), "views.stage.mode", 'one of: ""'),
        (lambda d: scene(d)["state"]["views"]["maps"].update(first=-5), "views.maps.first", "between 0"),
        (lambda d: scene(d)["state"]["views"]["maps"].update(scroll=2**31), "views.maps.scroll", "between 0"),
        (lambda d: scene(d).update(columns=[[["stage"]]]), "scenes[0].columns", "no panel"),
    ],
)  # fmt: skip
def test_every_mistake_names_its_place(
    change: Callable[[dict[str, Any]], object], place: str, says: str
) -> None:
    found = told(change)
    assert any(place in line and says in line for line in found), found


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@given(st.data())
@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_whatever_stands_somewhere_is_told_and_never_breaks(draw: st.DataObject) -> None:
    values: Any = data()
    at: Any = values
    for _ in range(draw.draw(st.integers(1, 7))):
        keys = list(at) if isinstance(at, dict) else list(range(len(at)))
        if not keys:
            break
        key = draw.draw(st.sampled_from(keys))
        if not isinstance(at[key], dict | list) or draw.draw(st.booleans()):
            at[key] = draw.draw(plain)
            break
        at = at[key]
    lecture, problems = lecture_of(values, path="")
    assert all(say("ja", problem) for problem in problems)
    if lecture is not None:
        for beat in range(len(lecture.beats)):
            assert to_beat(lecture, beat).to(AppState()).lesson is not None


def test_files_that_are_none_are_refused_in_a_sentence(tmp_path: Path) -> None:
    cases = {
        "no.toml": None,
        "bin.toml": b"\xff\xfe\x00",
        "deep.toml": b"a = " + b"[" * 5_000,
        "dots.toml": b".".join([b"a"] * 20_000) + b" = 1",
        "inline.toml": b"a = {" + b" . ".join([b"a"] * 20_000) + b" = 1}",
        "text.toml": b"hello",
    }
    for name, content in cases.items():
        if content is not None:
            (tmp_path / name).write_bytes(content)
        with pytest.raises(InputError) as error:
            read_lecture(tmp_path / name)
        assert say("en", error.value.key, **error.value.values)
    (tmp_path / "large.toml").write_bytes(b"#" * 4_000_001)
    with pytest.raises(InputError, match=r"lecture\.large"):
        read_lecture(tmp_path / "large.toml")
    (tmp_path / "wrong.toml").write_text(SMALL.replace("right = 1", "right = 7"), "utf-8")
    with pytest.raises(InputError, match=r"lecture\.refused"):
        load_lecture(tmp_path / "wrong.toml")


def test_the_lecture_that_comes_along_has_no_mistake() -> None:
    lecture = LECTURES.open("")
    assert [chapter.letter for chapter in lecture.chapters] == ["A", "B", "C", "D"]
    assert all(len(chapter.quiz) == 3 and len(chapter.summary) == 3 for chapter in lecture.chapters)
    for scene in lecture.scenes:
        texts = (scene.idea, scene.shapes, scene.mathematics, scene.notes)
        assert all(words.en and words.ja and words.en != words.ja for words in texts), scene.name
