"""Everything that an opened layer's spec may ask: proofs, terms, parts, formulas and the program agree."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from ffn_explorer.core.contributions import contributions
from ffn_explorer.core.experiment import Run, run
from ffn_explorer.core.ffn import FFN, NormWeights
from ffn_explorer.core.forward_pass import forward
from ffn_explorer.core.layer_parts import LayerParts, parts_of
from ffn_explorer.core.memories import ranked
from ffn_explorer.core.moe import MoE, Router
from ffn_explorer.core.proof import prove
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.spec import FFNSpec, NormSpec, RoutingSpec
from ffn_explorer.core.stages import WIDE, Stage, stages_of
from ffn_explorer.core.terms import terms_of
from ffn_explorer.state.code.dialect import DIALECTS, DialectName
from ffn_explorer.state.code.lines import arguments, code_lines
from ffn_explorer.state.code.sizes import Sizes
from ffn_explorer.state.formulas import after_sum, formula

D, F, E = 12, 20, 4
TOKENS = (("a", "b", "c"),)
LIMITS = st.sampled_from([None, (-math.inf, 0.4), (-0.3, 0.5), (-0.2, math.inf)])
FACTORS = st.sampled_from([1.0, 0.25, 1.5])
NORMS = st.sampled_from(["pre", "post", "post_only", "sandwich", "parallel"])


def _drawn(*shape: int, seed: int) -> Tensor:
    draw = torch.Generator().manual_seed(seed)
    scale: float = shape[-1] ** 0.5
    return torch.randn(*shape, generator=draw, dtype=torch.float64) / scale


@st.composite
def specs(draw: st.DrawFn) -> FFNSpec:
    """A spec with any of what families ask for."""
    gated = draw(st.booleans())
    kind = draw(st.sampled_from(["layer", "rms"]))
    name = draw(st.sampled_from(["silu", "gelu_tanh", "quick_gelu", "relu2", "xielu", "identity", "sigmoid"]))
    alpha = (("alpha", 1.5),) if name in ("silu", "quick_gelu") and draw(st.booleans()) else ()
    xielu = (("alpha_p", 0.9), ("alpha_n", 0.6), ("beta", 0.5), ("eps", -1e-6)) if name == "xielu" else ()
    of_gate: dict[str, Any] = {}
    if gated:
        of_gate = {
            "gate_limit": draw(LIMITS), "gate_sparsity": draw(st.sampled_from([0.0, 0.3, 0.75])),
            "gate_multiplier": draw(FACTORS), "up_offset": draw(st.sampled_from([0.0, 1.0])),
        }  # fmt: skip
    offset = draw(st.sampled_from([0.0, 1.0]))
    return FFNSpec(
        name, function_params=alpha or xielu, gated=gated, residual=draw(st.booleans()),
        norm=NormSpec(kind, draw(NORMS), eps=1e-6, weight_offset=offset),  # type: ignore[arg-type]
        inner_norm=draw(st.sampled_from([None, NormSpec("rms", "pre"), NormSpec("layer", "pre")])),
        up_limit=draw(LIMITS), act_limit=draw(LIMITS), hidden_multiplier=draw(FACTORS),
        output_scale=draw(FACTORS), residual_scale=draw(FACTORS), skip_scale=draw(FACTORS), **of_gate,
    )  # fmt: skip


def layer_of(spec: FFNSpec, *, biases: frozenset[str], bare: bool = False, seed: int = 0) -> FFN:
    """An FFN of a spec, with biases at some of its matrices; bare: one expert, without what stands around."""

    def bias(role: str, width: int) -> Tensor | None:
        return _drawn(width, seed=seed + len(role)) if role in biases else None

    norm = NormWeights(1 + _drawn(D, seed=7), _drawn(D, seed=8) if spec.norm.kind == "layer" else None)
    inner = NormWeights(1 + _drawn(F, seed=9)) if spec.inner_norm is not None else NormWeights()
    return FFN(
        replace(spec, norm=NormSpec(), residual=False, output_scale=1.0) if bare else spec,
        _drawn(F, D, seed=seed + 1), _drawn(D, F, seed=seed + 2),
        _drawn(F, D, seed=seed + 3) if spec.gated else None,
        bias("up", F), bias("gate", F) if spec.gated else None, bias("down", D), inner_norm=inner,
        pre_norm=NormWeights() if bare else norm, post_norm=NormWeights() if bare else norm,
        layer_scale=None if bare else 1 + _drawn(D, seed=4),
    )  # fmt: skip


def run_of(layer: FFN | MoE) -> Run:
    """A run of a layer on seeded hidden states."""
    found = Settings(d_model=D, d_ff=F, heads=1, kv_heads=1, dtype="float64")
    source = run(found, TOKENS)
    return replace(source, layer=layer, trace=forward(layer, source.x))


def finished(
    spec: FFNSpec, has: LayerParts, stage: Stage, *, total: float, row: Tensor, scale: float
) -> float:
    """What `after_sum` says of a sum, computed by its text; row: the gates of all neurons, before the cut."""
    cut = float(row.mean() + row.std(unbiased=False) * _deviations(spec)) if spec.gate_sparsity else 0.0
    text = after_sum(stage, spec, has).replace("·", "*").replace("−", "-")
    known = {
        "Σ": total,
        "c": cut,
        "λ": scale,
        "clamp": lambda v, a, b: min(max(v, a), b),
        "min": min,
        "max": max,
    }
    return float(eval(text, {"__builtins__": {}}, known))


def _deviations(spec: FFNSpec) -> float:
    from statistics import NormalDist

    return NormalDist().inv_cdf(spec.gate_sparsity)


@settings(max_examples=30)
@given(specs(), st.sets(st.sampled_from(["up", "gate", "down"])), st.data())
def test_a_dense_layer_is_told_as_it_is(spec: FFNSpec, biases: set[str], data: st.DataObject) -> None:
    layer = layer_of(spec, biases=frozenset(biases))
    made, has = run_of(layer), parts_of(layer)
    assert has.biases == biases - (set() if spec.gated else {"gate"})
    token, stages = data.draw(st.integers(0, 2)), stages_of(spec)
    for stage in stages:
        index = data.draw(st.integers(0, (F if stage in WIDE else D) - 1))
        proof = prove(made, stage, sentence=0, token=token, index=index)
        assert proof.difference <= proof.tolerance, proof.formula
        assert formula(stage, spec, made.settings, has)
        if stage in (Stage.UP, Stage.GATE, Stage.OUT):
            total = float(terms_of(made, stage, sentence=0, token=token, index=index).running[-1])
            row = (
                spec.gate_multiplier * (layer.gate @ made.trace.normed[0, token])
                if layer.gate is not None
                else layer.up
            )
            if layer.gate_bias is not None:
                row = row + spec.gate_multiplier * layer.gate_bias
            assert layer.layer_scale is not None
            scale = float(layer.layer_scale[index]) if stage is Stage.OUT else 1.0
            wanted = finished(spec, has, stage, total=total, row=row, scale=scale)
            assert wanted == pytest.approx(float(made.trace.stage(stage)[0, token, index]), abs=1e-9)
    parts = contributions(made, 0, token, 3)
    assert float(parts.part.sum()) + parts.bias + parts.rest == pytest.approx(parts.out, abs=1e-12)
    memories = ranked(made, 0, token)
    summed = layer.down[:, memories.neuron.copy()] @ torch.from_numpy(memories.m.copy())  # [D]
    summed = summed if layer.down_bias is None else summed + layer.down_bias
    assert layer.layer_scale is not None
    whole = spec.output_scale * layer.layer_scale * summed
    assert torch.allclose(whole, made.trace.out[0, token], atol=1e-12)


@settings(max_examples=80)
@given(specs(), st.sets(st.sampled_from(["up", "gate", "down"])), st.sampled_from(sorted(DIALECTS)))
def test_the_program_of_a_dense_layer_computes_it(
    spec: FFNSpec, biases: set[str], dialect: DialectName
) -> None:
    layer = layer_of(spec, biases=frozenset(biases))
    made = run_of(layer)
    known = {**around(layer), **inside(layer)}
    assert np.abs(computed(made, known, dialect) - made.trace.result.numpy()).max() <= 1e-10


EVERY = frozenset(("up", "gate", "down"))

RULES: dict[str, tuple[RoutingSpec, dict[str, Any]]] = {
    "gpt-oss": (RoutingSpec(E, 2, order="top_first"), {"bias": True}),
    "llama4": (RoutingSpec(E, 2, order="top_first", score="sigmoid", weigh="input"), {"shared": EVERY}),
    "deepseek-v2": (RoutingSpec(E, 2, groups=2, groups_kept=1, scale=2.5), {"shared": EVERY}),
    "deepseek-v3": (
        RoutingSpec(E, 2, score="sigmoid", renormalise=True, renormalise_eps=1e-20, scale=2.5, groups=2,
                    groups_kept=1, group_score="top2sum", group_fill=-math.inf),
        {"select": True, "shared": frozenset(("down",))},
    ),
    "qwen2": (RoutingSpec(E, 2), {"shared": EVERY, "shared_gate": True}),
    "ernie": (RoutingSpec(E, 2, renormalise=True, renormalise_min=0.9), {"select": True}),
    "dbrx": (RoutingSpec(E, 2, renormalise=True, renormalise_power=2.0), {}),
    "laguna": (RoutingSpec(E, 2, logit_softcap=0.5, renormalise=True), {"bias": True, "select": True}),
    "v4": (RoutingSpec(E, 2, score="sqrt_softplus", renormalise=True, scale=1.5), {"select": True}),
}  # fmt: skip
"""Routing rules of families, and which tensors their routers have."""


def mixture(name: str) -> MoE:
    """A mixture with gpt-oss's experts behind one of the rules."""
    rule, has = RULES[name]
    one = FFNSpec(
        "quick_gelu", gated=True, norm=NormSpec("rms", "pre"), up_limit=(-0.5, 0.5), up_offset=1.0,
        gate_limit=(-math.inf, 0.6), routing=rule,
    )  # fmt: skip
    bare = replace(one, routing=None)
    return MoE(
        one,
        Router(
            _drawn(E, D, seed=50), _drawn(E, seed=51) if "bias" in has else None,
            _drawn(E, seed=52) if "select" in has else None,
        ),
        [layer_of(bare, biases=EVERY, bare=True, seed=10 * n) for n in range(E)],
        shared=layer_of(bare, biases=has["shared"], bare=True, seed=90) if "shared" in has else None,
        shared_gate=_drawn(1, D, seed=53) if "shared_gate" in has else None,
        pre_norm=NormWeights(1 + _drawn(D, seed=7)),
    )  # fmt: skip


