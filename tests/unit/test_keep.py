"""Keep-top-k: the k strongest stay as they are, the others are 0, and keeping all changes nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from hypothesis import given
from hypothesis import settings as few
from hypothesis import strategies as st
from torch import Tensor

from ffn_explorer.core.edits import Edits
from ffn_explorer.core.experiment import Run, run
from ffn_explorer.core.ffn import FFN
from ffn_explorer.core.forward_pass import forward
from ffn_explorer.core.keep import column_norms, keep_strongest
from ffn_explorer.core.settings import CHOICES, Settings
from ffn_explorer.core.spec import NormSpec
from ffn_explorer.core.stages import Stage, stages_of

D, F = 12, 40
TOKENS = (("a", "b", "c"), ("b",))
SETTINGS = st.builds(
    Settings,
    d_model=st.just(D),
    d_ff=st.just(F),
    activation=st.sampled_from(CHOICES["activation"]),
    experts=st.sampled_from([1, 4]),
    top_k=st.integers(1, 3),
    shared_experts=st.integers(0, 1),
    bias=st.booleans(),
    dtype=st.sampled_from(["float32", "float64"]),
    seed=st.integers(0, 100),
)


def intermediates(found: Run) -> list[tuple[FFN, Tensor]]:
    """Every FFN that ran at a real token, and its hidden values there `[F]`."""
    layer, trace = found.layer, found.trace
    places = [(b, s) for b, tokens in enumerate(found.tokens) for s in range(len(tokens))]
    if isinstance(layer, FFN):
        return [(layer, trace.hidden[at]) for at in places]
    of = trace.routing
    assert of is not None
    slots = range(of.index.shape[-1])
    return [(layer.experts[int(of.index[at][k])], of.hidden[at][k]) for at in places for k in slots]


@few(max_examples=40)
@given(SETTINGS, st.integers(1, F - 1))
def test_the_strongest_stay_and_the_others_are_zero(settings: Settings, k: int) -> None:
    whole, cut = run(settings, TOKENS), run(settings, TOKENS, edits=Edits(keep=k))
    for (ffn, before), (_, after) in zip(intermediates(whole), intermediates(cut), strict=True):
        strength = before.abs() * ffn.down.norm(dim=0)
        kept = strength.argsort(descending=True, stable=True)[:k]
        rest = torch.ones(F, dtype=torch.bool).index_fill(0, kept, False)
        assert torch.equal(after[kept], before[kept])
        assert (after[rest] == 0).all()
    assert torch.equal(whole.trace.act, cut.trace.act)


@few(max_examples=40)
@given(SETTINGS)
def test_keeping_all_is_no_edit(settings: Settings) -> None:
    whole, same = run(settings, TOKENS), run(settings, TOKENS, edits=Edits(keep=F))
    torch.testing.assert_close(same.trace.result, whole.trace.result, rtol=0, atol=1e-5)
    assert torch.equal(same.trace.hidden, whole.trace.hidden)


@few(max_examples=40)
@given(SETTINGS)
def test_a_cut_that_cuts_nothing_gives_the_same_output(settings: Settings) -> None:
    """A spec that keeps F goes through the cut, unlike an edit of F, which is none."""
    whole = run(settings, TOKENS)
    layer = whole.layer
    spec = replace(layer.spec, keep=F)
    if isinstance(layer, FFN):
        kept: Tensor = forward(replace(layer, spec=spec), whole.x, mask=whole.mask).out
    else:
        experts = tuple(replace(e, spec=replace(e.spec, keep=F)) for e in layer.experts)
        kept = forward(replace(layer, spec=spec, experts=experts), whole.x, mask=whole.mask).out
    torch.testing.assert_close(kept, whole.trace.out, rtol=0, atol=1e-5)


def test_out_is_the_sum_of_the_kept_memories() -> None:
    found = run(Settings(d_model=D, d_ff=F, activation="geglu", dtype="float64"), TOKENS, edits=Edits(keep=5))
    assert isinstance(found.layer, FFN)
    assert found.layer.down_bias is not None
    for (ffn, hidden), out in zip(intermediates(found), (*found.trace.out[0], found.trace.out[1, 0])):
        assert int((hidden != 0).sum()) == 5
        torch.testing.assert_close(ffn.down @ hidden + found.layer.down_bias, out, rtol=0, atol=1e-14)


def test_ties_are_broken_by_number() -> None:
    hidden = torch.tensor([[0.0, -2.0, 2.0, 2.0, 1.0]])
    assert keep_strongest(hidden, torch.ones(5), 2).tolist() == [[0.0, -2.0, 2.0, 0.0, 0.0]]
    assert keep_strongest(torch.zeros(1, 5), torch.ones(5), 2).tolist() == [[0.0] * 5]


def test_what_is_broken_is_never_cut() -> None:
    hidden = torch.tensor([3.0, float("nan"), 5.0, float("-inf"), 1.0])
    kept = keep_strongest(hidden, torch.ones(5), 2)
    assert kept[1].isnan()
    assert kept[3] == float("-inf")
    assert kept[[0, 2, 4]].tolist() == [0.0, 0.0, 0.0]


def test_values_count_with_the_length_of_what_they_write() -> None:
    hidden, norms = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([9.0, 1.0, 1.0])
    assert keep_strongest(hidden, norms, 1).tolist() == [1.0, 0.0, 0.0]


@pytest.mark.parametrize("k", [3, 4, 100])
def test_as_many_as_there_are_gives_the_very_tensor(k: int) -> None:
    hidden = torch.tensor([1.0, 2.0, 3.0])
    assert keep_strongest(hidden, torch.ones(3), k) is hidden


def test_gradients_flow_through_the_kept_ones_only() -> None:
    hidden = torch.tensor([1.0, -4.0, 3.0], requires_grad=True)
    kept = keep_strongest(hidden, torch.ones(3), 2)
    (slope,) = torch.autograd.grad(kept.sum(), hidden)
    assert slope.tolist() == [0.0, 1.0, 1.0]


def test_a_plain_cut_ffn_has_a_hidden_stage_of_its_own() -> None:
    settings = Settings(d_model=D, d_ff=F, activation="relu")
    assert Stage.HIDDEN not in stages_of(run(settings, TOKENS).trace.spec)
    assert Stage.HIDDEN in stages_of(run(settings, TOKENS, edits=Edits(keep=4)).trace.spec)


def test_the_cut_comes_after_the_inner_norm() -> None:
    """Kept values are those of the whole normed row, not of a norm over what is left."""
    layer = run(Settings(d_model=D, d_ff=F, activation="gelu"), TOKENS).layer
    assert isinstance(layer, FFN)
    spec = replace(layer.spec, inner_norm=NormSpec("rms", "pre"), hidden_multiplier=0.5)
    x = run(Settings(d_model=D, d_ff=F), TOKENS).x
    whole = forward(replace(layer, spec=spec), x).hidden
    cut = forward(replace(layer, spec=replace(spec, keep=6)), x).hidden
    order = (whole.abs() * column_norms(layer)).argsort(dim=-1, descending=True)
    assert torch.equal(cut.gather(-1, order[..., :6]), whole.gather(-1, order[..., :6]))
    assert (cut.gather(-1, order[..., 6:]) == 0).all()
