"""Public models as other people's classes build them; on the meta device they have sizes and no weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from ffn_explorer.state.models import PublicModel
from tests.golden import model_configs as configs
from tests.golden.library import hf

Settings = Callable[[PublicModel], dict[str, Any]]
Maker = Callable[[PublicModel], nn.Module]


def by_name(module: str, settings: Settings, *, config: str, model: str) -> Maker:
    """Return a maker of a model of transformers, on whatever device is current.

    Attention is spelt out as matrix products; the weights of each token's experts are gathered, which needs
    no look at what the router chose.
    """

    def make(m: PublicModel) -> nn.Module:
        made = hf(f"{module}.configuration_{module}", config)(**settings(m))
        made._attn_implementation = "eager"
        made._experts_implementation = "batched_mm"
        built: nn.Module = hf(f"{module}.modeling_{module}", model)(made)
        return built.eval()

    return make


def with_own_head(make: Maker) -> Maker:
    """Return a maker whose models get an unembedding of their own.

    The class ties it to the embedding whatever its settings say; the published T5 1.1 holds both.
    """

    def untied(m: PublicModel) -> nn.Module:
        built = make(m)
        assert isinstance(built.lm_head, nn.Linear)
        built.lm_head.weight = nn.Parameter(torch.empty_like(built.lm_head.weight))
        return built

    return untied


def original(m: PublicModel) -> nn.Module:
    """Return the Transformer of 2017: torch's own layers without the biases and last norms that they add."""
    d, (encoder, decoder) = m.shape.d_model, m.shape.layers
    heads, width = encoder.attention.heads, encoder.ffn.d_ff
    one = nn.TransformerEncoderLayer(d, heads, width, batch_first=True)
    other = nn.TransformerDecoderLayer(d, heads, width, batch_first=True)
    stacks = (
        nn.TransformerEncoder(one, encoder.count, enable_nested_tensor=False),
        nn.TransformerDecoder(other, decoder.count),
    )
    whole = nn.ModuleList([*stacks, nn.Embedding(m.shape.vocab, d)])
    for module in whole.modules():
        if isinstance(module, nn.MultiheadAttention):
            module.register_parameter("in_proj_bias", None)
            module.out_proj.register_parameter("bias", None)
    return whole


LLAMA = by_name("llama", configs.usual, config="LlamaConfig", model="LlamaForCausalLM")
OPT = by_name("opt", configs.opt, config="OPTConfig", model="OPTForCausalLM")
GPT2 = by_name("gpt2", configs.gpt2, config="GPT2Config", model="GPT2LMHeadModel")
GEMMA_3 = by_name("gemma3", configs.alternating, config="Gemma3TextConfig", model="Gemma3ForCausalLM")
MIXTRAL = by_name(
    "mixtral",
    lambda m: configs.experts(m, count="num_local_experts", width="intermediate_size"),
    config="MixtralConfig",
    model="MixtralForCausalLM",
)
QWEN_3_MOE = by_name(
    "qwen3_moe",
    lambda m: configs.experts(m, count="num_experts"),
    config="Qwen3MoeConfig",
    model="Qwen3MoeForCausalLM",
)
DEEPSEEK_2 = by_name(
    "deepseek_v2", configs.deepseek, config="DeepseekV2Config", model="DeepseekV2ForCausalLM"
)
DEEPSEEK_3 = by_name(
    "deepseek_v3", configs.deepseek, config="DeepseekV3Config", model="DeepseekV3ForCausalLM"
)
NEOX = by_name("gpt_neox", configs.usual, config="GPTNeoXConfig", model="GPTNeoXForCausalLM")
BLOOM = by_name("bloom", configs.bloom, config="BloomConfig", model="BloomForCausalLM")
BERT = by_name("bert", configs.bert, config="BertConfig", model="BertModel")
T5 = by_name("t5", configs.t5, config="T5Config", model="T5ForConditionalGeneration")
FALCON = by_name("falcon", configs.falcon, config="FalconConfig", model="FalconForCausalLM")
MISTRAL = by_name("mistral", configs.with_window, config="MistralConfig", model="MistralForCausalLM")
GEMMA = by_name("gemma", configs.usual, config="GemmaConfig", model="GemmaForCausalLM")
GPT_OSS = by_name("gpt_oss", configs.gpt_oss, config="GptOssConfig", model="GptOssForCausalLM")
QWEN_2 = by_name("qwen2", configs.usual, config="Qwen2Config", model="Qwen2ForCausalLM")

