"""The forward pass: stages, masks, dropout, every field of the spec, and the identities it must keep."""

from dataclasses import replace
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from ffn_explorer.core.activation_table import ACTIVATIONS, FUNCTIONS
from ffn_explorer.core.dropout import Dropout
from ffn_explorer.core.errors import InputError
from ffn_explorer.core.ffn import FFN, NormWeights
from ffn_explorer.core.forward_pass import forward
from ffn_explorer.core.spec import FFNSpec, NormSpec
from ffn_explorer.core.stages import WIDE, stages_of

D, F = 6, 14
PLACEMENTS = ("none", "pre", "post", "post_only", "sandwich", "parallel")
SEEDS = st.integers(0, 2**31 - 1)


def draw(*shape: int, seed: int = 0) -> Tensor:
    """Seeded standard normal numbers in float64."""
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def make(spec: FFNSpec, *, seed: int = 0, bias: bool = True, layer_scale: bool = False) -> FFN:
    """FFN with seeded weights of every kind that the spec can use."""
    one = [draw(n, seed=seed + i) for i, n in enumerate((F, F, D, D, D, D, F), 1)]
    return FFN(
        spec,
        draw(F, D, seed=seed + 10),
        draw(D, F, seed=seed + 11),
        draw(F, D, seed=seed + 12) if spec.gated else None,
        up_bias=one[0] if bias else None,
        gate_bias=one[1] if bias and spec.gated else None,
        down_bias=one[2] if bias else None,
        pre_norm=NormWeights(one[3], one[4]),
        post_norm=NormWeights(one[4], one[3]),
        inner_norm=NormWeights(one[6], one[0]),
        layer_scale=one[5] if layer_scale else None,
    )


def same(a: Tensor, b: Tensor) -> None:
    """Equality up to rounding in float64."""
    torch.testing.assert_close(a, b, rtol=1e-11, atol=1e-11)


def norm(placement: Any) -> NormSpec:
    """LayerNorm at that place."""
    return NormSpec() if placement == "none" else NormSpec("layer", placement)


@given(st.sampled_from(sorted(ACTIVATIONS)), SEEDS, st.booleans())
def test_out_is_the_sum_of_memories_plus_bias(name: str, seed: int, bias: bool) -> None:
    row = ACTIVATIONS[name]
    ffn = make(FFNSpec(row.function, gated=row.gated), seed=seed % 1_000, bias=bias)
    trace = forward(ffn, draw(2, 3, D, seed=seed))
    total = torch.zeros_like(trace.out) if ffn.down_bias is None else ffn.down_bias.expand_as(trace.out)
    for i in range(F):
        total = total + trace.hidden[..., i, None] * ffn.down[:, i]
    same(trace.out, total)


@given(st.sampled_from(PLACEMENTS), SEEDS, st.floats(-2, 2), st.floats(-2, 2), st.booleans())
def test_residual_is_skip_plus_scaled_branch(
    placement: str, seed: int, branch_scale: float, skip_scale: float, layer_scale: bool
) -> None:
    spec = FFNSpec(
        "gelu", norm=norm(placement), residual_scale=branch_scale, skip_scale=skip_scale, output_scale=0.3
    )
    ffn = make(spec, seed=seed % 1_000, layer_scale=layer_scale)
    x, skip = draw(2, 3, D, seed=seed), draw(2, 3, D, seed=seed + 1)
    trace = forward(ffn, x, skip=skip)
    branch = trace.post_norm if placement in ("post_only", "sandwich") else trace.out
    assert branch is not None
    same(trace.residual, skip_scale * skip + branch_scale * branch)
    assert torch.equal(trace.skip, skip)


@given(SEEDS, st.sampled_from(["relu", "swiglu", "geglu"]))
def test_order_of_neurons_changes_nothing(seed: int, name: str) -> None:
    row = ACTIVATIONS[name]
    ffn = make(FFNSpec(row.function, gated=row.gated), seed=seed % 1_000)
    x = draw(2, 3, D, seed=seed)
    order = torch.randperm(F, generator=torch.Generator().manual_seed(seed))
    shuffled = replace(
        ffn,
        up=ffn.up[order],
        down=ffn.down[:, order],
        gate=None if ffn.gate is None else ffn.gate[order],
        up_bias=None if ffn.up_bias is None else ffn.up_bias[order],
        gate_bias=None if ffn.gate_bias is None else ffn.gate_bias[order],
    )
    before, after = forward(ffn, x), forward(shuffled, x)
    same(after.residual, before.residual)
    same(after.hidden, before.hidden[..., order])


@given(SEEDS, st.floats(-3, 3), st.floats(-3, 3))
def test_identity_activation_is_linear(seed: int, a: float, b: float) -> None:
    ffn = make(FFNSpec("identity", residual=False), seed=seed % 1_000, bias=False)
    x, y = draw(1, 3, D, seed=seed), draw(1, 3, D, seed=seed + 1)
    same(forward(ffn, a * x + b * y).out, a * forward(ffn, x).out + b * forward(ffn, y).out)
    same(forward(ffn, x).out, x @ (ffn.down @ ffn.up).T)


