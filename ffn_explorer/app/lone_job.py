"""LoneJob: work on a thread of its own; newer work takes its place, and its late answer is dropped."""

import logging
import sys
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Any

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from ffn_explorer.app.worker import SWITCH_S
from ffn_explorer.core.errors import ExplorerError
from ffn_explorer.state.text import Text, said, text

BUSY_MS = 300
"""Work that takes longer than this is announced."""

PATIENCE_S = 1.0
"""How long all threads together may take to end."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, eq=False)
class _Job:
    """A piece of work under way, and what is done with its answer."""

    work: Callable[[], object]
    then: Callable[[Any], object]
    ended: Callable[[], object]


class LoneJob(QObject):
    """Reading cannot be interrupted, so that work is abandoned: its thread ends by itself, unheard."""

    busy_changed = Signal(object)
    """Text of what takes longer than BUSY_MS, or None."""
    failed = Signal(object, str)
    """Why the work came to nothing (Text), and details for a report where that was not to be expected."""
    _done = Signal(object, object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        """Build it at rest."""
        super().__init__(parent)
        self._job: _Job | None = None
        self._busy: Text | None = None
        self._threads: list[threading.Thread] = []
        self._closed = False
        self._done.connect(self._receive, Qt.ConnectionType.QueuedConnection)
        self._announced = False
        self._announce = QTimer(self)
        self._announce.setSingleShot(True)
        self._announce.setInterval(BUSY_MS)
        self._announce.timeout.connect(self._say_busy)

    @property
    def under_way(self) -> bool:
        """Whether there is work whose answer is still wanted."""
        return self._job is not None

    def start(
        self,
        work: Callable[[], object],
        then: Callable[[Any], object],
        *,
        busy: Text | None = None,
        ended: Callable[[], object] = lambda: None,
    ) -> None:
        """Do some work, and then something with what comes of it; work under way is abandoned.

        then: called here, unless the work fails or is abandoned.  ended: called in every case, after it, also
        when the window closes.
        """
        self._abandon()
        job = self._job = _Job(work, then, ended)
        self._busy = busy
        sys.setswitchinterval(SWITCH_S)
        # A daemon, so that a drive that does not answer cannot hold the program open.
        thread = threading.Thread(target=self._run, args=(job,), name="ffn-explorer-file", daemon=True)
        self._threads = [*(old for old in self._threads if old.is_alive()), thread]
        thread.start()
        self._announce.start()

    def note(self, busy: Text) -> None:
        """Say something else of the work under way, as how far it is."""
        self._busy = busy
        if self._announced:
            self.busy_changed.emit(busy)

    def cancel(self) -> bool:
        """Abandon the work under way because a person asked for it; False if there is none."""
        if self._job is None:
            return False
        self._abandon()
        return True

    def close(self) -> bool:
        """Stop for good; True if every thread ended in time."""
        self._announce.stop()
        self._closed = True
        job, self._job = self._job, None
        if job is not None:
            job.ended()
        last = monotonic() + PATIENCE_S
        for thread in self._threads:
            thread.join(max(0.0, last - monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    def _abandon(self) -> None:
        job, self._job = self._job, None
        if job is not None:
            self._rest()
            job.ended()

    def _run(self, job: _Job) -> None:
        value: object = None
        error: BaseException | None = None
        try:
            value = job.work()
        except BaseException as raised:  # noqa: BLE001 - travels to the window, which shows it
            error = raised
        if not self._closed:
            self._done.emit(job, value, error)

    def _receive(self, job: _Job, value: object, error: BaseException | None) -> None:
        if job is not self._job:
            return
        self._job = None
        self._rest()
        if error is None:
            job.then(value)
        elif isinstance(error, ExplorerError):
            self.failed.emit(said(error), "")
        else:
            details = "".join(traceback.format_exception(error))
            log.error("unexpected error while reading\n%s", details)
            self.failed.emit(text("window.unexpected", error=f"{type(error).__name__}: {error}"), details)
        job.ended()

    def _rest(self) -> None:
        self._announce.stop()
        if self._announced:
            self._announced = False
            self.busy_changed.emit(None)

    def _say_busy(self) -> None:
        if self._job is not None and self._busy is not None:
            self._announced = True
            self.busy_changed.emit(self._busy)
