"""Numbers in the lecture's words are what the program computes for its scenes, or stand in a paper."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import torch

from ffn_explorer.core import activations, cost
from ffn_explorer.core.bill_row import Use
from ffn_explorer.core.crossings import Crossings, crossings
from ffn_explorer.core.handmade_examples import EXAMPLES
from ffn_explorer.core.model_bill import layer_bill, model_bill
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.shape_of import model_shape
from ffn_explorer.core.stages import Stage
from ffn_explorer.state.models import model
from tests.unit.lecture_file import SCENES, TEXTS, at, percent, run, says, seen, settings, truth, values

BASE = Settings(bias=False)
LLAMA = model("llama-3-8b").shape


def test_weights_and_biases() -> None:
    s = settings("widths")
    weights, all_of_it = (cost.ffn_parameters(s, bias=bias) for bias in (False, True))
    assert (weights, all_of_it - weights) == (2_097_152, 2_560)
    says(at("widths", "mathematics"), weights, all_of_it - weights, 4 * s.d_model * s.d_ff)
    says(at("widths", "shapes"), s.d_model * s.d_ff, all_of_it - weights)
    says(at("widths", "question.why"), weights, cost.ffn_parameters(s.with_(d_ff=4096), bias=False))
    assert values("widths", Stage.UP, 0).shape == (8, 4096)
    assert values("widths", Stage.OUT, 0).shape == (8, 512)
    t5 = model("t5-11b").shape
    says(at("widths", "notes"), t5.d_model, t5.usual_layer.ffn.d_ff)
    assert t5.usual_layer.ffn.d_ff == 64 * t5.d_model
    assert LLAMA.usual_layer.ffn.d_ff == 3.5 * LLAMA.d_model


def test_six_layers_of_both() -> None:
    s = settings("place")
    says(at("place", "shapes"), s.layers * (cost.ffn_parameters(s, bias=True) + cost.attention_parameters(s)))


def test_each_position_is_independent_until_something_reads_others() -> None:
    def apart(tried: int | None) -> int:
        lab = seen("position", tried).lab
        assert lab is not None
        return int((np.maximum(lab.alone[0], lab.permuted[0]) > lab.tolerance).sum())

    assert [apart(tried) for tried in (None, 0, 1, 2)] == [0, 0, 8, 2]
    forth, back = values("position", Stage.OUT), values("position", Stage.OUT, 0)
    assert np.allclose(forth[::-1], back, atol=1e-6)
    assert not np.allclose(forth, back, atol=1e-2)
    assert run("position", 0).tokens[0][2] == "are"


def test_xor_without_and_with_its_function() -> None:
    answers = [values("nonlinear", Stage.RESIDUAL, tried)[:, 2] for tried in (None, 0, 1)]
    assert answers[0].tolist() == [2.0, 1.0, 1.0, 0.0]
    assert answers[1].tolist() == [0.0, 1.0, 1.0, 0.0]
    assert not np.isclose(answers[2], [0, 1, 1, 0], atol=0.1).any()
    says(truth("nonlinear", 1), f"{answers[2][1]:.3f}")
    assert EXAMPLES["xor"].neurons[1].bias == -1.0
    assert EXAMPLES["xor"].neurons[1].value[2] == -2.0


def test_lowest_points_and_the_two_gelus() -> None:
    z = torch.linspace(-6, 6, 1_200_001, dtype=torch.float64)
    for name, low, where in (("gelu", "−0.170", "−0.75"), ("silu", "−0.278", "−1.28")):
        f = activations.apply(name, z)
        lowest = float(z[f.argmin()])
        assert f"{float(f.min()):.3f}" == low.replace("−", "-")
        assert f"{lowest:.2f}" == where.replace("−", "-")
        says(at("activations", "mathematics"), low, where)
    apart = (activations.apply("gelu", z) - activations.apply("gelu_tanh", z)).abs()
    assert f"{abs(float(z[apart.argmax()])):.2f}" == "2.70"
    assert 0.00047 < float(apart.max()) < 0.000475
    says(truth("activations", 2), "0.00047", "2.70")
    chosen = values("activations", Stage.UP)[5, 204]
    assert chosen == pytest.approx(-0.7518, abs=0.01)


def test_gelu_gives_no_exact_zero() -> None:
    gelu, relu = values("activations", Stage.ACT), values("sparsity", Stage.ACT)
    assert not (gelu == 0).any()
    says(at("activations", "question.why"), percent((np.abs(gelu) > 0.1).mean()))
    says(at("activations", "notes"), percent((np.abs(gelu) > 0.1).mean()), percent((relu > 0.1).mean()))
    says(truth("activations", 0), percent((relu == 0).mean()))
    assert values("activations", Stage.UP).min() > -5.5


def test_shares_of_active_neurons() -> None:
    act = values("sparsity", Stage.ACT)
    active = act > 0
    says(at("sparsity", "idea"), percent(active.mean()), "3.0 %")
    says(at("sparsity", "shapes"), act.size, int(active.sum()), int(active[5].sum()))
    says(at("sparsity", "mathematics"), int(active.sum()), act.size, int((act == 0).sum()))
    per_neuron = active.sum(axis=0)
    says(truth("sparsity", 0), int((per_neuron == 0).sum()), act.shape[1])
    says(truth("sparsity", 1), "5", int(active[5].sum()))
    assert per_neuron[1070] == 5
    says(truth("sparsity", 2), percent((act > 0.5).mean()))


def test_gates_that_are_nearly_shut() -> None:
    gates = [values("gate", Stage.ACT, tried) for tried in (None, 0, 1, 2)]
    swiglu, glu, reglu, geglu = gates
    says(at("gate", "idea"), percent((np.abs(swiglu) <= 0.1).mean()))
    says(at("gate", "question.why"), percent((np.abs(swiglu) <= 0.1).mean()))
    assert not (swiglu == 0).any()
    says(truth("gate", 0), f"{glu.min():.2f}", f"{glu.max():.2f}")
    assert glu.min() > 0.1
    says(truth("gate", 1), percent((reglu == 0).mean()))
    says(truth("gate", 2), percent((np.abs(geglu) <= 0.1).mean()))
    s = settings("gate")
    weights = cost.ffn_parameters(s, bias=False)
    says(at("gate", "shapes"), s.d_model * s.d_ff)
    says(at("gate", "mathematics"), weights, s.d_ff, 4 * s.d_model)
    assert weights == 2 * s.d_model * 4 * s.d_model


def test_facts_answer_one_by_one() -> None:
    assert values("keys", Stage.ACT)[1].tolist() == [0, 1, 0, 0]
    assert values("keys", Stage.ACT, 0)[4].tolist() == [0, 0, 0, 0]
    smooth = values("keys", Stage.ACT, 1)[1]
    says(truth("keys", 1), f"−{abs(smooth[2]):.3f}")
    assert smooth[1] > 0 > smooth[2]
    names = [neuron.name for neuron in EXAMPLES["facts"].neurons]
    assert names[1:3] == ["@japan_capital", "@france_currency"]


def test_running_sums() -> None:
    memories = seen("sum").memories
    assert memories is not None
    answering = int((values("sum", Stage.ACT)[5] > 0).sum())
    cosine = {k: f"{float(memories.cosine[k]):.2f}" for k in (1, 10, 100, 256, 512)}
    says(at("sum", "idea"), answering, cosine[10])
    says(at("sum", "mathematics"), cosine[10], f"{float(memories.error[10]):.2f}", answering)
    says(at("sum", "question.why"), cosine[100], cosine[512])
    for tried, k in enumerate((1, 10, 256)):
        says(truth("sum", tried), cosine[k])
        assert SCENES["sum"]["experiments"][tried]["state"]["edits"]["keep"] == k
    assert float(memories.error[answering]) < 1e-6 < float(memories.error[answering - 1])


def test_shares_of_the_weights() -> None:
    def share(s: Settings) -> float:
        ffn, attention = cost.ffn_parameters(s, bias=False), cost.attention_parameters(s)
        return ffn / (ffn + attention)

    says(at("parameters", "idea"), cost.ffn_parameters(BASE, bias=False), cost.attention_parameters(BASE))
    assert share(settings("parameters")) == pytest.approx(2 / 3)
    small, gated = (settings("parameters", tried) for tried in (0, 1))
    one = layer_bill(LLAMA, Use(tokens=1))
    ffn, attention = one.weights("ffn"), one.weights("attention")
    assert share(small) == pytest.approx(ffn / (ffn + attention))
    says(truth("parameters", 0), percent(ffn / (ffn + attention)))
    says(at("parameters", "mathematics"), ffn, ffn + attention, percent(ffn / (ffn + attention)))
    says(at("parameters", "question.why"), ffn, attention, percent(ffn / (ffn + attention)))
    says(truth("parameters", 1), cost.ffn_parameters(gated, bias=False), "66.7 %")
    assert share(gated) == pytest.approx(2 / 3)
    older = layer_bill(model("llama-2-7b").shape, Use(tokens=1))
    older_share = older.weights("ffn") / (older.weights("ffn") + older.weights("attention"))
    says(at("parameters", "notes"), percent(older_share))


def test_crossings() -> None:
    D, F = 512, 2048
    base = crossings(model_shape(settings("compute")))
    assert base == Crossings(Fraction(F), Fraction(F - 2 * D))
    says(at("compute", "idea"), F - 2 * D)
    ffn, projections, scores = 4 * D * F, 8 * D * D, 4 * D * D
    says(at("compute", "shapes"), ffn, projections, percent(ffn / (ffn + projections + scores)))
    all_pairs, causal = crossings(LLAMA), crossings(LLAMA, causal=True)
    assert all_pairs == Crossings(Fraction(21_504), Fraction(16_384))
    assert causal == Crossings(Fraction(43_007), Fraction(32_767))
    says(at("compute", "question.why"), 21_504, 16_384)
    says(truth("compute", 0), 21_504, 16_384)
    says(truth("compute", 1), 43_007, 32_767)
    spent = layer_bill(LLAMA, Use(tokens=LLAMA.d_model, causal=False))
    says(truth("compute", 0), percent(spent.flops("ffn") / spent.flops()))
    question = SCENES["compute"]["question"]
    assert question["answers"][question["right"]]["en"].startswith("16,384")


def test_experts() -> None:
    s, index = settings("experts"), run("experts").expert_index
    assert index is not None
    assert index[0, 5].tolist() == [7, 5]
    loads = np.bincount(index.ravel(), minlength=8).tolist()
    assert (loads[2], loads[7], loads.count(1)) == (4, 4, 5)
    one = 2 * s.d_model * s.d_ff + s.d_ff + s.d_model
    router = s.experts * s.d_model
    says(at("experts", "shapes"), s.experts * one + router, s.top_k * one + router)
    flops = cost.bill(s, [1]).ffn_flops
    assert flops == 2 * (4 * s.d_model * s.d_ff) + 2 * router
    says(at("experts", "mathematics"), flops)
    says(at("experts", "question.why"), 4 * s.d_model * s.d_ff, 2 * router)
    dropped = run("experts", 0).expert_dropped
    assert dropped is not None
    assert int(dropped.sum()) == 5
    assert dropped[0, 6].all()
    wide = settings("experts", 1)
    assert cost.ffn_parameters(wide, bias=False) == 8 * 2 * s.d_model * s.d_ff
    says(truth("experts", 1), cost.ffn_parameters(wide, bias=False), cost.bill(wide, [1]).ffn_flops, flops)


def test_mixtral() -> None:
    bill = model_bill(model("mixtral-8x7b").shape, Use(tokens=1))
    shares = []
    for active in (False, True):
        ffn = bill.weights("ffn", "router", active=active)
        shares.append(percent(ffn / (ffn + bill.weights("attention", active=active))))
    says(at("experts", "notes"), *shares)
    (why,) = (p for p, (en, _) in TEXTS.items() if ".quiz[" in p and "Mixtral" in en)
    says(why, *shares)


def test_published_numbers_are_those_of_the_papers() -> None:
    says(at("sparsity", "notes"), "3.0 %", "6.3 %")  # Li 2022, arXiv 2210.06313
    says(at("gate", "notes"), "1.944", "1.983", "1.997", "82.88", "83.18")  # Shazeer 2020, arXiv 2002.05202
    says(at("keys", "notes"), "3.6")  # Geva 2021, arXiv 2012.14913
    says(truth("sum", 0), "68 %")  # the same
    says(at("sum", "notes"), "0.24 %")  # Geva 2022, arXiv 2203.14680
