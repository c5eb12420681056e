"""Sizes and peculiarities of the tiny models of every naming family."""

from typing import Any

D, F, WORDS = 32, 48, 64

SIZES: dict[str, Any] = {
    "hidden_size": D, "d_model": D, "n_embd": D, "emb_dim": D, "dim": D, "embedding_size": D, "n_embed": D,
    "intermediate_size": F, "ffn_dim": F, "d_ff": F, "n_inner": F, "dff": F, "d_inner": F, "hidden_dim": F,
    "encoder_ffn_dim": F, "decoder_ffn_dim": F, "feed_forward_size": F, "ffn_hidden_size": F, "mlp_dim": F,
    "moe_intermediate_size": F, "shared_expert_intermediate_size": F, "intermediate_size_mlp": F + 16,
    "num_hidden_layers": 2, "n_layer": 2, "n_layers": 2, "num_layers": 2, "num_decoder_layers": 2,
    "encoder_layers": 2, "decoder_layers": 2, "encoder_num_hidden_layers": 2, "decoder_num_hidden_layers": 2,
    "num_attention_heads": 4, "n_head": 4, "n_heads": 4, "num_heads": 4, "num_key_value_heads": 4,
    "num_kv_heads": 4, "encoder_attention_heads": 4, "decoder_attention_heads": 4, "num_attn_heads": 4,
    "encoder_num_attention_heads": 4, "decoder_num_attention_heads": 4, "encoder_num_key_value_heads": 4,
    "decoder_num_key_value_heads": 4, "head_dim": 8, "d_head": 8, "d_kv": 8, "attention_head_size": 8,
    "rotary_dim": 4, "kv_channels": 8, "kv_lora_rank": 8, "q_lora_rank": 8, "qk_nope_head_dim": 8,
    "qk_rope_head_dim": 8, "v_head_dim": 8, "index_head_dim": 16, "index_n_heads": 2,
    "num_local_experts": 4, "num_experts": 4, "n_routed_experts": 4, "moe_num_experts": 4,
    "num_experts_per_tok": 2, "moe_k": 2, "n_shared_experts": 1, "num_shared_experts": 1,
    "first_k_dense_replace": 1, "n_group": 2, "topk_group": 1, "expert_capacity": 64,
    "vocab_size": WORDS, "max_position_embeddings": 64, "n_positions": 64, "n_ctx": 64,
    "image_size": 16, "patch_size": 8, "num_channels": 3, "num_frames": 2, "max_source_positions": 32,
    "max_target_positions": 32, "hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0,
    "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
}  # fmt: skip
"""What is set wherever a configuration has it."""

_ROPE: dict[str, Any] = {
    "rope_parameters": {"rope_type": "default", "rope_theta": 1e4, "mrope_section": [1, 1, 2]}
}

_HALF_ROPE: dict[str, Any] = {
    "rope_parameters": {
        **_ROPE["rope_parameters"],
        "mrope_section": [1, 1, 0],
        "partial_rotary_factor": 0.5,
    }
}