MAKERS: dict[str, Callable[[PublicModel], nn.Module]] = {
    "transformer-base": original,
    "transformer-big": original,
    "gpt-1": by_name("openai", configs.gpt2, config="OpenAIGPTConfig", model="OpenAIGPTLMHeadModel"),
    "bert-base": BERT,
    "bert-large": BERT,
    "gpt2-small": GPT2,
    "gpt2-medium": GPT2,
    "gpt2-large": GPT2,
    "gpt2-xl": GPT2,
    "roberta-large": by_name("roberta", configs.bert, config="RobertaConfig", model="RobertaModel"),
    "t5-small": T5,
    "t5-base": T5,
    "t5-11b": T5,
    "t5-1.1-xxl": with_own_head(T5),
    "gpt-3": GPT2,
    "gpt-j-6b": by_name("gptj", configs.gpt2, config="GPTJConfig", model="GPTJForCausalLM"),
    "bloom-560m": BLOOM,
    "bloom-176b": BLOOM,
    "gpt-neox-20b": NEOX,
    "opt-125m": OPT,
    "opt-6.7b": OPT,
    "opt-175b": OPT,
    "pythia-6.9b": NEOX,
    "llama-7b": LLAMA,
    "llama-65b": LLAMA,
    "llama-2-7b": LLAMA,
    "llama-2-13b": LLAMA,
    "llama-2-70b": LLAMA,
    "falcon-7b": FALCON,
    "falcon-40b": FALCON,
    "mistral-7b": MISTRAL,
    "mixtral-8x7b": MIXTRAL,
    "phi-2": by_name("phi", configs.usual, config="PhiConfig", model="PhiForCausalLM"),
    "tinyllama-1.1b": LLAMA,
    "qwen1.5-7b": QWEN_2,
    "qwen1.5-moe-a2.7b": by_name(
        "qwen2_moe", configs.qwen2_moe, config="Qwen2MoeConfig", model="Qwen2MoeForCausalLM"
    ),
    "gemma-2b": GEMMA,
    "gemma-7b": GEMMA,
    "starcoder2-3b": by_name(
        "starcoder2", configs.starcoder2, config="Starcoder2Config", model="Starcoder2ForCausalLM"
    ),
    "command-r": by_name("cohere", configs.usual, config="CohereConfig", model="CohereForCausalLM"),
    "dbrx": by_name("dbrx", configs.dbrx, config="DbrxConfig", model="DbrxForCausalLM"),
    "mixtral-8x22b": MIXTRAL,
    "llama-3-8b": LLAMA,
    "llama-3-70b": LLAMA,
    "llama-3.1-405b": LLAMA,
    "llama-3.2-1b": LLAMA,
    "phi-3-mini": by_name("phi3", configs.with_window, config="Phi3Config", model="Phi3ForCausalLM"),
    "deepseek-v2-lite": DEEPSEEK_2,
    "deepseek-v2": DEEPSEEK_2,
    "gemma-2-9b": by_name("gemma2", configs.alternating, config="Gemma2Config", model="Gemma2ForCausalLM"),
    "olmoe-1b-7b": by_name(
        "olmoe",
        lambda m: configs.experts(m, count="num_experts", width="intermediate_size"),
        config="OlmoeConfig",
        model="OlmoeForCausalLM",
    ),
    "qwen2.5-7b": QWEN_2,
    "smollm2-135m": LLAMA,
    "olmo-2-7b": by_name("olmo2", configs.usual, config="Olmo2Config", model="Olmo2ForCausalLM"),
    "deepseek-v3": DEEPSEEK_3,
    "mistral-small-3": MISTRAL,
    "gemma-3-1b": GEMMA_3,
    "gemma-3-27b": GEMMA_3,
    "qwen3-8b": by_name("qwen3", configs.usual, config="Qwen3Config", model="Qwen3ForCausalLM"),
    "qwen3-30b-a3b": QWEN_3_MOE,
    "qwen3-235b-a22b": QWEN_3_MOE,
    "smollm3-3b": by_name("smollm3", configs.usual, config="SmolLM3Config", model="SmolLM3ForCausalLM"),
    "kimi-k2": DEEPSEEK_3,
    "glm-4.5-air": by_name("glm4_moe", configs.glm4_moe, config="Glm4MoeConfig", model="Glm4MoeForCausalLM"),
    "gpt-oss-20b": GPT_OSS,
    "gpt-oss-120b": GPT_OSS,
    "minimax-m2": by_name(
        "minimax_m2",
        lambda m: configs.experts(m, count="num_local_experts", width="intermediate_size"),
        config="MiniMaxM2Config",
        model="MiniMaxM2ForCausalLM",
    ),
    "solar-open-100b": by_name(
        "solar_open", configs.solar_open, config="SolarOpenConfig", model="SolarOpenForCausalLM"
    ),
}
"""Id of a preset -> what builds it; those without a class stand in UNCHECKED."""

UNCHECKED = {"palm-540b": "no library has a class for it: its code was never published"}
