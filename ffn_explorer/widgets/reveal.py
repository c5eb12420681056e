"""Reveal: how much of a stage is shown while it is under way, the same in every picture."""

RIBBONS_UNTIL = 0.7
"""Share of a stage's progress in which its ribbons grow; its cells fill from `CELLS_FROM` on."""

CELLS_FROM = 0.3


def ribbon_share(progress: float) -> float:
    """How far a stage's ribbons have grown, 0..1."""
    return min(1.0, progress / RIBBONS_UNTIL)


def cell_share(progress: float) -> float:
    """How many of a stage's cells are filled, 0..1: of a strip from the top, of a map from the left."""
    return min(1.0, max(0.0, (progress - CELLS_FROM) / (1.0 - CELLS_FROM)))
