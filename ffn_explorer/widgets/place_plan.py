"""Plan of a Transformer layer drawn from left to right: where each block, norm, sum and stage stands."""

from dataclasses import dataclass
from typing import Literal

from ffn_explorer.core.spec import NormSpec
from ffn_explorer.core.stages import Stage, enters_down
from ffn_explorer.widgets.flow_columns import Box

Kind = Literal["self", "cross", "ffn"]

INSIDE = frozenset({Stage.UP, Stage.GATE, Stage.ACT, Stage.HIDDEN, Stage.OUT})
"""Stages that happen inside the FFN's block; the others are norms, the stream and the sum around it."""

FFN_SHARE = 2.2
"""Width of the FFN's block, in widths of an attention block; a gate adds one more column."""

GATE_SHARE = 0.6

LEAST_CELL = 0.34
"""Height of the lowest stage's cell, as a share of the room; else cells are as high as their widths say."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """Fixed lengths of a diagram in pixels."""

    slab: float
    plus: float
    gap: float
    start: float
    """Room at the left, for the words at x."""
    end: float
    """Room at the right, for y."""
    title: float
    """Height of the FFN block's own title."""
    foot: float
    """Height of the words under the norms."""
    narrow: float = 1.0
    """Below 1 in a room with less width than usual: then the FFN takes more of it."""


@dataclass(frozen=True, slots=True)
class Sublayer:
    """One sublayer to be drawn: what it is, and the norm and residual around it."""

    kind: Kind
    norm: NormSpec
    residual: bool


@dataclass(frozen=True, slots=True)
class Cell:
    """One stage of the pass, drawn in a box."""

    stage: Stage
    box: Box


@dataclass(frozen=True, slots=True)
class Placed:
    """One sublayer in its place.

    fork: x where the residual leaves the stream.  plus: the sum that ends it, or None.  slabs: norms with
    whether they stand on the branch (else on the stream, after the sum).
    """

    kind: Kind
    block: Box
    fork: float
    plus: Box | None
    before: Box | None
    after: Box | None


@dataclass(frozen=True, slots=True)
class Plan:
    """A whole layer. y: of the stream; cells: the stages of the FFN sublayer, in the order of the pass."""

    left: float
    right: float
    end: float
    """Room kept for words at the right."""
    y: float
    top: float
    """y of the residual's way over the blocks."""
    foot: float
    """Height kept under the norms for words."""
    sublayers: tuple[Placed, ...]
    cells: tuple[Cell, ...]
    funnels: tuple[tuple[Box, Box], ...]
    """Which cell feeds which inside the FFN, its edges included."""

    @property
    def ffn(self) -> Placed:
        """The last sublayer of every layer."""
        return self.sublayers[-1]

    def stage_at(self, x: float, y: float) -> Stage | None:
        """Stage whose cell a point lies in."""
        return next((cell.stage for cell in self.cells if cell.box.holds(x, y)), None)


def plan(
    room: Box,
    sublayers: tuple[Sublayer, ...],
    stages: tuple[Stage, ...],
    *,
    widths: tuple[int, int],
    sizes: Sizes,
) -> Plan:
    """Everything placed in a room; widths: D and Dff, which decide how high the stages' cells are."""
    arc = min(0.18 * room.h, 1.6 * sizes.plus)
    top, height = room.y + arc, max(1.0, room.h - arc - sizes.foot)
    y = top + height / 2
    shares = [_share(sublayer, stages, sizes) for sublayer in sublayers]
    fixed = sizes.start + sizes.end + sum(_fixed(sublayer, sizes) for sublayer in sublayers)
    unit = max(0.0, room.w - fixed) / sum(shares)
    at, placed = room.x + sizes.start, []
    for sublayer, share in zip(sublayers, shares):
        one, at = _place(sublayer, at, Box(0.0, top, unit * share, height), y=y, sizes=sizes)
        placed.append(one)
    cells = _cells(placed[-1], stages, widths=widths, sizes=sizes, y=y)
    funnels = _funnels(placed[-1].block, {cell.stage: cell.box for cell in cells}, widths=widths, sizes=sizes)
    return Plan(
        room.x, room.right, sizes.end, y, room.y + sizes.slab / 4, sizes.foot, tuple(placed), cells, funnels
    )


def _share(sublayer: Sublayer, stages: tuple[Stage, ...], sizes: Sizes) -> float:
    if sublayer.kind != "ffn":
        return sizes.narrow
    return FFN_SHARE + GATE_SHARE * (Stage.HIDDEN in stages)


def _slabs(sublayer: Sublayer) -> tuple[bool, bool, bool]:
    """Whether a norm stands before the block, after it on the branch, after the sum."""
    place = sublayer.norm.placement
    return place in ("pre", "sandwich", "parallel"), place in ("sandwich", "post_only"), place == "post"


