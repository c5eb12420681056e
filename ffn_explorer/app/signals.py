"""Ctrl+C in the terminal and SIGTERM close the window as a person would."""

import signal
import socket
from collections.abc import Callable
from types import FrameType

from PySide6.QtCore import QObject, QSocketNotifier


class SignalWatch(QObject):
    """Wakes Qt's event loop when the system sends a signal, and calls `close` from there.

    Python runs its handlers only between two of its own instructions, and an idle event loop has none; the
    byte that Python writes to a socket for each signal gives it one.
    """

    def __init__(self, close: Callable[[], object], parent: QObject | None = None) -> None:
        """Take over SIGINT and SIGTERM."""
        super().__init__(parent)
        self._close = close
        self._ours, self._pythons = socket.socketpair()
        self._ours.setblocking(False)
        self._pythons.setblocking(False)
        self._old = {name: signal.signal(name, self._note) for name in (signal.SIGINT, signal.SIGTERM)}
        self._old_fd = signal.set_wakeup_fd(self._pythons.fileno(), warn_on_full_buffer=False)
        self._notifier = QSocketNotifier(self._ours.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._drain)

    def stop(self) -> None:
        """Give the signals back."""
        self._notifier.setEnabled(False)
        signal.set_wakeup_fd(self._old_fd)
        for name, handler in self._old.items():
            signal.signal(name, handler)
        self._ours.close()
        self._pythons.close()

    def _note(self, _number: int, _frame: FrameType | None) -> None:
        self._close()

    def _drain(self) -> None:
        self._ours.recv(64)
