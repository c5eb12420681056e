"""HandoutJob: makes the handout of a lecture beside the window, a scene per turn of the event loop."""

import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from ffn_explorer.app.handout import Handout, check_handout_place
from ffn_explorer.app.lone_job import LoneJob
from ffn_explorer.app.still import beside_others
from ffn_explorer.export.handout.words import HandoutWish
from ffn_explorer.export.written import write_bytes
from ffn_explorer.state.lectures.model import Lecture
from ffn_explorer.state.results import Results
from ffn_explorer.state.text import Text, text

if TYPE_CHECKING:
    from ffn_explorer.app.window import Window

TURN_S = 0.02
"""How long pages are set before the window is served again."""


class HandoutJob(QObject):
    """One handout at a time: words and pictures on the GUI thread, numbers and the file on another one."""

    busy_changed = Signal(object)
    """Text of how far it is, or None."""

    def __init__(self, window: "Window") -> None:
        """Join a window, at rest."""
        super().__init__(window)
        self._window = window
        self._handout: Handout | None = None
        self._path = Path()
        self._given_up = threading.Event()
        self._job = LoneJob(self)
        self._job.failed.connect(self._fail)
        self._turn = QTimer(self)
        self._turn.setSingleShot(True)
        self._turn.setInterval(0)
        self._turn.timeout.connect(self._go_on)
        self._next: Callable[[], object] = lambda: None
        window.director.works.add(self, first=True)

    @property
    def under_way(self) -> bool:
        """Whether a handout is being made."""
        return self._handout is not None

    def start(self, lecture: Lecture, wish: HandoutWish, path: Path) -> bool:
        """Begin one, and give up the one before; False where it cannot be, which the window then says."""
        self.cancel()

        def begin() -> None:
            check_handout_place(path)
            self._handout = Handout(lecture, wish, wear=beside_others)

        if not self._window.director.attempt(begin):
            return False
        assert self._handout is not None
        self._path, self._given_up = path, threading.Event()
        self._window.folder = path.parent
        self._announce(0)
        self._soon(partial(self._set, self._handout.set()))
        return True

    def cancel(self) -> bool:
        """Give it up because a person asked for it; False if there is none."""
        was = self.under_way
        self._end()
        return was

    def close(self) -> bool:
        """Stop for good; True if nothing is left running."""
        self._end()
        return self._job.close()

    # Steps --------------------------------------------------------------------------------------------------

    def _set(self, steps: Iterator[None]) -> None:
        """Set pages for a while."""
        end = perf_counter() + TURN_S
        while perf_counter() < end:
            if next(steps, steps) is steps:
                self._compute(0)
                return
        self._soon(partial(self._set, steps))

    def _compute(self, number: int) -> None:
        """Compute the next scene, or write what is done."""
        handout, given_up = self._handout, self._given_up
        assert handout is not None
        if number < len(handout.lecture.scenes):
            self._announce(number)
            self._job.start(
                lambda: handout.results(number, cancelled=given_up.is_set),
                lambda results: self._soon(partial(self._draw, number, results)),
            )
            return
        content, path = handout.content(), self._path
        self.busy_changed.emit(text("handout.writing", file=path.name))

        def write() -> None:
            if not given_up.is_set():
                write_bytes(content, path)

        self._job.start(write, lambda _: self._finish())

    def _draw(self, number: int, results: Results) -> None:
        assert self._handout is not None
        self._handout.draw(number, results)
        self._soon(partial(self._compute, number + 1))

    def _finish(self) -> None:
        path = self._path
        self._end()
        self._window.director.remark(text("window.saved", path=str(path)))

    # What surrounds them ------------------------------------------------------------------------------------

    def _soon(self, step: Callable[[], object]) -> None:
        """Do a step in the next turn of the event loop."""
        self._next = step
        self._turn.start()

    def _go_on(self) -> None:
        step, self._next = self._next, lambda: None
        if self.under_way and not self._window.director.attempt(step):
            self._end()

    def _announce(self, number: int) -> None:
        assert self._handout is not None
        count = len(self._handout.lecture.scenes)
        self.busy_changed.emit(text("handout.busy", n=number + 1, count=count))

    def _fail(self, why: Text, details: str) -> None:
        self._end()
        self._window.director.tell(why, details)

    def _end(self) -> None:
        """Let go of everything of the handout, done or not."""
        self._turn.stop()
        self._given_up.set()
        self._job.cancel()
        handout, self._handout = self._handout, None
        if handout is not None:
            handout.close()
            self.busy_changed.emit(None)
