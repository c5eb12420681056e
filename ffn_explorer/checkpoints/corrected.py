"""A file read as a person says: the layers that follow from a correction, or why there are none."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ffn_explorer.checkpoints.correction import Correction
from ffn_explorer.checkpoints.family import Act, Family, Mlp, Norm, Part, Role, Stack
from ffn_explorer.checkpoints.names import Names, unwrapped
from ffn_explorer.checkpoints.packing import Packed
from ffn_explorer.checkpoints.scheme import LayerScheme, LensScheme, MlpScheme, Note, Scheme, TensorRef
from ffn_explorer.checkpoints.settings_view import Config
from ffn_explorer.checkpoints.stack_match import match_family
from ffn_explorer.checkpoints.stream_width import usual_width, width_of
from ffn_explorer.core.activation_table import FUNCTIONS
from ffn_explorer.core.errors import InputError

OTHER_PART: Mapping[Part, Part] = {"half0": "half1", "half1": "half0", "even": "odd", "odd": "even"}
"""Which part of a fused tensor is up where gate is this one."""

SAID = Note("checkpoint.corrected")
"""That a person read the file so."""

_SETTLED = (
    "checkpoint.doubt_structure", "checkpoint.doubt_norm", "checkpoint.doubt_square", "checkpoint.doubt_gate",
    "checkpoint.doubt_activation", "checkpoint.doubt_activation_of", "checkpoint.doubt_norm_of",
    "checkpoint.doubt_family", "checkpoint.doubt_names", "checkpoint.doubt_beside", "checkpoint.doubt_fused",
    "checkpoint.family_unsure", "checkpoint.gap_order", "checkpoint.doubt_order_of",
)  # fmt: skip
"""Doubts that a person's reading settles."""


def reading_of(scheme: Scheme, stack: str) -> Correction:
    """The correction that changes nothing: how the scheme reads a stack now."""
    layers = [layer for layer in scheme.layers if layer.stack == stack]
    first = layers[0]
    mlp, norm = first.mlp, first.spec.norm
    kind = "none" if norm.kind == "none" else norm.kind + ("+1" if norm.weight_offset else "")
    stored = unwrapped(first.pre_norm.weight or first.post_norm.weight).removesuffix(".weight")
    named = first.router is None
    others = layers[-1]
    return Correction(
        stack=stack,
        gate=_pattern(mlp.gate, others.mlp.gate or mlp.gate) if named and mlp.gate is not None else "",
        up=_pattern(mlp.up, others.mlp.up) if named else "",
        down=_pattern(mlp.down, others.mlp.down) if named else "",
        layout=mlp.up.layout,
        fused="" if mlp.gate is None else mlp.gate.part,
        function=first.activation,
        norm=kind,
        place=norm.placement,
        norm_name=_numbered(
            stored, unwrapped(others.pre_norm.weight or others.post_norm.weight).removesuffix(".weight")
        ),
    )


def corrected(
    scheme: Scheme | None, names: Names, config: Config, packed: Mapping[str, Packed], *, by: Correction
) -> Scheme:
    """The scheme with one stack read as a person says.

    Raises InputError, one sentence, where the file has no such tensors or their shapes contradict each other.
    """
    if by.function not in FUNCTIONS:
        raise InputError("checkpoint.correct_function")
    old = () if scheme is None else scheme.layers
    mine = [layer for layer in old if layer.stack == by.stack]
    if scheme and mine and not by.up and _norm_said(by) != _norm_said(reading_of(scheme, by.stack)):
        raise InputError("checkpoint.correct_norm", tensor=by.norm_name or by.norm, layer=mine[0].index)
    new = _matched(names, config, packed, by=by) if by.up else tuple(_amended(layer, by) for layer in mine)
    if not new:
        raise InputError("checkpoint.correct_nothing", tensor=by.up or by.stack)
    widths = {layer.d_model for layer in mine} | {width_of(names, config) or usual_width(names)}
    if new[0].d_model not in widths and None not in widths:
        shape = str(list(new[0].mlp.up.shape))
        width = max(filter(None, widths))
        raise InputError("checkpoint.layer_shapes", tensor=by.up, shapes=shape, d_model=width)
    at = next((place for place, layer in enumerate(old) if layer.stack == by.stack), len(old))
    rest = [layer for layer in old if layer.stack != by.stack]
    layers = (*rest[:at], *new, *rest[at:])
    if scheme is None:
        return Scheme("", "", "hub", layers, LensScheme(), 1.0, (SAID,))
    doubts = tuple(note for note in scheme.doubts if note.key not in (*_SETTLED, SAID.key))
    return replace(scheme, layers=layers, confidence=1.0, doubts=(*doubts, SAID))


