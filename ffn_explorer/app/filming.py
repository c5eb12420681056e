"""Filming: a film of the running window; drawn on the GUI thread frame by frame, encoded on another one."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from ffn_explorer.app.animating import Shoot, camera, computed_for
from ffn_explorer.app.still import Subject, beside_others
from ffn_explorer.app.style import style_of_application
from ffn_explorer.export.films.film import Film
from ffn_explorer.export.films.reel import Reel
from ffn_explorer.export.films.table import write_film
from ffn_explorer.state import numbers
from ffn_explorer.state.app_state import AppState
from ffn_explorer.state.compute import Asked, never
from ffn_explorer.state.results import Results
from ffn_explorer.state.text import text

if TYPE_CHECKING:
    from ffn_explorer.app.window import Window

PAUSE_MS = 5
"""Between frames, while those that wait for the encoder are enough."""

TELL_S = 0.25
"""How often is said how far it is."""


class Filming(QObject):
    """One film: called on another thread, it computes what the frames lack, and writes them.

    Not more than one frame is drawn in a turn of the event loop, so that the window answers meanwhile.
    """

    _computed = Signal(object)

    def __init__(
        self, window: "Window", states: Sequence[AppState], subject: Subject, film: Film, *, pixels: float
    ) -> None:
        """Build it with nothing under way; it goes with the work that the window exports."""
        super().__init__(window)
        self._window, self._states, self._subject = window, states, subject
        self._film, self._pixels = film, pixels
        self._reel = Reel(film)
        self._stopped: Asked = never
        self._drawn = 0
        self._opening = False
        self._results = Results()
        self._beside = ""
        self._told = 0.0
        self._camera = ExitStack()
        self._shoot: Shoot | None = None
        self._turn = QTimer(self)
        self._turn.setSingleShot(True)
        self._turn.timeout.connect(self._draw)
        self._computed.connect(self._begin, Qt.ConnectionType.QueuedConnection)
        window.exporting.ended.connect(self._end)

    def __call__(self, path: Path, stopped: Asked) -> None:
        """Write the film, on any thread but the GUI's; Cancelled, or InputError, where that cannot be."""
        self._stopped = stopped
        results = computed_for(self._states, self._window.director.results, stopped=stopped)
        self._computed.emit(results)
        write_film(self._reel.frames(stopped), self._film, path, stopped=stopped)

    def _begin(self, results: Results) -> None:
        if not self._stopped():
            self._attempt(lambda: self._open(results))

    def _open(self, results: Results) -> None:
        """Build what is filmed; again, where the window has changed its theme in between."""
        first = self._states[self._drawn]
        shooting = camera(first, results, self._subject, wear=beside_others, pixels=self._pixels)
        self._opening, self._results, self._beside = True, results, style_of_application()
        try:
            self._shoot = self._camera.enter_context(shooting)
        finally:
            self._opening = False
        if self._stopped():
            self._go()
        else:
            self._turn.start(0)

    def _draw(self) -> None:
        """One frame, where there is room for it; called again until all are drawn."""
        if self._reel.full:
            self._turn.start(PAUSE_MS)
            return
        self._attempt(self._one)

    def _one(self) -> None:
        assert self._shoot is not None
        if style_of_application() != self._beside:
            # Styled with all else, widgets lose the fonts that they were given.
            self._camera.close()
            self._open(self._results)
            return
        self._reel.offer(self._shoot(self._states[self._drawn]))
        self._drawn += 1
        self._tell()
        if self._drawn < len(self._states):
            self._turn.start(0)
        else:
            self._camera.close()

    def _tell(self) -> None:
        """Say how far it is, now and then: each time the whole window is made anew."""
        now = monotonic()
        if now - self._told >= TELL_S:
            self._told = now
            share = numbers.percent(self._drawn / len(self._states))
            self._window.exporting.job.note(text("export.film_busy", share=share))

    def _attempt(self, act: Callable[[], None]) -> None:
        """Without a picture there is no film: what goes wrong is said, and the work given up."""
        if not self._window.director.attempt(act):
            self._window.exporting.job.cancel()

    def _end(self) -> None:
        """The work is done, has failed, or was given up: hear nothing more, unless it has not yet begun."""
        if self._stopped():
            self._window.exporting.ended.disconnect(self._end)
            # A widget that is laid out lets other events happen: this may be one of them.
            if not self._opening:
                self._go()

    def _go(self) -> None:
        """Let go of everything."""
        self._turn.stop()
        self._camera.close()
        self.deleteLater()
