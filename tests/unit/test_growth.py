"""Growth: curves of one layer over S that are its bill at every length, past every meeting with the FFN."""

from __future__ import annotations

from fractions import Fraction
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as how
from hypothesis import strategies as st

from ffn_explorer.core.architecture import AttentionShape, FFNShape, LayerShape, ModelShape
from ffn_explorer.core.bill_row import Use
from ffn_explorer.core.crossings import crossings
from ffn_explorer.core.model_bill import layer_bill
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.shape_of import model_shape
from ffn_explorer.state.costing import MOST_TOKENS
from ffn_explorer.state.growth import LEAST_END, Growth, Of, growth_of, spent_at
from ffn_explorer.state.models import model

NAMES = (
    "llama-3-8b",
    "mixtral-8x7b",
    "gpt-oss-20b",
    "deepseek-v2-lite",
    "bert-base",
    "t5-small",
    "falcon-7b",
)
WAYS: tuple[Of, ...] = get_args(Of)
LLAMA = model("llama-3-8b").shape


def meetings(found: Growth) -> dict[str, Fraction]:
    return {meeting.key: meeting.tokens for meeting in found.meetings}


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_flops_are_those_of_the_bill_at_every_length(name: str, causal: bool) -> None:
    shape = model(name).shape
    found = growth_of(shape, Use(9, causal=causal), of="sequence")
    assert found.causal == (causal and shape.usual_layer.stack == "decoder")
    curves = dict(found.curves)
    assert list(curves) == ["projections", "scores", "attention", "ffn"]
    for at, S in enumerate(found.tokens):
        bill = layer_bill(shape, Use(int(S), causal=causal))
        assert curves["ffn"][at] == found.ffn[at] == float(bill.flops("ffn", "router"))
        assert curves["projections"][at] == float(bill.flops("attention"))
        assert curves["scores"][at] == float(bill.flops("scores"))
    np.testing.assert_array_equal(curves["attention"], curves["projections"] + curves["scores"])
    for key, values in growth_of(shape, Use(9, causal=causal), of="token").curves:
        np.testing.assert_array_equal(values, curves[key] / found.tokens)