@pytest.mark.parametrize("name", RULES)
def test_a_mixture_is_told_as_it_is(name: str) -> None:
    layer = mixture(name)
    made = run_of(layer)
    for stage in stages_of(layer.spec):
        for index in (0, 3, 11):
            proof = prove(made, stage, sentence=0, token=1, index=index)
            assert proof.difference <= proof.tolerance, proof.formula
    terms = terms_of(made, Stage.OUT, sentence=0, token=1, index=3)
    assert float(terms.running[-1]) == pytest.approx(float(made.trace.out[0, 1, 3]), abs=1e-12)
    assert (terms.names[0] == "1") == (name == "llama4")
    parts = contributions(made, 0, 1, 3)
    assert float(parts.part.sum()) + parts.bias + parts.rest == pytest.approx(parts.out, abs=1e-12)


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
@pytest.mark.parametrize("name", RULES)
def test_the_program_of_a_mixture_computes_it(name: str, dialect: DialectName) -> None:
    layer = mixture(name)
    made = run_of(layer)
    router = layer.router
    known = {
        **around(layer), "W_router": router.weight, "b_router": router.bias,
        "b_select": router.selection_bias,
        "experts": [list(inside(expert).values()) for expert in layer.experts],
        "shared": None if layer.shared is None else list(inside(layer.shared).values()),
        "W_shared_gate": layer.shared_gate,
    }  # fmt: skip
    assert np.abs(computed(made, known, dialect) - made.trace.result.numpy()).max() <= 1e-12


