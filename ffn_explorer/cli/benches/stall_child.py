"""Child of `stall`: a heartbeat in the window's event loop, from the first picture through a scripted use."""

from collections.abc import Iterator
from time import perf_counter
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer

from ffn_explorer.cli.benches import real_window
from ffn_explorer.core.stages import Stage
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import Cell
from ffn_explorer.state.change import Change

if TYPE_CHECKING:
    from ffn_explorer.app.window import Window

BEAT_MS = 1
STEP_MS = 25


class Heartbeat(QObject):
    """Beats every millisecond and keeps the longest gap."""

    def __init__(self) -> None:
        """Begin to beat."""
        super().__init__()
        self._longest = 0.0
        self._last = perf_counter()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._beat)
        self._timer.start(BEAT_MS)

    def take(self) -> float:
        """Longest gap since the last question, ms."""
        self._beat()
        longest, self._longest = self._longest, 0.0
        return longest * 1_000

    def _beat(self) -> None:
        now = perf_counter()
        self._longest = max(self._longest, now - self._last)
        self._last = now


class Watch:
    """Begins with the first picture, so that no part of the import is missed."""

    def __init__(self, window: "Window") -> None:
        """Start the heartbeat; the import starts after this returns."""
        self._window = window
        self._heart = Heartbeat()
        self._import_ms = 0.0
        window.director.loader.arrived.connect(self._imported, Qt.ConnectionType.SingleShotConnection)

    def _imported(self) -> None:
        """The loader's first answer: torch is there."""
        self._import_ms = self._heart.take()
        real_window.later(self._use)

    def _use(self) -> None:
        director = self._window.director
        real_window.wait_until_computed(director)
        self._heart.take()
        for change in script():
            director.request(change)
            real_window.pause(STEP_MS)
        real_window.wait_until_computed(director)
        real_window.tell({"import_ms": self._import_ms, "use_ms": self._heart.take()})


def script() -> Iterator[Change]:
    """What a person does in some seconds: play, turn knobs, point, choose."""
    yield changes.seek(0.0)
    yield changes.play()
    yield from (changes.set_setting("d_ff", width, gesture="bench") for width in range(512, 4_096, 128))
    yield from (changes.hover(Cell(Stage.UP, 0, token % 8, 11 * token)) for token in range(40))
    yield from (changes.select_token(token % 8) for token in range(16))
    for name in ("gelu", "swiglu", "relu2", "geglu"):
        yield changes.set_setting("activation", name)
        yield changes.select_cell(Cell(Stage.ACT, 0, 3, 7))
    yield from (changes.set_setting("d_model", width, gesture="bench") for width in range(128, 1_024, 64))
    yield changes.play()
    yield from (changes.hover(Cell(Stage.ACT, 0, 2, 5 * index)) for index in range(40))
    yield changes.hover(None)


if __name__ == "__main__":
    kept: list[Watch] = []
    real_window.start(lambda window: kept.append(Watch(window)))
