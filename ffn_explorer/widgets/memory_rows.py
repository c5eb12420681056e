"""Memories as rows: in which order they stand, and what each shows."""

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ffn_explorer.core.readings import Floats, Memories
from ffn_explorer.state import numbers
from ffn_explorer.widgets.ranked import Row

Sort = Literal["strength", "m", "neuron"]
SORTS: tuple[Sort, ...] = ("strength", "m", "neuron")


@dataclass(frozen=True, slots=True, eq=False)
class MemoryRows:
    """The memories of one reading in one order; kept: how many of the strongest the pass keeps.

    written False leaves the numbers out, as long as the pass has not formed them.  names: of the neurons,
    where a person gave them some.
    """

    memories: Memories
    sort: Sort
    kept: int
    written: bool
    names: tuple[str, ...] = ()
    order: NDArray[np.int64] = field(init=False)
    """Row -> place among the strongest."""
    place: NDArray[np.int64] = field(init=False)
    """Neuron -> row."""
    other: Floats | None = field(init=False)
    """Neuron -> its signed strength in B."""

    def __post_init__(self) -> None:
        """Sort once."""
        found = self.memories
        order = np.arange(len(found.neuron))
        if self.sort == "m":
            order = np.argsort(-np.nan_to_num(np.abs(found.m), nan=np.inf), kind="stable")
        elif self.sort == "neuron":
            order = np.argsort(found.neuron, kind="stable")
        place = np.empty_like(order)
        place[found.neuron[order]] = np.arange(len(order))
        object.__setattr__(self, "order", order)
        object.__setattr__(self, "place", place)
        object.__setattr__(self, "other", _of_b(found))

    @property
    def limit(self) -> float:
        """Strength at the end of the bars, of A and B together."""
        arrays = [self.memories.strength] + ([] if self.other is None else [np.abs(self.other)])
        every = np.concatenate(arrays)
        return float(every[np.isfinite(every)].max(initial=0.0)) or 1.0

    def row(self, index: int) -> Row:
        """One row: neuron, m, |m| · ||v|| and ||v||; the bar is the strength with the sign of m."""
        found, at = self.memories, int(self.order[index])
        neuron, m, strength = int(found.neuron[at]), float(found.m[at]), float(found.strength[at])
        values = (m, strength, float(found.norm[at]))
        texts = tuple(numbers.short(value) if self.written else "" for value in values)
        return Row(
            key=neuron,
            texts=(self.name_of(neuron), *texts),
            value=float(np.copysign(strength, m)),
            other=None if self.other is None else float(self.other[neuron]),
            faded=at >= self.kept,
        )

    def name_of(self, neuron: int) -> str:
        """A neuron's name, else its number."""
        return self.names[neuron] if neuron < len(self.names) else numbers.count(neuron)

    def place_of(self, neuron: int) -> int | None:
        """Row of a neuron, or None where there is no such neuron."""
        return int(self.place[neuron]) if 0 <= neuron < len(self.place) else None


def _of_b(found: Memories) -> Floats | None:
    """Signed strength of B's neurons, where both have the same number of them."""
    other = found.other
    if other is None or len(other.neuron) != len(found.neuron):
        return None
    signed = np.empty_like(other.strength)
    signed[other.neuron] = np.copysign(other.strength, other.m)
    return signed
