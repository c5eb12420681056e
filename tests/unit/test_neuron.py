"""A neuron's card: weights, lengths and angles against plain arithmetic, values as the pass has them."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from ffn_explorer.core.experiment import run
from ffn_explorer.core.ffn import FFN
from ffn_explorer.core.moe import MoE
from ffn_explorer.core.neuron import neuron_card
from ffn_explorer.core.settings import CHOICES, Settings

D, F = 12, 20
TOKENS = (("a", "b", "c", "a"), ("b", "c"))


@given(st.sampled_from(CHOICES["activation"]), st.booleans(), st.integers(0, F - 1), st.integers(0, 1))
def test_a_dense_neuron(activation: str, bias: bool, neuron: int, sentence: int) -> None:
    settings = Settings(d_model=D, d_ff=F, activation=activation, bias=bias, dtype="float64")
    done = run(settings, TOKENS)
    ffn, trace, s = done.layer, done.trace, len(TOKENS[sentence])
    assert isinstance(ffn, FFN)
    card = neuron_card(done, neuron, sentence=sentence, expert=None)
    np.testing.assert_array_equal(card.up, ffn.up[neuron].numpy())
    np.testing.assert_array_equal(card.down, ffn.down[:, neuron].numpy())
    assert card.up_norm == pytest.approx(float(np.linalg.norm(card.up)), rel=1e-14)
    assert card.down_norm == pytest.approx(float(np.linalg.norm(card.down)), rel=1e-14)
    cosine = float(card.up @ card.down) / (card.up_norm * card.down_norm)
    assert card.cos_up_down == pytest.approx(cosine, abs=1e-14)
    assert card.up_bias == (None if ffn.up_bias is None else float(ffn.up_bias[neuron]))
    np.testing.assert_array_equal(card.m, trace.hidden[sentence, :s, neuron].numpy())
    np.testing.assert_array_equal(card.act, trace.act[sentence, :s, neuron].numpy())
    enters = trace.up if trace.gate is None else trace.gate
    np.testing.assert_array_equal(card.pre, enters[sentence, :s, neuron].numpy())
    assert (card.gate is None, card.cos_gate_up is None) == (ffn.gate is None, ffn.gate is None)
    if ffn.gate is not None:
        np.testing.assert_array_equal(card.gate, ffn.gate[neuron].numpy())
        assert card.gate_bias == (None if ffn.gate_bias is None else float(ffn.gate_bias[neuron]))
        together = torch.nn.functional.cosine_similarity(ffn.gate[neuron], ffn.up[neuron], dim=0)
        assert card.cos_gate_up == pytest.approx(float(together), abs=1e-14)
    strength = (trace.hidden[sentence, :s].abs() * ffn.down.norm(dim=0)).numpy()
    order = np.argsort(-strength, axis=1, kind="stable")
    np.testing.assert_array_equal(card.rank, np.nonzero(order == neuron)[1])


@given(st.sampled_from(["swiglu", "relu"]), st.integers(0, 3), st.sampled_from([0.0, 0.5]))
def test_an_expert_is_blank_where_others_were_chosen(activation: str, expert: int, capacity: float) -> None:
    settings = Settings(d_model=D, d_ff=F, activation=activation, experts=4, top_k=2)
    done = run(settings.with_(capacity_factor=capacity), TOKENS)
    routing = done.trace.routing
    assert isinstance(done.layer, MoE)
    assert routing is not None
    card = neuron_card(done, 7, sentence=0, expert=expert)
    np.testing.assert_array_equal(card.up, done.layer.experts[expert].up[7].numpy())
    for token in range(4):
        slots = [
            k
            for k in range(2)
            if int(routing.index[0, token, k]) == expert and not bool(routing.dropped[0, token, k])
        ]
        if not slots:
            assert np.isnan([card.pre[token], card.act[token], card.m[token]]).all()
            assert card.rank[token] == -1
            continue
        before = routing.up if routing.gate is None else routing.gate
        assert card.pre[token] == float(before[0, token, slots[0], 7])
        assert card.act[token] == float(routing.act[0, token, slots[0], 7])
        assert card.m[token] == float(routing.hidden[0, token, slots[0], 7])
        assert 0 <= card.rank[token] < F


def test_no_direction_no_angle() -> None:
    done = run(Settings(d_model=D, d_ff=F), (("a",),))
    assert isinstance(done.layer, FFN)
    down = done.layer.down.clone()
    down[:, 3] = 0
    card = neuron_card(replace(done, layer=replace(done.layer, down=down)), 3, sentence=0, expert=None)
    assert math.isnan(card.cos_up_down)
    assert card.down_norm == 0.0


def test_half_types_are_shown_as_float32() -> None:
    card = neuron_card(run(Settings(d_model=D, d_ff=F, dtype="bfloat16"), TOKENS), 0, sentence=1, expert=None)
    assert {array.dtype.name for array in (card.up, card.down, card.pre, card.act, card.m)} == {"float32"}
    assert card.rank.dtype == np.int64
    assert len(card.pre) == 2
    assert card.nbytes == sum(a.nbytes for a in (card.up, card.down, card.pre, card.act, card.m, card.rank))
