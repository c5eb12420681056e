"""A family chosen by names alone, where no configuration names one: what it leaves open is said."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ffn_explorer.checkpoints.family_files import families
from ffn_explorer.checkpoints.names import Names
from ffn_explorer.checkpoints.packing import Packed
from ffn_explorer.checkpoints.scheme import LayerScheme, Note
from ffn_explorer.checkpoints.settings_view import ACT_KEYS, FUNCTION_OF, Config
from ffn_explorer.checkpoints.stack_match import Match, match_family, missing_layers

SCALES = (
    "mlp_multipliers", "residual_multiplier", "swiglu_limit", "swiglu_limits", "swiglu_alpha", "scale_depth",
    "mlp_alpha_factor", "activation_sparsity_pattern", "hidden_act_alpha",
)  # fmt: skip
"""Keys of configurations whose models scale or clamp inside the layer, as their families know."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The family that names chose, and what they leave open."""

    match: Match
    doubts: tuple[Note, ...]


def by_names(names: Names, config: Config, packed: Mapping[str, Packed], *, said: str) -> Choice | None:
    """The family whose patterns explain most layers; None where none does.

    said: the model type of the configuration, which no family claims.  Where families read the same matrices
    differently, the layers are listed and not built.
    """
    matches = [
        match_family(family, names, config, packed=packed, model_type="")
        for family in families().values()
        if not family.opens and not family.text_of
    ]
    whole = [
        match for match in matches if match.layers and not match.misfits and missing_layers(match) is None
    ]
    if not whole:
        return None
    most = max(len(match.layers) for match in whole)
    best = [match for match in whole if len(match.layers) == most]
    best.sort(key=lambda m: (-m.normed, -len(m.family.types), m.family.family))
    rivals = [match for match in best if _layout(match) != _layout(best[0]) and _same_tensors(match, best[0])]
    chosen = _to_confirm(_with_activation(best[0], config), config)
    by_type = Note("checkpoint.doubt_family", (("family", chosen.family.family), ("said", said)))
    found = by_type if said else Note("checkpoint.doubt_names", (("family", chosen.family.family),))
    if rivals:
        listed = ", ".join(sorted({match.family.family for match in (best[0], *rivals)})[:8])
        # Not even the matrices are certain: listed, and computed once a person has said how they lie.
        chosen = replace(chosen, layers=tuple(confirmed_later(layer, listed) for layer in chosen.layers))
        return Choice(chosen, (found, Note("checkpoint.family_unsure", (("families", listed),))))
    return Choice(chosen, (found, *_disagreements(chosen, best)))


def _to_confirm(match: Match, config: Config) -> Match:
    """The match, its layers not to be built before a person has looked where names alone are too little.

    Safe are matrices of their own for gate, up and down: the order of halves, the router's rule and scales
    inside the FFN differ between models with the same names.
    """
    scales = [key for key in SCALES if config.get(key) not in (None, 1, 1.0, [], False)]
    layers = []
    for layer in match.layers:
        parts = any(ref.part for ref in layer.mlp.roles.values())
        why = (
            scales[0]
            if scales
            else "router"
            if layer.kind == "moe"
            else layer.mlp.up.names[0]
            if parts
            else ""
        )
        layers.append(confirmed_later(layer, why))
    return replace(match, layers=tuple(layers))


def confirmed_later(layer: LayerScheme, why: str) -> LayerScheme:
    """The layer, listed and not built before a person confirms it; as it is where nothing is against it."""
    if not why or layer.gaps:
        return layer
    return replace(layer, gaps=(Note("checkpoint.gap_confirm", (("said", why),)),))


def _layout(match: Match) -> tuple[object, ...]:
    refs = match.layers[0].mlp.roles
    return tuple((role, ref.names, ref.layout, ref.part) for role, ref in refs.items())


def _same_tensors(one: Match, other: Match) -> bool:
    """Whether two matches read the same matrices: then a difference in layout is a contradiction."""
    files = [{n for ref in match.layers[0].mlp.roles.values() for n in ref.names} for match in (one, other)]
    return files[0] == files[1]


def _with_activation(match: Match, config: Config) -> Match:
    """The match with the activation that the configuration names under any usual key."""
    said = next((config[key] for key in ACT_KEYS if isinstance(config.get(key), str)), None)
    function = FUNCTION_OF.get(str(said).lower(), "") if said is not None else None
    if function is None:
        return match
    layers = tuple(
        replace(
            layer,
            said="" if function else str(said)[:60],
            mlp=replace(layer.mlp, spec=replace(layer.mlp.spec, function=function)),
            spec=replace(layer.spec, function=function),
        )
        for layer in match.layers
    )
    return replace(match, layers=layers)


def _disagreements(chosen: Match, best: list[Match]) -> tuple[Note, ...]:
    """What families with these names compute differently: activation, norm, place of the norm."""
    same = [match for match in best if _layout(match) == _layout(chosen)]
    notes: list[Note] = []
    acts = sorted({match.layers[0].activation for match in same if match.layers[0].activation})
    if len(acts) > 1:
        notes.append(
            Note(
                "checkpoint.doubt_activation_of",
                (("used", chosen.layers[0].activation), ("all", ", ".join(acts))),
            )
        )
    norms = sorted({_norm_words(match.layers[0]) for match in same if match.normed == chosen.normed})
    if len(norms) > 1:
        notes.append(
            Note(
                "checkpoint.doubt_norm_of",
                (("used", _norm_words(chosen.layers[0])), ("all", ", ".join(norms))),
            )
        )
    ref = chosen.layers[0].mlp.gate
    if ref is not None and ref.part:
        notes.append(Note("checkpoint.doubt_fused", (("tensor", ref.names[0]), ("part", ref.part))))
    return tuple(notes)


def _norm_words(layer: LayerScheme) -> str:
    norm = layer.spec.norm
    return f"{norm.kind}{'+1' if norm.weight_offset else ''} {norm.placement}"
