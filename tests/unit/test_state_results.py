"""The results store stays within its bytes, drops what was used longest ago, and never what is in use."""

import threading

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ffn_explorer.core.settings import Settings
from ffn_explorer.state.app_state import AppState
from ffn_explorer.state.requests import ActivityRequest, RunRequest, run_of
from ffn_explorer.state.result import Activity
from ffn_explorer.state.results import SMALL_BYTES, Failure, Results
from ffn_explorer.state.text import text

RUN = run_of(AppState())


def request(number: int) -> ActivityRequest:
    return ActivityRequest(RUN, theta=float(number), relative=False)


def entry(nbytes: int) -> Activity:
    none = np.zeros((1, 1))
    return Activity({}, none, none[0], overall=0.0, zero_per_token=none, zero_share=0.0, nbytes=nbytes)


def test_equal_requests_are_one_key() -> None:
    results = Results()
    made = entry(10)
    results.put(ActivityRequest(RunRequest(AppState().source, Settings()), 0.1, relative=False), made)
    assert results.get(ActivityRequest(run_of(AppState()), 0.1, relative=False)) is made
    assert results.get(request(2)) is None


def test_longest_unused_goes_first() -> None:
    results = Results(limit_bytes=30)
    for number in (1, 2, 3):
        results.put(request(number), entry(10))
    results.get(request(1))
    results.put(request(4), entry(10))
    assert [results.get(request(number)) is None for number in (1, 2, 3, 4)] == [False, True, False, False]


def test_entries_in_use_stay_even_beyond_the_limit() -> None:
    results = Results(limit_bytes=15)
    results.keep([request(1), request(2)])
    results.put(request(1), entry(10))
    results.put(request(2), entry(10))
    assert results.nbytes == 20
    results.put(request(3), entry(10))
    assert results.get(request(1)) is not None
    assert results.get(request(2)) is not None
    results.keep([request(2)])
    assert results.nbytes <= 15
    assert results.get(request(2)) is not None


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 40)), max_size=40))
def test_bytes_are_counted_exactly(puts: list[tuple[int, int]]) -> None:
    results = Results(limit_bytes=60)
    for number, nbytes in puts:
        results.put(request(number), entry(nbytes))
        kept = [results.get(request(n)) for n in range(6)]
        assert results.nbytes == sum(one.nbytes for one in kept if isinstance(one, Activity))
        assert results.nbytes <= 60


def test_failures_can_be_tried_again() -> None:
    results = Results()
    results.put(RUN, Failure(text("error.range")))
    version = results.version
    assert results.nbytes == SMALL_BYTES
    results.forget_failures()
    assert results.get(RUN) is None
    assert results.version > version
    assert results.nbytes == 0


def test_several_threads_may_put() -> None:
    results = Results(limit_bytes=500)

    def fill(start: int) -> None:
        for number in range(start, start + 300):
            results.put(request(number), entry(7))

    threads = [threading.Thread(target=fill, args=(start,)) for start in (0, 1_000, 2_000)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results.nbytes == 7 * (500 // 7)
