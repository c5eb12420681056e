"""A panel's picture is a function of its Scene, to the byte, whatever it has shown before."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from ffn_explorer.panels.table import PANELS
from tests.snapshots.files import FILES
from tests.snapshots.lessons import STATES
from tests.snapshots.pictures import Picture, Stand
from tests.snapshots.scenes import makers_of, scene

SIZES = {"chips": (700, 120), "transport": (1_100, 120), "curve": (460, 400), "proof": (460, 400)}
USUAL_SIZE = (720, 420)
BOARD_SIZE = (1_280, 800)
STEPS = 48


def fresh(name: str, which: str, size: tuple[int, int]) -> Picture:
    """Return what a new board shows of a scene."""
    stand = Stand(name, size)
    try:
        return stand.show(scene(which))
    finally:
        stand.close()


def walk(seed: str, steps: int) -> list[str]:
    """Return scene names in an order drawn from a seed; every scene comes, and neighbours differ."""
    draw, makers = Random(seed), makers_of(seed)
    order = draw.sample(sorted(makers), len(makers))
    while len(order) < steps:
        order.append(draw.choice([name for name in makers if name != order[-1]]))
    return order[:steps]


def differing(one: Picture, other: Picture) -> str:
    """Say where two pictures differ."""
    rows, columns = np.nonzero((one != other).any(axis=2))
    return f"{len(rows)} pixels, x {columns.min()}..{columns.max()}, y {rows.min()}..{rows.max()}"


def follow(name: str, order: list[str], size: tuple[int, int]) -> list[str]:
    """Show scenes one after the other, and tell where one differs from a new board's picture of it."""
    # The new boards come first: dressing the application for them would take the used one's fonts away.
    known = {which: fresh(name, which, size) for which in dict.fromkeys(order)}
    stand = Stand(name, size)
    found = []
    try:
        for step, which in enumerate(order):
            used = stand.show(scene(which))
            if not np.array_equal(used, known[which]):
                found.append(f"{differing(used, known[which])} after {order[max(0, step - 2) : step + 1]}")
    finally:
        stand.close()
    return found


@pytest.mark.parametrize("name", PANELS)
def test_a_used_panel_shows_what_a_new_one_shows(qapp: QApplication, name: str) -> None:
    assert follow(name, walk(name, STEPS), SIZES.get(name, USUAL_SIZE)) == []


def test_a_used_board_shows_what_a_new_one_shows(qapp: QApplication) -> None:
    assert follow("explore", walk("explore", 16), BOARD_SIZE) == []


@pytest.mark.parametrize("name", PANELS)
def test_scenes_look_different(qapp: QApplication, name: str) -> None:
    size = SIZES.get(name, USUAL_SIZE)
    scenes: tuple[str, ...] = ("plain", "file", "file dark ja", "file experts", "file damaged", "file early")
    scenes = tuple(STATES) if name == "lesson" else scenes
    scenes = scenes if name in (*FILES, "lesson") else ("plain", "gated dark ja", "one", "large")
    pictures = [fresh(name, which, size).tobytes() for which in scenes]
    # The layers stand there before a number of them is read.
    same = int(name == "layers")
    assert len(set(pictures)) == len(scenes) - same


def test_a_difference_is_seen() -> None:
    picture = np.zeros((4, 5, 3), np.uint8)
    other = picture.copy()
    other[2, 3, 1] = 1
    assert differing(picture, other) == "1 pixels, x 3..3, y 2..2"
