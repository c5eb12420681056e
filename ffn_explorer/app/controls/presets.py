"""PRESETS: settings that people look for by name."""

from collections.abc import Callable
from dataclasses import dataclass

from ffn_explorer.core.settings import Settings
from ffn_explorer.state import changes
from ffn_explorer.state.change import Change


@dataclass(frozen=True, slots=True)
class Preset:
    """One entry of the preset menu; its text is preset.<name>."""

    name: str
    change: Callable[[], Change]


PRESETS = (
    Preset("default", lambda: changes.use_settings(Settings())),
    Preset("original_2017", changes.preset_2017),
    Preset("gpt2", lambda: changes.use_settings(_gpt2())),
    Preset("llama", lambda: changes.use_settings(_llama())),
    Preset("mixtral", lambda: changes.use_settings(_mixtral())),
)


def _gpt2() -> Settings:
    """GPT-2 small: 768 / 3072, tanh GELU, biases, pre-norm, 12 layers, 12 heads."""
    return Settings(
        d_model=768, d_ff=3_072, activation="gelu_tanh", layers=12, heads=12, kv_heads=12, stack="decoder"
    )


def _llama() -> Settings:
    """The shape of Llama at D = 512: SwiGLU of 8/3 D rounded up to a multiple of 32, RMSNorm, no bias."""
    return Settings(d_model=512, d_ff=1_376, activation="swiglu", bias=False, norm="rms", stack="decoder")


def _mixtral() -> Settings:
    """Mixtral's rule at D = 256: 8 SwiGLU experts of 3.5 D, two chosen, softmax then top-k renormalised."""
    return Settings(
        d_model=256,
        d_ff=896,
        activation="swiglu",
        bias=False,
        norm="rms",
        stack="decoder",
        kv_heads=2,
        experts=8,
        top_k=2,
    )
