"""Contributions add up to the output, whatever the settings, and are what plain arithmetic gives."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import settings as few
from hypothesis import strategies as st

from ffn_explorer.core.contributions import contributions
from ffn_explorer.core.experiment import Run, run
from ffn_explorer.core.ffn import FFN
from ffn_explorer.core.forward_pass import forward
from ffn_explorer.core.moe import MoE
from ffn_explorer.core.readings import Contributions
from ffn_explorer.core.seeding import DTYPES
from ffn_explorer.core.settings import CHOICES, Settings

D, F = 12, 20
TOKENS = (("a", "b", "c", "a"), ("b", "c"))
ROUNDING = {"float64": 1e-13, "float32": 1e-6, "float16": 2e-3, "bfloat16": 2e-2}
"""What summing F numbers may lose in each dtype, in units of the sum of magnitudes."""

SETTINGS = st.builds(
    Settings,
    d_model=st.just(D),
    d_ff=st.just(F),
    activation=st.sampled_from(CHOICES["activation"]),
    bias=st.booleans(),
    residual=st.booleans(),
    norm=st.sampled_from(CHOICES["norm"]),
    norm_placement=st.sampled_from(CHOICES["norm_placement"]),
    experts=st.sampled_from([1, 4]),
    top_k=st.integers(1, 3),
    shared_experts=st.integers(0, 1),
    routing=st.sampled_from(CHOICES["routing"]),
    capacity_factor=st.sampled_from([0.0, 0.5]),
    dropout=st.sampled_from([0.0, 0.4]),
    training=st.booleans(),
    dtype=st.sampled_from(list(DTYPES)),
    seed=st.integers(0, 100),
)


def total(found: Contributions) -> float:
    return math.fsum(found.part) + found.bias + found.rest


def size(found: Contributions) -> float:
    return math.fsum(np.abs(found.part)) + abs(found.bias) + abs(found.rest)


@few(max_examples=40)
@given(SETTINGS, st.integers(0, 1), st.integers(0, 1), st.integers(0, D - 1))
def test_parts_bias_and_rest_are_the_output(settings: Settings, sentence: int, token: int, dim: int) -> None:
    done = run(settings, TOKENS)
    found = contributions(done, sentence, token, dim)
    assert found.out == float(done.trace.out[sentence, token, dim])
    assert abs(total(found) - found.out) <= ROUNDING[settings.dtype] * size(found)
    assert (np.diff(np.abs(found.part)) <= 0).all()
    assert found.part.dtype == np.float64
    assert found.y == float(done.trace.residual[sentence, token, dim])
    assert found.x == (float(done.trace.skip[sentence, token, dim]) if settings.residual else 0.0)
    if settings.residual and settings.norm_placement != "sandwich":
        assert found.y == pytest.approx(found.x + found.out, abs=ROUNDING[settings.dtype] * 4)
    if not settings.residual and settings.norm_placement != "sandwich":
        assert found.y == found.out


@few(max_examples=40)
@given(SETTINGS.filter(lambda s: s.experts == 1), st.integers(0, D - 1))
def test_a_dense_part_is_m_times_the_weight(settings: Settings, dim: int) -> None:
    done = run(settings, TOKENS)
    assert isinstance(done.layer, FFN)
    found = contributions(done, 0, 1, dim)
    assert sorted(found.neuron.tolist()) == list(range(F))
    assert found.expert is None
    wanted = done.trace.hidden[0, 1].double() * done.layer.down[dim].double()
    np.testing.assert_array_equal(found.part, wanted.numpy()[found.neuron])
    before = done.trace.up if done.trace.gate is None else done.trace.gate
    for shown, stage in ((found.pre, before), (found.act, done.trace.act), (found.m, done.trace.hidden)):
        np.testing.assert_array_equal(shown, stage[0, 1].double().numpy()[found.neuron])
    bias = done.layer.down_bias
    assert found.bias == (0.0 if bias is None else float(bias[dim]))
    assert found.rest == 0.0 or settings.training


@given(SETTINGS.filter(lambda s: s.experts == 4 and not s.training), st.integers(0, 1), st.integers(0, D - 1))
def test_a_mixture_splits_by_expert(settings: Settings, sentence: int, dim: int) -> None:
    """Each expert's parts, with its bias, are its weighted output; experts without room are not there."""
    done = run(settings.with_(dtype="float64"), TOKENS)
    routing = done.trace.routing
    assert routing is not None
    assert isinstance(done.layer, MoE)
    found = contributions(done, sentence, 1, dim)
    assert found.expert is not None
    kept = [
        (int(routing.index[sentence, 1, k]), float(routing.weight[sentence, 1, k]), k)
        for k in range(settings.top_k)
        if not routing.dropped[sentence, 1, k]
    ]
    assert set(found.expert.tolist()) == {number for number, _, _ in kept}
    assert len(found.part) == F * len(kept)
    biases = 0.0
    for number, weight, slot in kept:
        own = done.layer.experts[number].down_bias
        bias = 0.0 if own is None else float(own[dim])
        wanted = weight * (float(routing.expert_out[sentence, 1, slot, dim]) - bias)
        assert math.fsum(found.part[found.expert == number]) == pytest.approx(wanted, abs=1e-14)
        biases += weight * bias
        of = found.expert == number
        hidden = routing.hidden[sentence, 1, slot].numpy()
        np.testing.assert_array_equal(found.m[of], hidden[found.neuron[of]])
    assert found.bias == pytest.approx(biases, abs=1e-15)
    shared = 0.0 if routing.shared is None else float(routing.shared.out[sentence, 1, dim])
    assert found.rest == shared


