"""Ramps: one colour at every strength over a ground, as a table for images."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor


@lru_cache(maxsize=32)
def ramp(ground: str, colour: str) -> NDArray[np.uint8]:
    """Colours `[256, 4]` (RGBA, opaque) from the ground at 0 to the colour at 255."""
    low, high = rgb(ground), rgb(colour)
    table = np.full((256, 4), 255, np.uint8)
    table[:, :3] = np.round(low + (high - low) * (np.arange(256) / 255.0)[:, None])
    return table


def rgb(colour: str) -> NDArray[np.float64]:
    """Red, green and blue of a colour, 0 to 255."""
    made = QColor(colour)
    return np.array([made.red(), made.green(), made.blue()], np.float64)