BY_TYPE: dict[str, dict[str, Any]] = {
    "bamba": {"mamba_n_heads": 4, "mamba_d_head": 16, "mamba_n_groups": 1, "mamba_d_state": 8},
    "lilt": {"hidden_size": 48, "num_attention_heads": 4},
    "qwen2_vl_text": _ROPE,
    "qwen2_5_vl_text": _ROPE,
    "qwen2_vl": {"text_config": _ROPE, "vision_config": {"depth": 1, "embed_dim": D}},
    "qwen2_5_vl": {"text_config": _ROPE, "vision_config": {"depth": 1}},
    "qwen3_vl_vision": {"depth": 2},
    "qwen3_vl_moe_vision": {"depth": 2},
    "funnel": {"block_sizes": [1, 1]},
    "glm4v_text": _HALF_ROPE,
    "glm_ocr_text": _HALF_ROPE,
    "glm_image_text": _HALF_ROPE,
    "glm4v_moe_text": _HALF_ROPE,
    "gpt_neo": {"attention_types": [[["global", "local"], 1]]},
    "zamba2": {
        "layer_types": ["mamba", "hybrid"],
        "hybrid_layer_ids": [1],
        "mamba_headdim": 8,
        "mamba_ngroups": 1,
    },
    "qwen3_vl": {"vision_config": {"depth": 2}},
    "qwen3_vl_moe": {"vision_config": {"depth": 2}},
    "gemma3n_text": {
        "num_kv_shared_layers": 0,
        "laurel_rank": 4,
        "hidden_size_per_layer_input": 8,
        "vocab_size_per_layer_input": WORDS,
        "activation_sparsity_pattern": [0.75, 0.0],
    },
    "dbrx": {
        "attn_config": {"clip_qkv": 8.0},
        "ffn_config": {"ffn_hidden_size": F, "moe_top_k": 2, "hidden_size": D},
    },
    "deepseek_v4": {"mlp_layer_types": ["hash_moe", "moe"], "o_groups": 2, "o_lora_rank": 8},
    "moonshine_streaming": {"num_key_value_heads": 4},
    "perceiver": {"num_self_attends_per_block": 2, "num_blocks": 1, "num_latents": 4, "d_latents": D},
    "luke": {"entity_vocab_size": 16, "entity_emb_size": 16},
    "xmod": {"default_language": "en_XX"},
    "nllb-moe": {"encoder_sparse_step": 2, "decoder_sparse_step": 2},
    "switch_transformers": {"num_sparse_encoder_layers": 1, "num_sparse_decoder_layers": 1},
    "qwen2_moe": {"decoder_sparse_step": 2},
    "qwen3_moe": {"mlp_only_layers": [0]},
    "squeezebert": {
        "q_groups": 2,
        "k_groups": 2,
        "v_groups": 2,
        "intermediate_groups": 2,
        "output_groups": 2,
    },
    "convbert": {"conv_kernel_size": 3},
    "reformer": {
        "is_decoder": True,
        "axial_pos_embds": False,
        "attn_layers": ["local", "local"],
        "num_hidden_layers": 2,
        "local_attn_chunk_length": 8,
    },
}
"""Settings of single model types, over SIZES."""

CLASSES: dict[str, str] = {
    "align_text_model": "AlignTextModel",
    "blip_text_model": "BlipTextModel",
    "siglip_text_model": "SiglipTextModel",
    "altclip_vision_model": "AltCLIPVisionModel",
    "mllama_text_model": "MllamaForCausalLM",
    "qwen3_omni_moe_text": "Qwen3OmniMoeThinkerTextModel",
    "csm": "CsmBackboneModel",
    "idefics2_vision": "models.idefics2.modeling_idefics2.Idefics2VisionTransformer",
    "llama4": "Llama4ForConditionalGeneration",
    "qwen3_5_moe": "Qwen3_5MoeForConditionalGeneration",
}
"""Classes of model types that no automatic one finds."""

_BOTH: dict[str, tuple[float, ...]] = {"input_ids": (1, 7), "pixel_values": (1.0, 3, 16, 16)}

INPUTS: dict[str, dict[str, tuple[float, ...]]] = {
    "clip": _BOTH,
    "siglip": _BOTH,
    "metaclip_2": _BOTH,
    "perceiver": {"inputs": (1, 7)},
    "vivit": {"pixel_values": (1.0, 2, 3, 16, 16)},
    "speech_to_text": {"input_features": (1.0, 64, 80), "decoder_input_ids": (1, 5)},
}
"""Shapes of input of models that want more than their main one; numbers where the first size is 1.0."""

BY_FAMILY: dict[str, dict[str, Any]] = {
    "t5_gated": {"feed_forward_proj": "gated-gelu", "dense_act_fn": "gelu_new"},
    "t5": {"feed_forward_proj": "relu", "dense_act_fn": "relu"},
}
"""Settings of types that several families claim."""

DIRECT = frozenset(
    [
        "bros", "decision_transformer", "sam", "sam_hq", "udop", "audio-spectrogram-transformer", "got_ocr2",
        "csm", "idefics2_vision", "llama4", "qwen3_5_moe", "qwen3_vl_vision",
    ]
)  # fmt: skip
"""Types and families whose whole model wants inputs of several kinds: their FFN modules are called alone."""

