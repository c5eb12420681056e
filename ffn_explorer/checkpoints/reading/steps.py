"""Long readings: how far they are, what they found so far, and how they are stopped."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

Asked = Callable[[], bool]
Told = Callable[[float], None]

EVERY_S = 0.1
"""Seconds between two words on how far a reading is: often enough for a bar, too seldom to cost anything."""


class Stopped(Exception):
    """The reading is not wanted any more."""


def never() -> bool:
    """Whether to stop: no."""
    return False


def quiet(_share: float) -> None:
    """Tell nobody how much is done."""


@dataclass
class Steps:
    """The way through a reading: asks at every step whether to go on, tells now and then how far it is."""

    told: Told = quiet
    cancelled: Asked = never
    _last: float = field(default_factory=time.monotonic)

    def at(self, share: float) -> bool:
        """Whether it is time to show what was found; told hears the share 0..1. Raises Stopped."""
        if self.cancelled():
            raise Stopped
        now = time.monotonic()
        if share < 1.0 and now - self._last < EVERY_S:
            return False
        self._last = now
        self.told(min(1.0, share))
        return True
