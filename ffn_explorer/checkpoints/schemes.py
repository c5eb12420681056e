"""From names, shapes and configuration to the FFN layers: by type, by names, by structure, or refused."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice

from ffn_explorer.checkpoints.around_shapes import fitted
from ffn_explorer.checkpoints.beside import beside
from ffn_explorer.checkpoints.corrected import corrected
from ffn_explorer.checkpoints.correction import Correction
from ffn_explorer.checkpoints.family import Family
from ffn_explorer.checkpoints.family_files import families_by_type
from ffn_explorer.checkpoints.guess import guess
from ffn_explorer.checkpoints.lens_match import lens_of
from ffn_explorer.checkpoints.name_match import by_names, confirmed_later
from ffn_explorer.checkpoints.names import Names, Shape
from ffn_explorer.checkpoints.packing import Packed, packed_weights
from ffn_explorer.checkpoints.scheme import LayerScheme, Note, Scheme
from ffn_explorer.checkpoints.settings_view import MOST_WORD, Config
from ffn_explorer.checkpoints.stack_match import Match, match_family, missing_layers
from ffn_explorer.core.errors import InputError

BY_NAMES = 0.7
"""Confidence where names alone chose the family."""

OTHER_TYPE = 0.5
"""Confidence where the configuration names a type that no family claims."""

_PARTS = ("text_config", "llm_config", "language_config")

MOST_PARTS = 32
"""Parts of a configuration that may each name a model type; models have up to six."""


def scheme_of(tensors: Mapping[str, Shape], config: Config) -> Scheme:
    """The FFN layers of a checkpoint.

    tensors: shape by name, of every tensor.  config: the model's configuration, {} where there is none; GGUF
    metadata as they are.  Raises InputError where there is no FFN, where layers are missing or contradict
    each other, and where nothing tells how a fused or square matrix lies.
    """
    _refuse_adapters(tensors)
    whole, packed = unpacked_shapes(tensors, config)
    return _fitted(_found(whole, config, packed), whole)


def _fitted(scheme: Scheme, whole: Mapping[str, Shape]) -> Scheme:
    """The scheme, layers not to be built where norms, router or scales do not fit their matrices."""
    return replace(scheme, layers=tuple(fitted(layer, whole) for layer in scheme.layers))


def _found(whole: Mapping[str, Shape], config: Config, packed: Mapping[str, Packed]) -> Scheme:
    known = _model_type(config)
    names = Names(whole)
    for renames in ({}, *(family.renames for family in families_by_type().get(known, ()) if family.renames)):
        tried = Names(whole, renames) if renames else names
        found = _by_type(tried, config, packed)
        if found:
            return _scheme(found, tried, confidence=1.0)
    choice = by_names(names, config, packed, said=known)
    if choice is None:
        scheme = guess(names, config, packed)
        extra = beside(scheme.layers, names)
        later = (confirmed_later(layer, extra.get((layer.stack, layer.kind), "")) for layer in scheme.layers)
        return replace(scheme, layers=tuple(later))
    scheme = _scheme([choice.match], names, confidence=OTHER_TYPE if known else BY_NAMES)
    return replace(scheme, doubts=(*scheme.doubts, *choice.doubts))


def unpacked_shapes(
    tensors: Mapping[str, Shape], config: Config
) -> tuple[dict[str, Shape], dict[str, Packed]]:
    """Shape of every tensor, of packed ones that of the numbers behind them; and how those are packed."""
    method = config.get("quantization_config")
    said = method.get("quant_method", "") if isinstance(method, dict) else ""
    packed = packed_weights(tensors, str(said).lower())
    return {**tensors, **{name: one.shape for name, one in packed.items()}}, packed


def read_as(scheme: Scheme | None, tensors: Mapping[str, Shape], config: Config, *, by: Correction) -> Scheme:
    """The scheme with one stack read as a person says; InputError where the file has no such thing."""
    whole, packed = unpacked_shapes(tensors, config)
    return _fitted(corrected(scheme, Names(whole), config, packed, by=by), whole)


def _by_type(names: Names, config: Config, packed: Mapping[str, Packed]) -> list[Match]:
    """Matches of the families that claim the configuration's model types, the main one first."""
    found: list[Match] = []
    for model_type, part, chosen in _claims(config):
        matches = [match_family(f, names, part, packed=packed, model_type=model_type) for f in chosen]
        matches = [match for match in matches if match.layers or match.misfits]
        # Of families with equally many layers the narrower one knows the type better.
        matches.sort(key=lambda m: (-len(m.layers), len(m.misfits), len(m.family.types)))
        new = [m for m in matches[:1] if not _overlaps(m, found)]
        for match in new:
            _refuse_misfits(match)
        found += new
    return found


