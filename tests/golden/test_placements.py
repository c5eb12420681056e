"""The FFN sublayer with norms and residual against whole layers whose attention gives a known value."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from ffn_explorer.core.ffn import FFN, NormWeights
from ffn_explorer.core.forward_pass import forward
from ffn_explorer.core.spec import FFNSpec, NormSpec
from tests.golden.library import DTYPES, assert_close, config, gated, hf, hidden_states, randomised, reference

NO_NORM = NormWeights()
SIZES = {"hidden_size": 16, "intermediate_size": 40, "num_attention_heads": 2, "num_key_value_heads": 2}


class Attention(nn.Module):
    """Stands in for attention: gives back what it was made with."""

    def __init__(self, value: Tensor) -> None:
        super().__init__()
        self.value = value

    def forward(self, *_: object, **__: object) -> tuple[Tensor, None]:
        """Return the value, whatever comes in."""
        return self.value, None


def _weights(norm: Any) -> NormWeights:
    bias = getattr(norm, "bias", None)
    return NormWeights(norm.weight.data, None if bias is None else bias.data)


def _two_matrices(
    up: Any, down: Any, spec: FFNSpec, *, pre: NormWeights = NO_NORM, post: NormWeights = NO_NORM
) -> FFN:
    w_up, w_down = up.weight.data, down.weight.data
    return FFN(
        spec, w_up, w_down, up_bias=up.bias.data, down_bias=down.bias.data, pre_norm=pre, post_norm=post
    )


@pytest.mark.parametrize("dtype", DTYPES)
def test_pre_norm_equals_llama_layer(dtype: torch.dtype) -> None:
    made = config("llama", "LlamaConfig", **SIZES, rms_norm_eps=1e-3)
    layer = randomised(hf("llama.modeling_llama", "LlamaDecoderLayer")(made, 0), dtype)
    x = hidden_states((2, 5, 16), dtype)
    layer.self_attn = Attention(torch.zeros_like(x))
    spec = FFNSpec("silu", gated=True, norm=NormSpec("rms", "pre", eps=1e-3))
    ffn = gated(layer.mlp, spec, pre_norm=_weights(layer.post_attention_layernorm))
    assert_close(forward(ffn, x).result, reference(layer, x))


@pytest.mark.parametrize("dtype", DTYPES)
def test_residual_scale_equals_granite_layer(dtype: torch.dtype) -> None:
    made = config("granite", "GraniteConfig", **SIZES, residual_multiplier=0.22)
    layer = randomised(hf("granite.modeling_granite", "GraniteDecoderLayer")(made, 0), dtype)
    x = hidden_states((2, 5, 16), dtype)
    layer.self_attn = Attention(torch.zeros_like(x))
    norm = NormSpec("rms", "pre", eps=made.rms_norm_eps)
    spec = FFNSpec("silu", gated=True, norm=norm, residual_scale=0.22)
    ffn = gated(layer.mlp, spec, pre_norm=_weights(layer.post_attention_layernorm))
    assert_close(forward(ffn, x).result, reference(layer, x))


@pytest.mark.parametrize("dtype", DTYPES)
def test_norm_after_the_ffn_equals_olmo_2_layer(dtype: torch.dtype) -> None:
    made = config("olmo2", "Olmo2Config", **SIZES)
    layer = randomised(hf("olmo2.modeling_olmo2", "Olmo2DecoderLayer")(made, 0), dtype)
    x = hidden_states((2, 5, 16), dtype)
    layer.self_attn = Attention(torch.zeros_like(x))
    spec = FFNSpec("silu", gated=True, norm=NormSpec("rms", "post_only", eps=made.rms_norm_eps))
    ffn = gated(layer.mlp, spec, post_norm=_weights(layer.post_feedforward_layernorm))
    assert_close(forward(ffn, x).result, reference(layer, x))


@pytest.mark.parametrize("dtype", DTYPES)
def test_sandwich_equals_gemma_2_layer(dtype: torch.dtype) -> None:
    made = config("gemma2", "Gemma2Config", **SIZES, num_hidden_layers=1)
    layer = randomised(hf("gemma2.modeling_gemma2", "Gemma2DecoderLayer")(made, 0), dtype)
    x = hidden_states((2, 5, 16), dtype)
    layer.self_attn = Attention(torch.zeros_like(x))
    norm = NormSpec("rms", "sandwich", eps=made.rms_norm_eps, weight_offset=1.0)
    ffn = gated(
        layer.mlp,
        FFNSpec("gelu_tanh", gated=True, norm=norm),
        pre_norm=_weights(layer.pre_feedforward_layernorm),
        post_norm=_weights(layer.post_feedforward_layernorm),
    )
    assert_close(forward(ffn, x).result, reference(layer, x))


@pytest.mark.parametrize("dtype", DTYPES)
def test_post_norm_equals_bert(dtype: torch.dtype) -> None:
    made = config("bert", "BertConfig", **{k: v for k, v in SIZES.items() if k != "num_key_value_heads"})
    first = randomised(hf("bert.modeling_bert", "BertIntermediate")(made), dtype)
    second = randomised(hf("bert.modeling_bert", "BertOutput")(made), dtype, seed=2)
    x = hidden_states((2, 5, 16), dtype)
    spec = FFNSpec("gelu", norm=NormSpec("layer", "post", eps=made.layer_norm_eps))
    ffn = _two_matrices(first.dense, second.dense, spec, post=_weights(second.LayerNorm))
    assert_close(forward(ffn, x).result, reference(second, reference(first, x), x))


@pytest.mark.parametrize("dtype", DTYPES)
def test_parallel_block_equals_gptj_block(dtype: torch.dtype) -> None:
    made = config("gptj", "GPTJConfig", n_embd=16, n_head=2, n_inner=40, rotary_dim=4)
    block = randomised(hf("gptj.modeling_gptj", "GPTJBlock")(made, 0), dtype)
    x, attended = hidden_states((2, 5, 16), dtype), hidden_states((2, 5, 16), dtype, seed=5)
    block.attn = Attention(attended)
    spec = FFNSpec("gelu_tanh", norm=NormSpec("layer", "parallel", eps=made.layer_norm_epsilon))
    ffn = _two_matrices(block.mlp.fc_in, block.mlp.fc_out, spec, pre=_weights(block.ln_1))
    assert_close(forward(ffn, x, skip=x + attended).result, reference(block, x))


@pytest.mark.parametrize("dtype", DTYPES)
def test_layer_norm_with_offset_equals_nemotron_layer(dtype: torch.dtype) -> None:
    made = config("nemotron", "NemotronConfig", **SIZES)
    layer = randomised(hf("nemotron.modeling_nemotron", "NemotronDecoderLayer")(made, 0), dtype)
    x = hidden_states((2, 5, 16), dtype)
    layer.self_attn = Attention(torch.zeros_like(x))
    norm = NormSpec("layer", "pre", eps=made.norm_eps, weight_offset=1.0)
    ffn = FFN(
        FFNSpec("relu2", norm=norm),
        layer.mlp.up_proj.weight.data,
        layer.mlp.down_proj.weight.data,
        pre_norm=_weights(layer.post_attention_layernorm),
    )
    assert_close(forward(ffn, x).result, reference(layer, x))


@pytest.mark.parametrize("dtype", DTYPES)
def test_layer_scale_equals_dinov2_layer(dtype: torch.dtype) -> None:
    made = config("dinov2", "Dinov2Config", hidden_size=16, num_attention_heads=2, mlp_ratio=3)
    layer = randomised(hf("dinov2.modeling_dinov2", "Dinov2Layer")(made), dtype)
    x = hidden_states((2, 5, 16), dtype)
    layer.attention = Attention(torch.zeros_like(x))
    spec = FFNSpec("gelu", norm=NormSpec("layer", "pre", eps=made.layer_norm_eps))
    ffn = FFN(
        spec,
        layer.mlp.fc1.weight.data,
        layer.mlp.fc2.weight.data,
        up_bias=layer.mlp.fc1.bias.data,
        down_bias=layer.mlp.fc2.bias.data,
        pre_norm=_weights(layer.norm2),
        layer_scale=layer.layer_scale2.lambda1.data,
    )
    theirs = reference(layer, x)
    assert_close(forward(ffn, x).result, theirs[0] if isinstance(theirs, tuple) else theirs)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("norm_first", [True, False])
@pytest.mark.parametrize("function", ["relu", "gelu"])
def test_torch_encoder_layer(function: str, norm_first: bool, dtype: torch.dtype) -> None:
    made = nn.TransformerEncoderLayer(
        16, 2, 40, dropout=0.0, activation=function, batch_first=True, norm_first=norm_first
    )
    # In training mode torch runs its plain Python path, which the replaced attention needs; dropout is 0.
    layer = randomised(made, dtype).train()
    x = hidden_states((2, 5, 16), dtype)
    layer._sa_block = lambda *_, **__: torch.zeros_like(x)
    stream = x if norm_first else reference(layer.norm1, x)
    norm2 = _weights(layer.norm2)
    spec = FFNSpec(function, norm=NormSpec("layer", "pre" if norm_first else "post", eps=layer.norm2.eps))
    ffn = _two_matrices(layer.linear1, layer.linear2, spec, pre=norm2, post=norm2)
    assert_close(forward(ffn, stream).result, reference(layer, x))
