"""Every memory ranked, and the running sums, against plain arithmetic in float64."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from ffn_explorer.core import memories
from ffn_explorer.core.edits import Edits
from ffn_explorer.core.experiment import run
from ffn_explorer.core.ffn import FFN
from ffn_explorer.core.memories import ranked
from ffn_explorer.core.memory import expert_at
from ffn_explorer.core.settings import CHOICES, Settings

D, F = 12, 40
SETTINGS = Settings(d_model=D, d_ff=F, activation="swiglu", dtype="float64")
TOKENS = (("a", "b"), ("c",))


def plain(down: np.ndarray, m: np.ndarray, order: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Cosine and error `[F + 1]`, one sum at a time."""
    total, cosine, error = down @ m, [], []
    for k in range(len(m) + 1):
        here = down[:, order[:k]] @ m[order[:k]]
        lengths = np.linalg.norm(here) * np.linalg.norm(total)
        cosine.append(0.0 if lengths == 0 else float(here @ total / lengths))
        error.append(float(np.linalg.norm(total - here) / np.linalg.norm(total)))
    return np.array(cosine), np.array(error)


@given(st.sampled_from(CHOICES["activation"]), st.integers(0, 50), st.sampled_from([1, 4]), st.integers(0, 1))
def test_ranks_and_sums(activation: str, seed: int, experts: int, slot: int) -> None:
    settings = SETTINGS.with_(activation=activation, seed=seed, experts=experts, top_k=2)
    slot = slot if experts > 1 else 0
    found = run(settings, TOKENS)
    ffn = expert_at(found, 0, 1, slot=slot)
    of = found.trace.routing
    m = (found.trace.hidden[0, 1] if of is None else of.hidden[0, 1, slot]).numpy()
    down = ffn.down.numpy()
    made = ranked(found, 0, 1, slot=slot)
    strength = np.abs(m) * np.linalg.norm(down, axis=0)
    assert made.expert == (None if of is None else int(of.index[0, 1, slot]))
    assert (made.sentence, made.token, made.slot) == (0, 1, slot)
    assert sorted(made.neuron.tolist()) == list(range(F))
    assert (np.diff(made.strength) <= 0).all()
    np.testing.assert_array_equal(made.m, m[made.neuron])
    np.testing.assert_allclose(made.strength, strength[made.neuron], rtol=1e-12)
    np.testing.assert_allclose(made.norm, np.linalg.norm(down, axis=0)[made.neuron], rtol=1e-12)
    cosine, error = plain(down, m, made.neuron)
    np.testing.assert_allclose(made.cosine, cosine, atol=1e-12)
    np.testing.assert_allclose(made.error, error, atol=1e-12)
    assert made.cosine[0] == 0.0
    assert made.error[-1] == 0.0


@pytest.mark.parametrize("activation", ["relu", "swiglu"])
@pytest.mark.parametrize("experts", [1, 4])
def test_a_cut_leaves_the_ranking_as_it_was(activation: str, experts: int) -> None:
    settings = SETTINGS.with_(activation=activation, experts=experts, top_k=2, dtype="float32")
    whole, cut = run(settings, TOKENS), run(settings, TOKENS, edits=Edits(keep=9))
    before, after = (ranked(found, 0, 1, slot=int(experts > 1)) for found in (whole, cut))
    for name in ("neuron", "m", "strength", "cosine", "error"):
        np.testing.assert_array_equal(getattr(after, name), getattr(before, name))
    kept = cut.trace.hidden[0, 1] if experts == 1 else cut.trace.routing.hidden[0, 1, 1]  # type: ignore[union-attr]
    assert set(kept.nonzero()[:, 0].tolist()) <= set(after.neuron[:9].tolist())


def test_the_error_at_k_is_that_of_the_pass_with_k_memories() -> None:
    settings = SETTINGS.with_(bias=False, activation="gelu")
    whole, cut = run(settings, TOKENS), run(settings, TOKENS, edits=Edits(keep=9))
    full, part = whole.trace.out[1, 0], cut.trace.out[1, 0]
    made = ranked(cut, 1, 0)
    np.testing.assert_allclose(made.error[9], float((part - full).norm() / full.norm()), rtol=1e-12)
    np.testing.assert_allclose(made.cosine[9], float(torch.cosine_similarity(part, full, dim=0)), rtol=1e-12)


def test_blocks_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    found = run(SETTINGS, TOKENS)
    whole = ranked(found, 0, 0)
    monkeypatch.setattr(memories, "BLOCK", 3 * D)
    parts = ranked(found, 0, 0)
    np.testing.assert_allclose(parts.cosine, whole.cosine, atol=1e-14)
    np.testing.assert_allclose(parts.error, whole.error, atol=1e-14)


def test_where_nothing_was_computed_there_is_nothing_to_miss() -> None:
    tight = SETTINGS.with_(experts=2, top_k=1, capacity_factor=0.01)
    found = run(tight, (("a", "b", "c", "d"),))
    assert found.trace.routing is not None
    (dropped, *_) = found.trace.routing.dropped[0, :, 0].nonzero()[:, 0].tolist()
    made = ranked(found, 0, dropped)
    assert made.neuron.tolist() == list(range(F))
    assert not made.strength.any()
    assert not made.cosine.any()
    assert not made.error.any()


def test_what_is_not_finite_comes_first_and_leaves_no_sum() -> None:
    x = torch.zeros(1, 1, D)
    x[0, 0, 3] = float("nan")
    made = ranked(run(SETTINGS, (("0",),), x=x), 0, 0)
    assert made.neuron.tolist() == list(range(F))
    assert np.isnan(made.error[:-1]).all()


def test_slots_name_their_experts() -> None:
    found = run(SETTINGS.with_(experts=4, top_k=2), TOKENS)
    assert found.trace.routing is not None
    for slot in (0, 1):
        index = int(found.trace.routing.index[0, 1, slot])
        assert expert_at(found, 0, 1, slot=slot) is found.layer.experts[index]  # type: ignore[union-attr]
    assert isinstance(found.layer.experts[0], FFN)  # type: ignore[union-attr]
