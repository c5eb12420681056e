"""Loader: has what the present state needs computed on another thread, the newest first."""

import logging
import traceback
from collections.abc import Callable
from functools import partial
from time import monotonic

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from ffn_explorer.app.torch_import import prepare_torch
from ffn_explorer.app.worker import Answer, Cancelled, Work, Worker
from ffn_explorer.core.errors import ExplorerError
from ffn_explorer.state.app_state import AppState
from ffn_explorer.state.compute import compute
from ffn_explorer.state.needs import job_text, needs, stopped_text, wanted
from ffn_explorer.state.requests import Request, RunRequest, run_of
from ffn_explorer.state.result import Result, RunResult
from ffn_explorer.state.results import Failure, Results
from ffn_explorer.state.text import said, text

SETTLE_MS = 60
"""A knob rests this long before its run starts."""
PATIENCE_MS = 240
"""While a knob keeps moving, a run starts at least this often."""
BUSY_MS = 300
"""Work that takes longer than this is announced."""

Compute = Callable[..., Result]
Needs = Callable[[AppState, Results, RunResult | None], tuple[Request, ...]]

log = logging.getLogger(__name__)


class Loader(QObject):
    """Runs `needs` -> `compute` on one worker thread, for the last state it was told.

    A job that the newest state no longer needs is cancelled and its answer dropped; results are kept under
    their request, so an answer can never be shown for another state.
    """

    arrived = Signal()
    """The results store has something new."""
    busy_changed = Signal(object)
    """Text of what takes longer than BUSY_MS, or None."""
    ready = Signal(object)
    """Torch is imported: what `prepare` found (names of devices)."""
    _progressed = Signal(object, float)
    failed = Signal(object, str)
    """Text of an unexpected error, and its details for a report."""

    def __init__(
        self,
        results: Results,
        parent: QObject | None = None,
        *,
        compute: Compute = compute,
        needs: Needs = needs,
        prepare: Callable[[], object] = prepare_torch,
    ) -> None:
        """Build a loader that computes nothing before `warm_up`."""
        super().__init__(parent)
        self._results = results
        self._compute = compute
        self._needs = needs
        self._prepare = prepare
        self._state: AppState | None = None
        self._shown: RunResult | None = None
        self._todo: tuple[Request, ...] = ()
        self._running: Request | None = None
        self._warm = False
        self._waiting_since = 0.0
        self._stopped_by_person = False
        self._announced = False
        self._share: float | None = None
        """How much of the job under way is done, where it tells."""
        self._progressed.connect(self._tell_share, Qt.ConnectionType.QueuedConnection)
        self._worker = Worker(self)
        self._worker.answered.connect(self._receive)
        self._settle = self._timer(SETTLE_MS, self._start_next)
        self._announce = self._timer(BUSY_MS, self._say_busy)

    @property
    def warm(self) -> bool:
        """Whether torch has been imported, so that computing can begin."""
        return self._warm

    def warm_up(self) -> None:
        """Import torch on the worker thread, then start computing; called after the first picture."""
        if not self._warm and not self._worker.busy:
            self._worker.start(lambda _cancelled: self._prepare())

    def want(self, state: AppState, shown: RunResult | None = None) -> None:
        """Compute from now on what this state needs, and what the run on screen lacks until then."""
        if self._state is None or _asked(state) != _asked(self._state):
            # What failed or was stopped is tried again when a person comes back to it.
            self._results.forget_failures()
        self._state, self._shown = state, shown
        before = self._todo
        self._look()
        if self._running is not None and self._running not in self._todo:
            self._worker.cancel()
        if not self._todo:
            self._settle.stop()
        elif self._todo[0] != (before[0] if before else None):
            self._schedule(self._todo[0])
        self._watch()

    def cancel(self) -> bool:
        """Stop the job under way because a person asked for it; False if there is none."""
        if self._running is None:
            return False
        self._stopped_by_person = True
        self._worker.cancel()
        return True

    def close(self, patience_s: float = 2.0) -> bool:
        """Stop for good; True if the worker thread ended in time."""
        self._settle.stop()
        self._announce.stop()
        return self._worker.close(patience_s)

    def _timer(self, interval_ms: int, slot: Callable[[], None]) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(interval_ms)
        timer.timeout.connect(slot)
        return timer

    def _look(self) -> None:
        """What the state uses is kept; what of it is missing is to be done."""
        if self._state is not None:
            self._results.keep(wanted(self._state, self._results, self._shown))
            self._todo = self._needs(self._state, self._results, self._shown)

    def _schedule(self, first: Request) -> None:
        """A run waits until the knob rests, but not for ever; smaller things start at once."""
        if not isinstance(first, RunRequest):
            self._settle.stop()
            self._start_next()
            return
        if not self._settle.isActive():
            self._waiting_since = monotonic()
        waited_ms = (monotonic() - self._waiting_since) * 1_000
        if waited_ms < PATIENCE_MS:
            self._settle.start()

    def _start_next(self) -> None:
        if not self._warm or self._worker.busy or not self._todo or self._settle.isActive():
            return
        request = self._todo[0]
        self._running = request
        self._stopped_by_person = False
        self._worker.start(self._work(request))
        self._watch()

    def _work(self, request: Request) -> Work:
        def work(cancelled: Cancelled) -> Result:
            told = partial(self._progressed.emit, request)
            return self._compute(request, self._results, cancelled=cancelled, told=told)

        return work

    def _receive(self, answer: Answer) -> None:
        request, self._running = self._running, None
        self._share = None
        if request is None:
            self._warm = answer.error is None
            if answer.error is not None:
                self._report(answer.error)
            else:
                self.ready.emit(answer.value)
        else:
            self._keep(request, answer)
        self._look()
        self._start_next()
        self._watch()
        self.arrived.emit()

    def _keep(self, request: Request, answer: Answer) -> None:
        error = answer.error
        if answer.cancelled:
            if self._stopped_by_person:
                self._results.put(request, Failure(stopped_text(request)))
        elif isinstance(error, ExplorerError):
            self._results.put(request, Failure(said(error)))
        elif error is not None:
            self._results.put(request, Failure(text("window.unexpected", error=_named(error))))
            self._report(error)
        else:
            assert isinstance(answer.value, Result)
            self._results.put(request, answer.value)

    def _report(self, error: BaseException) -> None:
        details = "".join(traceback.format_exception(error))
        log.error("unexpected error in the worker\n%s", details)
        self.failed.emit(text("window.unexpected", error=_named(error)), details)

    def _watch(self) -> None:
        """Announce work once it has lasted BUSY_MS, and take the announcement back when all is done."""
        working = self._running is not None
        if working and not self._announce.isActive():
            self._announce.start()
        elif not working and not self._todo:
            self._announce.stop()
            if self._announced:
                self._announced = False
                self.busy_changed.emit(None)

    def _tell_share(self, request: Request, share: float) -> None:
        if request is self._running:
            self._share = share
            if self._announced:
                self._say_busy()
            if self._results.sketched(request) is not None:
                self.arrived.emit()

    def _say_busy(self) -> None:
        if self._running is not None:
            self._announced = True
            self.busy_changed.emit(job_text(self._running, self._share))


def _named(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


def _asked(state: AppState) -> tuple[object, ...]:
    """What a person asks for anew after it failed or was stopped."""
    return run_of(state), state.looking
