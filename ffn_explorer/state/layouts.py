"""Layouts: which panels stand where, as plain values that preferences can remember."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Literal

Orientation = Literal["row", "column"]


@dataclass(frozen=True, slots=True)
class Slot:
    """Place of one panel; an edge slot reaches the window's edges."""

    panel: str
    edge: bool = False


@dataclass(frozen=True, slots=True)
class Split:
    """Children side by side (row) or one under the other (column).

    sizes: one share per child, no unit; 0 gives a child the height or width it asks for, and then the split
    has no handles, since nothing is left to drag.
    """

    orientation: Orientation
    children: "tuple[Layout, ...]"
    sizes: tuple[int, ...]

    def __post_init__(self) -> None:
        """One share per child."""
        assert len(self.children) == len(self.sizes)

    @property
    def draggable(self) -> bool:
        """Whether its shares can be changed by dragging."""
        return all(self.sizes)


Layout = Split | Slot

FIXED = frozenset({"chips", "transport"})
"""Panels that keep their place in every layout; the others can stand in any slot."""

PANEL_GROUPS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "pass": ("stage", "maps", "curve", "sparsity", "gate", "output"),
        "memory": ("memory", "running_sum", "neuron", "theatre"),
        "place": ("position", "place", "routing"),
        "cost": ("bill", "model", "growth", "ratio", "depth", "roofline"),
        "look": ("weights", "code"),
        "file": ("layers", "atlas", "reads", "promoters"),
        "read": ("lesson", "card", "proof", "terms"),
    }
)
"""Panels that can stand in any slot, in the groups and the order in which a person finds them."""


def _column(*panels: str, sizes: tuple[int, ...]) -> Split:
    return Split("column", tuple(map(Slot, panels)), sizes)


def _around(*columns: "Layout", sizes: tuple[int, ...]) -> Split:
    """Columns between the tokens at the top and the transport at the bottom."""
    inside = columns[0] if len(columns) == 1 else Split("row", columns, sizes)
    return Split("column", (Slot("chips"), inside, Slot("transport", edge=True)), (0, 1, 0))


def lesson_layout(inside: Layout | None) -> Layout:
    """The board of a lecture's scene: its words beside its panels, or alone."""
    if inside is None:
        return _around(Slot("lesson"), sizes=())
    return _around(Slot("lesson"), inside, sizes=(LESSON_SHARE, 100 - LESSON_SHARE))


LESSON_SHARE = 29
"""Of a hundred, what the words take of the width."""


LAYOUTS: Mapping[str, Layout] = MappingProxyType(
    {
        "lecture": _around(
            Slot("lesson"), Slot("stage"), _column("card", "place", sizes=(50, 50)), sizes=(24, 48, 28)
        ),
        "explore": _around(
            _column("stage", "maps", sizes=(60, 40)),
            _column("curve", "sparsity", "bill", sizes=(32, 34, 34)),
            sizes=(66, 34),
        ),
        "inspect": _around(
            _column("memory", "running_sum", sizes=(55, 45)),
            _column("neuron", "output", sizes=(50, 50)),
            _column("proof", "terms", sizes=(50, 50)),
            sizes=(34, 34, 32),
        ),
        "cost": _around(
            Slot("model"),
            _column("growth", "ratio", sizes=(52, 48)),
            _column("bill", "roofline", sizes=(52, 48)),
            sizes=(38, 31, 31),
        ),
        "file": _around(
            Slot("layers"),
            Slot("atlas"),
            _column("reads", "promoters", sizes=(58, 42)),
            sizes=(30, 33, 37),
        ),
    }
)
"""By name, in the order in which Ctrl+1, Ctrl+2, … reach them."""

DEFAULT_LAYOUT = "explore"


def panels_of(layout: Layout) -> tuple[str, ...]:
    """Panels of a layout in reading order; the n-th is reached with the key n."""
    if isinstance(layout, Slot):
        return (layout.panel,)
    return tuple(name for child in layout.children for name in panels_of(child))