@given(SEEDS, st.sampled_from(PLACEMENTS))
def test_permuting_tokens_permutes_rows(seed: int, placement: str) -> None:
    ffn = make(FFNSpec("silu", gated=True, norm=norm(placement)), seed=seed % 1_000)
    x = draw(2, 5, D, seed=seed)
    order = torch.randperm(5, generator=torch.Generator().manual_seed(seed))
    same(forward(ffn, x[:, order]).result, forward(ffn, x).result[:, order])
    same(forward(ffn, x[:, 2:3]).result, forward(ffn, x).result[:, 2:3])


@pytest.mark.parametrize("placement", PLACEMENTS)
@pytest.mark.parametrize("gated", [False, True])
def test_every_stage_of_the_spec_is_there_with_its_width(placement: str, gated: bool) -> None:
    spec = FFNSpec("silu", gated=gated, norm=norm(placement))
    trace = forward(make(spec), draw(2, 3, D))
    for stage in stages_of(spec):
        assert trace.stage(stage).shape == (2, 3, F if stage in WIDE else D)
    assert (trace.post_norm is None) == (placement not in ("post", "post_only", "sandwich"))
    last = trace.post_norm if placement == "post" else trace.residual
    assert trace.result is last


@pytest.mark.parametrize("placement", PLACEMENTS)
def test_ffn_input_skips_norms_and_residual(placement: str) -> None:
    x = draw(2, 3, D)
    trace = forward(make(FFNSpec("relu", norm=norm(placement))), x, x_is="ffn-input")
    assert trace.normed is x
    assert trace.post_norm is None
    assert trace.residual is trace.out
    assert trace.result is trace.out
    same(trace.out, forward(make(FFNSpec("relu", residual=False)), x).result)
    assert [stage.value for stage in stages_of(trace.spec)] == ["input", "up", "act", "out"]


def test_plain_ffn_without_norm_copies_nothing() -> None:
    x = draw(2, 3, D)
    trace = forward(make(FFNSpec("relu")), x)
    assert trace.x is x
    assert trace.skip is x
    assert trace.normed is x
    assert trace.hidden is trace.act


def test_fields_of_the_gate_and_the_product() -> None:
    spec = FFNSpec(
        "silu",
        (("alpha", 1.5),),
        gated=True,
        residual=False,
        gate_limit=(-torch.inf, 0.7),
        up_limit=(-0.9, 0.9),
        act_limit=(-0.1, 0.4),
        up_offset=1.0,
        gate_multiplier=0.5,
        hidden_multiplier=3.0,
        output_scale=0.25,
        inner_norm=NormSpec("rms", "pre", eps=1e-3),
    )
    ffn, x = make(spec), draw(2, 3, D)
    trace = forward(ffn, x)
    assert ffn.gate is not None
    assert ffn.gate_bias is not None
    assert ffn.up_bias is not None
    assert ffn.down_bias is not None
    assert ffn.inner_norm.weight is not None
    assert ffn.inner_norm.bias is not None
    gate = (0.5 * (x @ ffn.gate.T + ffn.gate_bias)).clamp(max=0.7)
    up = (x @ ffn.up.T + ffn.up_bias).clamp(-0.9, 0.9)
    act = (gate / (1 + torch.exp(-1.5 * gate))).clamp(-0.1, 0.4)
    product = 3 * act * (up + 1)
    hidden = product / (product.square().mean(dim=-1, keepdim=True) + 1e-3).sqrt()
    hidden = hidden * ffn.inner_norm.weight + ffn.inner_norm.bias
    for ours, wanted in ((trace.gate, gate), (trace.up, up), (trace.act, act), (trace.hidden, hidden)):
        assert ours is not None
        same(ours, wanted)
    same(trace.out, 0.25 * (hidden @ ffn.down.T + ffn.down_bias))


def test_limits_of_a_plain_ffn() -> None:
    spec = FFNSpec("relu", residual=False, up_limit=(-1.0, 0.5), act_limit=(0.0, 0.2), hidden_multiplier=2.0)
    trace = forward(make(spec), draw(2, 3, D))
    assert trace.up.min() == -1.0
    assert trace.up.max() == 0.5
    assert trace.act.max() == 0.2
    assert torch.equal(trace.hidden, 2 * trace.act)


def test_plain_ffn_has_no_gate_to_speak_of() -> None:
    with pytest.raises(ValueError, match="gated"):
        FFNSpec("relu", gate_limit=(-1.0, 1.0))


