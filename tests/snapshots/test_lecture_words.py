"""Every scene of the lecture, in every look and at every depth: words in their places, none cut off."""

from __future__ import annotations

from functools import cache

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from ffn_explorer.app.director import Director
from ffn_explorer.app.window import Window
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import Appearance, AppState
from ffn_explorer.state.layouts import panels_of
from ffn_explorer.state.lectures.changes import set_depth, to_beat
from ffn_explorer.state.lectures.model import Lecture
from ffn_explorer.state.lectures.store import LECTURES
from ffn_explorer.state.lesson import DEPTHS, Depth
from ffn_explorer.state.requests import roofline_of
from ffn_explorer.state.result import Measured
from ffn_explorer.state.results import Results
from ffn_explorer.state.session import Session
from tests.snapshots.pictures import settle
from tests.snapshots.scenes import computed, roofline
from tests.snapshots.test_words import LEAST_PX, LOOKS, case_id, watch_drawn_texts
from tests.snapshots.words import cramped, nameless, overlapping, small

SIZES = {"light": (1_280, 720), "dark": (1_280, 720), "projector": (1_024, 768)}
SCENES = [scene.name for scene in LECTURES.open("").scenes]


def state_at(lecture: Lecture, beat: int, look: Appearance) -> AppState:
    """Return the state of a beat once its move is done, with the panels of every depth in sight."""
    state = to_beat(lecture, beat, rest=True).to(AppState(appearance=look))
    scene = lecture.scenes[lecture.beats[beat].scene]
    shown = frozenset({"chips", "lesson", "transport", *panels_of(scene.layout), *panels_of(scene.deep)})
    return changes.show_panels(shown).to(state)


@cache
def results_of(beat: int) -> Results:
    """Return what a scene needs; a look changes nothing in it."""
    state = state_at(LECTURES.open(""), beat, Appearance())
    made = computed(state)
    made.put(roofline_of(state), Measured(roofline()))
    return made


def beats_of(lecture: Lecture, scene: str) -> list[int]:
    """Return the beats of a scene: its question where it has one, and its end."""
    number = lecture.find(scene)
    return [
        at
        for at, beat in enumerate(lecture.beats)
        if beat.scene == number and beat.part in ("scene", "question", "answer")
    ]


@pytest.mark.parametrize("look", LOOKS, ids=case_id)
@pytest.mark.parametrize("scene", SCENES)
def test_every_word_of_a_scene_has_its_place(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch, scene: str, look: Appearance
) -> None:
    lecture = LECTURES.open("")
    beats = beats_of(lecture, scene)
    places = [(beats[0], DEPTHS[0]), *((beats[-1], depth) for depth in DEPTHS)]
    assert faults(places, look, monkeypatch) == {}


@pytest.mark.parametrize("look", LOOKS, ids=case_id)
@pytest.mark.parametrize("chapter", [chapter.letter for chapter in LECTURES.open("").chapters])
def test_every_word_that_stands_alone_has_its_place(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch, chapter: str, look: Appearance
) -> None:
    lecture = LECTURES.open("")
    places = [
        (at, DEPTHS[0])
        for at, beat in enumerate(lecture.beats)
        if beat.part in ("summary", "quiz", "quiz_answer")
        and lecture.chapters[beat.chapter].letter == chapter
    ]
    assert len(places) == 7
    assert faults(places, look, monkeypatch) == {}


def faults(
    places: list[tuple[int, Depth]], look: Appearance, monkeypatch: pytest.MonkeyPatch
) -> dict[str, list[str]]:
    """Return what stands wrong at beats of the lecture, each at a depth."""
    cut = watch_drawn_texts(monkeypatch)
    lecture, (first, _), (last, _) = LECTURES.open(""), places[0], places[-1]
    window = Window(Director(Session(state_at(lecture, first, look)), results_of(last)))
    window.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    window.resize(*SIZES[look.theme])
    window.director.start()
    window.lecture.again()
    window.show()
    found: dict[str, list[str]] = {}
    for beat, depth in places:
        window.director.request(to_beat(lecture, beat, rest=True))
        window.director.request(set_depth(depth))
        window.director.show_now()
        settle()
        window.grab()
        lines = [
            *overlapping(window),
            *cramped(window),
            *nameless(window),
            *small(window, LEAST_PX[look.theme]),
        ]
        found[f"{beat} {lecture.beats[beat].part} {depth}"] = lines + cut
        cut.clear()
    assert window.director.close()
    window.close()
    window.deleteLater()
    settle()
    return {what: lines for what, lines in found.items() if lines}