def _claims(config: Config) -> Iterator[tuple[str, Config, tuple[Family, ...]]]:
    """Model type, its part of the configuration and the families that claim it; the whole first."""
    by_type = families_by_type()
    model_type = _model_type(config)
    done: set[str] = set()
    groups: dict[str, list[Family]] = {}
    for family in by_type.get(model_type, ()):
        groups.setdefault(family.text_of, []).append(family)
    for part in sorted(groups, key=lambda name: name not in ("", *_PARTS)):
        claiming = groups[part]
        inner = config.get(part) if part else config
        own = _model_type(inner) if isinstance(inner, dict) and part else ""
        done.add(part)
        known = by_type.get(own, ()) if own != model_type else ()
        plain = tuple(family for family in known if not family.text_of or family in claiming)
        # A part that names a known type has that type's layout; the wrapper's own is the fallback.
        yield (
            own or model_type,
            {**config, **inner} if isinstance(inner, dict) else config,
            plain or tuple(claiming),
        )
        if plain:
            yield model_type, {**config, **inner} if isinstance(inner, dict) else config, tuple(claiming)
    others = (
        (inner, own)
        for part, inner in config.items()
        if part not in done and isinstance(inner, dict) and (own := _model_type(inner))
    )
    for inner, own in islice(others, MOST_PARTS):
        plain = tuple(family for family in by_type.get(own, ()) if not family.text_of)
        if plain:
            yield own, inner, plain


def _model_type(config: Config) -> str:
    if isinstance(config.get("general.architecture"), str):
        return "gguf"
    found = config.get("model_type")
    return found[:MOST_WORD] if isinstance(found, str) else ""


def _overlaps(match: Match, found: list[Match]) -> bool:
    taken = {name for other in found for layer in other.layers for name in layer.mlp.up.names}
    return any(name in taken for layer in match.layers for name in layer.mlp.up.names)


def _scheme(found: list[Match], names: Names, *, confidence: float) -> Scheme:
    main = found[0]
    layers: list[LayerScheme] = []
    for match in found:
        taken = {(layer.stack, layer.index) for layer in layers}
        clash = any((layer.stack, layer.index) in taken for layer in match.layers)
        add = f" ({match.family.family})" if clash else ""
        layers += [replace(layer, stack=layer.stack + add) for layer in match.layers]
    lens = lens_of(main.family, names, main.view, prefix=main.prefix)
    doubts = [note for match in found for note in match.doubts]
    extra = beside(layers, names)
    if confidence < 1.0:
        layers = [confirmed_later(layer, extra.get((layer.stack, layer.kind), "")) for layer in layers]
    else:
        doubts += [
            Note("checkpoint.doubt_beside", (("tensor", name),)) for name in dict.fromkeys(extra.values())
        ]
    return Scheme(
        main.family.family, main.prefix, main.version, tuple(layers), lens, confidence, tuple(doubts)
    )


def _refuse_misfits(match: Match) -> None:
    if match.misfits:
        misfit = match.misfits[0]
        raise InputError(misfit.key, **misfit.values)
    lost = missing_layers(match)
    if lost is not None:
        raise InputError("checkpoint.layer_missing", layer=lost, found=len(match.layers))


def _refuse_adapters(tensors: Mapping[str, Shape]) -> None:
    """A folder with low-rank pairs and nothing else holds no weights of its own."""
    pairs = sum(".lora_A." in name or ".lora_B." in name or ".lora_magnitude" in name for name in tensors)
    if pairs and pairs == len(tensors):
        raise InputError("checkpoint.adapter", tensors=pairs)
