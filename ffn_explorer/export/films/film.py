"""Film: what every encoder is told of the frames it gets."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ffn_explorer.core.errors import InputError

Frame = NDArray[np.uint32]
"""Picture `[H, W]` of colours 0xffRRGGBB."""

Check = Callable[[], None]
"""Raises Cancelled once the film is not wanted any more; asked between frames and while waiting."""

FRAMES = (2, 3_000)
"""Fewest and most frames of a film."""

RATES = (1, 60)
"""Fewest and most frames per second."""

SIDE_PX = (16, 4_096)
"""Smallest and largest side of a film, in its own pixels."""

OPAQUE = 0xFF000000
"""What stands in the upper byte of every colour of a Frame; a colour of 0 is therefore none."""


@dataclass(frozen=True, slots=True)
class Film:
    """Size (width, height) in pixels, number of frames, frames per second, and the notes to write inside."""

    size: tuple[int, int]
    frames: int
    rate: int
    notes: Mapping[str, str]

    def check(self) -> None:
        """Raise InputError on a number of frames, a rate or a side out of range."""
        for key, value, (low, high) in (
            ("export.film_frames", self.frames, FRAMES),
            ("export.film_rate", self.rate, RATES),
        ):
            if not low <= value <= high:
                raise InputError(key, value=value, low=low, high=high)
        (width, height), (low, high) = self.size, SIDE_PX
        if not (low <= width <= high and low <= height <= high):
            raise InputError("export.film_size", width=width, height=height, low=low, high=high)

    def durations(self, *, per_second: int) -> list[int]:
        """How long each frame stays, in whole units of 1 / per_second s, so that none drifts off its time.

        A rounded 1 / rate for every frame would add up: 30 frames a second as 3 hundredths each are 33.
        """
        ends = [round(frame * per_second / self.rate) for frame in range(self.frames + 1)]
        return [end - start for start, end in pairwise(ends)]