NOT_HERE = {
    ("gemma3n", "gemma3n"): "its vision tower needs timm, which is not installed; gemma3n_text is tested",
    ("clip", "mlcd_vision_model"): "what configurations of the type mlcd call themselves, which is tested",
    ("gte", "new"): "the hub's name of gte; transformers has the type gte, which is tested",
}
"""Types that cannot be built here, and why."""

VARIANTS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "llama-biased": ("llama", "llama", {"mlp_bias": True}),
    "llama-gelu": ("llama", "llama", {"hidden_act": "gelu"}),
    "gemma-old-gelu": ("gemma", "gemma", {"hidden_act": "gelu_pytorch_tanh"}),
    "granite-scaled": ("granite", "granite", {"residual_multiplier": 0.22}),
    "gpt_neox-sequential": ("gpt_neox", "gpt_neox", {"use_parallel_residual": False}),
    "falcon-40b": ("falcon", "falcon", {"new_decoder_architecture": True}),
    "falcon-rw": (
        "falcon",
        "falcon",
        {"parallel_attn": False, "new_decoder_architecture": False, "bias": True},
    ),
    "opt-350m": ("opt", "opt", {"do_layer_norm_before": False, "word_embed_proj_dim": 16}),
    "opt-bare": ("opt", "opt", {"enable_bias": False}),
    "bloom-normed": ("bloom", "bloom", {"apply_residual_connection_post_layernorm": True}),
    "starcoder2-bare": ("starcoder2", "starcoder2", {"use_bias": False}),
    "wav2vec2-stable": (
        "wav2vec2",
        "wav2vec2",
        {"do_stable_layer_norm": True, "feat_extract_norm": "layer"},
    ),
    "dinov2-giant": ("dinov2_swiglu", "dinov2", {"use_swiglu_ffn": True}),
    "dinov3-gated": ("dinov3_vit", "dinov3_vit", {"use_gated_mlp": True}),
    "xlm-relu": ("xlm", "xlm", {"gelu_activation": False}),
    "t5-silu": ("t5_gated", "t5", {"feed_forward_proj": "gated-silu", "dense_act_fn": "silu"}),
    "deepseek_v2-groups": ("deepseek_v2", "deepseek_v2", {"topk_method": "group_limited_greedy"}),
    "deepseek_v2-scaled": (
        "deepseek_v2",
        "deepseek_v2",
        {"topk_method": "greedy", "routed_scaling_factor": 16.0},
    ),
    "qwen2_moe-normed": ("qwen2_moe", "qwen2_moe", {"norm_topk_prob": True, "decoder_sparse_step": 1}),
    "cohere2_moe-sigmoid": ("cohere2_moe", "cohere2_moe", {"expert_selection_fn": "sigmoid"}),
    "cohere2_moe-mean": (
        "cohere2_moe",
        "cohere2_moe",
        {"shared_expert_combination_strategy": "average", "num_shared_experts": 1},
    ),
    "dbrx-2-norm": ("dbrx", "dbrx", {"ffn_config": {"moe_normalize_expert_weights": 2.0}}),
    "dbrx-unscaled": ("dbrx", "dbrx", {"ffn_config": {"moe_normalize_expert_weights": None}}),
    "ernie-biased": ("ernie4_5_moe", "ernie4_5_moe", {"use_bias": True}),
    "zamba2-shared": (
        "zamba2",
        "zamba2",
        {
            "num_hidden_layers": 4,
            "layer_types": ["mamba", "hybrid", "mamba", "hybrid"],
            "hybrid_layer_ids": [1, 3],
            "num_mem_blocks": 1,
        },
    ),
    "falcon_h1-multiplied": ("falcon_h1", "falcon_h1", {"mlp_multipliers": [0.5, 2.0]}),
    "gpt_oss-square": ("gpt_oss", "gpt_oss", {"intermediate_size": D}),
    "gpt2-square": ("gpt2", "gpt2", {"n_inner": D}),
    "qwen3_moe-square": ("qwen3_moe", "qwen3_moe", {"moe_intermediate_size": D}),
    "switch-crowded": ("switch_transformers", "switch_transformers", {"expert_capacity": 2}),
    "nemotron_h-experts": (
        "nemotron_h",
        "nemotron_h",
        {"layers_block_type": ["moe", "mlp"], "num_hidden_layers": 2},
    ),
}
"""Cases beside the defaults: what configurations switch."""
