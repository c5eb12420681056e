"""Bills of whole models: formulas say what they count; tokens one by one cost what they cost at once."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ffn_explorer.core import cost
from ffn_explorer.core.architecture import (
    AttentionShape,
    Extra,
    FFNShape,
    LatentShape,
    LayerShape,
    ModelShape,
)
from ffn_explorer.core.bill_row import Row, Use
from ffn_explorer.core.model_bill import ModelBill, layer_bill, model_bill
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.shape_of import model_shape
from ffn_explorer.core.sums import Sum
from ffn_explorer.state.models import model, models

USES = (Use(8_192), Use(300, causal=False), Use(1, cached=5_000), Use(1))

settings = st.builds(
    lambda kv, group, shared, **chosen: Settings(
        kv_heads=kv, heads=kv * group, shared_experts=shared, **chosen
    ),
    st.integers(1, 4),
    st.integers(1, 4),
    st.integers(0, 2),
    d_model=st.integers(1, 200),
    d_ff=st.integers(1, 300),
    activation=st.sampled_from(["relu", "swiglu"]),
    bias=st.booleans(),
    norm=st.sampled_from(["none", "layer", "rms"]),
    norm_placement=st.sampled_from(["pre", "post", "sandwich"]),
    layers=st.integers(1, 5),
    head_dim=st.integers(0, 40),
    stack=st.sampled_from(["encoder", "decoder"]),
    experts=st.sampled_from([1, 4]),
    top_k=st.integers(1, 4),
    routing=st.sampled_from(["softmax_topk", "sigmoid_bias"]),
)
plain_heads = st.builds(
    lambda kv, group, **chosen: AttentionShape(kv * group, kv, **chosen),
    st.integers(1, 3),
    st.integers(1, 3),
    head_dim=st.integers(1, 9),
    value_dim=st.integers(0, 9),
    window=st.integers(0, 12),
)
ffns = st.builds(FFNShape, st.integers(1, 30), gated=st.booleans(), bias=st.booleans())
decoders = st.builds(
    ModelShape,
    d_model=st.integers(1, 30),
    layers=st.lists(st.builds(LayerShape, st.integers(1, 3), plain_heads, ffns), min_size=1, max_size=3).map(
        tuple
    ),
    vocab=st.integers(0, 50),
    tied=st.booleans(),
)


def row(bill: ModelBill, name: str) -> Row:
    """The one row of a name."""
    (found,) = [each for each in bill.rows if each.name == name]
    return found


def sums_of(bill: ModelBill) -> list[Sum]:
    return [one for r in bill.rows for one in (r.count, r.active, r.flops, r.cached)]


def letters(bill: ModelBill, shape: ModelShape) -> dict[str, int]:
    """What each single letter stands for; it must not stand for two things in one bill."""
    a = shape.usual_layer.attention
    found = {"S": bill.use.tokens, "T": bill.use.cached}
    if a.latent is not None:
        r_kv, rope = a.latent.kv_rank, a.latent.rope_dim
        found |= {"h": a.head_dim, "h_v": a.value_width, "r_kv": r_kv, "h_rope": rope}
    for one in sums_of(bill):
        for factor in (factor for each in one.terms for factor in each.factors):
            if factor.symbol and not factor.symbol.startswith("("):
                assert found.setdefault(factor.symbol, factor.value) == factor.value, factor
    return found


def computed(formula: str, values: dict[str, int]) -> int:
    """Value of a formula as it is shown."""
    named = re.sub(r"[A-Za-z][A-Za-z_]*[₁-₉]?", lambda found: str(values[found[0]]), formula)
    return int(eval(named.replace(",", "").replace("·", "*").replace("−", "-")))


@pytest.mark.parametrize("name", [m.id for m in models()])
def test_every_formula_computes_to_its_number(name: str) -> None:
    shape = model(name).shape
    for use in USES:
        for bill in (model_bill(shape, use), layer_bill(shape, use)):
            values = letters(bill, shape)
            for one in sums_of(bill):
                assert computed(one.numbers, {}) == one.value
                assert computed(one.symbols, values) == one.value


@pytest.mark.parametrize("name", [m.id for m in models()])
def test_each_row_stands_once_and_parts_stand_together(name: str) -> None:
    bill = model_bill(model(name).shape, Use(100))
    assert len({r.name for r in bill.rows}) == len(bill.rows)
    parts = [r.part for r in bill.rows]
    assert len(set(parts)) == 1 + sum(a != b for a, b in pairwise(parts))
    assert bill.count() == sum(bill.count(part) for part in set(parts))
    assert bill.flops() == sum(bill.flops(part) for part in set(parts))
    assert bill.count() == bill.active() or model(name).shape.usual_layer.ffn.is_moe


@given(settings, st.integers(1, 60))
def test_settings_cost_what_their_layer_costs(s: Settings, tokens: int) -> None:
    one, shape = cost.bill(s, [tokens]), model_shape(s)
    layer, whole = layer_bill(shape, Use(tokens)), model_bill(shape, Use(tokens))
    assert layer.count("ffn", "router") == one.ffn_total
    assert layer.weights("ffn", "router") == one.ffn_weights
    assert layer.count("attention") == layer.weights("attention") == one.attention_weights
    assert layer.flops("ffn", "router") == one.ffn_flops
    assert layer.flops("attention") == one.projection_flops
    assert layer.flops("scores") == one.score_flops
    assert (whole.count(), whole.flops()) == (s.layers * layer.count(), s.layers * layer.flops())
    assert whole.cached() == s.layers * layer.cached()
    assert whole.count("embeddings", "other") == 0


@given(decoders, st.integers(1, 40))
def test_tokens_one_by_one_cost_what_they_cost_at_once(shape: ModelShape, tokens: int) -> None:
    """Row by row: what is computed for the future is skipped in both."""
    at_once = model_bill(shape, Use(tokens))
    one_by_one = [model_bill(shape, Use(1, cached=before)) for before in range(tokens)]
    for r in at_once.rows:
        assert r.flops.value == sum(row(bill, r.name).flops.value for bill in one_by_one)
    assert at_once.cached() == one_by_one[-1].cached()
    assert at_once.count() == one_by_one[-1].count()


@given(plain_heads, st.integers(1, 40))
def test_scores_are_those_of_every_pair_within_the_window(a: AttentionShape, tokens: int) -> None:
    shape = ModelShape(8, (LayerShape(1, a, FFNShape(8)),))
    width, reach = a.head_dim + a.value_width, a.window or tokens
    seen = sum(min(t + 1, reach) for t in range(tokens))
    assert layer_bill(shape, Use(tokens)).flops("scores") == 2 * seen * a.heads * width
    every = tokens * min(tokens, reach)
    assert layer_bill(shape, Use(tokens, causal=False)).flops("scores") == 2 * every * a.heads * width
    assert layer_bill(shape, Use(tokens)).cached() == min(tokens, reach) * a.kv_heads * width


def latent_model(q_rank: int) -> ModelShape:
    latent = LatentShape(kv_rank=512, rope_dim=64, q_rank=q_rank)
    return ModelShape(2_048, (LayerShape(1, AttentionShape(16, 16, 128, latent=latent), FFNShape(8)),))


@pytest.mark.parametrize("q_rank", [0, 1_536])
def test_a_latent_is_cached_and_read_in_its_own_width(q_rank: int) -> None:
    """DeepSeek-V2: 576 numbers for each token and layer, whatever the heads."""
    shape = latent_model(q_rank)
    prefill, decode = layer_bill(shape, Use(10)), layer_bill(shape, Use(1, cached=9))
    assert prefill.cached() == decode.cached() == 10 * 576
    assert prefill.flops("scores") == 10 * 11 * 16 * (128 + 64 + 128)
    assert layer_bill(shape, Use(10, causal=False)).flops("scores") == 2 * 10 * 10 * 16 * (128 + 64 + 128)
    assert decode.flops("scores") == 2 * 10 * 16 * (2 * 512 + 64)
    q = 16 * (128 + 64)
    weights = 2_048 * (512 + 64) + 512 * 16 * 256 + 16 * 128 * 2_048
    weights += q_rank * (2_048 + q) if q_rank else 2_048 * q
    assert prefill.count("attention") == weights
    assert prefill.flops("attention") == 10 * decode.flops("attention") == 2 * 10 * weights
    assert row(prefill, "attention.norms").count.value == 512 + q_rank


def test_vectors_inside_attention() -> None:
    plain = AttentionShape(8, 2, 16)
    found = {}
    for key, a in {
        "none": plain,
        "bias": replace(plain, qkv_bias=True),
        "out": replace(plain, out_bias=True),
        "sinks": replace(plain, sinks=True),
        "head": replace(plain, qk_norm="head"),
        "all": replace(plain, qk_norm="all"),
    }.items():
        bill = layer_bill(ModelShape(64, (LayerShape(1, a, FFNShape(8)),)), Use(4))
        found[key] = bill.count() - bill.weights(), bill.flops()
    norms = 2 * 64
    counts = {key: count - norms for key, (count, _) in found.items()}
    assert counts == {"none": 0, "bias": 128 + 2 * 32, "out": 64, "sinks": 8, "head": 32, "all": 128 + 32}
    assert len({flops for _, flops in found.values()}) == 1


CROSSED = ModelShape(
    64,
    (
        LayerShape(2, AttentionShape(4, 4, 16), FFNShape(128, gated=False), stack="encoder"),
        LayerShape(
            3, AttentionShape(4, 4, 16), FFNShape(128, gated=False), norms=3, cross=AttentionShape(4, 4, 16)
        ),
    ),
    norms=2,
    vocab=100,
)
"""An encoder and a decoder that looks at it."""


def test_an_encoder_and_what_looks_at_it() -> None:
    bill = model_bill(CROSSED, Use(10))
    square, width = 64 * 64, 4 * 16
    assert bill.count("attention") == (2 + 3 + 3) * 4 * square
    # The encoder and its tokens are seen whole, whatever is skipped in the decoder.
    assert bill.flops("scores") == 4 * 10 * 10 * width * (2 + 3) + 2 * 10 * 11 * width * 3
    assert row(bill, "cross.scores").flops.value == 3 * 4 * 10 * 10 * width
    assert bill.flops("ffn") == 5 * 4 * 10 * 64 * 128
    # Only the decoder's tokens and those of the encoder that it looks at are kept.
    assert (row(bill, "cache").cached.value, row(bill, "cross.cache").cached.value) == (
        3 * 2 * 10 * width,
    ) * 2
    assert row(bill, "norms").count.value == (2 * 2 + 3 * 3 + 2) * 64


def test_while_decoding_the_encoder_rests() -> None:
    decode, alone = (
        model_bill(shape, Use(1, cached=10))
        for shape in (CROSSED, replace(CROSSED, layers=CROSSED.layers[1:]))
    )
    assert decode.flops() == alone.flops()
    assert decode.count() > alone.count()
    # Keys and values of the encoder's tokens are there already.
    cross = {r.name: r.flops.value for r in decode.rows if r.name.startswith("cross.")}
    projection = 3 * 2 * 64 * 64
    assert cross == {
        "cross.attention.q": projection,
        "cross.attention.k": 0,
        "cross.attention.v": 0,
        "cross.attention.o": projection,
        "cross.scores": 3 * 4 * 10 * 4 * 16,
        "cross.cache": 0,
    }
    assert (
        row(decode, "cross.cache").cached.value
        == row(model_bill(CROSSED, Use(10)), "cross.cache").cached.value
    )
    assert row(decode, "cache").cached.value == row(model_bill(CROSSED, Use(11)), "cache").cached.value


def test_what_stands_around_the_layers() -> None:
    layer = LayerShape(2, AttentionShape(2, 2, 4), FFNShape(8))
    shape = ModelShape(
        8, (layer,), norm="layer", vocab=100, positions=32, head_bias=True, extras=(Extra("x", 7),)
    )
    bill = model_bill(shape, Use(5))
    outside = {r.name: r.count.value for r in bill.rows if r.part in ("embeddings", "other")}
    assert outside == {
        "embeddings": 800, "positions": 256, "unembedding": 800, "unembedding_bias": 100, "extra.x": 7,
    }  # fmt: skip
    assert bill.flops("embeddings") == 2 * 5 * 800
    tied = model_bill(replace(shape, tied=True), Use(5))
    assert (bill.count() - tied.count(), tied.flops()) == (800, bill.flops())
    assert model_bill(replace(shape, unembedding=False), Use(5)).flops("embeddings") == 0


def test_bytes_are_rounded_up_and_the_cache_has_its_own_bits() -> None:
    shape = ModelShape(3, (LayerShape(1, AttentionShape(1, 1, 3), FFNShape(1, gated=False)),), norms=0)
    bill = layer_bill(shape, Use(1, bits=4, cache_bits=8))
    up, cache = row(bill, "ffn.up"), row(bill, "cache")
    assert (up.count.value, bill.bytes_of(up)) == (3, 2)
    assert (cache.cached.value, bill.bytes_of(cache)) == (6, 6)
    assert [layer_bill(shape, Use(1, bits=bits)).bytes_of(up) for bits in (32, 16, 8)] == [12, 6, 3]