@pytest.mark.parametrize(("bits", "cache_bits"), [(16, 16), (4, 8), (32, 4)])
@pytest.mark.parametrize("name", NAMES)
def test_bytes_are_those_of_the_bill_at_every_length(name: str, bits: int, cache_bits: int) -> None:
    shape, use = model(name).shape, Use(1, bits=bits, cache_bits=cache_bits)
    found = growth_of(shape, use, of="bytes")
    curves = dict(found.curves)
    keeps = shape.usual_layer.stack == "decoder"
    assert list(curves) == [*(["cache"] if keeps else []), "attention", "ffn"]
    for at, S in enumerate(found.tokens):
        bill = layer_bill(shape, Use(int(S), bits=bits, cache_bits=cache_bits))
        assert curves["ffn"][at] * 8 == bill.count("ffn", "router") * bits
        assert curves["attention"][at] * 8 == bill.count("attention") * bits
        assert not keeps or curves["cache"][at] * 8 == bill.cached() * cache_bits
        spent = spent_at(shape, Use(int(S), bits=bits, cache_bits=cache_bits))
        assert (spent.ffn, spent.projections) == (bill.flops("ffn", "router"), bill.flops("attention"))
        assert (spent.scores, spent.cache_bytes) == (bill.flops("scores"), bill.cached() * cache_bits // 8)
        assert (spent.ffn_bytes, spent.attention_bytes) == (curves["ffn"][at], curves["attention"][at])


@pytest.mark.parametrize("at_least", [0, 1, 40_000, MOST_TOKENS])
@pytest.mark.parametrize("of", WAYS)
@pytest.mark.parametrize("name", NAMES)
def test_lengths_reach_past_what_matters(name: str, of: Of, at_least: int) -> None:
    found = growth_of(model(name).shape, Use(1), of=of, at_least=at_least)
    S = found.tokens
    assert S[0] == 1
    assert np.all(np.diff(S) > 0)
    assert np.array_equal(S, np.round(S))
    assert np.all(S[1:] <= 2 * S[:-1])
    assert S[-1] >= max(LEAST_END, at_least)
    assert all(4 * tokens <= S[-1] for tokens in meetings(found).values())


def test_curves_meet_where_the_crossings_are() -> None:
    for of in ("token", "sequence"):
        found = growth_of(LLAMA, Use(1, causal=False), of=of)
        assert meetings(found) == {"attention": 16_384, "scores": 21_504}
        for meeting in found.meetings:
            curve = dict(found.curves)[meeting.key]
            over = curve > found.ffn
            assert over.any()
            assert np.array_equal(over, found.tokens > float(meeting.tokens))
            times = float(meeting.tokens) if of == "sequence" else 1.0
            assert meeting.value == 6 * 4_096 * 14_336 * times
    causal = crossings(LLAMA, causal=True)
    assert meetings(growth_of(LLAMA, Use(1), of="token")) == {
        "attention": causal.attention_equals_ffn,
        "scores": causal.scores_equal_ffn,
    }


@pytest.mark.parametrize(("bits", "cache_bits"), [(16, 16), (4, 16), (16, 8)])
def test_the_cache_outgrows_the_ffn(bits: int, cache_bits: int) -> None:
    """3 · 4,096 · 14,336 weights beside 2 · 8 · 128 numbers for each token."""
    found = growth_of(LLAMA, Use(1, bits=bits, cache_bits=cache_bits), of="bytes")
    (meeting,) = found.meetings
    assert (meeting.key, meeting.tokens) == ("cache", Fraction(176_160_768 * bits, 2_048 * cache_bits))
    assert meeting.value == 176_160_768 * bits / 8
    over = dict(found.curves)["cache"] > found.ffn
    assert np.array_equal(over, found.tokens > float(meeting.tokens))


def test_a_window_ends_the_growth_of_the_cache() -> None:
    """Mistral keeps 4,096 tokens, and would need 86,016 to match its FFN."""
    found = growth_of(model("mistral-7b").shape, Use(1), of="bytes")
    assert found.meetings == ()
    cache = dict(found.curves)["cache"]
    assert cache.max() == cache[-1] == 2 * 4_096 * 8 * 128 * 2
    assert cache.max() < found.ffn[0]


def test_an_encoder_sees_the_future_and_keeps_nothing() -> None:
    settings = Settings(d_model=64, d_ff=256)
    encoder, decoder = model_shape(settings), model_shape(settings.with_(stack="decoder"))
    flops = [growth_of(shape, Use(1), of="sequence") for shape in (encoder, decoder)]
    assert [found.causal for found in flops] == [False, True]
    for found, factor in zip(flops, (4 * flops[0].tokens, 2 * (flops[1].tokens + 1)), strict=True):
        np.testing.assert_array_equal(dict(found.curves)["scores"], factor * found.tokens * 64)
    assert [meetings(found)["scores"] for found in flops] == [256, 511]
    assert growth_of(encoder, Use(1), of="bytes").meetings == ()
    assert len(growth_of(decoder, Use(1), of="bytes").meetings) == 1


def test_the_share_is_that_of_the_ffn() -> None:
    found = spent_at(LLAMA, Use(16_384, causal=False))
    assert found.share == 0.5
    assert spent_at(LLAMA, Use(1)).share == pytest.approx(0.8077, abs=1e-4)


@how(max_examples=60)
@given(
    st.integers(1, 64),
    st.integers(1, 300),
    st.integers(0, 64),
    st.booleans(),
    st.sampled_from(WAYS),
)
def test_small_layers_have_curves(d_model: int, d_ff: int, window: int, causal: bool, of: Of) -> None:
    """Windows, and attention that costs more than the FFN from the first token on."""
    layer = LayerShape(1, AttentionShape(2, 1, 3, window=window), FFNShape(d_ff, gated=False))
    found = growth_of(ModelShape(d_model, (layer,)), Use(1, causal=causal), of=of)
    assert found.tokens[-1] >= LEAST_END
    curves = dict(found.curves)
    for values in curves.values():
        assert values.shape == found.tokens.shape
        assert np.all(np.isfinite(values))
        assert np.all(values > 0)
        assert np.all(np.diff(values) >= -1e-9 * values[1:])
    for key, tokens, value in found.meetings:
        assert tokens >= 1
        assert np.interp(float(tokens), found.tokens, found.ffn) == pytest.approx(value)
        after = found.tokens > float(tokens)
        assert np.all(curves[key][after] >= found.ffn[after])
        before = found.tokens < float(tokens)
        assert np.all(curves[key][before] < found.ffn[before])
