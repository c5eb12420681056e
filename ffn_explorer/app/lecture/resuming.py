"""Resuming: a lecture goes on where the program was closed, as soon as its file has been read."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ffn_explorer.app.lone_job import LoneJob
from ffn_explorer.app.memory import MISSED
from ffn_explorer.core.errors import ExplorerError
from ffn_explorer.state.asked import chosen_in
from ffn_explorer.state.lectures.changes import resume, to_beat
from ffn_explorer.state.lectures.model import Lecture
from ffn_explorer.state.lectures.places import lesson_from_json
from ffn_explorer.state.lectures.store import LECTURES
from ffn_explorer.state.text import said, text

if TYPE_CHECKING:
    from ffn_explorer.app.window import Window


class Resuming:
    """A remembered place that waits to be taken up; F5 takes it up later, where a person was faster."""

    def __init__(
        self, window: "Window", job: LoneJob, *, place: Mapping[str, Any], missed: Callable[[], None]
    ) -> None:
        """Take a place, as plain values of a file.  missed: called where its lecture cannot be read."""
        self._window = window
        self._job = job
        self._place = place
        self._missed = missed
        self.waits = isinstance(place.get("path"), str)
        """Whether the place may still be taken up."""

    def begin(self, *, unasked: bool = False) -> None:
        """Read the lecture and go to the place; unasked: unless a person has begun something else."""
        path, director = str(self._place["path"]), self._window.director
        before = chosen_in(director.state)

        def work() -> Lecture | ExplorerError:
            try:
                return LECTURES.open(path)
            except ExplorerError as error:
                return error

        def then(found: Lecture | ExplorerError) -> None:
            if isinstance(found, ExplorerError):
                self.waits = False
                self._missed()
                # What was missed last time already is tried again without a word.
                if not (unasked and self._place.get(MISSED)):
                    director.tell(said(found))
            elif director.state.lesson is None:
                if unasked and chosen_in(director.state) != before:
                    director.remark(text("window.lecture_waits"))
                else:
                    self._take(found)

        self._job.start(work, then, busy=text("open.busy", file=Path(path).name or path))

    def _take(self, lecture: Lecture) -> None:
        self.waits = False
        lesson = lesson_from_json(lecture, self._place)
        director = self._window.director
        # A scene that its author has taken out: the lecture begins anew.
        director.request(to_beat(lecture, 0) if lesson is None else resume(lecture, lesson))
        number = 0 if lesson is None else lecture.beats[lesson.beat].scene
        director.remark(text("window.lecture_resumed", n=number + 1))
