"""Seeded weights and hidden states: repeatable, distinct, with the stated distribution."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from ffn_explorer.core.ffn import FFN
from ffn_explorer.core.moe import MoE
from ffn_explorer.core.seeding import DTYPES, seeded_hidden_states, seeded_layer
from ffn_explorer.core.settings import Settings

SMALL = Settings(d_model=16, d_ff=24)


def dense(settings: Settings, layer: int | None = None) -> FFN:
    found = seeded_layer(settings, layer)
    assert isinstance(found, FFN)
    return found


def test_same_settings_same_weights() -> None:
    one, two = dense(SMALL), dense(SMALL)
    assert torch.equal(one.up, two.up)
    assert one.origin.kind == "seeded"
    assert one.origin.seed == SMALL.seed


def test_everything_has_weights_of_its_own() -> None:
    settings = SMALL.with_(activation="swiglu", experts=3, shared_experts=1)
    layer = seeded_layer(settings)
    assert isinstance(layer, MoE)
    assert layer.shared is not None
    others = [
        dense(SMALL).up,
        dense(SMALL, 1).up,
        dense(SMALL.with_(stack="decoder")).up,
        dense(SMALL.with_(seed=8)).up,
        *(ffn.up for ffn in (*layer.experts, layer.shared)),
        *(ffn.gate for ffn in (*layer.experts, layer.shared)),
    ]
    firsts = {float(t[0, 0]) for t in others if t is not None}
    assert len(firsts) == len(others)


def test_distribution_is_that_of_linear() -> None:
    """Uniform in ±1/√fan_in: bounds kept, variance 1/(3 fan_in) within 3 %."""
    settings = Settings(d_model=256, d_ff=512)
    ffn = dense(settings)
    for tensor, fan_in in [(ffn.up, 256), (ffn.down, 512), (ffn.up_bias, 256), (ffn.down_bias, 512)]:
        assert tensor is not None
        bound = 1 / math.sqrt(fan_in)
        assert float(tensor.abs().max()) <= bound
        if tensor.dim() == 2:
            assert float(tensor.var()) == pytest.approx(bound**2 / 3, rel=0.03)
            assert float(tensor.abs().max()) > 0.99 * bound
    assert ffn.pre_norm.weight is not None
    assert ffn.pre_norm.bias is not None
    assert bool((ffn.pre_norm.weight == 1).all())
    assert bool((ffn.pre_norm.bias == 0).all())


@pytest.mark.parametrize("dtype", list(DTYPES))
def test_dtypes_share_weights_up_to_rounding(dtype: str) -> None:
    base, cast = dense(SMALL).up, dense(SMALL.with_(dtype=dtype)).up
    assert cast.dtype == DTYPES[dtype]
    assert torch.equal(base.to(cast.dtype), cast)


def test_norm_weights_stand_where_the_norm_does() -> None:
    for placement, before, after in [("pre", True, False), ("post", False, True), ("sandwich", True, True)]:
        ffn = dense(SMALL.with_(norm="rms", norm_placement=placement))
        assert (ffn.pre_norm.weight is not None, ffn.post_norm.weight is not None) == (before, after)
        assert ffn.pre_norm.bias is None
        assert ffn.post_norm.bias is None


def test_router_has_no_bias_and_selects_by_one() -> None:
    layer = seeded_layer(SMALL.with_(experts=4, top_k=2, routing="sigmoid_bias"))
    assert isinstance(layer, MoE)
    assert layer.router.bias is None
    assert layer.router.selection_bias is not None
    assert bool((layer.router.selection_bias != 0).all())
    plain = seeded_layer(SMALL.with_(experts=4, top_k=2))
    assert isinstance(plain, MoE)
    assert plain.router.selection_bias is None


@given(st.permutations(["the", "keys", "the", "鍵", "\ud800", "a"]))
def test_reordering_tokens_permutes_rows(tokens: list[str]) -> None:
    rows = {token: seeded_hidden_states([[token]], SMALL)[0][0, 0] for token in tokens}
    x, mask = seeded_hidden_states([tokens], SMALL)
    assert mask is None
    assert torch.equal(x[0], torch.stack([rows[token] for token in tokens]))


def test_hidden_states_know_no_layer_but_the_seed() -> None:
    x = seeded_hidden_states([["a"]], SMALL)[0]
    assert torch.equal(x, seeded_hidden_states([["a"]], SMALL.with_(layer=3, stack="decoder"))[0])
    assert not torch.equal(x, seeded_hidden_states([["a"]], SMALL.with_(seed=8))[0])


def test_padding() -> None:
    x, mask = seeded_hidden_states([["a", "b", "c"], ["a"]], SMALL)
    assert mask is not None
    assert mask.tolist() == [[True] * 3, [True, False, False]]
    assert torch.equal(x[0, 0], x[1, 0])
    assert not x[1, 1:].any()


def test_vectors_are_standard_normal() -> None:
    x, _ = seeded_hidden_states([["a", "b", "c", "d"]], Settings(d_model=4096))
    assert float(x.mean()) == pytest.approx(0, abs=0.04)
    assert float(x.std()) == pytest.approx(1, abs=0.03)
