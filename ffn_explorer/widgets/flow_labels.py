"""Names above the strips: the longest that fit beside each other, and the grid that leaves them room."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from PySide6.QtGui import QFontMetricsF

from ffn_explorer.core.stages import Stage
from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.flow_columns import Box, Column, Frame, Grid, arrange, strip_width
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.theme import LIGHT, theme_of

GAP_PX = 4.0
"""Between a label and its strip."""

SKIP_PX = 13.0
"""Height of the line that carries x past the FFN."""


@dataclass(frozen=True, slots=True)
class Wording:
    """What may stand above one strip: the long name, the short one, and its size like "[2,048]"."""

    long: str
    short: str
    size: str


@dataclass(frozen=True, slots=True)
class Label:
    """A name (and size) at its place; box holds both lines, centred on the strip."""

    stage: Stage
    name: str
    size: str
    box: Box
    name_height: float


@dataclass(frozen=True, slots=True)
class Plan:
    """Grid and labels together."""

    grid: Grid
    labels: tuple[Label, ...]


@dataclass(frozen=True, slots=True)
class _Level:
    """How much is said: long or short names, with sizes or without."""

    long: bool
    sizes: bool
    role: str


_LEVELS = (
    _Level(long=True, sizes=True, role="body"),
    _Level(long=False, sizes=True, role="body"),
    _Level(long=False, sizes=False, role="body"),
    _Level(long=False, sizes=False, role="small"),
)


@lru_cache(maxsize=64)
def plan(
    counts: tuple[tuple[Stage, int], ...],
    words: tuple[tuple[Stage, Wording], ...],
    *,
    size: tuple[int, int],
    look: Appearance,
    skip: bool,
    router: float,
) -> Plan:
    """Columns and labels for a picture of `size` logical pixels, saying as much as fits without overlap."""
    made: Plan | None = None
    for level in _LEVELS:
        made = _attempt(dict(counts), dict(words), level, size=size, look=look, skip=skip, router=router)
        if not _collide(made) and not (level.sizes and _strips_low(made, size)):
            return made
    assert made is not None
    return Plan(made.grid, _kept(made))


def unit_of(look: Appearance) -> float:
    """Size of type and lines, 1 for the light theme at scale 1."""
    return look.scale * theme_of(look).body_px / LIGHT.body_px


def name_role(label: Label, look: Appearance) -> str:
    """Role of the font that a label's name was measured with."""
    tall = QFontMetricsF(font(look, "body", bold=True)).height()
    return "body" if label.name_height >= tall else "small"


def _attempt(
    counts: Mapping[Stage, int], words: Mapping[Stage, Wording], level: _Level, *,
    size: tuple[int, int], look: Appearance, skip: bool, router: float,
) -> Plan:  # fmt: skip
    unit = unit_of(look)
    names = QFontMetricsF(font(look, level.role, bold=True))
    sizes = QFontMetricsF(font(look, "small"))
    texts = {
        stage: (
            words[stage].long if level.long else words[stage].short,
            words[stage].size if level.sizes else "",
        )
        for stage in counts
    }
    widths = {s: max(names.horizontalAdvance(n), sizes.horizontalAdvance(z)) for s, (n, z) in texts.items()}
    height = names.height() + (sizes.height() if level.sizes else 0.0)
    stages, strip = list(counts), strip_width(size[0], unit, most=max(counts.values()))
    frame = Frame(
        width=size[0],
        height=size[1],
        left=max(8.0, (widths[stages[0]] - strip) / 2 + 4.0 * unit),
        right=max(8.0, (widths[stages[-1]] - strip) / 2 + 4.0 * unit),
        above=float(round(height + GAP_PX + 2.0)),
        skip=float(round(SKIP_PX * unit)) if skip else 0.0,
        unit=unit,
    )
    grid = arrange(counts, frame, router=router)
    labels = tuple(
        _label(
            column,
            *texts[column.stage],
            width=widths[column.stage],
            height=height,
            name_height=names.height(),
        )
        for column in grid.columns
    )
    return Plan(grid, labels)


def _label(column: Column, name: str, size: str, *, width: float, height: float, name_height: float) -> Label:
    x = column.box.middle[0] - width / 2
    below = column.lane > 0
    y = column.box.bottom + GAP_PX - 1.0 if below else column.box.y - GAP_PX - height
    return Label(column.stage, name, size, Box(x, y, width, height), name_height)


def _strips_low(made: Plan, size: tuple[int, int]) -> bool:
    """Whether labels take so much that the strips keep less than a third of the height."""
    highest = max(column.box.h for column in made.grid.columns)
    lanes = 2 if any(column.lane for column in made.grid.columns) else 1
    cap = 1.15 * made.grid.columns[0].box.w * max(column.count for column in made.grid.columns)
    return lanes * highest < min(size[1] / 3, lanes * cap - 2.0)


def _kept(made: Plan) -> tuple[Label, ...]:
    """Where even the shortest names do not fit: those that touch no strip and no name before them."""
    kept: list[Label] = []
    for label in made.labels:
        if not _collide(Plan(made.grid, (*kept, label))):
            kept.append(label)
    return tuple(kept)


def _collide(made: Plan) -> bool:
    strips = [(column.stage, column.box) for column in made.grid.columns]
    return any(one.box.meets(other.box, 3.0) for one, other in combinations(made.labels, 2)) or any(
        label.box.meets(box, 2.0)
        for label in made.labels
        for stage, box in strips
        if stage is not label.stage
    )
