"""Reel: frames on their way from the thread that draws to the one that encodes, a few at a time."""

import queue
from collections.abc import Iterator

from ffn_explorer.export.films.film import Film, Frame
from ffn_explorer.state.compute import Asked, Cancelled

KEPT_BYTES = 64_000_000
"""Frames that wait, together, unless a single one is larger."""

MOST_FRAMES = 8

ASK_S = 0.05
"""How often is asked, while no frame is there, whether the film is still wanted."""


class Reel:
    """A bounded queue for the frames of one film; one thread offers them, another takes them."""

    def __init__(self, film: Film) -> None:
        """Build it empty."""
        width, height = film.size
        room = max(1, min(MOST_FRAMES, KEPT_BYTES // (4 * width * height)))
        self._frames = film.frames
        self._waiting: queue.Queue[Frame] = queue.Queue(room)

    @property
    def full(self) -> bool:
        """Whether the next frame would have to wait."""
        return self._waiting.full()

    def offer(self, frame: Frame, *, patience_s: float = 0.0) -> bool:
        """Hand a frame on; False where there was no room for it within that time."""
        try:
            self._waiting.put(frame, block=patience_s > 0.0, timeout=patience_s or None)
        except queue.Full:
            return False
        return True

    def frames(self, stopped: Asked) -> Iterator[Frame]:
        """As many frames as the film has, as they come; Cancelled once they are not wanted any more."""
        for _ in range(self._frames):
            yield self._next(stopped)

    def _next(self, stopped: Asked) -> Frame:
        while not stopped():
            try:
                return self._waiting.get(timeout=ASK_S)
            except queue.Empty:
                continue
        raise Cancelled
