"""Settings of other people's classes for public models, from the sizes of our presets alone."""

from __future__ import annotations

from typing import Any

from ffn_explorer.core.architecture import AttentionShape, FFNShape, LatentShape
from ffn_explorer.state.models import PublicModel

ACTIVATIONS = {"gelu_tanh": "gelu_new", "swiglu": "silu", "geglu": "gelu_pytorch_tanh"}
"""Ours -> the library's, where they differ."""


def act(m: PublicModel) -> str:
    """Return the library's name of the activation."""
    return ACTIVATIONS.get(m.activation, m.activation)


def heads_of(m: PublicModel) -> AttentionShape:
    """Return the attention of a model, which is alike in all layers but for its window."""
    return m.shape.usual_layer.attention


def ffn_of(m: PublicModel) -> FFNShape:
    """Return the FFN of the last layer, which all have but the first ones of some mixtures."""
    return m.shape.layers[-1].ffn


def dense_of(m: PublicModel) -> tuple[int, int]:
    """Return how many first layers have a dense FFN, and its width."""
    first = m.shape.layers[0]
    return first.count, first.ffn.d_ff


def layer_types(m: PublicModel) -> list[str]:
    """Return "sliding_attention" or "full_attention" for each layer: as many as there are, in any order."""
    return [
        "sliding_attention" if layer.attention.window else "full_attention"
        for layer in m.shape.layers
        for _ in range(layer.count)
    ]


def usual(m: PublicModel) -> dict[str, Any]:
    """Return the settings that most families share."""
    a, ffn, shape = heads_of(m), ffn_of(m), m.shape
    return {
        "hidden_size": shape.d_model,
        "num_hidden_layers": shape.depth,
        "num_attention_heads": a.heads,
        "num_key_value_heads": a.kv_heads,
        "head_dim": a.head_dim,
        "intermediate_size": ffn.d_ff,
        "hidden_act": act(m),
        "vocab_size": shape.vocab,
        "tie_word_embeddings": shape.tied,
        "max_position_embeddings": m.context,
        "attention_bias": a.qkv_bias,
        # Which tokens pad and end is no size; the defaults lie beyond a small vocabulary.
        "pad_token_id": None,
        "bos_token_id": None,
        "eos_token_id": None,
    }


def with_window(m: PublicModel) -> dict[str, Any]:
    """Return the usual settings and a window for all layers."""
    return usual(m) | {"sliding_window": heads_of(m).window or None}


def alternating(m: PublicModel) -> dict[str, Any]:
    """Return the usual settings and a window for some layers."""
    window = max(layer.attention.window for layer in m.shape.layers)
    return usual(m) | {
        "sliding_window": window,
        "layer_types": layer_types(m),
        "hidden_activation": act(m),
    }


def experts(m: PublicModel, *, count: str, width: str = "moe_intermediate_size") -> dict[str, Any]:
    """Return the usual settings and those of a mixture, whose number of experts is called differently."""
    ffn = ffn_of(m)
    return usual(m) | {count: ffn.experts, width: ffn.d_ff, "num_experts_per_tok": ffn.top_k}


def gpt2(m: PublicModel) -> dict[str, Any]:
    """Return settings of GPT-2, GPT and GPT-J, which name sizes alike."""
    a, shape = heads_of(m), m.shape
    return {
        "n_embd": shape.d_model,
        "n_layer": shape.depth,
        "n_head": a.heads,
        "n_inner": ffn_of(m).d_ff,
        "n_positions": shape.positions or m.context,
        "vocab_size": shape.vocab,
        "tie_word_embeddings": shape.tied,
        "activation_function": act(m),
    }


def opt(m: PublicModel) -> dict[str, Any]:
    """Return settings of OPT; its class adds two positions."""
    a, shape = heads_of(m), m.shape
    return usual(m) | {
        "ffn_dim": ffn_of(m).d_ff,
        "max_position_embeddings": shape.positions - 2,
        "word_embed_proj_dim": shape.d_model,
        "activation_function": act(m),
        "enable_bias": a.qkv_bias and a.out_bias and ffn_of(m).bias,
        "do_layer_norm_before": m.placement == "pre",
        "pad_token_id": 1,
    }


