"""Child of `frames`: plays 3,600 frames and counts memory and references before and after."""

import gc
import sys
from itertools import pairwise
from typing import TYPE_CHECKING

import psutil

from ffn_explorer.cli.benches import real_window

if TYPE_CHECKING:
    from ffn_explorer.app.window import Window

FRAMES_PER_PASS = 240
WARM_UP = 2 * FRAMES_PER_PASS
BLOCKS = 3
BLOCK_FRAMES = 5 * FRAMES_PER_PASS
"""3,600 frames in all. Whole passes, so that every count is taken of the same picture, whose parts refer to
None too; several blocks, because a binding that loses references loses some with every frame, while things
freed once in a while (a timer, a cache) fall into one block only."""


def measure(window: "Window") -> None:
    """Compute, warm up, play, and tell what has grown or gone."""
    real_window.wait_until_computed(window.director)
    frames = real_window.Frames(window.director, per_pass=FRAMES_PER_PASS)
    for _ in range(WARM_UP):
        frames.one()
    counts = [_counted()]
    for _ in range(BLOCKS):
        for _ in range(BLOCK_FRAMES):
            frames.one()
        counts.append(_counted())
    lost = [before - after for (_, before), (_, after) in pairwise(counts)]
    real_window.tell({"grown_bytes": counts[-1][0] - counts[0][0], "lost": lost})


def _counted() -> tuple[int, int]:
    """Resident bytes, and references to None."""
    gc.collect()
    return int(psutil.Process().memory_info().rss), sys.getrefcount(None)


if __name__ == "__main__":
    real_window.start(lambda window: real_window.later(lambda: measure(window)))
