"""Pyramids keep the strongest value of every cell, mark what is not finite, and never invent a number."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ffn_explorer.state import pyramid as module
from ffn_explorer.state.pyramid import activity_levels, pyramid, rounded_up
from ffn_explorer.state.result import Floats, Pyramid

widths = st.integers(1, 700)
shapes = st.tuples(st.integers(1, 2), st.integers(1, 3), widths)
floats32 = st.floats(width=32)


def decoded(made: Pyramid, level: int) -> np.ndarray:
    return (made.levels[level].value.astype(float) - 128.0) / 127.0 * made.limit


@given(shapes.flatmap(lambda shape: arrays(np.float32, shape, elements=floats32, fill=st.just(0.0))))
def test_each_cell_is_its_strongest_member(values: np.ndarray) -> None:
    made = pyramid(values)
    n = values.shape[2]
    finite = np.isfinite(values)
    assert made.non_finite == values.size - finite.sum()
    strengths = np.where(finite, np.abs(values.astype(float)), 0.0)
    assert made.limit >= strengths.max()
    for level in made.levels:
        assert level.value.shape == (*values.shape[:2], math.ceil(n / level.step))
        for column in range(level.value.shape[2]):
            members = slice(column * level.step, (column + 1) * level.step)
            cells = level.value[..., column].astype(int)
            holes = ~finite[..., members].all(axis=-1)
            np.testing.assert_array_equal(cells == 0, holes)
            wanted = np.rint(strengths[..., members].max(axis=-1) / made.limit * 127.0)
            off = np.abs(np.abs(cells - 128) - wanted)[~holes]
            # Half a step may round to either side: division in float32 and float64 differ in the last bit.
            assert (off <= 1).all()
            signed = np.sign(values[..., members])
            shown = np.sign(cells - 128)[..., np.newaxis]
            assert ((shown == 0) | (signed == shown)).any(axis=-1)[~holes].all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", [1e-40, 1.0, 3e38])
def test_full_scale_and_zero(dtype: type, size: float) -> None:
    values: Floats = np.array([[[size, -size, 0.0, size / 1000]]], dtype)
    made = pyramid(values)
    full = round(127 * float(values.max()) / made.limit)
    assert made.levels[0].value.tolist() == [[[128 + full, 128 - full, 128, 128]]]


def test_limit_itself_is_the_last_colour() -> None:
    made = pyramid(np.array([[[2.0, -2.0]]], np.float32))
    assert made.limit == 2.0
    assert made.levels[0].value.tolist() == [[[255, 1]]]


def test_zeros_and_holes() -> None:
    made = pyramid(np.zeros((1, 2, 3), np.float32))
    assert made.limit == 1.0
    assert (made.levels[0].value == 128).all()
    holes = pyramid(np.full((1, 1, 3), np.nan, np.float32))
    assert (holes.levels[0].value == 0).all()
    assert holes.non_finite == 3
    assert holes.limit == 1.0


def test_one_column_has_one_level() -> None:
    assert [level.step for level in pyramid(np.ones((1, 1, 1), np.float32)).levels] == [1]


def test_halving_stops_at_256_columns() -> None:
    made = pyramid(np.ones((1, 1, 2048), np.float32))
    assert [level.value.shape[2] for level in made.levels] == [2048, 1024, 512, 256]
    assert pyramid(np.ones((1, 1, 257), np.float32)).levels[-1].value.shape[2] == 129


def test_huge_arrays_start_coarser(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(1).standard_normal((2, 3, 999)).astype(np.float32)
    whole = pyramid(values)
    monkeypatch.setattr(module, "FINEST_CELLS", 2 * 3 * 300)
    monkeypatch.setattr(module, "BLOCK_VALUES", 2_000)
    coarse = pyramid(values)
    assert [level.step for level in coarse.levels] == [4]
    np.testing.assert_array_equal(coarse.levels[0].value, whole.levels[2].value)
    mask = values > 0
    np.testing.assert_array_equal(activity_levels(mask, coarse)[0], activity_levels(mask, whole)[2])


@given(st.floats(0.0, allow_infinity=False))
@example(5e-324)
@example(0.3)
def test_limit_has_two_digits_and_is_tight(value: float) -> None:
    up = rounded_up(value)
    assert up >= value
    if 1e-300 < value < 1e300:
        assert float(f"{up:.1e}") == up
        assert up <= value * 1.1 * (1 + 1e-12)


@given(shapes.flatmap(lambda shape: arrays(np.bool_, shape)))
def test_activity_is_the_share_of_each_cell(mask: np.ndarray) -> None:
    like = pyramid(mask.astype(np.float32))
    for level, share in zip(like.levels, activity_levels(mask, like), strict=True):
        assert share.shape == level.value.shape
        for column in range(share.shape[2]):
            members = mask[..., column * level.step : (column + 1) * level.step]
            exact = members.mean(axis=-1)
            cell = share[..., column]
            np.testing.assert_array_equal(cell == 0, exact == 0)
            np.testing.assert_array_equal(cell == 255, exact == 1)
            assert (np.abs(cell - exact * 255) <= 1).all()
