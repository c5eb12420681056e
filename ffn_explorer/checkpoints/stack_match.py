"""A family's stacks found among a checkpoint's names, layer by layer."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from ffn_explorer.checkpoints.family import Family, Role, Stack
from ffn_explorer.checkpoints.layer_match import layer_at
from ffn_explorer.checkpoints.names import Key, Names
from ffn_explorer.checkpoints.packing import Packed
from ffn_explorer.checkpoints.place import Misfit, Place
from ffn_explorer.checkpoints.scheme import LayerScheme, Note
from ffn_explorer.checkpoints.settings_view import Config, View
from ffn_explorer.core.errors import InputError

COMMON_PREFIXES = (
    "", "model.", "transformer.", "language_model.model.", "model.language_model.", "language_model.",
    "model.language_model.model.", "model.text_model.", "text_model.", "model.model.", "llm.model.",
    "thinker.model.", "vision_tower.", "model.vision_tower.", "vision_model.", "model.vision_model.",
    "visual.", "model.visual.", "audio_tower.", "model.audio_tower.", "encoder.", "decoder.",
)  # fmt: skip
"""What wrappers of other models put before a stack: vision-language models above all."""

MOST_LAYERS = 1_000
"""Layers of all stacks together, fitting or not; the deepest published models have some 200."""


@dataclass(frozen=True, slots=True)
class Match:
    """A family's layers in a checkpoint.

    misfits: layers whose names fit and whose tensors do not.  normed: layers whose norm was found.
    """

    family: Family
    view: View
    prefix: str
    version: Literal["hub", "v5"]
    layers: tuple[LayerScheme, ...]
    misfits: tuple[Misfit, ...]
    doubts: tuple[Note, ...] = ()

    @property
    def normed(self) -> int:
        """Layers whose norm has its tensors, two norms counting twice."""
        return sum(bool(layer.pre_norm.weight) + bool(layer.post_norm.weight) for layer in self.layers)


def match_family(
    family: Family, names: Names, config: Config, *, packed: Mapping[str, Packed], model_type: str
) -> Match:
    """Every layer that fits; the first stack of the family that a layer fits has it."""
    claimed: dict[tuple[str, str, Key], LayerScheme] = {}
    wrong: dict[tuple[str, str, Key], Misfit] = {}
    versions: list[Literal["hub", "v5"]] = []
    for stack in _in_order(family, config, model_type=model_type):
        view = View(config, family, model_type, stack.name)
        for prefix, keys in _places(family, stack, names).items():
            if len(keys) + len(claimed) + len(wrong) > MOST_LAYERS:
                raise InputError("checkpoint.layers_many", layers=len(keys) + len(claimed) + len(wrong))
            # Counters of nested lists number the layers in order; a single one is the number itself.
            for order, key in enumerate(sorted(keys)):
                at = (stack.name, prefix, key)
                place = Place(names, packed, view, stack, prefix, key)
                index = key[0] if len(key) == 1 else order
                if at in claimed:
                    claimed[at] = _contested(claimed[at], place)
                    continue
                try:
                    layer = layer_at(place, index)
                except Misfit as misfit:
                    wrong.setdefault(at, misfit)
                    continue
                claimed[at] = _doubted(layer, place)
                versions.append(stack.version)
    prefixes = list(dict.fromkeys(prefix for _, prefix, _ in claimed))
    whole = View(config, family, model_type)
    layers, doubts = _within_count(family, claimed, whole)
    layers = [use for layer in layers for use in _uses(layer, whole)]
    return Match(
        family, whole, prefixes[0] if prefixes else "",
        "v5" if versions.count("v5") > len(versions) / 2 else "hub",
        _sorted(layers),
        tuple(misfit for at, misfit in wrong.items() if at not in claimed), doubts,
    )  # fmt: skip


def missing_layers(match: Match) -> int | None:
    """Number of the first layer that should be there and is not; None where all are.

    Layers without an FFN are no loss where a family has such (`sparse`).
    """
    for name in dict.fromkeys(layer.stack for layer in match.layers):
        stacks = [stack for stack in match.family.stacks if name.split(" ")[0] == stack.name]
        if not stacks or any(stack.sparse or "{layer}" not in stack.layers for stack in stacks):
            continue
        there = {layer.index for layer in match.layers if layer.stack == name}
        view = View(match.view.config, match.family, match.view.model_type, stacks[0].name)
        wanted = _count(stacks, view) or max(there) + 1
        lost = next((index for index in range(wanted) if index not in there), None)
        if lost is not None:
            return lost
    return None


def _in_order(family: Family, config: Config, *, model_type: str) -> list[Stack]:
    """Stacks that the configuration allows: those that it asks for, those without condition, the others."""
    ranked = []
    for place, stack in enumerate(family.stacks):
        holds = View(config, family, model_type, stack.name).holds(stack.when)
        if holds is not False:
            rank = 2 if holds is None else 0 if stack.when else 1
            ranked.append((rank, place, stack))
    return [stack for _, _, stack in sorted(ranked, key=lambda row: row[:2])]


def _places(family: Family, stack: Stack, names: Names) -> dict[str, set[Key]]:
    """Prefix -> keys of the layers that have the stack's up under it."""
    table = stack.ffn or stack.experts
    if table is None:
        return {}
    found: dict[str, set[Key]] = {}
    for role in (table.up, table.down):
        for prefix, key in _hits(family, stack, names, role):
            found.setdefault(prefix, set()).add(key)
    return found


