"""Changes of the settings, with the couplings that keep them possible together."""

from typing import Any

from ffn_explorer.core.cost import ffn_parameters, matched_width, usual_weights
from ffn_explorer.core.errors import SettingError
from ffn_explorer.core.settings import EXPERTS_CHOSEN, LIMITS, ORIGINAL_2017, Settings
from ffn_explorer.core.spec_of import spec_of
from ffn_explorer.core.stages import stages_of
from ffn_explorer.state.app_state import AppState, Compare
from ffn_explorer.state.change import Change, part


def set_setting(name: str, value: Any, *, gesture: str = "") -> Change:  # noqa: ANN401 - any field of Settings
    """Set one field of Settings; fields that would no longer fit follow (see `coupled`).

    Raises SettingError, with a sentence naming the field and the allowed range, on a bad value.
    """

    def to(state: AppState) -> AppState:
        if name == "layer" and state.source.opened is not None:
            from ffn_explorer.state.opened_changes import with_layer  # a layer of a file has its own sizes

            return with_layer(state, value)
        return with_settings(state, state.settings.with_(**coupled(state.settings, name, value)))

    return Change(f"undo.{name}", to, gesture)


def out_of_range(name: str, value: float, *, low: float, high: float) -> Change:
    """A change that cannot be made: it raises SettingError, whose sentence gives the range."""

    def refuse(_state: AppState) -> AppState:
        bare = {
            key: int(n) if n == int(n) else n for key, n in (("value", value), ("low", low), ("high", high))
        }
        raise SettingError("error.range", field=name, **bare)

    return Change("undo.settings", refuse)


def set_ratio(ratio: float, *, gesture: str = "") -> Change:
    """Dff = ratio times D, rounded to a whole number of neurons (at least 1)."""

    def to(state: AppState) -> AppState:
        width = max(1, round(ratio * state.settings.d_model))
        return with_settings(state, state.settings.with_(d_ff=width))

    return Change("undo.ratio", to, gesture)


def match_parameters() -> Change:
    """Dff that brings the FFN's weights nearest to those of B, or of two matrices of width 4 D without B.

    So SwiGLU at D = 768 beside ReLU of 3,072 gets 2,048: 4,718,592 weights both.
    """
    return Change(
        "undo.match", lambda state: with_settings(state, parameter_matched(state.settings, state.compare))
    )


def parameter_matched(settings: Settings, compare: Compare | None) -> Settings:
    """Settings at the width that `match_parameters` chooses."""
    wanted = matched_width(settings, weights_to_match(settings, compare))
    return settings.with_(d_ff=min(wanted, int(LIMITS["d_ff"][1])))


def weights_to_match(settings: Settings, compare: Compare | None) -> int:
    """Weights of B, or of the usual FFN of this D where nothing is compared."""
    return usual_weights(settings) if compare is None else ffn_parameters(compare.settings, bias=False)


def preset_2017() -> Change:
    """The settings of the original paper: 512 / 2048, ReLU, bias, post-norm; dtype, device and seed stay."""

    def to(state: AppState) -> AppState:
        now = state.settings
        return with_settings(state, ORIGINAL_2017.with_(seed=now.seed, dtype=now.dtype, device=now.device))

    return Change("undo.preset_2017", to)


def use_settings(settings: Settings) -> Change:
    """Take over a whole set of settings."""
    return Change("undo.settings", lambda state: with_settings(state, settings))


def with_settings(state: AppState, settings: Settings) -> AppState:
    """State with these settings and a selection that still exists among them."""
    chosen = state.selection
    stage = chosen.stage if chosen.stage in stages_of(spec_of(settings)) else None
    chosen = part(
        chosen,
        stage=stage,
        neuron=None if chosen.neuron is None or chosen.neuron >= settings.d_ff else chosen.neuron,
        dim=None if chosen.dim is None or chosen.dim >= settings.d_model else chosen.dim,
        expert=None if chosen.expert is None or chosen.expert >= settings.experts else chosen.expert,
    )
    return part(state, settings=settings, selection=chosen)


def coupled(now: Settings, name: str, value: Any) -> dict[str, Any]:  # noqa: ANN401
    """Fields to set when a person sets one: the field itself, and those that would no longer fit it.

    D and Dff are free of each other, and a new activation keeps Dff.
    """
    fields = {name: value}
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        if name == "norm" and now.norm == "none":
            fields["norm_placement"] = "pre"
        return fields
    if name == "layers":
        fields["layer"] = min(now.layer, value - 1)
    elif name == "heads":
        fields["kv_heads"] = value if now.kv_heads == now.heads else _divisor(value, now.kv_heads)
    elif name == "kv_heads":
        fields[name] = _divisor(now.heads, value)
    elif name == "experts":
        fields |= _experts(now, value)
    elif name == "expert_groups":
        fields |= _groups(now, _divisor(now.experts, value))
    elif name == "groups_kept":
        fields["top_k"] = min(now.top_k, now.experts // now.expert_groups * value)
    return fields


def _experts(now: Settings, experts: int) -> dict[str, Any]:
    if experts == 1:
        return {"top_k": 1, "expert_groups": 1, "groups_kept": 1}
    # From a plain FFN, the first choice starts at two of the experts, as in most published models.
    wanted = now.top_k if now.is_moe else EXPERTS_CHOSEN
    groups = _divisor(experts, now.expert_groups)
    kept = min(now.groups_kept, groups)
    return {"top_k": min(wanted, experts // groups * kept), "expert_groups": groups, "groups_kept": kept}


def _groups(now: Settings, groups: int) -> dict[str, Any]:
    kept = min(now.groups_kept, groups)
    top_k = min(now.top_k, now.experts // groups * kept)
    return {"expert_groups": groups, "groups_kept": kept, "top_k": top_k}


def _divisor(total: int, wanted: int) -> int:
    """Largest divisor of total that is at most wanted."""
    return next(d for d in range(max(1, min(total, wanted)), 0, -1) if total % d == 0)