def inside(ffn: FFN) -> dict[str, Tensor]:
    """Matrices, biases and inner norm that are there, in the order of the program's arguments."""
    found = {
        "W_gate": ffn.gate, "b_gate": ffn.gate_bias, "W_up": ffn.up, "b_up": ffn.up_bias, "W_down": ffn.down,
        "b_down": ffn.down_bias, "w_inner": ffn.inner_norm.weight, "b_inner": ffn.inner_norm.bias,
    }  # fmt: skip
    return {name: tensor for name, tensor in found.items() if tensor is not None}


def around(layer: FFN | MoE) -> dict[str, Any]:
    """Norms and LayerScale."""
    norms = {"norm": layer.pre_norm, "post": layer.post_norm}
    found = {f"w_{name}": norm.weight for name, norm in norms.items()}
    found |= {f"b_{name}": norm.bias for name, norm in norms.items()}
    return {**found, "layer_scale": layer.layer_scale}


def computed(made: Run, known: dict[str, Any], dialect: DialectName) -> np.ndarray:
    """What the shown program makes of the run's own input and tensors."""
    spec = made.trace.spec
    sizes = Sizes(1, 3, D, F, transposed=False, dropout=0.0, has=parts_of(made.layer))
    space: dict[str, Any] = {}
    exec("\n".join(line.text for line in code_lines(spec, sizes, dialect)), space)
    x: Any = made.trace.x.clone()
    args = [known[name] for name in arguments(spec, sizes)]
    if dialect == "numpy":
        x, args = x.numpy(), [_as_numpy(arg) for arg in args]
    return np.asarray(space["ffn"](x, *args))