def bert(m: PublicModel) -> dict[str, Any]:
    """Return settings of BERT and RoBERTa."""
    kinds = {extra.name: extra.count for extra in m.shape.extras}["token_types"]
    positions = {"max_position_embeddings": m.shape.positions, "type_vocab_size": kinds // m.shape.d_model}
    return usual(m) | positions | {"pad_token_id": 0}


def t5(m: PublicModel) -> dict[str, Any]:
    """Return settings of T5; a gated FFN is named in the activation."""
    a, ffn = heads_of(m), ffn_of(m)
    encoder, decoder = m.shape.layers
    distances = m.shape.extras[0].count // (2 * a.heads)
    return {
        "d_model": m.shape.d_model,
        "d_kv": a.head_dim,
        "d_ff": ffn.d_ff,
        "num_layers": encoder.count,
        "num_decoder_layers": decoder.count,
        "num_heads": a.heads,
        "relative_attention_num_buckets": distances,
        "feed_forward_proj": "gated-gelu" if ffn.gated else act(m),
        "vocab_size": m.shape.vocab,
        "tie_word_embeddings": m.shape.tied,
    }


def bloom(m: PublicModel) -> dict[str, Any]:
    """Return settings of BLOOM; its FFN is always four times as wide."""
    assert ffn_of(m).d_ff == 4 * m.shape.d_model
    return {"n_layer": m.shape.depth, "n_head": heads_of(m).heads} | usual(m)


def falcon(m: PublicModel) -> dict[str, Any]:
    """Return settings of Falcon: one norm for both sublayers, or two in its newer form."""
    a, layer = heads_of(m), m.shape.usual_layer
    # The width of its heads follows from their number and cannot be given.
    known = {key: value for key, value in usual(m).items() if key != "head_dim"}
    return known | {
        "num_kv_heads": a.kv_heads,
        "multi_query": a.kv_heads == 1,
        "new_decoder_architecture": layer.norms == 2,
        "ffn_hidden_size": layer.ffn.d_ff,
        "bias": layer.ffn.bias,
        "activation": act(m),
    }


def starcoder2(m: PublicModel) -> dict[str, Any]:
    """Return settings of StarCoder2."""
    return with_window(m) | {"use_bias": heads_of(m).qkv_bias and heads_of(m).out_bias and ffn_of(m).bias}


def dbrx(m: PublicModel) -> dict[str, Any]:
    """Return settings of DBRX, in two parts."""
    a, ffn, shape = heads_of(m), ffn_of(m), m.shape
    return {
        "d_model": shape.d_model,
        "n_heads": a.heads,
        "n_layers": shape.depth,
        "vocab_size": shape.vocab,
        "max_seq_len": m.context,
        # The angle is no size, but the class asks for it.
        "attn_config": {"kv_n_heads": a.kv_heads, "rope_theta": 500_000.0},
        "ffn_config": {
            "hidden_size": shape.d_model,
            "ffn_hidden_size": ffn.d_ff,
            "moe_num_experts": ffn.experts,
            "moe_top_k": ffn.top_k,
        },
    }


def latent_of(m: PublicModel) -> LatentShape:
    """Return the latents of a model that has them."""
    latent = heads_of(m).latent
    assert latent is not None
    return latent


def deepseek(m: PublicModel) -> dict[str, Any]:
    """Return settings of DeepSeek-V2, V3 and what is built like them."""
    a, ffn, latent = heads_of(m), ffn_of(m), latent_of(m)
    first, wide = dense_of(m)
    return experts(m, count="n_routed_experts") | {
        "intermediate_size": wide,
        "first_k_dense_replace": first,
        "n_shared_experts": ffn.shared_width // ffn.d_ff,
        "kv_lora_rank": latent.kv_rank,
        "q_lora_rank": latent.q_rank or None,
        "qk_nope_head_dim": a.head_dim,
        "qk_rope_head_dim": latent.rope_dim,
        "v_head_dim": a.value_width,
        "head_dim": latent.rope_dim,
        "n_group": 1,
        "topk_group": 1,
    }


def glm4_moe(m: PublicModel) -> dict[str, Any]:
    """Return settings of GLM-4.5, whose first layer is dense."""
    first, wide = dense_of(m)
    return experts(m, count="n_routed_experts") | {
        "intermediate_size": wide,
        "first_k_dense_replace": first,
        "n_shared_experts": ffn_of(m).shared_width // ffn_of(m).d_ff,
        "use_qk_norm": heads_of(m).qk_norm == "head",
    }


def solar_open(m: PublicModel) -> dict[str, Any]:
    """Return settings of Solar Open."""
    shared = {"n_shared_experts": ffn_of(m).shared_width // ffn_of(m).d_ff}
    return experts(m, count="n_routed_experts") | shared


def qwen2_moe(m: PublicModel) -> dict[str, Any]:
    """Return settings of Qwen1.5's mixtures."""
    shared = {"shared_expert_intermediate_size": ffn_of(m).shared_width, "qkv_bias": heads_of(m).qkv_bias}
    return experts(m, count="num_experts") | shared


def gpt_oss(m: PublicModel) -> dict[str, Any]:
    """Return settings of gpt-oss."""
    return alternating(m) | experts(m, count="num_local_experts", width="intermediate_size")
