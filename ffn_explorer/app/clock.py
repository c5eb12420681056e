"""Clock: one timer, running only while the pass plays; tells how many seconds have really gone by."""

from time import perf_counter

from PySide6.QtCore import QObject, Qt, QTimer, Signal

FRAME_MS = 16


class Clock(QObject):
    """Ticks once a frame between `run(True)` and `run(False)`."""

    ticked = Signal(float)
    """Seconds since the last tick."""

    def __init__(self, parent: QObject | None = None) -> None:
        """Build a clock at rest."""
        super().__init__(parent)
        self._last = 0.0
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(FRAME_MS)
        self._timer.timeout.connect(self._tick)

    @property
    def running(self) -> bool:
        """Whether it ticks."""
        return self._timer.isActive()

    def run(self, on: bool, /) -> None:
        """Start or stop; starting twice changes nothing."""
        if on and not self._timer.isActive():
            self._last = perf_counter()
            self._timer.start()
        elif not on:
            self._timer.stop()

    def _tick(self) -> None:
        now = perf_counter()
        passed, self._last = now - self._last, now
        self.ticked.emit(passed)