def _as_numpy(value: Any) -> Any:
    return [_as_numpy(item) for item in value] if isinstance(value, list) else value.numpy()


def test_formulas_name_what_acts() -> None:
    """Of gpt-oss's experts, of Gemma's norm and Granite's residual, of BitNet's intermediate."""
    plain, has = Settings(), LayerParts(biases=frozenset(("gate", "up", "down")))
    oss = mixture("gpt-oss").spec
    assert formula(Stage.HIDDEN, oss, plain, has) == "hidden = act ⊙ (up + 1)"
    assert formula(Stage.UP, oss, plain, has) == "up = clamp(W_up[e₁] · norm(x) + b_up[e₁], −0.5, 0.5)"
    assert formula(Stage.GATE, oss, plain, has) == "gate = min(W_gate[e₁] · norm(x) + b_gate[e₁], 0.6)"
    gemma = FFNSpec("gelu_tanh", gated=True, norm=NormSpec("rms", "sandwich", weight_offset=1.0))
    assert formula(Stage.NORM, gemma, plain) == "norm(x) = x / √(mean(x²) + ε) · (1 + w) + b"
    assert formula(Stage.RESIDUAL, replace(gemma, residual_scale=0.22), plain) == "y = x + 0.22 · norm(out)"
    bitnet = FFNSpec("relu2", gated=True, inner_norm=NormSpec("rms", "pre"))
    assert formula(Stage.HIDDEN, bitnet, plain) == "hidden = h / √(mean(h²) + ε) · w, h = act ⊙ up"
    scaled = LayerParts(biases=frozenset(("down",)), layer_scale=True)
    assert (
        formula(Stage.OUT, FFNSpec("gelu", output_scale=0.5), plain, scaled)
        == "out = 0.5 · λ ⊙ (W_down · act + b_down)"
    )
