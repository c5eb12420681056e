"""An FFN found by the shapes of its matrices alone, whatever they are called; never computed unconfirmed."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ffn_explorer.checkpoints.family import Act, Family, Layout, Mlp, Part, Role, Stack
from ffn_explorer.checkpoints.names import Names, Shape
from ffn_explorer.checkpoints.packing import Packed
from ffn_explorer.checkpoints.scheme import Note
from ffn_explorer.checkpoints.settings_view import ACT_KEYS, Config
from ffn_explorer.checkpoints.stack_match import Match, match_family
from ffn_explorer.checkpoints.stream_width import usual_width

ATTENTION = re.compile(r"att|qkv|query|(?:^|[._])[qkvo](?:_?proj)?[._]|lora|rotary|conv|embed", re.IGNORECASE)
"""Parts of names that other matrices than an FFN's bear."""

GATE = re.compile(r"gate|(?:^|[._])(?:w1|w_?g)(?:$|[._])|glu|fc1_g", re.IGNORECASE)
"""Parts of names that a gate bears."""

WEIGHT = ".weight"
MOST_PLACES, MOST_MEMBERS = 200, 100
"""Groups of matrices that are looked at, and matrices of one; a model has a handful, of a dozen each."""


@dataclass(frozen=True, slots=True)
class Member:
    """A matrix of one layer: its name after the layer's number, shape, and length of its bias (0 without)."""

    name: str
    shape: tuple[int, int]
    bias: int


@dataclass(frozen=True, slots=True)
class Found:
    """Roles by names relative to the layer, and what they leave open."""

    stack: Stack
    doubts: tuple[Note, ...]


def by_shapes(
    names: Names, config: Config, packed: Mapping[str, Packed], *, d_model: int | None
) -> tuple[Match, tuple[Note, ...]] | None:
    """The layers whose matrices widen D to F and narrow it back, and doubts; None where none do.

    Of several places the one with most layers counts, then the widest F.
    """
    width = d_model or usual_width(names)
    if width is None:
        return None
    best: tuple[Match, tuple[Note, ...]] | None = None
    for layers, members in _places(names).items():
        found = _roles(layers, members, width)
        if found is None:
            continue
        family = Family("", (), "non-hf", "read", stacks=(found.stack,))
        match = match_family(family, names, config, packed=packed, model_type="")
        if match.layers and not match.misfits and (best is None or _rank(match) > _rank(best[0])):
            best = match, found.doubts
    return best


def _rank(match: Match) -> tuple[int, int]:
    return len(match.layers), match.layers[0].d_ff


def _places(names: Names) -> dict[str, list[Member]]:
    """What stands before a layer's own names, with {layer} -> the matrices of its first layer."""
    found: dict[str, list[Member]] = {}
    for template, group in names.templates.items():
        key, name = next(iter(group.items()))
        shape = names.shapes[name]
        if len(shape) != 2 or ATTENTION.search(name) or "expert" in name:
            continue
        head, rest = _split(template, group, key)
        known = head in found
        room = len(found[head]) < MOST_MEMBERS if known else len(found) < MOST_PLACES
        if head and rest.count("#") == 0 and room:
            bias = names.shapes.get(name.removesuffix(WEIGHT) + ".bias", ())
            member = Member(rest, (shape[0], shape[1]), bias[0] if len(bias) == 1 else 0)
            found.setdefault(head, []).append(member)
    return found


def _split(template: str, group: Mapping[tuple[int, ...], str], key: tuple[int, ...]) -> tuple[str, str]:
    """Head with {layer} for the counter that runs, other numbers as they are; and what follows it."""
    if not key:
        return "", template
    runs = [len({other[at] for other in group}) for at in range(len(key))]
    many = max(range(len(key)), key=lambda at: (runs[at], -at))
    pieces = template.split("#")
    head = "".join(piece + str(number) for piece, number in zip(pieces[:many], key[:many], strict=True))
    rest = pieces[many + 1] + "".join(
        str(number) + piece for piece, number in zip(pieces[many + 2 :], key[many + 1 :], strict=True)
    )
    if not rest.startswith("."):
        return "", template
    return head + pieces[many] + "{layer}.", rest[1:]


def _roles(layers: str, members: list[Member], d: int) -> Found | None:
    """Two matrices (F, D) and (D, F) of one layer, or three with a gate, or two whose first is fused."""
    for f in sorted({_other(member.shape, d) for member in members} - {0, d}, reverse=True):
        these = [member for member in members if _other(member.shape, d) == f]
        tall = [member for member in these if member.shape == (f, d)]
        flat = [member for member in these if member.shape == (d, f)]
        if len(tall) == 1 and len(flat) == 1:
            return _plain(layers, tall[0], flat[0], members)
        if {len(tall), len(flat)} == {1, 2}:
            return _gated(layers, tall, flat)
        narrow = [member for member in members if 2 * _other(member.shape, d) == f]
        if len(these) == 1 and len(narrow) == 1:
            return _fused(layers, these[0], narrow[0], d)
    return None


def _plain(layers: str, tall: Member, flat: Member, members: list[Member]) -> Found:
    """Which of the two widens: biases tell (F or D long), else the one that the file has first."""
    f = tall.shape[0]
    if tall.bias or flat.bias:
        out_in = tall.bias == f or flat.bias == tall.shape[1]
        doubts: tuple[Note, ...] = ()
    else:
        out_in = members.index(tall) < members.index(flat)
        doubts = (Note("checkpoint.doubt_order_of", (("up", tall.name), ("down", flat.name))),)
    up, down = (tall, flat) if out_in else (flat, tall)
    return _found(layers, up, down, layout="out_in" if out_in else "in_out", doubts=doubts)


def _gated(layers: str, tall: list[Member], flat: list[Member]) -> Found:
    """The two of one shape read, the third writes; which of the two is the gate, only names tell."""
    out_in = len(tall) == 2
    pair, down = (tall, flat[0]) if out_in else (flat, tall[0])
    named = [member for member in pair if GATE.search("." + member.name)]
    gate = named[0] if len(named) == 1 else pair[0]
    up = next(member for member in pair if member is not gate)
    doubts = (Note("checkpoint.doubt_gate", (("gate", gate.name), ("up", up.name))),)
    return _found(layers, up, down, gate=gate, layout="out_in" if out_in else "in_out", doubts=doubts)


def _fused(layers: str, wide: Member, down: Member, d: int) -> Found | None:
    """One matrix of twice F holds gate and up; which half is which, nothing tells."""
    out_in = wide.shape[1] == d
    if down.shape != ((d, wide.shape[0] // 2) if out_in else (wide.shape[1] // 2, d)):
        return None
    doubts = (Note("checkpoint.gap_order", (("tensor", wide.name),)),)
    layout: Layout = "out_in" if out_in else "in_out"
    return _found(layers, wide, down, gate=wide, layout=layout, doubts=doubts, part="half0")


def _found(
    layers: str,
    up: Member,
    down: Member,
    *,
    layout: Layout,
    doubts: tuple[Note, ...],
    gate: Member | None = None,
    part: Part = "",
) -> Found:
    def role(member: Member, half: Part = "") -> Role:
        return Role((member.name,), layout, half)

    mlp = Mlp(
        role(up, "half1" if part else ""),
        role(down),
        Act(keys=ACT_KEYS, unknown="no activation is named"),
        None if gate is None else role(gate, part),
    )
    return Found(Stack("layers", layers, ffn=mlp), doubts)


def _other(shape: Shape, d: int) -> int:
    """The side that is not D, 0 where none is D."""
    return shape[0] if shape[1] == d else shape[1] if shape[0] == d else 0
