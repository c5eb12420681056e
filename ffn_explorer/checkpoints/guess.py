"""An FFN found by structure where no family fits: only shapes of names that are the same everywhere."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice

from ffn_explorer.checkpoints.family import Act, Family, Layout, Mlp, Role, Stack
from ffn_explorer.checkpoints.guess_shapes import by_shapes
from ffn_explorer.checkpoints.name_match import confirmed_later
from ffn_explorer.checkpoints.names import Names
from ffn_explorer.checkpoints.packing import Packed
from ffn_explorer.checkpoints.scheme import LensScheme, Note, Scheme
from ffn_explorer.checkpoints.settings_view import ACT_KEYS, Config
from ffn_explorer.checkpoints.stack_match import Match, match_family
from ffn_explorer.checkpoints.stream_width import EMBEDDINGS, width_of
from ffn_explorer.core.errors import InputError

_MOST_KEYS = 10_000
"""Layers of one place that are looked at; no model has as many."""

_MOST_PLACES = 200
"""Places with the safe names that are tried; a model has some dozens at most."""

_MOST_HEADS = 2_000
"""Places of one pair of names that are looked at for the others."""

GUESSED = 0.3
"""Confidence of what structure alone tells."""

BY_SHAPES = 0.2
"""Confidence where not even the names are known."""

_GATED = (("gate_proj", "up_proj", "down_proj"), ("w1", "w3", "w2"), ("wi_0", "wi_1", "wo"))
"""Gate, up, down by names whose order is the same wherever they occur."""

_PLAIN = (
    ("up_proj", "down_proj"), ("fc1", "fc2"), ("c_fc", "c_proj"), ("fc_in", "fc_out"),
    ("dense_h_to_4h", "dense_4h_to_h"), ("linear1", "linear2"), ("lin1", "lin2"), ("wi", "wo"),
    ("linear_1", "linear_2"), ("intermediate_dense", "output_dense"),
    ("feed_forward.intermediate", "feed_forward.output"), ("intermediate.dense", "output.dense"),
    ("ff.net.0.proj", "ff.net.2"),
)  # fmt: skip
"""Up and down of FFNs without a gate."""


def guess(names: Names, config: Config, packed: Mapping[str, Packed]) -> Scheme:
    """The layers that structure shows, with all that it leaves open; InputError where it shows none."""
    matches = [
        match
        for stack in (*_candidates(names, gated=True), *_candidates(names, gated=False))
        if (match := _fitting(stack, names, config, packed)) is not None
    ]
    if not matches:
        return _by_shapes(names, config, packed)
    match = max(matches, key=lambda m: (len(m.layers), bool(m.layers[0].mlp.gate)))
    return _scheme(match, names, config, confidence=GUESSED)


def _by_shapes(names: Names, config: Config, packed: Mapping[str, Packed]) -> Scheme:
    """The layers that shapes alone show, none of them to be computed before a person has looked."""
    found = by_shapes(names, config, packed, d_model=width_of(names, config))
    if found is None:
        raise InputError("checkpoint.no_ffn", tensors=len(names.shapes))
    match, doubts = found
    scheme = _scheme(match, names, config, confidence=BY_SHAPES)
    layers = tuple(confirmed_later(layer, layer.mlp.up.names[0]) for layer in scheme.layers)
    return replace(scheme, layers=layers, doubts=(*scheme.doubts, *doubts))


def _scheme(match: Match, names: Names, config: Config, *, confidence: float) -> Scheme:
    first = match.layers[0]
    doubts = [Note("checkpoint.doubt_structure"), Note("checkpoint.doubt_norm")]
    if first.d_ff == first.d_model or width_of(names, config) is None:
        doubts.append(Note("checkpoint.doubt_square", (("d_ff", first.d_ff), ("d_model", first.d_model))))
    acts = sorted(set(_acts(config)))
    if len(acts) > 1:
        doubts.append(
            Note(
                "checkpoint.doubt_activation_of",
                (("used", first.activation or first.said), ("all", ", ".join(acts))),
            )
        )
    lens = LensScheme(embedding=next((names.own[n] for n in names.shapes if n.endswith(EMBEDDINGS)), ""))
    return Scheme("", match.prefix, "hub", match.layers, lens, confidence, tuple(doubts))


def _candidates(names: Names, *, gated: bool) -> list[Stack]:
    """Stacks of every place where the safe names stand together under one counter."""
    act = Act(keys=ACT_KEYS, unknown="no activation is named")
    found: dict[str, Stack] = {}
    for roles in _GATED if gated else _PLAIN:
        end = (roles[1] if gated else roles[0]) + ".weight"
        for layers in islice(_heads(names, end), _MOST_HEADS):
            if len(found) == _MOST_PLACES:
                break
            if not all(names.find(layers + role + ".weight") for role in roles):
                continue
            table = [Role((role + ".weight",)) for role in roles]
            mlp = Mlp(table[-2], table[-1], act, table[0] if gated else None)
            found.setdefault(layers, Stack("layers", layers, ffn=mlp))
    return list(found.values())


def _heads(names: Names, end: str) -> Iterator[str]:
    """What stands before `end`, with {layer} for the number that counts most and the others as they are.

    Experts are none of this: their router's rule cannot be seen.
    """
    hashed = "".join("#" if c.isdigit() else c for c in end)
    for template, group in names.templates.items():
        head = template.removesuffix(hashed)
        if head == template or head[-1:] not in ("", ".") or "expert" in head or "#" not in head:
            continue
        own = [key for key, name in group.items() if name.endswith(end)][:_MOST_KEYS]
        counters = head.count("#")
        many = max(range(counters), key=lambda at: (len({key[at] for key in own}), -at), default=0)
        for others in dict.fromkeys((*key[:many], *key[many + 1 : counters]) for key in own):
            filled = iter([*others[:many], "{layer}", *others[many:]])
            yield "".join(str(next(filled)) if c == "#" else c for c in head)


def _fitting(stack: Stack, names: Names, config: Config, packed: Mapping[str, Packed]) -> Match | None:
    """The match of one candidate in the layout that its shapes allow; None where none does."""
    width = width_of(names, config)
    layouts: tuple[Layout, ...] = ("out_in", "in_out")
    for layout in layouts:
        mlp = stack.ffn
        assert mlp is not None
        turned = replace(
            mlp,
            up=replace(mlp.up, layout=layout),
            down=replace(mlp.down, layout=layout),
            gate=None if mlp.gate is None else replace(mlp.gate, layout=layout),
        )
        one = replace(stack, ffn=turned)
        family = Family("", (), "non-hf", "read", stacks=(one,))
        match = match_family(family, names, config, packed=packed, model_type="")
        widths = {layer.d_model for layer in match.layers}
        if match.layers and not match.misfits and len(widths) == 1 and width in (None, *widths):
            return match
    return None


def _acts(config: Config) -> Iterator[str]:
    """Every activation that the configuration names, in itself and in its parts."""
    for place in (config, *(part for part in config.values() if isinstance(part, dict))):
        for key in ACT_KEYS:
            if isinstance(said := place.get(key), str):
                yield said[:60]
