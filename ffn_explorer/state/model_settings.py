"""A public model as settings: one of its layers, scaled down to what the machine holds."""

from collections.abc import Sequence

from ffn_explorer.core.budget import check
from ffn_explorer.core.errors import MemoryRefusal, SettingError
from ffn_explorer.core.settings import LIMITS, Settings
from ffn_explorer.state.models import PublicModel
from ffn_explorer.state.numbers import count
from ffn_explorer.state.text import Text, text

MOST_HALVINGS = 14


def loaded_words(public: PublicModel, settings: Settings) -> Text:
    """What became of a model's sizes, in one sentence."""
    said = {"name": public.name, "d_model": count(settings.d_model), "d_ff": count(settings.d_ff)}
    made, divisor = text("models.loaded", **said), divisor_of(public, settings)
    if divisor > 1:
        made = text("models.loaded_scaled", **said, divisor=count(divisor))
    every = public.shape.usual_layer.ffn.experts
    if settings.experts == every:
        return made
    return text("models.loaded_fewer", what=made, left=count(settings.experts), every=count(every))


def divisor_of(public: PublicModel, settings: Settings) -> int:
    """By how much D, F and the heads are smaller than the model's, a power of 2; 1 for not."""
    return round(public.shape.d_model / settings.d_model)


def settings_of(public: PublicModel, now: Settings, lengths: Sequence[int]) -> Settings:
    """Settings of the form that most layers of a model have, as large as fits for sentences of these lengths.

    Seed, dtype, device and dropout stay those of `now`.  D, F and the number of heads are halved until
    everything is within LIMITS and the run within memory.  Raises what the smallest still raises.
    """
    for halvings in range(MOST_HALVINGS + 1):
        try:
            made = _settings(public, now, 2**halvings)
            check(made.with_(device="cpu"), lengths)
        except (SettingError, MemoryRefusal):
            if halvings == MOST_HALVINGS:
                raise
        else:
            return made
    raise AssertionError


def _settings(public: PublicModel, now: Settings, divisor: int) -> Settings:
    layer, shape = public.shape.usual_layer, public.shape
    attention, ffn = layer.attention, layer.ffn
    heads = max(1, attention.heads // divisor)
    # As many query heads for each key-value head as in the model, where that divides.
    grouped = max(1, attention.heads // attention.kv_heads)
    kv_heads = max(1, heads // grouped)
    moe = ffn.is_moe
    return now.with_(
        d_model=max(1, shape.d_model // divisor),
        d_ff=max(1, ffn.d_ff // divisor),
        activation=public.activation,
        bias=ffn.bias,
        residual=True,
        norm={"layer_no_bias": "layer"}.get(shape.norm, shape.norm),
        norm_placement=public.placement,
        layers=min(int(LIMITS["layers"][1]), shape.depth),
        layer=0,
        stack=layer.stack,
        heads=heads,
        kv_heads=kv_heads if heads % kv_heads == 0 else heads,
        head_dim=min(int(LIMITS["head_dim"][1]), attention.head_dim),
        mixer=False,
        experts=min(int(LIMITS["experts"][1]), ffn.experts),
        top_k=ffn.top_k if moe else 1,
        routing="sigmoid_bias" if moe and ffn.selection_bias else "softmax_topk_renorm",
        shared_experts=min(16, round(ffn.shared_width / ffn.d_ff)) if moe else 0,
        capacity_factor=0.0,
        expert_groups=1,
        groups_kept=1,
    )