def _matched(
    names: Names, config: Config, packed: Mapping[str, Packed], *, by: Correction
) -> tuple[LayerScheme, ...]:
    """Layers whose tensors bear the names given."""
    stack = Stack(
        by.stack or "layers", "",
        norm=(_norm(by),) if by.norm != "none" else (),
        ffn=_table(by), prefixes=("",),
    )  # fmt: skip
    family = Family("", (), "non-hf", "read", stacks=(stack,))
    match = match_family(family, names, config, packed=packed, model_type="")
    if match.misfits:
        misfit = match.misfits[0]
        raise InputError(misfit.key, **misfit.values)
    lost = next((layer for layer in match.layers if not _has_norm(layer)), None)
    if by.norm_name and by.norm != "none" and lost is not None:
        raise InputError("checkpoint.correct_norm", tensor=by.norm_name, layer=lost.index)
    return match.layers


def _norm_said(by: Correction) -> tuple[str, ...]:
    """Where tensors are not named by hand, as in a mixture, the norm stays as it was found."""
    return by.norm, by.place, by.norm_name


def _has_norm(layer: LayerScheme) -> bool:
    return bool(layer.pre_norm.weight or layer.post_norm.weight)


def _table(by: Correction) -> Mlp:
    both = bool(by.fused)
    up, gate, down = map(unwrapped, (by.up, by.gate, by.down))
    read = Role((up if both else gate,), by.layout, by.fused) if both or gate else None
    other = Role((up,), by.layout, OTHER_PART[by.fused] if both else "")
    return Mlp(other, Role((down,), by.layout), Act(fixed=by.function), read)


def _norm(by: Correction) -> Norm:
    """The norm by its tensors; bare where no name is given."""
    after = by.place in ("post", "post_only")
    name = unwrapped(by.norm_name)
    pre, post = ("", name) if after else (name, "")
    return Norm(by.norm, by.place, pre, post, bare=not by.norm_name)


def _amended(layer: LayerScheme, by: Correction) -> LayerScheme:
    """The layer with its own tensors: another function, the other order of a fused tensor, turned squares."""
    square = layer.d_ff == layer.d_model
    mlp = _amended_mlp(layer.mlp, by, square=square)
    return replace(
        layer,
        mlp=mlp,
        shared=None if layer.shared is None else _amended_mlp(layer.shared, by, square=False),
        spec=replace(layer.spec, function=by.function),
        said="",
        doubts=tuple(note for note in layer.doubts if note.key not in _SETTLED),
        gaps=tuple(note for note in layer.gaps if note.key != "checkpoint.gap_confirm"),
    )


def _amended_mlp(mlp: MlpScheme, by: Correction, *, square: bool) -> MlpScheme:
    gate, up, down = mlp.gate, mlp.up, mlp.down
    if gate is not None and gate.part and by.fused:
        gate, up = replace(gate, part=by.fused), replace(up, part=OTHER_PART[by.fused])
    if square and "grouped" not in (up.layout, by.layout):
        up, down = replace(up, layout=by.layout), replace(down, layout=by.layout)
        gate = None if gate is None else replace(gate, layout=by.layout)
    return replace(mlp, gate=gate, up=up, down=down, spec=replace(mlp.spec, function=by.function))


def _pattern(one: TensorRef, other: TensorRef) -> str:
    return _numbered(unwrapped(one.names[0]), unwrapped(other.names[0]))


def _numbered(one: str, other: str) -> str:
    """A layer's name with {layer} where another layer's has another number; as it is where none differs."""
    parts, others = (re.split(r"(\d+)", name) for name in (one, other))
    if len(parts) != len(others):
        return one
    differ = [at for at, (a, b) in enumerate(zip(parts, others, strict=True)) if a != b]
    if not differ:
        return _first_number(parts)
    parts[differ[0]] = "{layer}"
    return "".join(parts)


def _first_number(parts: Sequence[str]) -> str:
    """With a single layer the first number counts it."""
    kept = list(parts)
    if len(kept) > 1:
        kept[1] = "{layer}"
    return "".join(kept)
