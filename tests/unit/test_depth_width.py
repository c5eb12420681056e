"""Depth against width: a budget is kept as nearly as the heads allow, within LIMITS."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import sqrt

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ffn_explorer.core.bill_row import Use
from ffn_explorer.core.cost import ffn_parameters, ratio_matched_width
from ffn_explorer.core.depth_width import at_budget, layer_weights, stack_weights
from ffn_explorer.core.model_bill import model_bill
from ffn_explorer.core.settings import LIMITS, Settings
from ffn_explorer.core.shape_of import model_shape
from ffn_explorer.state.app_state import Compare
from ffn_explorer.state.costing import Costing
from ffn_explorer.state.shapes import (
    DEPTHS,
    NEAR,
    budget_of,
    equal_widths,
    ratio_of,
    shape_of,
    shapes_at,
    weights_of_one,
)

grouped = st.builds(
    lambda kv, group, experts, shared, gated: Settings(
        heads=kv * group,
        kv_heads=kv,
        activation="swiglu" if gated else "relu",
        experts=experts,
        top_k=1,
        shared_experts=shared,
    ),
    st.integers(1, 16),
    st.integers(1, 16),
    st.sampled_from([1, 8]),
    st.integers(0, 2),
    st.booleans(),
)
budgets = st.integers(0, 43).flatmap(lambda power: st.integers(2**power, 2 ** (power + 1)))
ratios = st.fractions(Fraction(1, 16), Fraction(16), max_denominator=64)


@given(grouped, budgets, st.integers(1, 128), ratios)
@example(Settings(), 10**12, 1, Fraction(16))
@example(Settings(heads=7, kv_heads=7), 10**12, 1, Fraction(1, 16))
def test_the_budget_is_kept_within_rounding(s: Settings, weights: int, layers: int, ratio: Fraction) -> None:
    found = at_budget(s, weights, layers=layers, ratio=ratio)
    D, step = found.d_model, s.heads
    assert D % step == 0
    for name, (low, high) in LIMITS.items():
        assert low <= getattr(found, name) <= high
    assert (found.layers, found.layer, found.head_dim) == (layers, 0, 0)
    # F is as wide as asked for: D is chosen so that it can be, unless one step of the heads is too much.
    assert abs(max(Fraction(1), ratio * D) - found.d_ff) <= Fraction(1, 2) or (
        step == D and found.d_ff == 65_536
    )
    one = layer_weights(s, ratio) * layers
    exact = sqrt(weights / one)
    if exact < step:
        assert step == D
    elif D + step > min(LIMITS["d_model"][1], LIMITS["d_ff"][1] / ratio):
        assert exact >= D - step / 2 - 1
    else:
        # The nearest multiple of the heads, but for a half that is lost before rounding.
        assert abs(D - exact) <= step / 2 + 1
        # What is left out of layer_weights: the router, and F rounded to whole neurons.
        copies = s.experts + s.shared_experts if s.is_moe else 1
        besides = layers * (D * (s.experts if s.is_moe else 0) + (3 if s.gated else 2) * D * copies)
        assert abs(stack_weights(found) - one * D * D) <= besides


@pytest.mark.parametrize("ratio", [Fraction(1, 65_536), Fraction(65_536), Fraction(1, 3)])
@pytest.mark.parametrize("weights", [1, 10**6, 10**40])
@pytest.mark.parametrize("heads", [1, 7, 256])
def test_limits_hold_for_any_wish(ratio: Fraction, weights: int, heads: int) -> None:
    for layers in (1, 128):
        found = at_budget(Settings(heads=heads, kv_heads=heads), weights, layers=layers, ratio=ratio)
        assert found.d_model % heads == 0
        assert (found.layers, found.d_ff >= 1) == (layers, True)


def test_the_chosen_layer_stays_among_the_layers() -> None:
    found = at_budget(Settings(layers=6, layer=5), 10**7, layers=2, ratio=Fraction(4))
    assert (found.layers, found.layer) == (2, 1)


def test_a_network_of_its_own_weights_is_itself() -> None:
    for s in (Settings(bias=False), Settings(d_model=4_096, d_ff=14_336, heads=32, kv_heads=8, layers=32)):
        assert at_budget(s, stack_weights(s), layers=s.layers, ratio=ratio_of(s)) == s.with_(head_dim=0)


def test_weights_of_a_stack_are_its_matrices() -> None:
    s = Settings(d_model=64, d_ff=100, activation="swiglu", heads=4, kv_heads=2, layers=3)
    assert stack_weights(s) == 3 * (3 * 64 * 100 + 2 * 64 * 64 + 2 * 64 * 32)
    # As many D² as D² fits into it: F = 100/64 D, kv heads half of the heads.
    assert 3 * 64 * 64 * layer_weights(s, Fraction(100, 64)) == stack_weights(s)
    assert stack_weights(s.with_(bias=True, norm="none")) == stack_weights(s.with_(bias=False, norm="layer"))


@pytest.mark.parametrize(
    "settings", [Settings(), Settings(activation="swiglu", d_ff=1_365, heads=16, kv_heads=4)]
)
def test_shapes_of_one_budget(settings: Settings) -> None:
    weights = stack_weights(settings)
    shapes = shapes_at(settings, weights, tokens=100)
    assert settings.layers in [shape.settings.layers for shape in shapes]
    assert {shape.settings.layers for shape in shapes} <= set(DEPTHS)
    assert all(abs(shape.weights - weights) * NEAR <= weights for shape in shapes)
    assert all(shape.weights == stack_weights(shape.settings) for shape in shapes)
    for shallow, deep in pairwise(shapes):
        assert shallow.settings.d_model > deep.settings.d_model
        # L D² is the same: so L D, what is kept of each token, grows with the root of L.
        assert shallow.cached < deep.cached


def test_depths_too_deep_for_a_budget_are_left_out() -> None:
    assert [shape.settings.layers for shape in shapes_at(Settings(), 12 * 8 * 8, tokens=1)] == [1, 6]
    # At 256 heads, D goes in steps of 256: only the network that there is remains.
    wide = Settings(heads=256, kv_heads=256)
    assert [shape.settings for shape in shapes_at(wide, 100, tokens=1)] == [wide]


def test_a_shape_costs_what_decoding_costs() -> None:
    s = Settings(d_model=64, d_ff=256, layers=2, heads=4, kv_heads=2, stack="encoder")
    found = shape_of(s, 30)
    bill = model_bill(model_shape(s.with_(stack="decoder")), Use(1, cached=30))
    assert (found.flops, found.cached, found.settings) == (bill.flops(), bill.cached(), s)
    # Keys and values of 31 tokens, 2 heads of 16 each.
    assert found.cached == 2 * 31 * 2 * 2 * 16
    assert found.flops == 2 * found.weights + 2 * 4 * 31 * 64


def test_a_held_budget_is_left_once_the_network_is_another() -> None:
    s = Settings()
    own = stack_weights(s)
    assert budget_of(Costing(), s) == own
    assert budget_of(Costing(budget=own + own // 10), s) == own + own // 10
    assert budget_of(Costing(budget=own - own // 10), s) == own - own // 10
    assert budget_of(Costing(budget=2 * own), s) == own
    assert budget_of(Costing(budget=own // 2), s) == own


@given(st.integers(1, 2_000), st.integers(1, 8_000), st.booleans())
def test_widths_of_equal_weights(d_model: int, d_ff: int, gated: bool) -> None:
    """Without B: those of 8 D², F = 4 D for two matrices and 8 D/3 for three; with B, those of B."""
    s = Settings(d_model=d_model, d_ff=d_ff, activation="swiglu" if gated else "relu", heads=1, kv_heads=1)
    assert equal_widths(s, None) == {2: 4 * d_model, 3: Fraction(8 * d_model, 3)}
    widths = equal_widths(s, Compare(s))
    assert widths[3 if gated else 2] == d_ff
    assert widths[3] * 3 == widths[2] * 2
    if not gated:
        assert ratio_matched_width(d_ff, from_gated=False, to_gated=True) == max(1, round(widths[3]))


def test_a_mixture_shares_the_weights_out() -> None:
    s = Settings(d_model=64, d_ff=100, experts=6, top_k=2, shared_experts=2)
    assert weights_of_one(s, None) == Fraction(8 * 64 * 64 - 6 * 64, 8)
    assert weights_of_one(s, Compare(s)) == 2 * 64 * 100
    assert ffn_parameters(s, bias=False) == 8 * weights_of_one(s, Compare(s)) + 6 * 64
    # Fewer weights than the router alone: none are left for an expert.
    assert (
        weights_of_one(s.with_(experts=256), Compare(Settings(d_model=4, d_ff=4, heads=1, kv_heads=1))) == 0
    )
