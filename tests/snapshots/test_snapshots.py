"""Panels and board look as approved; `pytest tests/snapshots --update-snapshots` approves anew."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from ffn_explorer.core.stages import Stage
from ffn_explorer.panels.table import PANELS
from tests.snapshots.exact import GATED, LOOKS, PLAIN, exact_run, look
from tests.snapshots.files import FILES, file_look
from tests.snapshots.lessons import lesson_look
from tests.snapshots.pictures import Picture, Stand, image_of, pixels_of

EXPECTED = Path(__file__).resolve().parent / "expected"
MOST_BYTES = 4_800_000

LEVELS = 1
"""Largest difference of one channel that counts as the same (of 255)."""
SHARE = 0.995
"""Share of the pixels that must be the same."""

SIZES = {"chips": (560, 96), "transport": (900, 96), "model": (640, 760), "explore": (1_280, 800)}
USUAL_SIZE = (520, 340)
CASES = [(name, which) for name in (*PANELS, "explore") for which in LOOKS]


def difference(actual: Picture, expected: Picture) -> NDArray[np.int16]:
    """Return the largest difference over the channels, per pixel."""
    largest: NDArray[np.int16] = np.abs(actual.astype(np.int16) - expected.astype(np.int16)).max(axis=2)
    return largest


def same(actual: Picture, expected: Picture) -> bool:
    """Say whether two pictures count as the same."""
    if actual.shape != expected.shape:
        return False
    return float((difference(actual, expected) <= LEVELS).mean()) >= SHARE


def report(actual: Picture, expected: Picture | None, stem: str, *, folder: Path) -> str:
    """Leave what is, what should be, and where they differ; say how much that is."""
    image_of(actual).save(str(folder / f"{stem}.actual.png"))
    if expected is None:
        return f"{stem}: no picture was approved yet"
    image_of(expected).save(str(folder / f"{stem}.expected.png"))
    if actual.shape != expected.shape:
        return f"{stem}: size {actual.shape[1::-1]} instead of {expected.shape[1::-1]}"
    far = difference(actual, expected)
    shown = np.where(far > LEVELS, 255, 0).astype(np.uint8)
    image_of(np.repeat(shown[:, :, np.newaxis], 3, axis=2)).save(str(folder / f"{stem}.difference.png"))
    share = 100 * float((far > LEVELS).mean())
    return f"{stem}: {share:.2f} % of the pixels differ, by {int(far.max())} at most"


def approved(stem: str) -> Picture | None:
    """Return the picture that was approved, or None."""
    path = EXPECTED / f"{stem}.png"
    return pixels_of(QImage(str(path))) if path.exists() else None


@pytest.mark.parametrize(("name", "which"), CASES)
def test_it_looks_as_approved(qapp: QApplication, name: str, which: str, update: bool, output: Path) -> None:
    stem = f"{name}-{which}"
    stand = Stand(name, SIZES.get(name, USUAL_SIZE))
    try:
        show = file_look if name in FILES else lesson_look if name == "lesson" else look
        actual = stand.show(show(which))
    finally:
        stand.close()
    expected = approved(stem)
    if update and (expected is None or not same(actual, expected)):
        EXPECTED.mkdir(exist_ok=True)
        assert image_of(actual).save(str(EXPECTED / f"{stem}.png"))
        return
    if expected is None or not same(actual, expected):
        pytest.fail(report(actual, expected, stem, folder=output))


def test_no_picture_is_left_over_and_all_are_small() -> None:
    paths = list(EXPECTED.glob("*.png"))
    assert {path.stem for path in paths} == {f"{name}-{which}" for name, which in CASES}
    assert sum(path.stat().st_size for path in paths) < MOST_BYTES


@pytest.mark.parametrize("settings", [PLAIN, GATED], ids=["plain", "gated"])
def test_the_numbers_in_the_pictures_are_exact(settings: object) -> None:
    assert settings in (PLAIN, GATED)
    run = exact_run(PLAIN if settings == PLAIN else GATED)
    layer = run.layer
    trace = run.trace
    up = run.x.double() @ layer.up.double().T  # type: ignore[union-attr] # a dense FFN
    if settings == PLAIN:
        up = up + layer.up_bias.double()  # type: ignore[union-attr]
    assert (trace.stage(Stage.UP).double() == up).all()
    out = trace.hidden.double() @ layer.down.double().T  # type: ignore[union-attr]
    if settings == PLAIN:
        out = out + layer.down_bias.double()  # type: ignore[union-attr]
    assert (trace.out.double() == out).all()


def test_a_small_difference_passes_and_a_larger_one_is_told(tmp_path: Path, qapp: QApplication) -> None:
    one = np.full((10, 100, 3), 100, np.uint8)
    assert same(one, one + 1)
    few, many = one.copy(), one.copy()
    few[0, :5] = 0
    many[0, :6] = 0
    assert same(few, one)
    assert not same(many, one)
    assert report(many, one, "told", folder=tmp_path) == "told: 0.60 % of the pixels differ, by 100 at most"
    assert len(list(tmp_path.glob("told.*.png"))) == 3
    assert not same(one[:5], one)
