"""Files of families that no library here can make: tensors planted where each family is known to keep them.

Written from the families' facts alone, without a look at our table: names, orientation, order, function.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
import torch.nn.functional as fn
from torch import Tensor

D, F, E = 12, 20, 3


@dataclass(frozen=True)
class Plain:
    """What every plant computes: matrices `[out, in]`, biases, a function."""

    up: Tensor
    down: Tensor
    gate: Tensor
    up_bias: Tensor
    gate_bias: Tensor
    down_bias: Tensor

    def gated(self, x: Tensor, f: Callable[[Tensor], Tensor], *, biased: bool = False) -> Tensor:
        """down(f(gate x) * up x)."""
        gate = fn.linear(x, self.gate, self.gate_bias if biased else None)
        up = fn.linear(x, self.up, self.up_bias if biased else None)
        return fn.linear(f(gate) * up, self.down, self.down_bias if biased else None)

    def plain(self, x: Tensor, f: Callable[[Tensor], Tensor], *, biased: bool = False) -> Tensor:
        """down(f(up x))."""
        up = fn.linear(x, self.up, self.up_bias if biased else None)
        return fn.linear(f(up), self.down, self.down_bias if biased else None)


def drawn(seed: int) -> Plain:
    """Seeded matrices."""
    draw = torch.Generator().manual_seed(seed)

    def of(*shape: int) -> Tensor:
        found: Tensor = torch.randn(shape, generator=draw) / float(shape[-1]) ** 0.5
        return found

    return Plain(of(F, D), of(D, F), of(F, D), of(F), of(F), of(D))


Tensors = dict[str, Tensor]


@dataclass(frozen=True)
class Plant:
    """A file of two layers: its tensors by name, configuration, and what one layer computes."""

    family: str
    names: Callable[[int, Plain], Tensors]
    formula: Callable[[Plain, Tensor], Tensor]
    config: dict[str, Any] = field(default_factory=dict)
    model_type: str = ""
    more: Callable[[], Tensors] = dict


def erf_gelu(t: Tensor) -> Tensor:
    return fn.gelu(t)


def tanh_gelu(t: Tensor) -> Tensor:
    return fn.gelu(t, approximate="tanh")


def llama_like(layer: str, norm: str) -> Callable[[int, Plain], Tensors]:
    """w1 gate, w3 up, w2 down."""

    def names(n: int, p: Plain) -> Tensors:
        head = layer.format(n)
        return {
            head + "w1.weight": p.gate, head + "w3.weight": p.up, head + "w2.weight": p.down,
            norm.format(n): torch.ones(D),
        }  # fmt: skip

    return names


def fused(layer: str, into: str, out: str, norm: str, *, gate_first: bool) -> Callable[[int, Plain], Tensors]:
    """One matrix for gate and up, in either order."""

    def names(n: int, p: Plain) -> Tensors:
        both = torch.cat([p.gate, p.up] if gate_first else [p.up, p.gate])
        return {layer.format(n) + into: both, layer.format(n) + out: p.down, norm.format(n): torch.ones(D)}

    return names


def pair(
    layer: str, up: str, down: str, norm: str, *, turned: bool = False, bias: bool = True
) -> Callable[[int, Plain], Tensors]:
    """Up and down with biases."""

    def names(n: int, p: Plain) -> Tensors:
        head = layer.format(n)
        found = {
            head + up + ".weight": p.up.T if turned else p.up,
            head + down + ".weight": p.down.T if turned else p.down,
        }
        biases = {head + up + ".bias": p.up_bias, head + down + ".bias": p.down_bias} if bias else {}
        return {
            **found,
            **biases,
            norm.format(n) + ".weight": torch.ones(D),
            norm.format(n) + ".bias": torch.zeros(D),
        }

    return names


def swiglu(p: Plain, x: Tensor) -> Tensor:
    return p.gated(x, fn.silu)


def biased_gelu(p: Plain, x: Tensor) -> Tensor:
    return p.plain(x, erf_gelu, biased=True)


def qwen1(n: int, p: Plain) -> Tensors:
    head = f"transformer.h.{n}."
    return {
        head + "mlp.w1.weight": p.up, head + "mlp.w2.weight": p.gate, head + "mlp.c_proj.weight": p.down,
        head + "ln_2.weight": torch.ones(D),
    }  # fmt: skip


def litgpt(n: int, p: Plain) -> Tensors:
    head = f"transformer.h.{n}."
    return {
        head + "mlp.fc_1.weight": p.gate, head + "mlp.fc_2.weight": p.up, head + "mlp.proj.weight": p.down,
        head + "norm_2.weight": torch.ones(D),
    }  # fmt: skip


def gguf(n: int, p: Plain) -> Tensors:
    head = f"blk.{n}."
    return {
        head + "ffn_gate.weight": p.gate, head + "ffn_up.weight": p.up, head + "ffn_down.weight": p.down,
        head + "ffn_norm.weight": torch.ones(D),
    }  # fmt: skip


def refact(n: int, p: Plain) -> Tensors:
    head = f"transformer.h.{n}."
    return {
        head + "mlp.linear_1.weight": p.gate, head + "mlp.linear_3.weight": p.up,
        head + "mlp.c_proj.weight": p.down, head + "ln_2.weight": torch.ones(D),
    }  # fmt: skip


def lens_plain(n: int, p: Plain) -> Tensors:
    head = f"blocks.{n}."
    return {
        head + "mlp.W_in": p.up.T, head + "mlp.W_out": p.down.T, head + "mlp.b_in": p.up_bias,
        head + "mlp.b_out": p.down_bias, head + "ln2.w": torch.ones(D), head + "ln2.b": torch.zeros(D),
    }  # fmt: skip


def x_transformers(n: int, p: Plain) -> Tensors:
    head = f"attn_layers.layers.{2 * n + 1}."
    return {
        head + "1.ff.0.proj.weight": torch.cat([p.up, p.gate]),
        head + "1.ff.0.proj.bias": torch.cat([p.up_bias, p.gate_bias]),
        head + "1.ff.2.weight": p.down, head + "1.ff.2.bias": p.down_bias, head + "0.0.gamma": torch.ones(D),
    }  # fmt: skip


def timm_swiglu(n: int, p: Plain) -> Tensors:
    head = f"blocks.{n}."
    return {
        head + "mlp.fc1_g.weight": p.gate, head + "mlp.fc1_g.bias": p.gate_bias,
        head + "mlp.fc1_x.weight": p.up, head + "mlp.fc1_x.bias": p.up_bias,
        head + "mlp.fc2.weight": p.down, head + "mlp.fc2.bias": p.down_bias,
        head + "norm2.weight": torch.ones(D), head + "norm2.bias": torch.zeros(D),
    }  # fmt: skip


PLANTS: dict[str, Plant] = {
    "meta_llama": Plant(
        "meta_llama", llama_like("layers.{}.feed_forward.", "layers.{}.ffn_norm.weight"), swiglu
    ),
    "llama2.c": Plant(
        "llama2.c_pt",
        llama_like("_orig_mod.layers.{}.feed_forward.", "_orig_mod.layers.{}.ffn_norm.weight"),
        swiglu,
    ),
    "mistral": Plant(
        "mistral_original", llama_like("layers.{}.feed_forward.", "layers.{}.ffn_norm.weight"), swiglu
    ),
    "torchtune": Plant("torchtune", llama_like("layers.{}.mlp.", "layers.{}.mlp_norm.scale"), swiglu),
    "qwen1": Plant("qwen1", qwen1, swiglu, model_type="qwen"),
    "litgpt": Plant("litgpt", litgpt, swiglu, {"mlp_class_name": "LLaMAMLP"}),
    "refact": Plant("refact", refact, swiglu, model_type="gpt_refact"),
    "chatglm": Plant(
        "chatglm",
        fused(
            "transformer.encoder.layers.{}.",
            "mlp.dense_h_to_4h.weight",
            "mlp.dense_4h_to_h.weight",
            "transformer.encoder.layers.{}.post_attention_layernorm.weight",
            gate_first=True,
        ),
        swiglu,
    ),
    "megatron": Plant(
        "megatron_core",
        fused(
            "decoder.layers.{}.",
            "mlp.linear_fc1.weight",
            "mlp.linear_fc2.weight",
            "decoder.layers.{}.mlp.linear_fc1.layer_norm_weight",
            gate_first=True,
        ),
        swiglu,
        {"gated_linear_unit": True, "activation_func": "F.silu"},
    ),
    "jina_v2": Plant(
        "jina_bert_v2",
        fused(
            "encoder.layer.{}.",
            "mlp.gated_layers.weight",
            "mlp.wo.weight",
            "encoder.layer.{}.mlp.layernorm.weight",
            gate_first=True,
        ),
        lambda p, x: p.gated(x, erf_gelu),
        {"feed_forward_type": "geglu"},
    ),
    "jina_v2_code": Plant(
        "jina_bert_v2",
        fused(
            "encoder.layer.{}.",
            "mlp.up_gated_layer.weight",
            "mlp.down_layer.weight",
            "encoder.layer.{}.layer_norm_2.weight",
            gate_first=False,
        ),
        lambda p, x: p.gated(x, fn.relu),
        {"feed_forward_type": "reglu"},
    ),
    "mamba_ssm": Plant(
        "flash_attn_gated_mlp",
        fused(
            "backbone.layers.{}.",
            "mlp.fc1.weight",
            "mlp.fc2.weight",
            "backbone.layers.{}.norm2.weight",
            gate_first=False,
        ),
        swiglu,
    ),
    "timm_packed": Plant(
        "timm_vit",
        fused("blocks.{}.", "mlp.fc1.weight", "mlp.fc2.weight", "blocks.{}.norm2.weight", gate_first=True),
        swiglu,
        {"mlp_layer": "SwiGLUPacked"},
    ),
    "timm_glu": Plant(
        "timm_vit",
        fused("blocks.{}.", "mlp.fc1.weight", "mlp.fc2.weight", "blocks.{}.norm2.weight", gate_first=False),
        lambda p, x: p.gated(x, torch.sigmoid),
        {"mlp_layer": "GluMlp"},
    ),
    "timm_swiglu": Plant("timm_vit", timm_swiglu, lambda p, x: p.gated(x, fn.silu, biased=True)),
    "timm": Plant("timm_vit", pair("blocks.{}.", "mlp.fc1", "mlp.fc2", "blocks.{}.norm2"), biased_gelu),
    "nanoGPT": Plant(
        "nanoGPT",
        pair("_orig_mod.transformer.h.{}.", "mlp.c_fc", "mlp.c_proj", "_orig_mod.transformer.h.{}.ln_2"),
        biased_gelu,
    ),
    "minGPT": Plant("minGPT", pair("blocks.{}.", "mlp.0", "mlp.2", "blocks.{}.ln2"), biased_gelu),
    "fairseq": Plant(
        "fairseq",
        pair("encoder.layers.{}.", "fc1", "fc2", "encoder.layers.{}.final_layer_norm"),
        lambda p, x: p.plain(x, fn.relu, biased=True),
        {"activation_fn": "relu"},
    ),
    "roberta.pt": Plant(
        "fairseq",
        pair(
            "decoder.sentence_encoder.layers.{}.",
            "fc1",
            "fc2",
            "decoder.sentence_encoder.layers.{}.final_layer_norm",
        ),
        biased_gelu,
        {"activation_fn": "gelu"},
    ),
    "transformer_lens": Plant(
        "transformer_lens",
        lens_plain,
        lambda p, x: p.plain(x, tanh_gelu, biased=True),
        {"act_fn": "gelu_new"},
    ),
    "x_transformers": Plant(
        "x_transformers",
        x_transformers,
        lambda p, x: p.gated(x, erf_gelu, biased=True),
        {"ff_activation": "gelu"},
    ),
    "gguf-llama": Plant("gguf", gguf, swiglu, {"general.architecture": "llama", "llama.block_count": 2}),
    "gguf-gemma": Plant(
        "gguf",
        gguf,
        lambda p, x: p.gated(x, tanh_gelu),
        {"general.architecture": "gemma2", "gemma2.block_count": 2},
    ),
    "gguf-phi3": Plant(
        "gguf",
        fused("blk.{}.", "ffn_up.weight", "ffn_down.weight", "blk.{}.ffn_norm.weight", gate_first=True),
        swiglu,
        {"general.architecture": "phi3", "phi3.block_count": 2},
    ),
    "gguf-gpt2": Plant(
        "gguf",
        pair("blk.{}.", "ffn_up", "ffn_down", "blk.{}.ffn_norm"),
        biased_gelu,
        {"general.architecture": "gpt2", "gpt2.block_count": 2},
    ),
}
"""By a name of their own."""