def stacked(layout: Layout) -> int:
    """How many panels stand over each other at most, strips of a fixed height left out."""
    if isinstance(layout, Slot):
        return int(layout.panel not in FIXED)
    counts = [stacked(child) for child in layout.children]
    return sum(counts) if layout.orientation == "column" else max(counts)


def one_stands_alone(layout: Layout) -> bool:
    """Whether a picture has its column for itself, beside which the others only explain."""
    if isinstance(layout, Slot):
        return layout.panel not in FIXED
    if layout.orientation == "column":
        inside = [child for child in layout.children if stacked(child)]
        return len(inside) == 1 and one_stands_alone(inside[0])
    return any(map(one_stands_alone, layout.children))


def with_panels(layout: Layout, names: Sequence[str]) -> Layout:
    """Layout with other panels in its slots, in reading order; as many names as slots."""
    assert len(names) == len(panels_of(layout))
    return _rename(layout, iter(names))


def swapped(layout: Layout, old: str, new: str) -> Layout:
    """Layout with `new` in the place of `old`; where `new` stands on it already, both exchange places.

    A panel of FIXED keeps its place.
    """
    if FIXED & {old, new} or old == new:
        return layout
    exchange = {old: new, new: old}
    return with_panels(layout, [exchange.get(name, name) for name in panels_of(layout)])


def splits_of(layout: Layout) -> Iterator[Split]:
    """Draggable splits, the outer before the inner, in reading order."""
    if isinstance(layout, Split):
        if layout.draggable:
            yield layout
        for child in layout.children:
            yield from splits_of(child)


def sizes_of(layout: Layout) -> tuple[tuple[int, ...], ...]:
    """Shares of every draggable split, in the order of `splits_of`."""
    return tuple(split.sizes for split in splits_of(layout))


def with_sizes(layout: Layout, sizes: Sequence[Sequence[int]]) -> Layout:
    """Layout with other shares; shares that do not fit it leave it as it is."""
    wanted = [tuple(s) for s in sizes]
    now = sizes_of(layout)
    if len(wanted) != len(now) or any(len(a) != len(b) for a, b in zip(wanted, now, strict=True)):
        return layout
    if not all(type(size) is int and 0 < size <= 1_000_000 for row in wanted for size in row):
        return layout
    return _fill(layout, iter(wanted))


def _fill(layout: Layout, sizes: Iterator[tuple[int, ...]]) -> Layout:
    if isinstance(layout, Slot):
        return layout
    own = next(sizes) if layout.draggable else layout.sizes
    return replace(layout, sizes=own, children=tuple(_fill(child, sizes) for child in layout.children))


def _rename(layout: Layout, names: Iterator[str]) -> Layout:
    if isinstance(layout, Slot):
        return replace(layout, panel=next(names))
    return replace(layout, children=tuple(_rename(child, names) for child in layout.children))


def to_json(layout: Layout) -> dict[str, Any]:
    """What of a layout a person can change: its panels in reading order, and the shares of its splits."""
    return {"panels": list(panels_of(layout)), "sizes": [list(sizes) for sizes in sizes_of(layout)]}


def from_json(layout: Layout, data: object, *, known: Collection[str]) -> Layout:
    """Layout with the panels and shares of plain values; what does not fit or is not known is left out."""
    if not isinstance(data, Mapping):
        return layout
    sizes = data.get("sizes")
    if isinstance(sizes, list) and all(isinstance(row, list) for row in sizes):
        layout = with_sizes(layout, sizes)
    names = data.get("panels")
    slots = len(panels_of(layout))
    if not isinstance(names, list) or len(names) != slots:
        return layout
    settled: set[str] = set()
    for place, name in enumerate(names):
        # By exchanging, so that no panel can come to stand on the board twice.
        if isinstance(name, str) and name in known and name not in settled:
            layout = swapped(layout, panels_of(layout)[place], name)
        settled.add(panels_of(layout)[place])
    return layout