def test_scales_and_weights_on_the_input() -> None:
    """Output scales, LayerScale, and a router whose weight multiplies the expert's input (Llama 4)."""
    settings = Settings(d_model=D, d_ff=F, experts=3, top_k=2, activation="swiglu", dtype="float64")
    settings = settings.with_(shared_experts=1)
    done = run(settings, (("a", "b"),))
    layer = done.layer
    assert isinstance(layer, MoE)
    scale = torch.linspace(0.5, 2.0, D, dtype=torch.float64)
    experts = tuple(
        replace(e, spec=replace(e.spec, output_scale=0.25), layer_scale=scale) for e in layer.experts
    )
    for weigh in ("output", "input"):
        rule = replace(layer.routing, weigh=weigh)
        spec = replace(layer.spec, output_scale=3.0, skip_scale=0.5, routing=rule)
        gate = torch.linspace(-1, 1, D, dtype=torch.float64)[None]
        scaled = replace(layer, spec=spec, experts=experts, layer_scale=scale.flip(0), shared_gate=gate)
        changed = replace(done, layer=scaled, trace=forward(scaled, done.x))
        for dim in range(D):
            found = contributions(changed, 0, 1, dim)
            assert total(found) == pytest.approx(found.out, rel=1e-12, abs=1e-13)
            assert found.x == 0.5 * float(done.x[0, 1, dim])


def test_dropout_is_the_rest() -> None:
    """Parts are those before dropout; the rest is what dropout made of their sum."""
    settings = Settings(d_model=D, d_ff=F, dropout=0.5, training=True, dtype="float64")
    done, plain = run(settings, (("a", "b"),)), run(settings.with_(training=False), (("a", "b"),))
    outs = set()
    for dim in range(D):
        found, before = contributions(done, 0, 1, dim), contributions(plain, 0, 1, dim)
        np.testing.assert_array_equal(found.part, before.part)
        assert found.rest == pytest.approx(found.out - before.out, abs=1e-14)
        outs.add(found.out == 0.0)
    assert outs == {True, False}


def test_a_token_without_experts_has_no_parts() -> None:
    settings = Settings(d_model=D, d_ff=F, experts=2, top_k=1, capacity_factor=0.01)
    tight = run(settings, (("a", "b", "c", "d"),))
    assert tight.trace.routing is not None
    (dropped, *_) = tight.trace.routing.dropped[0, :, 0].nonzero()[:, 0].tolist()
    found = contributions(tight, 0, dropped, 3)
    assert (len(found.part), found.bias, found.rest, found.out) == (0, 0.0, 0.0, 0.0)
    assert found.y == found.x


def test_what_is_not_a_number_comes_last() -> None:
    done = run(Settings(d_model=D, d_ff=F), (("a",),))
    hidden = done.trace.hidden.clone()
    hidden[0, 0, 2], hidden[0, 0, 5] = math.nan, math.inf
    broken: Run = replace(done, trace=replace(done.trace, hidden=hidden))
    found = contributions(broken, 0, 0, 1)
    assert found.neuron[0] == 5
    assert found.neuron[-1] == 2
    assert found.nbytes == 5 * found.part.nbytes