@pytest.mark.parametrize("share", [0.5, 0.95])
def test_gate_sparsity_silences_about_that_share(share: float) -> None:
    spec = FFNSpec("relu", gated=True, gate_sparsity=share)
    ffn = FFN(spec, draw(4_000, D, seed=1), draw(D, 4_000), draw(4_000, D))
    trace = forward(ffn, draw(1, 4, D))
    assert trace.gate is not None
    assert (trace.gate == 0).double().mean().item() == pytest.approx(share, abs=0.03)


@pytest.mark.parametrize("placement", PLACEMENTS)
def test_padding_is_zero_in_every_stage_and_leaks_nowhere(placement: str) -> None:
    spec = FFNSpec("sigmoid", gated=True, norm=norm(placement), inner_norm=norm("pre"))
    ffn, x = make(spec), draw(2, 4, D)
    mask = torch.tensor([[True, True, True, False], [True, True, False, False]])
    spoiled = torch.where(mask[..., None], x, torch.full_like(x, float("nan")))
    trace, whole = forward(ffn, spoiled, mask=mask), forward(ffn, x)
    for stage in stages_of(spec):
        assert (trace.stage(stage)[~mask] == 0).all()
        same(trace.stage(stage)[mask], whole.stage(stage)[mask])
    assert (trace.skip[~mask] == 0).all()


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf")])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_spoiled_row_spoils_no_other(function: str, bad: float) -> None:
    x = draw(1, 3, D)
    x[0, 1, 2] = bad
    trace = forward(make(FFNSpec(function, norm=norm("pre"))), x)
    assert not torch.isfinite(trace.residual[0, 1]).any()
    assert torch.isfinite(trace.residual[0, [0, 2]]).all()


def test_dropout_acts_on_out_and_is_repeatable() -> None:
    ffn, x = make(FFNSpec("relu")), draw(4, 50, D)
    still = forward(ffn, x)
    one, again, other = (forward(ffn, x, dropout=Dropout(0.3, seed)) for seed in (1, 1, 2))
    assert torch.equal(one.out, again.out)
    assert not torch.equal(one.out, other.out)
    assert torch.equal(one.hidden, still.hidden)
    gone = one.out == 0
    assert gone.double().mean().item() == pytest.approx(0.3, abs=0.04)
    same(one.out[~gone], still.out[~gone] / 0.7)
    same(one.residual, x + one.out)
    assert torch.equal(forward(ffn, x, dropout=Dropout(0.0, 1)).out, still.out)


@pytest.mark.parametrize("p", [-0.1, 1.0, float("nan")])
def test_dropout_refuses_an_impossible_probability(p: float) -> None:
    with pytest.raises(ValueError, match="dropout"):
        Dropout(p, 1)


def test_gradients_flow_to_weights_and_input() -> None:
    ffn, x = make(FFNSpec("gelu", norm=norm("pre"))), draw(1, 3, D).requires_grad_()
    up = ffn.up.requires_grad_()
    torch.autograd.backward([forward(ffn, x).result.square().sum()])
    assert up.grad is not None
    assert x.grad is not None
    assert up.grad.abs().sum() > 0
    assert torch.autograd.gradcheck(lambda t: forward(ffn, t).result, (x,))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32])
def test_dtype_stays_from_end_to_end(dtype: torch.dtype) -> None:
    spec = FFNSpec(
        "silu", gated=True, norm=NormSpec("rms", "sandwich", weight_offset=1.0), residual_scale=0.5
    )
    full = make(spec, bias=False)
    assert full.gate is not None
    ffn = FFN(spec, full.up.to(dtype), full.down.to(dtype), full.gate.to(dtype))
    trace = forward(ffn, draw(2, 3, D).to(dtype), mask=torch.ones(2, 3, dtype=torch.bool))
    assert {trace.stage(stage).dtype for stage in stages_of(spec)} == {dtype}


@pytest.mark.parametrize(
    ("key", "x", "more"),
    [
        ("error.forward.hidden_states", draw(3, D), {}),
        ("error.forward.hidden_states", draw(2, 3, D + 1), {}),
        ("error.forward.dtype", draw(2, 3, D).float(), {}),
        ("error.forward.mask", draw(2, 3, D), {"mask": torch.ones(2, 4, dtype=torch.bool)}),
        ("error.forward.mask", draw(2, 3, D), {"mask": torch.ones(2, 3)}),
        ("error.shape", draw(2, 3, D), {"skip": draw(2, 1, D)}),
    ],
)
def test_what_does_not_fit_is_refused_by_name(key: str, x: Tensor, more: dict[str, Any]) -> None:
    with pytest.raises(InputError) as caught:
        forward(make(FFNSpec("relu")), x, **more)
    assert caught.value.key == key


def test_empty_batch_passes() -> None:
    assert forward(make(FFNSpec("relu")), draw(0, 3, D)).result.shape == (0, 3, D)
    assert forward(make(FFNSpec("relu")), draw(2, 0, D)).result.shape == (2, 0, D)
