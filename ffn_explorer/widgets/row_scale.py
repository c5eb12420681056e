"""What theta is a multiple of, and how arrow keys move it."""

import math

import numpy as np

from ffn_explorer.state.result import RunResult
from ffn_explorer.state.scene import Scene

PER_DECADE = 12
"""Steps of theta by arrow key in each power of ten."""


def row_scale(scene: Scene, run: RunResult) -> float:
    """What theta is a multiple of: 1, or the RMS of the chosen token's row (0 where nothing was computed)."""
    if not scene.theta_relative:
        return 1.0
    place = (scene.selection.sentence, scene.selection.token)
    row = run.values[run.enters_down][place].astype(np.float64)
    finite = row[np.isfinite(row)]
    if not run.computed[place] or not finite.size:
        return 0.0
    peak = float(np.abs(finite).max())
    # Scaled first, so that squares of large values stay finite.
    return peak * float(np.sqrt(((finite / peak) ** 2).mean())) if peak > 0.0 else 0.0


def moved_theta(theta: float, steps: int, *, lowest: float) -> float:
    """Theta a few steps further, of which a power of ten has `PER_DECADE`; below `lowest` it is 0."""
    if theta <= 0.0:
        return float(f"{lowest:.1e}") if steps > 0 else 0.0
    place = round(PER_DECADE * math.log10(theta)) + steps
    moved = float(f"{10.0 ** (place / PER_DECADE):.1e}")
    return moved if moved >= lowest * (1.0 - 1e-9) else 0.0
