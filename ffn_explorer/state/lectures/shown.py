"""What a Scene has of a lecture: the beat that is on screen, and whether a person has strayed from it."""

from dataclasses import dataclass

from ffn_explorer.state.app_state import AppState
from ffn_explorer.state.change import Change
from ffn_explorer.state.layouts import Layout, lesson_layout
from ffn_explorer.state.lectures.changes import strayed, to_beat
from ffn_explorer.state.lectures.model import Beat, Chapter, Lecture, SceneOf
from ffn_explorer.state.lectures.store import LECTURES
from ffn_explorer.state.lesson import Lesson


@dataclass(frozen=True, slots=True)
class LessonShown:
    """A beat of a lecture. strayed: whether what is on screen is no longer what the scene declares."""

    lecture: Lecture
    lesson: Lesson
    strayed: bool

    @property
    def beat(self) -> Beat:
        """The beat on screen."""
        return self.lecture.beats[self.lesson.beat]

    @property
    def scene(self) -> SceneOf:
        """Its scene."""
        return self.lecture.scenes[self.beat.scene]

    @property
    def chapter(self) -> Chapter:
        """Its chapter."""
        return self.lecture.chapters[self.beat.chapter]

    @property
    def layout(self) -> Layout:
        """How the board stands at the beat."""
        inside = None if self.beat.alone else self.scene.layout_at(self.lesson.depth)
        return lesson_layout(inside)


def span_of(state: AppState) -> tuple[float, float]:
    """What of the pass is to be seen: the move of the scene that the state is of, else all of it."""
    at = lesson_shown(state)
    return (0.0, 1.0) if at is None else at.scene.play


def scene_layout(state: AppState) -> Layout | None:
    """How the board stands in the scene of a state; None without a lecture."""
    at = lesson_shown(state)
    return None if at is None else at.layout


def step_of(at: LessonShown, by: int) -> Change | None:
    """Go to the beat that lies so many further; None where there is none."""
    wanted = at.lesson.beat + by
    return to_beat(at.lecture, wanted) if 0 <= wanted < len(at.lecture.beats) else None


def lesson_shown(state: AppState) -> LessonShown | None:
    """The beat of a state; None without a lecture, and while its file is not open."""
    lesson = state.lesson
    lecture = None if lesson is None else LECTURES.known(lesson.path)
    if lesson is None or lecture is None or not lesson.beat < len(lecture.beats):
        return None
    return LessonShown(lecture, lesson, strayed(state, lecture))
