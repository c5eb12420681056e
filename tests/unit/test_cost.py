"""Exact counts against the figures of the literature, torch's parameters and torch's FLOP counter."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.utils.flop_counter import FlopCounterMode

from ffn_explorer.core.cost import attention_parameters, bill, matrices_of, ratio_matched_width, score_flops
from ffn_explorer.core.ffn import FFN
from ffn_explorer.core.forward_pass import forward
from ffn_explorer.core.seeding import seeded_hidden_states, seeded_layer
from ffn_explorer.core.settings import Settings

CHOSEN = st.builds(
    Settings,
    d_model=st.integers(1, 24),
    d_ff=st.integers(1, 40),
    activation=st.sampled_from(["relu", "silu", "geglu", "swiglu"]),
    bias=st.booleans(),
    norm=st.sampled_from(["none", "layer"]),
    experts=st.sampled_from([1, 4]),
    top_k=st.integers(1, 4),
    shared_experts=st.integers(0, 2),
    routing=st.sampled_from(["softmax_topk", "sigmoid_bias"]),
)


def test_base_model_of_2017() -> None:
    found = bill(Settings(d_model=512, d_ff=2048, activation="relu", bias=True), [8])
    assert (found.ffn_total, found.ffn_weights, found.attention_weights) == (2_099_712, 2_097_152, 1_048_576)
    assert (found.ffn_flops, found.projection_flops) == (4 * 8 * 512 * 2048, 8 * 8 * 512 * 512)
    assert found.score_flops == 4 * 8 * 8 * 512


def test_llama_3_8b() -> None:
    llama = Settings(
        d_model=4096, d_ff=14_336, activation="swiglu", bias=False, heads=32, kv_heads=8, norm="rms"
    )
    found = bill(llama, [16_384])
    assert found.ffn_weights == found.ffn_total == 176_160_768
    assert found.ffn_weights + found.attention_weights == 218_103_808
    # All of attention costs as much as the FFN at S = 16,384; scores alone at S = 21,504.
    assert found.projection_flops + found.score_flops == found.ffn_flops
    assert score_flops(llama, 21_504) == bill(llama, [21_504]).ffn_flops


def test_mixtral_share() -> None:
    mixtral = Settings(
        d_model=4096, d_ff=14_336, activation="swiglu", bias=False, heads=32, kv_heads=8, experts=8, top_k=2
    )
    found = bill(mixtral, [1])
    assert round(100 * found.ffn_weights / (found.ffn_weights + found.attention_weights), 1) == 97.1


@given(CHOSEN)
def test_parameters_are_those_of_the_tensors(settings: Settings) -> None:
    layer = seeded_layer(settings)
    tensors = []
    if isinstance(layer, FFN):
        ffns = [layer]
    else:
        ffns = [*layer.experts, *([layer.shared] if layer.shared else [])]
        tensors = [layer.router.weight, layer.router.selection_bias]
    tensors += [t for f in ffns for t in (f.up, f.gate, f.down, f.up_bias, f.gate_bias, f.down_bias)]
    kept = [t for t in tensors if t is not None]
    found = bill(settings, [1])
    assert found.ffn_total == sum(t.numel() for t in kept)
    assert found.ffn_weights == sum(t.numel() for t in kept if t.dim() == 2)


@given(CHOSEN, st.lists(st.integers(1, 5), min_size=1, max_size=3))
def test_flops_are_those_torch_counts(settings: Settings, lengths: list[int]) -> None:
    """Padding excluded: the counter sees each sentence by itself."""
    counted = 0
    for length in lengths:
        x, mask = seeded_hidden_states([["a"] * length], settings)
        layer = seeded_layer(settings)
        with FlopCounterMode(display=False) as counter, torch.inference_mode():
            forward(layer, x, mask=mask)
        counted += counter.get_total_flops()
    assert bill(settings, lengths).ffn_flops == counted


@given(st.integers(1, 50))
def test_causal_scores_count_the_past_only(tokens: int) -> None:
    settings = Settings(d_model=64, heads=4, kv_heads=2, head_dim=8, stack="decoder")
    pairs = sum(position + 1 for position in range(tokens))
    # Two products (q·k and weight·v) of h multiply-accumulates per pair and head.
    assert score_flops(settings, tokens) == 2 * 2 * pairs * 4 * 8
    assert attention_parameters(settings) == 2 * 64 * 4 * 8 + 2 * 64 * 2 * 8


def test_matched_width() -> None:
    assert ratio_matched_width(3072, from_gated=False, to_gated=True) == 2048
    assert ratio_matched_width(2048, from_gated=True, to_gated=False) == 3072
    assert ratio_matched_width(77, from_gated=True, to_gated=True) == 77


@given(st.integers(1, 65_536), st.booleans(), st.booleans())
def test_matched_width_is_the_nearest(d_ff: int, before: bool, after: bool) -> None:
    width = ratio_matched_width(d_ff, from_gated=before, to_gated=after)
    plain, gated = (matrices_of(Settings(activation=name)) for name in ("relu", "reglu"))
    ours, wanted = (gated if after else plain), (gated if before else plain) * d_ff
    assert width >= 1
    assert abs(ours * width - wanted) <= ours / 2 or width == 1


@pytest.mark.parametrize("lengths", [[], [3, 0]])
def test_no_tokens_cost_nothing(lengths: list[int]) -> None:
    one = bill(Settings(), [3])
    none = bill(Settings(), lengths)
    assert none.ffn_flops == one.ffn_flops * sum(lengths) // 3
