"""The strongest memories of a token, against plain arithmetic."""

import gc

import numpy as np
import torch

from ffn_explorer.core import keep, memory
from ffn_explorer.core.experiment import run
from ffn_explorer.core.ffn import FFN
from ffn_explorer.core.moe import MoE
from ffn_explorer.core.settings import Settings

SETTINGS = Settings(d_model=12, d_ff=40, activation="swiglu", dtype="float64")


def test_strongest_first() -> None:
    found = run(SETTINGS, (("a", "b"), ("c",)))
    ffn = found.layer
    assert isinstance(ffn, FFN)
    assert ffn.gate is not None
    paths = memory.strong_paths(found, 0, 1, count=7)
    m, x = found.trace.hidden[0, 1], found.trace.normed[0, 1]
    strength = m.abs() * ffn.down.norm(dim=0)
    order = strength.argsort(descending=True)[:7]
    assert paths.neuron.tolist() == order.tolist()
    np.testing.assert_allclose(paths.strength, strength[order].numpy(), rtol=1e-12)
    np.testing.assert_allclose(paths.m, m[order].numpy(), rtol=0)
    assert paths.gate_dim is not None
    assert paths.gate_part is not None
    for rank, i in enumerate(order.tolist()):
        for parts, dim, part in [
            (ffn.up[i] * x, paths.up_dim, paths.up_part),
            (ffn.gate[i] * x, paths.gate_dim, paths.gate_part),
            (ffn.down[:, i] * m[i], paths.out_dim, paths.out_part),
        ]:
            assert dim[rank] == int(parts.abs().argmax())
            assert part[rank] == float(parts[int(dim[rank])])


def test_all_paths_sum_to_out() -> None:
    """FFN(x) = Σ m·v + b: with every neuron taken, the parts of one output dimension add up."""
    found = run(SETTINGS, (("a",),))
    assert isinstance(found.layer, FFN)
    assert found.layer.down_bias is not None
    paths = memory.strong_paths(found, 0, 0, count=1000)
    assert sorted(paths.neuron.tolist()) == list(range(40))
    values = found.layer.down[:, torch.from_numpy(paths.neuron)] * torch.from_numpy(np.asarray(paths.m))
    torch.testing.assert_close(values.sum(dim=1) + found.layer.down_bias, found.trace.out[0, 0])


def test_plain_ffn_has_no_gate_paths() -> None:
    paths = memory.strong_paths(run(SETTINGS.with_(activation="gelu"), (("a",),)), 0, 0)
    assert paths.gate_dim is None
    assert paths.gate_part is None
    assert len(paths.neuron) == 24


def test_what_writes_nothing_is_no_path() -> None:
    """ReLU silences neurons, and an expert without room computes none: no memory of strength 0 is told."""
    found = run(SETTINGS.with_(activation="relu"), (("a",),))
    paths = memory.strong_paths(found, 0, 0, count=1000)
    assert len(paths.neuron) == int((found.trace.hidden[0, 0] != 0).sum()) < 40
    assert (paths.strength > 0).all()

    tight = run(SETTINGS.with_(experts=2, top_k=1, capacity_factor=0.01), (("a", "b", "c", "d"),))
    assert tight.trace.routing is not None
    (dropped, *_) = tight.trace.routing.dropped[0, :, 0].nonzero()[:, 0].tolist()
    assert len(memory.strong_paths(tight, 0, dropped).neuron) == 0


def test_experts_use_the_first_choice() -> None:
    found = run(SETTINGS.with_(experts=4, top_k=2), (("a", "b"),))
    assert isinstance(found.layer, MoE)
    assert found.trace.routing is not None
    expert = found.layer.experts[int(found.trace.routing.index[0, 1, 0])]
    assert memory.expert_at(found, 0, 1) is expert
    strength = found.trace.hidden[0, 1].abs() * expert.down.norm(dim=0)
    assert memory.strong_paths(found, 0, 1).neuron[0] == int(strength.argmax())


def test_values_that_are_not_finite_come_last() -> None:
    x = torch.zeros(1, 1, 12)
    x[0, 0, 3] = float("nan")
    paths = memory.strong_paths(run(SETTINGS, (("0",),), x=x), 0, 0, count=40)
    assert np.isnan(paths.strength).all()


def test_norms_are_kept_as_long_as_the_weights() -> None:
    found = run(SETTINGS.with_(seed=4321), (("a",),))
    assert isinstance(found.layer, FFN)
    # What earlier tests left must not go while this one counts.
    gc.collect()
    before = len(keep._NORMS)
    first = keep.column_norms(found.layer)
    assert keep.column_norms(found.layer) is first
    assert len(keep._NORMS) == before + 1
    del found
    gc.collect()
    assert len(keep._NORMS) == before
