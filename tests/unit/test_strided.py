"""Reads of numbers that lie apart, against numpy's own views; nothing outside of them, and few reads."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ffn_explorer.checkpoints import strided
from ffn_explorer.checkpoints.codec import Bytes
from ffn_explorer.checkpoints.strided import gather, span_of


class Memory:
    """Bytes that count how they are read."""

    def __init__(self, data: Bytes) -> None:
        self.data = data
        self.reads: list[int] = []

    def __call__(self, offset: int, count: int) -> Bytes:
        """Bytes at a place, which must be inside."""
        assert offset >= 0
        assert offset + count <= len(self.data)
        self.reads.append(count)
        return self.data[offset : offset + count]


@settings(max_examples=300)
@given(st.data())
def test_any_steps(data: st.DataObject) -> None:
    shape = tuple(data.draw(st.lists(st.integers(1, 5), min_size=1, max_size=4)))
    size = data.draw(st.sampled_from([1, 2, 4, 8]))
    strides = tuple(size * data.draw(st.integers(0, 40)) for _ in shape)
    span = span_of(shape, strides, size=size)
    memory = Memory(np.random.default_rng(0).integers(0, 256, span, np.uint8))
    wanted = np.lib.stride_tricks.as_strided(memory.data, (*shape, size), (*strides, 1))
    rows = int(np.prod(shape[:-1]))
    flat = wanted.reshape(rows, shape[-1], size)
    first = data.draw(st.integers(0, rows))
    past = data.draw(st.integers(first, rows))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(strided, "FREE_BYTES", data.draw(st.sampled_from([1, 8, 60, 2**16])))
        found = gather(memory, (*shape, size), strides, first=first, past=past)
    np.testing.assert_array_equal(found, flat[first:past])


@pytest.mark.parametrize(
    ("shape", "strides", "reads"),
    [
        ((1000, 1000), (4, 4000), 1),  # turned: all of it lies together
        ((100, 1000), (4, 400_000), 1000),  # some rows of a tall one, turned: a read for each column
        ((1000, 100), (400_000, 4), 1000),  # a window: a read for each row
        ((1000, 1), (4_000_000, 4), 1000),  # a column of a wide one
        ((1000, 1), (40, 4), 1),
        ((100_000, 1), (400, 4), 614),  # some rows at a time
    ],
)
def test_reads_are_few_and_small(shape: tuple[int, int], strides: tuple[int, int], reads: int) -> None:
    read: list[int] = []

    def memory(_offset: int, count: int) -> Bytes:
        read.append(count)
        return np.zeros(count, np.uint8)

    assert gather(memory, (*shape, 4), strides, first=0, past=shape[0]).shape == (*shape, 4)
    assert len(read) == reads
    assert max(read) <= max(strided.FREE_BYTES, strided.MOST_WASTE * 4 * shape[0] * shape[1])


def test_nothing_has_no_span() -> None:
    assert span_of((3, 0), (4, 4), size=4) == 0
    assert span_of((), (), size=4) == 4
    assert gather(Memory(np.zeros(0, np.uint8)), (3, 0, 4), (0, 4), first=0, past=3).shape == (3, 0, 4)
