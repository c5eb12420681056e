"""The memory budget: an upper bound of what is kept, refusals before anything is allocated."""

import psutil
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from ffn_explorer.core import budget
from ffn_explorer.core.errors import MemoryRefusal
from ffn_explorer.core.experiment import run
from ffn_explorer.core.settings import LIMITS, Settings
from ffn_explorer.state.app_state import Source
from ffn_explorer.state.compute import attempt
from ffn_explorer.state.requests import RunRequest
from ffn_explorer.state.result import RunResult
from ffn_explorer.state.results import Results

LARGEST = Settings(
    d_model=int(LIMITS["d_model"][1]), d_ff=int(LIMITS["d_ff"][1]), experts=int(LIMITS["experts"][1])
)


def test_limits_are_refused_before_anything_is_allocated(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("allocated")

    monkeypatch.setattr(torch, "rand", never)
    monkeypatch.setattr(torch, "zeros", never)
    for settings in (LARGEST, LARGEST.with_(dtype="float16")):
        with pytest.raises(MemoryRefusal) as caught:
            run(settings, (("a",),))
        assert caught.value.key == "error.memory"
        assert caught.value.values["needed"].endswith("TB")


def test_half_of_free_memory_is_the_border(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings()
    needed = budget.bytes_needed(settings, [8])
    for free, good in [(2 * needed, True), (2 * needed - 1, False)]:
        monkeypatch.setattr(budget, "free_bytes", lambda _device, free=free: free)
        if good:
            budget.check(settings, [8])
        else:
            with pytest.raises(MemoryRefusal):
                budget.check(settings, [8])


@given(
    st.builds(
        Settings,
        d_model=st.sampled_from([8, 64]),
        d_ff=st.sampled_from([16, 256]),
        activation=st.sampled_from(["relu", "swiglu"]),
        norm_placement=st.sampled_from(["pre", "post", "sandwich"]),
        experts=st.sampled_from([1, 4]),
        top_k=st.integers(1, 2),
        shared_experts=st.integers(0, 2),
        dtype=st.sampled_from(["float32", "bfloat16", "float64"]),
    ),
    st.sampled_from([("a b c d e f g h",), ("a b c d", "a"), ("a",)]),
)
def test_what_a_result_holds_is_foreseen(settings: Settings, sentences: tuple[str, ...]) -> None:
    """The budget covers weights, trace, copies and pyramids, and is not a wild guess either."""
    source = Source(sentences=sentences, orders=((),) * len(sentences))
    results = Results()
    found = attempt(RunRequest(source, settings), results)
    assert isinstance(found, RunResult)
    needed = budget.bytes_needed(settings, found.lengths)
    assert found.nbytes <= needed + 4096
    assert needed <= 4 * found.nbytes + 4096


def test_mixer_scores_grow_with_the_square() -> None:
    settings = Settings(mixer=True, heads=256, kv_heads=256, head_dim=1)
    short, long = (budget.bytes_needed(settings, [length]) for length in (1024, 2048))
    assert long - short > 3 * 4 * 256 * (2048**2 - 1024**2)


def test_free_memory_is_the_machines() -> None:
    assert 0 < budget.free_bytes() <= psutil.virtual_memory().total


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 B"), (999, "999 B"), (3_210_000_000, "3.2 GB"), (2.2e12, "2.2 TB"), (5e15, "5,000.0 TB")],
)
def test_words(count: float, text: str) -> None:
    assert budget.in_words(count) == text
