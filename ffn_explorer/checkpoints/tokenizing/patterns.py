"""Where text is cut before its bytes are merged: the published patterns, and the names GGUF files give them.

Source: the pre_tokenizer of each model's tokenizer.json, and the pre-tokenizer names of the ggml project. All
patterns here take time in proportion to the text, so that they are run as they are; others are watched.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

_ENDINGS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_SPACES = r"\s*[\r\n]+|\s+(?!\S)|\s+"
_WORD = r"[^\r\n\p{L}\p{N}]?\p{L}+"
_SIGNS = r" ?[^\s\p{L}\p{N}]+[\r\n]*"
_UPPER, _LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_BEFORE = r"[^\r\n\p{L}\p{N}]?"
_MARKED = r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
LLAMA3 = rf"{_ENDINGS}|{_WORD}|\p{{N}}{{1,3}}|{_SIGNS}|{_SPACES}"
QWEN2 = rf"{_ENDINGS}|{_WORD}|\p{{N}}|{_SIGNS}|{_SPACES}"
QWEN35 = rf"{_ENDINGS}|{_BEFORE}[\p{{L}}\p{{M}}]+|\p{{N}}| ?[^\s\p{{L}}\p{{M}}\p{{N}}]+[\r\n]*|{_SPACES}"
GPT4O = (
    rf"{_BEFORE}{_UPPER}*{_LOWER}+{_ENDINGS}?|{_BEFORE}{_UPPER}+{_LOWER}*{_ENDINGS}?"
    rf"|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{_SPACES}"
)
TEKKEN = (
    rf"{_BEFORE}{_UPPER}*{_LOWER}+|{_BEFORE}{_UPPER}+{_LOWER}*"
    rf"|\p{{N}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{_SPACES}"
)
DEEPSEEK3 = (
    r"\p{N}{1,3}",
    "[一-龥぀-ゟ\u30a0-ヿ]+",
    rf"{_MARKED}| ?[\p{{P}}\p{{S}}]+[\r\n]*|{_SPACES}",
)
DEEPSEEK_CODER = (r"[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", r"[一-龥ࠀ-一가-퟿]+", r"\p{N}")
FALCON = (r"[\p{P}\$\+<=>\^~\|`]+", GPT2, r"[0-9][0-9][0-9]")
BLOOM = " ?[^(\\s|.,!?…。，、।\u06d4،)]+"
CLIP = r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
SEED_CODER = rf"{_ENDINGS}|{_WORD}|\p{{N}}{{1}}| ?[^\s\p{{L}}\p{{N}}\r\n]+|\s*[\r\n]+|\s+(?!\S)|\s+"
DIGIT = r"\p{N}"

KNOWN = frozenset(
    (
        GPT2, LLAMA3, QWEN2, QWEN35, GPT4O, TEKKEN, *DEEPSEEK3, *DEEPSEEK_CODER, *FALCON, BLOOM, CLIP,
        SEED_CODER, DIGIT, r"\s+", r" {2,}", r"[0-9]", r"\d", r"\n", "\n", r"\d{1,3}", r"\p{N}+",
    )
)  # fmt: skip
"""Patterns that are run as they are."""

GUESS = "gpt-2"
"""The name that is taken where a file gives one that is not known."""


@dataclass(frozen=True, slots=True)
class Cut:
    """One name's rules. patterns: in order.  whole: tokens stay uncut.  begins: with a special one."""

    patterns: tuple[str, ...]
    whole: bool = False
    begins: bool = False


_NAMES: tuple[tuple[Cut, str], ...] = (
    (
        Cut((GPT2,)),
        "gpt-2 phi-2 jina-es jina-de jina-v2-es jina-v2-de jina-v1-en jina-v2-code roberta-bpe mpt olmo",
    ),
    (
        Cut((GPT2,)),
        "gigachat a.x-4.0 mellum modern-bert jais trillion granite-docling exaone4",
    ),
    (
        Cut((LLAMA3,), whole=True, begins=True),
        "llama-bpe llama3 llama-v3 falcon3 falcon-h1 pixtral midm-2.0 lfm2 jina-v5-nano",
    ),
    (Cut((LLAMA3,)), "dbrx smaug-bpe glm4 chatglm-bpe"),
    (Cut((QWEN2,)), "qwen2 deepseek-r1-qwen kormo f2llmv2 megrez stablelm2 hunyuan solar-open grok-2"),
    (Cut((QWEN35,)), "qwen35"),
    (Cut((DIGIT, GPT2)), "starcoder refact command-r smollm codeshell exaone minerva-7b mellum2"),
    (Cut((GPT4O,)), "gpt-4o llama4 kanana2 talkie minimax-m2"),
    (Cut((TEKKEN,), whole=True, begins=True), "tekken"),
    (Cut(DEEPSEEK3), "deepseek-v3 hunyuan-dense joyai-llm hy_v4"),
    (Cut(DEEPSEEK_CODER), "deepseek-coder"),
    (Cut(FALCON), "falcon"),
    (Cut((BLOOM,)), "bloom poro-chat gpt3-finnish"),
    (Cut((BLOOM, DIGIT)), "viking"),
    (Cut((SEED_CODER,)), "seed-coder"),
)

CUTS: Mapping[str, Cut] = MappingProxyType({name: cut for cut, names in _NAMES for name in names.split()})
"""By the name that a GGUF file gives under `tokenizer.ggml.pre`."""