def _hits(family: Family, stack: Stack, names: Names, role: Role) -> Iterator[tuple[str, Key]]:
    own = stack.prefixes or family.prefixes
    for name in role.names:
        pattern = stack.layers + name
        if own == ("*",):
            prefixes = names.prefixes(pattern)
        else:
            common = COMMON_PREFIXES if family.origin == "transformers" and not stack.prefixes else ()
            prefixes = tuple(dict.fromkeys((*own, *common)))
        for prefix in prefixes:
            for key in names.find(prefix + pattern):
                yield prefix, key


def _contested(layer: LayerScheme, place: Place) -> LayerScheme:
    """The layer, not to be built while another stack reads the same matrices otherwise and nothing decides.

    Stacks that the configuration asks for by name come first and leave no doubt.
    """
    if place.view.holds(place.stack.when) is not None or layer.gaps:
        return layer
    try:
        other = layer_at(place, layer.index)
    except Misfit:
        return layer
    one, two = (
        {role: (ref.names, ref.layout, ref.part) for role, ref in found.mlp.roles.items()}
        for found in (layer, other)
    )
    if one == two or {names for names, _, _ in one.values()} != {names for names, _, _ in two.values()}:
        return layer
    return replace(layer, gaps=(Note("checkpoint.gap_order", (("tensor", layer.mlp.up.names[0]),)),))


def _uses(layer: LayerScheme, view: View) -> list[LayerScheme]:
    """A shared layer once for each pair of low-rank matrices that one of its uses adds (Zamba 2)."""
    if len(layer.mlp.adapters) < 2:
        return [layer]
    places = view.get("hybrid_layer_ids")
    found = []
    for number, pair in layer.mlp.adapters:
        known = isinstance(places, list) and number < len(places) and isinstance(places[number], int)
        index = places[number] if known and isinstance(places, list) else number
        found.append(replace(layer, index=index, mlp=replace(layer.mlp, adapters=((number, pair),))))
    return found


def _doubted(layer: LayerScheme, place: Place) -> LayerScheme:
    """The layer with a doubt where nothing but the table tells how its matrices lie."""
    fused = any(ref.part for ref in layer.mlp.roles.values())
    square = layer.d_ff == layer.d_model and not fused
    other = {stack.version for stack in place.view.family.stacks}
    turned = any(ref.layout == "in_out" for ref in layer.mlp.roles.values())
    if square and turned and len(other) > 1:
        note = Note("checkpoint.doubt_square", (("d_ff", layer.d_ff), ("d_model", layer.d_model)))
        return replace(layer, doubts=(*layer.doubts, note))
    return layer


def _within_count(
    family: Family, claimed: Mapping[tuple[str, str, Key], LayerScheme], whole: View
) -> tuple[list[LayerScheme], tuple[Note, ...]]:
    """Layers inside the model's count, named apart where several prefixes have the stack; doubts."""
    first: dict[str, str] = {}
    kept: list[LayerScheme] = []
    beyond = 0
    for (name, prefix, _), layer in claimed.items():
        stacks = [stack for stack in family.stacks if stack.name == name]
        count = _count(stacks, View(whole.config, family, whole.model_type, name))
        if count and layer.index >= count:
            beyond += 1
            continue
        home = first.setdefault(name, prefix)
        kept.append(
            layer if prefix == home else replace(layer, stack=f"{name} ({prefix.rstrip('.') or '.'})")
        )
    notes = (Note("checkpoint.doubt_beyond", (("layers", beyond),)),) if beyond else ()
    return kept, notes


def _count(stacks: list[Stack], view: View) -> int | None:
    """Number of layers that the configuration promises."""
    found = (view.count(f"@{stack.count}") for stack in stacks if stack.count)
    return next((count for count in found if count), None)


def _sorted(layers: list[LayerScheme]) -> tuple[LayerScheme, ...]:
    """Stacks as they first come, each one's layers by their numbers."""
    ranks = {name: rank for rank, name in enumerate(dict.fromkeys(layer.stack for layer in layers))}
    return tuple(sorted(layers, key=lambda layer: (ranks[layer.stack], layer.index)))