def _fixed(sublayer: Sublayer, sizes: Sizes) -> float:
    """Length of all but the block: the fork, norms, the sum, and a gap after each."""
    slabs = sum(_slabs(sublayer))
    return 2 * sizes.gap + slabs * (sizes.slab + sizes.gap) + sublayer.residual * (sizes.plus + sizes.gap)


def _place(sublayer: Sublayer, at: float, block: Box, *, y: float, sizes: Sizes) -> tuple[Placed, float]:
    """The sublayer from x = at on, and where the next one begins."""
    first, inside, last = _slabs(sublayer)
    slab = Box(0.0, block.y, sizes.slab, block.h)
    fork, x = at, at + sizes.gap
    before = after = plus = None
    if first:
        before, x = slab.moved(x, 0.0), x + sizes.slab + sizes.gap
    block = block.moved(x, 0.0)
    x = block.right + sizes.gap
    if inside:
        after, x = slab.moved(x, 0.0), x + sizes.slab + sizes.gap
    if sublayer.residual:
        plus, x = Box(x, y - sizes.plus / 2, sizes.plus, sizes.plus), x + sizes.plus + sizes.gap
    if last:
        after, x = slab.moved(x, 0.0), x + sizes.slab + sizes.gap
    return Placed(sublayer.kind, block, fork, plus, before, after), x


def _cells(
    ffn: Placed,
    stages: tuple[Stage, ...],
    *,
    widths: tuple[int, int],
    sizes: Sizes,
    y: float,
) -> tuple[Cell, ...]:
    """Boxes of the stages; the narrow ones that stand outside the block take what is drawn there."""
    half = 1.2 * sizes.plus
    inside = _inside(ffn.block, stages, widths=widths, sizes=sizes)
    fork = Box(ffn.fork - sizes.gap, y - half, 2 * sizes.gap, 2 * half)
    outside = {
        Stage.INPUT: fork,
        Stage.NORM: ffn.before,
        Stage.POST_NORM: ffn.after,
        Stage.RESIDUAL: ffn.plus,
    }
    boxes = {**outside, **inside}
    return tuple(Cell(stage, box) for stage in stages if (box := boxes[stage]) is not None)


def _inside(
    block: Box, stages: tuple[Stage, ...], *, widths: tuple[int, int], sizes: Sizes
) -> dict[Stage, Box]:
    """Cells of the stages inside the block; gate and up share a column, one over the other."""
    columns = [stage for stage in (Stage.UP, Stage.ACT, Stage.HIDDEN, Stage.OUT) if stage in stages]
    pad = min(sizes.gap, 0.03 * block.w)
    top, height = block.y + sizes.title, block.h - sizes.title - pad
    step = (block.w - 2 * pad) / len(columns)
    cell = step - 1.4 * pad
    boxes: dict[Stage, Box] = {}
    for place, stage in enumerate(columns):
        width = widths[0] if stage is Stage.OUT else widths[1]
        high = height * max(LEAST_CELL, width / max(widths))
        x = block.x + pad + place * step + (step - cell) / 2
        boxes[stage] = Box(x, top + (height - high) / 2, cell, high)
    if Stage.GATE in stages:
        for above, below in ((Stage.GATE, Stage.UP), (Stage.ACT, None)):
            whole = boxes[below or above]
            half = (whole.h - pad) / 2
            boxes[above] = Box(whole.x, whole.y, whole.w, half)
            if below is not None:
                boxes[below] = Box(whole.x, whole.y + half + pad, whole.w, half)
    return boxes


def _funnels(
    block: Box, boxes: dict[Stage, Box], *, widths: tuple[int, int], sizes: Sizes
) -> tuple[tuple[Box, Box], ...]:
    """Where rows flow inside the block: act reads the gate where there is one, and up goes past it."""
    room = block.h - sizes.title
    high = max(LEAST_CELL, widths[0] / max(widths)) * room * 0.9
    y = block.y + sizes.title + (room - high) / 2
    entry, leave = Box(block.x, y, 0.0, high), Box(block.right, y, 0.0, high)
    wide = enters_down(boxes)
    pairs = [(boxes[wide], boxes[Stage.OUT]), (boxes[Stage.OUT], leave)]
    if Stage.GATE in boxes:
        hidden = boxes[Stage.HIDDEN]
        upper = Box(hidden.x, boxes[Stage.GATE].y, hidden.w, boxes[Stage.GATE].h)
        lower = Box(hidden.x, boxes[Stage.UP].y, hidden.w, boxes[Stage.UP].h)
        first = [(entry, boxes[Stage.GATE]), (entry, boxes[Stage.UP]), (boxes[Stage.GATE], boxes[Stage.ACT])]
        return (*first, (boxes[Stage.ACT], upper), (boxes[Stage.UP], lower), *pairs)
    inner = [(boxes[Stage.ACT], boxes[wide])] if wide is Stage.HIDDEN else []
    return ((entry, boxes[Stage.UP]), (boxes[Stage.UP], boxes[Stage.ACT]), *inner, *pairs)
