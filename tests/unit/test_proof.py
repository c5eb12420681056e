"""Proofs: any cell recomputed within its tolerance, wrong numbers found, texts in the agreed signs."""

import math
import re
from dataclasses import replace
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from ffn_explorer.core.edits import Edits
from ffn_explorer.core.experiment import Run, run
from ffn_explorer.core.ffn import FFN, NormWeights
from ffn_explorer.core.forward_pass import forward
from ffn_explorer.core.moe import MoE
from ffn_explorer.core.proof import prove
from ffn_explorer.core.proof_step import SHOWN_TERMS, sum_written, written
from ffn_explorer.core.seeding import DTYPES
from ffn_explorer.core.settings import CHOICES, Settings
from ffn_explorer.core.spec import FFNSpec, NormSpec
from ffn_explorer.core.stages import WIDE, Stage

D, F = 24, 40
TOKENS = (("a", "b", "c", "a"), ("b", "c"))
SIGNS = re.compile(r"[\x20-\x7e×·⊙Σ√σΦεμ²½−…‖≥→]*")

SETTINGS = st.builds(
    Settings,
    d_model=st.just(D),
    d_ff=st.just(F),
    activation=st.sampled_from(CHOICES["activation"]),
    bias=st.booleans(),
    residual=st.booleans(),
    norm=st.sampled_from(CHOICES["norm"]),
    norm_placement=st.sampled_from(CHOICES["norm_placement"]),
    stack=st.sampled_from(CHOICES["stack"]),
    mixer=st.booleans(),
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


def stages_here(found: Run) -> list[Stage]:
    """Stages that this trace has a tensor for."""
    absent = {Stage.GATE: found.trace.gate, Stage.POST_NORM: found.trace.post_norm}
    return [stage for stage in Stage if absent.get(stage, found.trace.x) is not None]


@given(SETTINGS, st.data())
def test_every_cell_is_proved(settings: Settings, data: st.DataObject) -> None:
    found = run(settings, TOKENS, edits=Edits(keep=data.draw(st.sampled_from([0, 1, 7, F - 1, F]))))
    stage = data.draw(st.sampled_from(stages_here(found)))
    sentence = data.draw(st.integers(0, 1))
    token = data.draw(st.integers(0, len(TOKENS[sentence]) - 1))
    index = data.draw(st.integers(0, (F if stage in WIDE else D) - 1))
    proof = prove(found, stage, sentence=sentence, token=token, index=index)
    assert proof.shown == float(found.trace.stage(stage)[sentence, token, index])
    assert proof.difference <= proof.tolerance
    assert SIGNS.fullmatch(proof.formula)
    assert SIGNS.fullmatch(proof.numbers)
    assert proof.slices


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("stage", list(Stage))
def test_a_wrong_number_is_found(dtype: str, stage: Stage) -> None:
    """One part in a thousand of the stage's size is far outside every tolerance."""
    settings = Settings(
        d_model=D, d_ff=F, activation="swiglu", norm="rms", norm_placement="sandwich", dtype=dtype, mixer=True
    )
    found = run(settings, TOKENS)
    name = {Stage.INPUT: "x", Stage.NORM: "normed"}.get(stage, stage.value)
    tensor = found.trace.stage(stage)
    wrong = tensor + tensor.abs().max() / 1000
    changes: dict[str, Any] = {name: wrong}
    changed = replace(found, trace=replace(found.trace, **changes))
    proof = prove(changed, stage, sentence=0, token=1, index=3)
    assert proof.difference > 3 * proof.tolerance


def test_names_follow_what_stands_there() -> None:
    bare = run(Settings(d_model=D, d_ff=F, activation="swiglu", norm="none"), TOKENS)
    up = prove(bare, Stage.UP, sentence=0, token=2, index=7)
    assert up.formula == "up[0, 2, 7] = Σ W_up[7, d] · x[0, 2, d] + b_up[7]"
    assert "x[0, 2, :]" in up.slices
    out = prove(bare, Stage.OUT, sentence=0, token=2, index=7)
    assert out.formula == "out[0, 2, 7] = Σ W_down[7, i] · hidden[0, 2, i] + b_down[7]"


def test_texts_of_a_dense_ffn() -> None:
    found = run(Settings(d_model=D, d_ff=F, activation="gelu", dtype="float64"), TOKENS)

    def text(stage: Stage) -> tuple[str, tuple[str, ...]]:
        proof = prove(found, stage, sentence=0, token=2, index=7)
        return proof.formula, proof.slices

    assert text(Stage.INPUT) == ("x[0, 2, 7] = h[0, 2, 7]", ("h[0, 2, 7]",))
    assert text(Stage.NORM)[0] == "norm[0, 2, 7] = (x[0, 2, 7] − μ) / √(σ² + ε) · w[7] + b[7]"
    assert text(Stage.UP) == (
        "up[0, 2, 7] = Σ W_up[7, d] · norm[0, 2, d] + b_up[7]",
        ("W_up[7, :]", "norm[0, 2, :]", "b_up[7]"),
    )
    assert text(Stage.ACT) == ("act[0, 2, 7] = z · Φ(z), z = up[0, 2, 7]", ("up[0, 2, 7]",))
    assert text(Stage.HIDDEN)[0] == "hidden[0, 2, 7] = act[0, 2, 7]"
    assert text(Stage.OUT)[0] == "out[0, 2, 7] = Σ W_down[7, i] · act[0, 2, i] + b_down[7]"
    assert text(Stage.RESIDUAL) == (
        "residual[0, 2, 7] = x[0, 2, 7] + out[0, 2, 7]",
        ("x[0, 2, 7]", "out[0, 2, 7]"),
    )


def test_sum_shows_the_largest_terms() -> None:
    left = torch.tensor([1.0, -2.0, 0.5, 0.1, 3.0])
    right = torch.tensor([1.0, 1.0, -0.5, 1.0, 1.0])
    assert sum_written(left, right, bias=-0.25) == "3·1 − 2·1 + 1·1 + … (n = 2) − 0.25"
    assert sum_written(left[1:2], right[1:2]) == "−2·1"
    assert SHOWN_TERMS == 3
    broken = torch.tensor([1.0, math.nan, 0.5, math.inf, 0.1])
    assert sum_written(broken, torch.ones(5)).startswith("NaN·1 + inf·1 + 1·1")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0123456, "0.01235"),
        (-2.0, "−2"),
        (1e-5, "1e−5"),
        (-1.5e20, "−1.5e20"),
        (math.nan, "NaN"),
        (-math.inf, "−inf"),
    ],
)
def test_numbers_as_written(value: float, text: str) -> None:
    assert written(value) == text


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_not_finite(bad: float) -> None:
    x = torch.ones(1, 2, D)
    x[0, 1, 3] = bad
    found = run(Settings(d_model=D, d_ff=F, activation="swiglu"), (("0", "1"),), x=x)
    for stage in stages_here(found):
        proof = prove(found, stage, sentence=0, token=1, index=3)
        assert math.isnan(proof.difference)
        assert not proof.difference <= proof.tolerance
    assert prove(found, Stage.OUT, sentence=0, token=0, index=3).difference < 1e-5


