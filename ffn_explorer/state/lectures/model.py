"""Lecture: chapters of scenes, each a whole state with words at three depths; plain frozen values."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from ffn_explorer.state.app_state import AppState, Language
from ffn_explorer.state.layouts import Layout
from ffn_explorer.state.lesson import Depth

Part = Literal["scene", "question", "answer", "summary", "quiz", "quiz_answer"]
"""What is shown at a beat; a question is posed before it is answered."""


SIGNS = "ABCD"
"""Letters of the answers to a question."""


@dataclass(frozen=True, slots=True)
class Words:
    """A text in both languages."""

    en: str = ""
    ja: str = ""

    def say(self, language: Language) -> str:
        """The text in one of them."""
        return self.ja if language == "ja" else self.en


@dataclass(frozen=True, slots=True)
class Question:
    """A question with two to four answers, one of them right, and why.

    alone: whether it is posed without the scene's panels, where these would tell the answer.
    """

    asks: Words
    answers: tuple[Words, ...]
    right: int
    why: Words
    alone: bool = False


@dataclass(frozen=True, slots=True)
class Experiment:
    """A common belief that can be tried: what is believed, what is changed, what is then seen."""

    name: Words
    claim: Words
    truth: Words
    state: AppState


@dataclass(frozen=True, slots=True)
class SceneOf:
    """One scene: its words at three depths, notes for the person who speaks, and the state that it shows.

    layout: the panels beside the words; deep: those at the depth of mathematics.  play: the quick move,
    as times of the pass.  minutes: how long it is meant to take.
    """

    name: str
    title: Words
    idea: Words
    shapes: Words
    mathematics: Words
    state: AppState
    layout: Layout
    deep: Layout
    play: tuple[float, float] = (0.0, 1.0)
    speed: float = 4.0
    notes: Words = field(default_factory=Words)
    minutes: float = 2.0
    question: Question | None = None
    experiments: tuple[Experiment, ...] = ()

    def words(self, depth: Depth) -> Words:
        """What is said at a depth."""
        found: Words = getattr(self, depth)
        return found

    def layout_at(self, depth: Depth) -> Layout:
        """The panels at a depth."""
        return self.deep if depth == "mathematics" else self.layout


@dataclass(frozen=True, slots=True)
class Chapter:
    """Scenes that belong together, three lines that sum them up, and three questions."""

    letter: str
    title: Words
    scenes: tuple[SceneOf, ...]
    summary: tuple[Words, ...] = ()
    quiz: tuple[Question, ...] = ()


@dataclass(frozen=True, slots=True)
class Beat:
    """One press of the presenter's key. scene: its number in the whole lecture; quiz: of the question.

    alone: whether its words stand without panels, which may tell the answer.
    """

    part: Part
    chapter: int
    scene: int
    quiz: int = -1
    alone: bool = False

    @property
    def rests(self) -> bool:
        """Whether the scene waits before its move: a person predicts it first."""
        return self.part == "question"

    @property
    def moves(self) -> bool:
        """Whether the scene plays its move here; its experiments can then be tried."""
        return self.part in ("scene", "answer")


@dataclass(frozen=True)
class Lecture:
    """A whole lecture. path: its file, "" for the one that comes with the program."""

    title: Words
    chapters: tuple[Chapter, ...]
    path: str = ""

    @cached_property
    def scenes(self) -> tuple[SceneOf, ...]:
        """Scenes of all chapters, in order; they are counted from 1 where people see it."""
        return tuple(scene for chapter in self.chapters for scene in chapter.scenes)

    @cached_property
    def beats(self) -> tuple[Beat, ...]:
        """The way through: every scene, its question and its answer; a chapter's summary and its quiz."""
        found: list[Beat] = []
        number = 0
        for at, chapter in enumerate(self.chapters):
            for scene in chapter.scenes:
                if scene.question is None:
                    found.append(Beat("scene", at, number))
                else:
                    asked = Beat("question", at, number, alone=scene.question.alone)
                    found += [asked, Beat("answer", at, number)]
                number += 1
            if chapter.summary:
                found.append(Beat("summary", at, number - 1, alone=True))
            for quiz in range(len(chapter.quiz)):
                found += [Beat(part, at, number - 1, quiz, alone=True) for part in ("quiz", "quiz_answer")]
        return tuple(found)

    def first_beat(self, scene: int) -> int:
        """The beat at which a scene begins."""
        return next(at for at, beat in enumerate(self.beats) if beat.scene == scene)

    def find(self, name: str) -> int | None:
        """Number of the scene of a name, or of a number from 1 as it is counted; None where there is none."""
        if name.isdecimal() and len(name) < 6:
            return int(name) - 1 if 0 < int(name) <= len(self.scenes) else None
        return next((at for at, scene in enumerate(self.scenes) if scene.name == name), None)

    def question(self, beat: Beat) -> Question | None:
        """What is asked at a beat."""
        if beat.quiz >= 0:
            return self.chapters[beat.chapter].quiz[beat.quiz]
        return self.scenes[beat.scene].question if beat.part in ("question", "answer") else None
