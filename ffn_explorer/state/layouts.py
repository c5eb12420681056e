"""Layouts: which panels stand where, as plain values that preferences can remember."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal

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

EXPLORE = Split(
    "column",
    (
        Slot("chips"),
        Split(
            "row",
            (
                Split("column", (Slot("stage"), Slot("maps")), (60, 40)),
                Split("column", (Slot("curve"), Slot("proof")), (42, 58)),
            ),
            (69, 31),
        ),
        Slot("transport", edge=True),
    ),
    (0, 1, 0),
)

LAYOUTS: Mapping[str, Layout] = MappingProxyType({"explore": EXPLORE})

DEFAULT_LAYOUT = "explore"


def panels_of(layout: Layout) -> tuple[str, ...]:
    """Panels of a layout in reading order; the n-th is reached with the key n."""
    if isinstance(layout, Slot):
        return (layout.panel,)
    return tuple(name for child in layout.children for name in panels_of(child))


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
