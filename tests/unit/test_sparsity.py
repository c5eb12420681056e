"""Active fractions and histograms, with NaN, infinities, zeros and padding."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from ffn_explorer.core.sparsity import active, fractions, histogram

ANY = arrays.arrays(np.float32, (2, 3, 5), elements=st.floats(width=32))


def test_counts() -> None:
    hidden = np.array([[[0.0, -0.2, 0.1, np.nan], [3.0, 0.0, 0.0, -np.inf]], [[1.0, 1, 1, 1], [9, 9, 9, 9]]])
    mask = np.array([[True, True], [True, False]])
    found = fractions(hidden, 0.1, mask=mask)
    assert found.per_token.tolist() == [[0.25, 0.5], [1.0, 0.0]]
    assert found.per_neuron.tolist() == pytest.approx([2 / 3, 2 / 3, 1 / 3, 2 / 3])
    assert found.overall == 7 / 12
    assert found.exact_zero == 3 / 12
    assert found.not_a_number == 1 / 12


def test_theta_is_exclusive() -> None:
    assert active(np.array([0.1, -0.1, 0.11]), 0.1).tolist() == [False, False, True]


def test_relative_to_the_row() -> None:
    row = np.array([3.0, 4.0, 0.0, 0.0])  # RMS 2.5
    assert active(row, 1.5, relative=True).tolist() == [False, True, False, False]
    huge = np.array([3e38, -1e38, 0, np.nan], dtype=np.float32)
    assert active(huge, 1.0, relative=True).tolist() == [True, False, False, False]
    assert not active(np.zeros(4), 0.0, relative=True).any()


@given(ANY, st.floats(0.015625, 1e6, width=32))
def test_relative_ignores_scale(hidden: np.ndarray, scale: float) -> None:
    """Powers of two scale without rounding, so that the very same neurons stay active."""
    factor = 2.0 ** np.round(np.log2(scale))
    wide = np.where(np.isfinite(hidden), hidden, 0).astype(np.float64)
    assert np.array_equal(active(wide, 0.7, relative=True), active(wide * factor, 0.7, relative=True))


@given(ANY, st.floats(0, 10))
def test_fractions_agree(hidden: np.ndarray, theta: float) -> None:
    found = fractions(hidden, theta)
    assert found.overall == pytest.approx(found.per_token.mean())
    assert found.overall == pytest.approx(found.per_neuron.mean())
    assert found.overall + found.exact_zero + found.not_a_number <= 1 + 1e-12
    assert fractions(hidden, theta + 1).overall <= found.overall


@given(arrays.arrays(np.float32, 40, elements=st.floats(width=32)))
def test_histogram_holds_every_finite_value(values: np.ndarray) -> None:
    edges, counts = histogram(values)
    assert counts.sum() == np.isfinite(values).sum()
    assert len(edges) == len(counts) + 1 == 65
    assert np.allclose(edges, -edges[::-1])


def test_a_theta_beyond_the_type_is_above_all_values() -> None:
    hidden = np.full((1, 1, 3), 3.0, np.float32)
    assert not active(hidden, 1e300).any()
