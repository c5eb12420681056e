"""Places in a lecture as plain values, so that a class goes on where the program was closed."""

from collections.abc import Mapping
from typing import Any

from ffn_explorer.state.app_state import AppState
from ffn_explorer.state.lectures.model import Lecture
from ffn_explorer.state.lectures.shown import lesson_shown
from ffn_explorer.state.lesson import DEPTHS, Lesson


def place_to_json(state: AppState) -> dict[str, Any]:
    """Where a state stands in a lecture; empty without one, and where its end is reached."""
    at = lesson_shown(state)
    if at is None or at.lesson.beat == len(at.lecture.beats) - 1:
        return {}
    beat, lesson = at.beat, at.lesson
    return {
        "path": lesson.path,
        "scene": at.scene.name,
        "part": beat.part,
        "quiz": beat.quiz,
        "beat": lesson.beat,
        "depth": lesson.depth,
        "chosen": [list(pair) for pair in lesson.chosen],
        "tried": lesson.tried,
    }


def lesson_from_json(lecture: Lecture, data: Mapping[str, Any]) -> Lesson | None:
    """The same place in a lecture that may have been written anew since; None where its scene is gone.

    A beat is known again by its scene and part; answers count as long as it is at the same place.
    """
    scene = next((at for at, each in enumerate(lecture.scenes) if each.name == data.get("scene")), None)
    if scene is None:
        return None
    wanted = (scene, data.get("part"), data.get("quiz"))
    beats = enumerate(lecture.beats)
    beat = next((at for at, each in beats if (each.scene, each.part, each.quiz) == wanted), None)
    depth = next((depth for depth in DEPTHS if depth == data.get("depth")), DEPTHS[0])
    if beat is None:
        return Lesson(lecture.path, lecture.first_beat(scene), depth)
    if beat != data.get("beat"):
        return Lesson(lecture.path, beat, depth)
    chosen = _chosen(lecture, data.get("chosen"))
    return Lesson(lecture.path, beat, depth, chosen, _tried(lecture, beat, data))


def _chosen(lecture: Lecture, data: object) -> tuple[tuple[int, int], ...]:
    """Answers given, each to a question that is there."""
    found: dict[int, int] = {}
    for pair in data if isinstance(data, list) else []:
        if not isinstance(pair, list) or [type(each) for each in pair] != [int, int]:
            continue
        beat, answer = pair
        asked = lecture.question(lecture.beats[beat]) if 0 <= beat < len(lecture.beats) else None
        if asked is not None and 0 <= answer < len(asked.answers):
            found[beat] = answer
    return tuple(found.items())


def _tried(lecture: Lecture, beat: int, data: Mapping[str, Any]) -> int | None:
    """The experiment under way, where the scene still has it."""
    tried, at = data.get("tried"), lecture.beats[beat]
    there = type(tried) is int and at.moves and 0 <= tried < len(lecture.scenes[at.scene].experiments)
    return tried if there else None
