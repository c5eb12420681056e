"""Lesson: where a person stands in a lecture; which lecture, by its file."""

from dataclasses import dataclass
from typing import Literal

Depth = Literal["idea", "shapes", "mathematics"]
DEPTHS: tuple[Depth, ...] = ("idea", "shapes", "mathematics")
"""How deep a scene's words go: what it is about, which shapes flow, which formula and code compute it."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """A place in a lecture.

    path: of its file, "" for the one that comes with the program.  beat: place in `Lecture.beats`.
    chosen: answers given so far, as (beat, answer).  tried: experiment of the scene that is under way.
    """

    path: str = ""
    beat: int = 0
    depth: Depth = "idea"
    chosen: tuple[tuple[int, int], ...] = ()
    tried: int | None = None

    def answer(self, beat: int) -> int | None:
        """The answer given at a beat."""
        return dict(self.chosen).get(beat)
