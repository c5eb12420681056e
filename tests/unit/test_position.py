"""Position independence holds where it should, within rounding, and breaks where it should."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import settings as few
from hypothesis import strategies as st

from ffn_explorer.core import position
from ffn_explorer.core.experiment import Run, run
from ffn_explorer.core.position import difference, position_check
from ffn_explorer.core.seeding import DTYPES
from ffn_explorer.core.settings import CHOICES, Settings
from ffn_explorer.core.tokens import tokenize

SENTENCES = tokenize(("The keys on the table are lost.", "a b"))
BASE = Settings(d_model=64, d_ff=256)


@pytest.mark.parametrize("dtype", list(DTYPES))
@pytest.mark.parametrize("activation", CHOICES["activation"])
def test_holds_for_every_activation_and_dtype(dtype: str, activation: str) -> None:
    found = position_check(run(BASE.with_(dtype=dtype, activation=activation), SENTENCES))
    assert found.holds
    assert found.dtype == dtype


@few(max_examples=40)
@given(
    st.sampled_from(["none", "layer", "rms"]),
    st.sampled_from(["pre", "post", "sandwich"]),
    st.sampled_from([1, 4]),
    st.sampled_from(list(DTYPES)),
    st.integers(0, 1000),
)
def test_holds_for_every_norm_and_router(
    norm: str, placement: str, experts: int, dtype: str, seed: int
) -> None:
    settings = BASE.with_(norm=norm, norm_placement=placement, experts=experts, dtype=dtype, seed=seed)
    assert position_check(run(settings, SENTENCES)).holds


def test_default_run_is_far_below_a_hundred_thousandth() -> None:
    found = position_check(run(Settings(), SENTENCES[:1]))
    assert max(found.alone, found.permuted) < 1e-5
    assert found.tolerance < 1e-4


@pytest.mark.parametrize("dtype", list(DTYPES))
def test_mixer_breaks_it(dtype: str) -> None:
    found = position_check(run(BASE.with_(mixer=True, stack="decoder", dtype=dtype), SENTENCES))
    assert found.alone > 3 * found.tolerance
    assert found.permuted > 3 * found.tolerance
    assert not found.holds


def test_attention_without_positions_is_equivariant_but_not_independent() -> None:
    found = position_check(run(BASE.with_(mixer=True), SENTENCES))
    assert found.permuted <= found.tolerance
    assert found.alone > 3 * found.tolerance


def test_capacity_breaks_it() -> None:
    settings = BASE.with_(experts=4, top_k=2, capacity_factor=0.5)
    assert not position_check(run(settings, SENTENCES)).holds
    assert position_check(run(settings.with_(capacity_factor=64.0), SENTENCES)).holds


def test_dropout_is_left_out() -> None:
    assert position_check(run(BASE.with_(dropout=0.5, training=True), SENTENCES)).holds


def test_single_token() -> None:
    found = position_check(run(BASE, (("a",),)))
    assert (found.alone, found.permuted) == (0.0, 0.0)


def test_many_positions_are_sampled_evenly(monkeypatch: pytest.MonkeyPatch) -> None:
    alone: list[torch.Size] = []
    whole = position._pass

    def counted(run: Run, x: torch.Tensor, mask: torch.Tensor | None) -> object:
        if x.shape[1] == 1:
            alone.append(x.shape)
        return whole(run, x, mask)

    monkeypatch.setattr(position, "_pass", counted)
    assert position_check(run(BASE, ((("a", "b") * 50),))).holds
    assert len(alone) == position.MOST_POSITIONS
    places = position.spread([(0, s) for s in range(100)], position.MOST_POSITIONS)
    assert places[0] == (0, 0)
    assert places[-1] == (0, 99)
    assert len(set(places)) == position.MOST_POSITIONS


def test_a_leak_between_positions_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The check itself can fail: an FFN that peeks at its left neighbour by 1 % is caught in float32."""
    found = run(BASE, SENTENCES)
    plain = position._pass

    def leaky(run: Run, x: torch.Tensor, mask: torch.Tensor | None) -> object:
        return plain(run, x + 0.01 * x.roll(1, dims=1) * (x.shape[1] > 1), mask)

    monkeypatch.setattr(position, "_pass", leaky)
    assert not position_check(found).holds


def test_difference_of_odd_numbers() -> None:
    nan, inf = math.nan, math.inf

    def of(a: list[float], b: list[float]) -> float:
        return difference(torch.tensor(a), torch.tensor(b))

    assert of([nan, inf, -inf, 1], [nan, inf, -inf, 1]) == 0
    assert of([1, 2], [1, 2.5]) == 0.5
    assert of([nan], [1]) == inf
    assert of([inf], [-inf]) == inf
    assert of([inf], [1]) == inf
