"""Child of `frames`: plays 3,000 frames and counts memory and references before and after."""

import gc
import sys
from typing import TYPE_CHECKING

import psutil

from ffn_explorer.cli.benches import real_window

if TYPE_CHECKING:
    from ffn_explorer.app.window import Window

FRAMES_PER_PASS = 240
WARM_UP = 2 * FRAMES_PER_PASS
FRAMES = 13 * FRAMES_PER_PASS
"""3,120: whole passes, so that both counts are taken of the same picture, whose parts refer to None too."""


def measure(window: "Window") -> None:
    """Compute, warm up, play, and tell what has grown or gone."""
    real_window.wait_until_computed(window.director)
    frames = real_window.Frames(window.director, per_pass=FRAMES_PER_PASS)
    for _ in range(WARM_UP):
        frames.one()
    before = _counted()
    for _ in range(FRAMES):
        frames.one()
    after = _counted()
    grown = after[0] - before[0]
    real_window.tell({"grown_bytes": grown, "none_before": before[1], "none_after": after[1]})


def _counted() -> tuple[int, int]:
    """Resident bytes, and references to None."""
    gc.collect()
    return int(psutil.Process().memory_info().rss), sys.getrefcount(None)


if __name__ == "__main__":
    real_window.start(lambda window: real_window.later(lambda: measure(window)))
