"""The program's own window in a child process, started as a person starts it."""

import json
import os
import runpy
import sys
from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication, QEventLoop, QTimer

from ffn_explorer.app import window as window_module
from ffn_explorer.state import changes, timeline
from ffn_explorer.state.needs import needs

if TYPE_CHECKING:
    from ffn_explorer.app.director import Director
    from ffn_explorer.app.window import Window

POLL_MS = 20
PATIENCE_S = 120.0


def start(act: "Callable[[Window], None]") -> None:
    """Open the window and hand it over with its first picture; `act` ends the process by `tell`."""

    class Watched(window_module.Window):
        """The window, telling when it has been painted before anything else hears of it."""

        def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - the window's own
            super().__init__(*args, **kwargs)
            self.painted.connect(lambda: act(self))

    window_module.Window = Watched  # type: ignore[misc] # the program takes the class from there
    sys.argv[1:] = []
    runpy.run_module("ffn_explorer", run_name="__main__", alter_sys=True)


def tell(answer: dict[str, Any]) -> None:
    """Print the answer and end at once, whatever still runs."""
    print(json.dumps(answer), flush=True)
    os._exit(0)


def later(act: Callable[[], None]) -> None:
    """Call from the event loop; what goes wrong there ends the process."""

    def guarded() -> None:
        try:
            act()
        except Exception as error:  # noqa: BLE001 - Qt would print it and go on for ever
            print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
            os._exit(1)

    QTimer.singleShot(0, guarded)


def pause(milliseconds: int) -> None:
    """Let the event loop run for so long."""
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


def wait_until_computed(director: "Director") -> None:
    """Let the event loop run until torch is there and nothing that the state needs is missing (TimeoutError).

    The first picture is complete before torch is; an import that ends while something is measured would be
    measured with it.
    """
    deadline = perf_counter() + PATIENCE_S
    while not director.loader.warm or needs(director.state, director.results):
        if perf_counter() > deadline:
            raise TimeoutError(str(needs(director.state, director.results)))
        pause(POLL_MS)


class Frames:
    """Frames of the playing window, one by one: tick, new state, its Scene, the board, the paint."""

    def __init__(self, director: "Director", *, per_pass: int) -> None:
        """Divide a pass into so many frames."""
        self._director = director
        self._seconds = timeline.duration_s(director.stages) / per_pass

    def go_to(self, time: float) -> None:
        """Play from a time 0..1 on."""
        self._director.request(changes.seek(time))
        self._director.request(changes.play())
        QCoreApplication.sendPostedEvents()

    def one(self) -> None:
        """One frame, painted when this returns; at the end of the pass it begins anew."""
        if not self._director.state.playback.playing:
            self.go_to(0.0)
        self._director.clock.ticked.emit(self._seconds)
        # What the frame has changed is painted by events that wait now; no timer fires in here.
        QCoreApplication.sendPostedEvents()
