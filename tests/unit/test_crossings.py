"""Crossings: the figures of mission.md, and curves that are exactly equal where they are said to be."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ffn_explorer.core.architecture import AttentionShape, FFNShape, LatentShape, LayerShape, ModelShape
from ffn_explorer.core.bill_row import Use
from ffn_explorer.core.crossings import Crossings, crossings
from ffn_explorer.core.model_bill import layer_bill
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.shape_of import model_shape
from ffn_explorer.state.models import model, models

BASE = model_shape(Settings(d_model=512, d_ff=2_048, activation="relu"))

shapes = st.builds(
    lambda d, kv, group, width, ffn, window: ModelShape(
        d, (LayerShape(1, AttentionShape(kv * group, kv, width, window=window), ffn),)
    ),
    st.integers(1, 40),
    st.integers(1, 3),
    st.integers(1, 3),
    st.integers(1, 12),
    st.builds(FFNShape, st.integers(1, 90), gated=st.booleans()),
    st.sampled_from([0, 0, 1, 7, 30]),
)


def excess(shape: ModelShape, tokens: int, *, causal: bool, whole: bool) -> int:
    """FLOPs by which scores, or all of attention, exceed the FFN in one layer."""
    layer = layer_bill(shape, Use(tokens, causal=causal))
    attention = layer.flops("scores", "attention") if whole else layer.flops("scores")
    return attention - layer.flops("ffn", "router")


def of(found: Crossings, *, whole: bool) -> Fraction | None:
    return found.attention_equals_ffn if whole else found.scores_equal_ffn


def check(shape: ModelShape, *, causal: bool, whole: bool) -> None:
    """The curves are equal at the crossing, and nowhere before; where there is none, they never are."""
    S = of(crossings(shape, causal=causal), whole=whole)
    if S is None:
        signs = {excess(shape, n, causal=causal, whole=whole) >= 0 for n in (1, 2, 7, 30, 31, 90, 10**5)}
        assert signs in ({True}, {False})
        return
    assert S >= 1
    after = excess(shape, math.floor(S) + 1, causal=causal, whole=whole)
    # Where the window ends the growth just there, the curves stay together.
    assert after > 0 or (after == 0 and shape.usual_layer.attention.window == S)
    if S.denominator == 1:
        assert excess(shape, int(S), causal=causal, whole=whole) == 0
    before = math.ceil(S) - 1
    assert before == 0 or excess(shape, before, causal=causal, whole=whole) < 0


@pytest.mark.parametrize(
    ("shape", "scores", "attention"),
    [
        (BASE, 2_048, 1_024),
        (model("llama-3-8b").shape, 21_504, 16_384),
        (model("gpt-3").shape, 4 * 12_288, 2 * 12_288),
        # The router of Mixtral counts: 8 experts of 4,096 weights each, beside 2 of 14,336.
        (model("mixtral-8x7b").shape, 2 * 21_504 + 4, 2 * 21_504 + 4 - 5_120),
    ],
)
def test_lengths_of_the_literature(shape: ModelShape, scores: int, attention: int) -> None:
    assert crossings(shape) == Crossings(Fraction(scores), Fraction(attention))
    # Half as many pairs and the diagonal: S(S + 1)/2 of them for S tokens.
    assert crossings(shape, causal=True) == Crossings(Fraction(2 * scores - 1), Fraction(2 * attention - 1))
    for causal in (False, True):
        found = crossings(shape, causal=causal)
        decoder = ModelShape(
            shape.d_model, (LayerShape(1, shape.usual_layer.attention, shape.usual_layer.ffn),)
        )
        for whole in (False, True):
            tokens = int(of(found, whole=whole) or 0)
            assert excess(decoder, tokens, causal=causal, whole=whole) == 0
            assert excess(decoder, tokens - 1, causal=causal, whole=whole) < 0


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("whole", [False, True])
@given(shape=shapes)
def test_curves_meet_where_it_is_said(shape: ModelShape, causal: bool, whole: bool) -> None:
    check(shape, causal=causal, whole=whole)


@pytest.mark.parametrize("name", [m.id for m in models() if m.shape.usual_layer.stack == "decoder"])
def test_curves_of_public_models_meet_where_it_is_said(name: str) -> None:
    for causal in (False, True):
        for whole in (False, True):
            check(model(name).shape, causal=causal, whole=whole)


@pytest.mark.parametrize(("d_model", "d_ff", "gated"), [(64, 256, False), (96, 200, True), (40, 500, True)])
def test_the_rule_of_thumb_for_full_attention(d_model: int, d_ff: int, gated: bool) -> None:
    """With H h = D: at S = F and F - 2D, with a gate 1.5 F and 1.5 F - 2D."""
    attention = AttentionShape(4, 4, d_model // 4)
    shape = ModelShape(d_model, (LayerShape(1, attention, FFNShape(d_ff, gated=gated)),))
    scores = Fraction(3 if gated else 2, 2) * d_ff
    assert crossings(shape) == Crossings(scores, scores - 2 * d_model)


def test_where_the_curves_never_meet() -> None:
    narrow = model_shape(Settings(d_model=64, d_ff=64, heads=4, kv_heads=4))
    # The projections, 8 D², cost more than the FFN, 4 D F, from the first token on.
    assert crossings(narrow) == Crossings(Fraction(64), None)
    windowed = AttentionShape(4, 4, 16, window=10)
    assert (
        crossings(ModelShape(64, (LayerShape(1, windowed, FFNShape(64, gated=False)),))).scores_equal_ffn
        is None
    )


@pytest.mark.parametrize(
    "settings", [Settings(d_model=1, d_ff=1), Settings(d_model=8, d_ff=1, stack="decoder")]
)
def test_no_crossing_lies_before_the_first_token(settings: Settings) -> None:
    for causal in (False, True):
        found = crossings(model_shape(settings), causal=causal)
        assert all(S is None or S >= 1 for S in (found.scores_equal_ffn, found.attention_equals_ffn))


def test_latents_meet_the_ffn_in_their_full_width() -> None:
    a = AttentionShape(16, 16, 128, latent=LatentShape(kv_rank=512, rope_dim=64))
    shape = ModelShape(2_048, (LayerShape(1, a, FFNShape(10_944)),))
    # 2 FLOPs for each pair, head and number of q·k (128 + 64) and of p·v (128).
    assert crossings(shape).scores_equal_ffn == Fraction(6 * 2_048 * 10_944, 2 * 16 * 320)
    check(shape, causal=True, whole=True)


@pytest.mark.parametrize(
    ("name", "share", "active"),
    [
        ("gpt2-small", 66.7, 66.7),
        ("gpt-3", 66.7, 66.7),
        ("llama-2-7b", 66.8, 66.8),
        ("llama-3-8b", 80.8, 80.8),
        ("mixtral-8x7b", 97.1, 89.4),
    ],
)
def test_shares_of_the_ffn(name: str, share: float, active: float) -> None:
    layer = layer_bill(model(name).shape, Use(1))
    for wanted, only in ((share, False), (active, True)):
        ffn, attention = (layer.weights(part, active=only) for part in ("ffn", "attention"))
        assert round(100 * ffn / (ffn + attention), 1) == wanted


def test_llama_3_8b() -> None:
    layer = layer_bill(model("llama-3-8b").shape, Use(8_192))
    assert layer.weights("ffn") == 176_160_768
    assert layer.weights("ffn", "attention") == 218_103_808
    assert layer.flops("ffn") == 6 * 8_192 * 4_096 * 14_336
    assert layer.flops("scores") == 2 * 8_192 * 8_193 * 4_096