def test_half_precision_overflow() -> None:
    x = torch.full((1, 1, D), 60_000.0)
    found = run(Settings(d_model=D, d_ff=F, activation="relu2", norm="none", dtype="float16"), (("0",),), x=x)
    index = int(found.trace.act[0, 0].argmax())
    proof = prove(found, Stage.ACT, sentence=0, token=0, index=index)
    assert proof.shown == math.inf
    assert math.isfinite(proof.recomputed)
    assert math.isnan(proof.difference)


def test_padding_and_absent_stages() -> None:
    found = run(Settings(d_model=D, d_ff=F), TOKENS)
    with pytest.raises(IndexError):
        prove(found, Stage.OUT, sentence=1, token=2, index=0)
    for stage in (Stage.GATE, Stage.POST_NORM):
        with pytest.raises(KeyError):
            prove(found, stage, sentence=0, token=0, index=0)


UNUSUAL = FFNSpec(
    "silu",
    gated=True,
    function_params=(("alpha", 1.5),),
    norm=NormSpec("rms", "post_only", eps=1e-6, weight_offset=1.0),
    inner_norm=NormSpec("layer", "pre"),
    gate_limit=(-1.0, 0.8),
    up_limit=(-0.5, 0.5),
    up_offset=1.0,
    act_limit=(-0.2, 0.4),
    gate_sparsity=0.3,
    gate_multiplier=1.3,
    hidden_multiplier=0.7,
    output_scale=0.5,
    residual_scale=1.7,
    skip_scale=0.9,
)


@pytest.mark.parametrize("stage", [stage for stage in Stage if stage is not Stage.NORM])
@pytest.mark.parametrize("index", [0, 5, 11, 17, 23])
def test_everything_that_a_spec_may_ask(stage: Stage, index: int) -> None:
    """Clamps, offsets, sparsity, multipliers, inner norm, LayerScale: what opened models bring along."""
    source = run(Settings(d_model=D, d_ff=F, activation="swiglu", dtype="float64"), TOKENS)
    assert isinstance(source.layer, FFN)
    ones = torch.linspace(0.5, 1.5, D, dtype=torch.float64)
    wide = torch.linspace(0.5, 1.5, F, dtype=torch.float64)
    layer = replace(
        source.layer,
        spec=UNUSUAL,
        post_norm=NormWeights(ones),
        inner_norm=NormWeights(wide, wide / 3),
        layer_scale=ones,
    )
    with torch.inference_mode():
        found = replace(source, layer=layer, trace=forward(layer, source.x, mask=source.mask))
    proof = prove(found, stage, sentence=0, token=2, index=index)
    assert proof.difference <= proof.tolerance < 1e-11
    assert SIGNS.fullmatch(proof.formula + proof.numbers)


def test_experts_that_weigh_their_input() -> None:
    source = run(Settings(d_model=D, d_ff=F, experts=4, top_k=2, dtype="float64"), TOKENS)
    assert isinstance(source.layer, MoE)
    layer = replace(
        source.layer, spec=replace(source.layer.spec, routing=replace(source.layer.routing, weigh="input"))
    )
    with torch.inference_mode():
        found = replace(source, layer=layer, trace=forward(layer, source.x, mask=source.mask))
    for stage in (Stage.UP, Stage.ACT, Stage.OUT):
        proof = prove(found, stage, sentence=0, token=2, index=4)
        assert proof.difference <= proof.tolerance < 1e-11
