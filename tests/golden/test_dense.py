"""One FFN without norms and residual against torch, transformers and a published example."""

import numpy as np
import pytest
import torch
from torch import nn

from ffn_explorer.core.ffn import FFN, NormWeights
from ffn_explorer.core.forward_pass import forward
from ffn_explorer.core.spec import FFNSpec, NormSpec
from tests.golden.library import DTYPES, assert_close, config, gated, hf, hidden_states, randomised, reference

SIZES = {"hidden_size": 16, "intermediate_size": 40, "num_attention_heads": 2, "num_key_value_heads": 2}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("function", "module"), [("relu", nn.ReLU()), ("gelu", nn.GELU()), ("gelu_tanh", nn.GELU("tanh"))]
)
def test_plain_ffn_equals_linear_act_linear(function: str, module: nn.Module, dtype: torch.dtype) -> None:
    net = randomised(nn.Sequential(nn.Linear(16, 64), module, nn.Linear(64, 16)), dtype)
    ffn = FFN(
        FFNSpec(function, residual=False),
        net[0].weight.data,
        net[2].weight.data,
        up_bias=net[0].bias.data,
        down_bias=net[2].bias.data,
    )
    x = hidden_states((2, 5, 16), dtype)
    trace = forward(ffn, x)
    assert_close(trace.up, reference(net[0], x))
    assert_close(trace.hidden, reference(net[:2], x))
    assert_close(trace.result, reference(net, x))


@pytest.mark.parametrize("dtype", DTYPES)
def test_gated_ffn_equals_llama(dtype: torch.dtype) -> None:
    mlp = randomised(hf("llama.modeling_llama", "LlamaMLP")(config("llama", "LlamaConfig", **SIZES)), dtype)
    x = hidden_states((2, 5, 16), dtype)
    ffn = gated(mlp, FFNSpec("silu", gated=True))
    assert_close(forward(ffn, x, x_is="ffn-input").out, reference(mlp, x))


@pytest.mark.parametrize("dtype", DTYPES)
def test_gated_ffn_with_tanh_gelu_equals_gemma(dtype: torch.dtype) -> None:
    mlp = randomised(hf("gemma.modeling_gemma", "GemmaMLP")(config("gemma", "GemmaConfig", **SIZES)), dtype)
    x = hidden_states((2, 5, 16), dtype)
    ffn = gated(mlp, FFNSpec("gelu_tanh", gated=True))
    assert_close(forward(ffn, x, x_is="ffn-input").out, reference(mlp, x))


@pytest.mark.parametrize("dtype", DTYPES)
def test_gaussian_top_k_equals_gemma_3n(dtype: torch.dtype) -> None:
    made = config(
        "gemma3n", "Gemma3nTextConfig", **SIZES, num_hidden_layers=1, activation_sparsity_pattern=[0.8]
    )
    mlp = randomised(hf("gemma3n.modeling_gemma3n", "Gemma3nTextMLP")(made), dtype)
    x = hidden_states((2, 5, 16), dtype)
    trace = forward(gated(mlp, FFNSpec("gelu_tanh", gated=True, gate_sparsity=0.8)), x, x_is="ffn-input")
    assert_close(trace.out, reference(mlp, x))
    assert trace.gate is not None
    assert 0.6 < (trace.gate == 0).double().mean().item() < 0.95


@pytest.mark.parametrize("dtype", DTYPES)
def test_multipliers_equal_falcon_h1(dtype: torch.dtype) -> None:
    made = config("falcon_h1", "FalconH1Config", **SIZES, mlp_multipliers=[0.3, 0.7])
    mlp = randomised(hf("falcon_h1.modeling_falcon_h1", "FalconH1MLP")(made), dtype)
    x = hidden_states((2, 5, 16), dtype)
    spec = FFNSpec("silu", gated=True, gate_multiplier=0.3, output_scale=0.7)
    assert_close(forward(gated(mlp, spec), x, x_is="ffn-input").out, reference(mlp, x))


@pytest.mark.parametrize("dtype", DTYPES)
def test_inner_norm_equals_bitnet(dtype: torch.dtype) -> None:
    made = config("bitnet", "BitNetConfig", **SIZES, rms_norm_eps=1e-4, hidden_act="relu2")
    mlp = randomised(hf("bitnet.modeling_bitnet", "BitNetMLP")(made), dtype)
    x = hidden_states((2, 5, 16), dtype)
    spec = FFNSpec("relu2", gated=True, inner_norm=NormSpec("rms", "pre", eps=1e-4))
    ffn = gated(mlp, spec, inner_norm=NormWeights(mlp.ffn_sub_norm.weight.data))
    assert_close(forward(ffn, x, x_is="ffn-input").out, reference(mlp, x))


def test_circulating_seeded_example() -> None:
    """SwiGLU without biases on three tokens; weights of the example stand (in, out)."""
    np.random.seed(100)  # noqa: NPY002 - the example names this generator
    x = np.random.randn(1, 3, 4)  # noqa: NPY002
    np.random.seed(42)  # noqa: NPY002
    gate, up, down = (0.1 * np.random.randn(*shape) for shape in ((4, 10), (4, 10), (10, 4)))  # noqa: NPY002
    w_up, w_down, w_gate = (torch.from_numpy(w.T.copy()) for w in (up, down, gate))
    ffn = FFN(FFNSpec("silu", gated=True), w_up, w_down, w_gate)
    out = forward(ffn, torch.from_numpy(x), x_is="ffn-input").out
    wanted = torch.tensor([-0.00353803, 0.00101935, -0.00644985, -0.00404597], dtype=torch.float64)
    assert (out[0, 0] - wanted).abs().max().item() <= 1e-8
