"""Columns of the flow picture: where each stage's strip stands, and where a value lies in it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ffn_explorer.core.stages import WIDE, Stage

GAP_WEIGHT = {Stage.UP: 1.55, Stage.GATE: 1.55, Stage.OUT: 1.55}
"""Room before a stage, relative to a plain gap of 1: the two fans are the widest."""

ROUTER_WEIGHT = 1.1
"""Room that a router adds before the intermediate."""

ROUTER_MARGIN_PX = 12.0
"""Least distance of the router's block from the strip before it."""

FEW = 16
"""Up to so many values in the longest strip, strips are wide enough to bear numbers."""

MIN_SHARE = 0.08
"""Shortest strip, as a share of the height at hand."""


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in logical pixels."""

    x: float
    y: float
    w: float
    h: float

    @property
    def right(self) -> float:
        """Right edge."""
        return self.x + self.w

    @property
    def bottom(self) -> float:
        """Bottom edge."""
        return self.y + self.h

    @property
    def middle(self) -> tuple[float, float]:
        """Centre point."""
        return self.x + self.w / 2, self.y + self.h / 2

    def meets(self, other: "Box", margin: float = 0.0) -> bool:
        """Whether the two overlap, or come nearer than the margin."""
        apart = self.right + margin <= other.x or other.right + margin <= self.x
        return not (apart or self.bottom + margin <= other.y or other.bottom + margin <= self.y)

    def holds(self, x: float, y: float) -> bool:
        """Whether a point lies in it, edges included."""
        return self.x <= x <= self.right and self.y <= y <= self.bottom

    def moved(self, dx: float, dy: float) -> "Box":
        """The same box elsewhere."""
        return replace(self, x=self.x + dx, y=self.y + dy)


@dataclass(frozen=True, slots=True)
class Column:
    """One stage's strip; index 0 is at the top, and all values share its height equally."""

    stage: Stage
    count: int
    box: Box
    lane: int = 0
    """-1 upper lane (gate), +1 lower lane (up), 0 the middle."""
    broken: bool = False
    """True where the strip is longer than its true share, so that it can be seen at all."""

    def y_of(self, index: int) -> float:
        """Middle of a value's cell."""
        return self.box.y + (min(index, self.count - 1) + 0.5) * self.cell

    @property
    def cell(self) -> float:
        """Height of one value, often far below a pixel."""
        return self.box.h / self.count


@dataclass(frozen=True, slots=True)
class Frame:
    """What the columns must fit into: size, and the margins that labels need, in logical pixels."""

    width: float
    height: float
    left: float
    right: float
    above: float
    """Height of a label, above the highest strip (and below the lower lane)."""
    skip: float
    """Height kept free at the bottom for the line that carries x to the sum."""
    unit: float = 1.0
    """Size of type and lines, 1 to 2."""


@dataclass(frozen=True, slots=True)
class Grid:
    """All columns, and the middle line."""

    columns: tuple[Column, ...]
    frame: Frame
    middle: float
    bottom: float
    """Lowest edge of the room for strips."""
    router: Box | None = None
    """Room for the router, between norm and intermediate."""

    def column(self, stage: Stage) -> Column:
        """Column of a stage that is here."""
        return next(column for column in self.columns if column.stage is stage)


def strip_width(width: float, unit: float, *, most: int) -> float:
    """Width of every strip in a picture of this width, whose longest strip has `most` values."""
    if most <= FEW:
        return float(round(min(46.0 * unit, max(11.0 * unit, 0.046 * width))))
    return float(round(min(34.0 * unit, max(11.0 * unit, 0.028 * width))))


def arrange(counts: Mapping[Stage, int], frame: Frame, *, router: float = 0.0) -> Grid:
    """Columns for stages with their number of values, left to right, at true relative heights.

    router: width wanted for a router block, 0 for none.
    """
    gated = Stage.GATE in counts
    below = frame.above if gated else 4.0 * frame.unit
    room = max(24.0, frame.height - frame.above - below - frame.skip)
    top, middle = frame.above, frame.above + room / 2
    lane_gap = max(8.0 * frame.unit, 0.07 * room)
    lane = (room - lane_gap) / 2 if gated else room
    width = strip_width(frame.width, frame.unit, most=max(counts.values()))
    per_value = _height_per_value(counts, room=room, lane=lane, widest_cell=1.15 * width)
    at, block = _spread(tuple(counts), frame, width, router=router)
    columns = []
    for stage, count in counts.items():
        limit = lane if stage in WIDE else room
        shortest = min(limit, max(12.0 * frame.unit, MIN_SHARE * room))
        height = float(round(min(limit, max(shortest, count * per_value))))
        side = _lane(stage, gated)
        centre = middle + side * (lane + lane_gap) / 2
        box = Box(at[stage], float(round(centre - height / 2)), width, height)
        broken = count * per_value < shortest - 1.0 and len(set(counts.values())) > 1
        columns.append(Column(stage, count, box, side, broken))
    place = None if block is None else Box(block[0], top, block[1], room)
    return Grid(tuple(columns), frame, middle, top + room + below, place)


def _lane(stage: Stage, gated: bool) -> int:
    if not gated:
        return 0
    return {Stage.GATE: -1, Stage.ACT: -1, Stage.UP: 1}.get(stage, 0)


def _height_per_value(counts: Mapping[Stage, int], *, room: float, lane: float, widest_cell: float) -> float:
    limits = [(lane if stage in WIDE else room) / count for stage, count in counts.items()]
    return min(*limits, widest_cell) if len(limits) > 1 else min(limits[0], widest_cell)


def _spread(
    stages: tuple[Stage, ...], frame: Frame, width: float, *, router: float
) -> tuple[dict[Stage, float], tuple[float, float] | None]:
    """Left edge of each stage's strip, and left edge and width of the router's place."""
    steps: list[tuple[Stage, ...]] = []
    for stage in stages:
        if steps and stage in (Stage.UP, Stage.GATE) and steps[-1][0] in (Stage.UP, Stage.GATE):
            steps[-1] = (*steps[-1], stage)
        else:
            steps.append((stage,))
    weights = [GAP_WEIGHT.get(step[0], 1.0) for step in steps[1:]]
    extra = ROUTER_WEIGHT if router else 0.0
    free = max(0.0, frame.width - frame.left - frame.right - width * len(steps))
    share = free / max(1e-9, sum(weights) + extra)
    at: dict[Stage, float] = {}
    block: tuple[float, float] | None = None
    x = frame.left
    for number, step in enumerate(steps):
        if number:
            gap = weights[number - 1] * share
            if router and step[0] in (Stage.UP, Stage.GATE):
                margin = ROUTER_MARGIN_PX * frame.unit
                wide = max(0.0, min(router, (gap + extra * share) * 0.6))
                block = (x + max(margin, (extra * share - wide) / 2 + 0.1 * gap), wide)
                gap += extra * share
            x += gap
        for stage in step:
            at[stage] = float(round(x))
        x += width
    return at, block
