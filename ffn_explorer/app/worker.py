"""One worker thread: does one piece of work at a time, and answers through one queued Qt signal."""

import queue
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, Qt, Signal

SWITCH_S = 0.001
"""How long the worker may keep the interpreter while the window waits for it; Python's own 5 ms add up."""

Cancelled = Callable[[], bool]
Work = Callable[[Cancelled], object]


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """What came of a piece of work: its value, or the exception it raised; whether it had been cancelled."""

    value: object
    error: BaseException | None
    cancelled: bool


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """One piece of work under way."""

    work: Work
    stop: threading.Event


class Worker(QObject):
    """A daemon thread behind a queue; started with the first job."""

    answered = Signal(object)
    """An Answer, delivered on the thread that made this Worker."""
    _done = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        """Build a worker whose thread is not running yet."""
        super().__init__(parent)
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._current: Job | None = None
        self._closed = False
        self._done.connect(self._receive, Qt.ConnectionType.QueuedConnection)

    @property
    def busy(self) -> bool:
        """Whether a job was given whose answer has not arrived."""
        return self._current is not None

    def start(self, work: Work) -> None:
        """Begin a piece of work; only one may be under way."""
        assert self._current is None
        self._current = Job(work, threading.Event())
        if self._thread is None:
            # A daemon, so that work which does not heed its cancel flag cannot hold the program open.
            sys.setswitchinterval(SWITCH_S)
            self._thread = threading.Thread(target=self._run, name="ffn-explorer-worker", daemon=True)
            self._thread.start()
        self._jobs.put(self._current)

    def cancel(self) -> None:
        """Ask the job under way to stop; its answer still arrives, marked as cancelled."""
        if self._current is not None:
            self._current.stop.set()

    def close(self, patience_s: float) -> bool:
        """Cancel, and wait for the thread to end; True if it did in time. No answer arrives afterwards."""
        self._closed = True
        self.cancel()
        if self._thread is None:
            return True
        self._jobs.put(None)
        self._thread.join(patience_s)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            answer = _do(job)
            if self._closed:
                return
            self._done.emit(answer)

    def _receive(self, answer: Answer) -> None:
        self._current = None
        if not self._closed:
            self.answered.emit(answer)


def _do(job: Job) -> Answer:
    value: object = None
    error: BaseException | None = None
    try:
        value = job.work(job.stop.is_set)
    except BaseException as raised:  # noqa: BLE001 - travels to the window, which shows it
        error = raised
    return Answer(value, error, job.stop.is_set())
