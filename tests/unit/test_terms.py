"""Terms of a sum: they add up to the number, in float64, and lead with the largest."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from ffn_explorer.core.experiment import Run, run
from ffn_explorer.core.proof import prove
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.stages import Stage
from ffn_explorer.core.terms import terms_of
from ffn_explorer.core.tokens import tokenize

TOKENS = tokenize(("The keys on the table are lost.", "Two words"))
BASE = Settings(d_model=24, d_ff=40, heads=2, kv_heads=2)
KINDS = {
    "plain": BASE,
    "gated": BASE.with_(activation="swiglu", norm="rms"),
    "no bias": BASE.with_(bias=False, activation="gelu"),
    "experts": BASE.with_(experts=4, top_k=2),
    "shared": BASE.with_(experts=4, top_k=2, shared_experts=1, activation="geglu"),
    "half": BASE.with_(dtype="bfloat16"),
}
CASES = [
    (name, stage) for name in KINDS for stage in (Stage.UP, Stage.GATE, Stage.OUT)
    if stage != Stage.GATE or KINDS[name].gated
]  # fmt: skip


def made(name: str) -> Run:
    return run(KINDS[name], TOKENS)


@pytest.mark.parametrize(("name", "stage"), CASES)
def test_terms_and_bias_are_the_number_that_is_proved(name: str, stage: Stage) -> None:
    one = made(name)
    for token, index in ((0, 0), (5, 17)):
        found = terms_of(one, stage, sentence=0, token=token, index=index)
        proof = prove(one, stage, sentence=0, token=token, index=index)
        assert abs(found.running[-1] - proof.recomputed) <= 1e-12 * max(1.0, float(np.abs(found.term).sum()))
        assert abs(found.running[-1] - proof.shown) <= proof.tolerance
        size = np.abs(found.term)
        assert (size[:-1] >= size[1:]).all()
        assert (found.left * found.right == found.term).all()
        assert sorted(found.index.tolist()) == sorted(set(found.index.tolist()))


def test_each_term_is_the_product_at_its_index() -> None:
    one = made("plain")
    found = terms_of(one, Stage.OUT, sentence=0, token=5, index=17)
    assert found.counts == "neuron"
    down = one.layer.down[17].double()  # type: ignore[union-attr] # a dense FFN
    hidden = one.trace.hidden[0, 5].double()
    order = torch.from_numpy(found.index)
    assert torch.equal(torch.from_numpy(found.left), down[order])
    assert torch.equal(torch.from_numpy(found.right), hidden[order])
    assert found.names == ("W_down[17, i]", "act[0, 5, i]")


def test_a_mixture_has_one_term_per_chosen_expert() -> None:
    one = made("experts")
    found = terms_of(one, Stage.OUT, sentence=0, token=2, index=3)
    assert found.counts == "expert"
    assert one.trace.routing is not None
    assert set(found.index.tolist()) == set(one.trace.routing.index[0, 2].tolist())


@pytest.mark.parametrize("stage", [Stage.INPUT, Stage.ACT, Stage.RESIDUAL])
def test_other_stages_are_no_sums(stage: Stage) -> None:
    with pytest.raises(KeyError):
        terms_of(made("plain"), stage, sentence=0, token=0, index=0)


def test_a_dropped_token_has_no_terms() -> None:
    crowded = BASE.with_(experts=4, top_k=1, capacity_factor=0.25)
    one = run(crowded, TOKENS)
    assert one.trace.routing is not None
    places = one.trace.routing.dropped[0, :, 0].nonzero()[:, 0].tolist()
    assert places
    found = terms_of(one, Stage.UP, sentence=0, token=places[0], index=0)
    assert found.term.size == 0
