"""Timing: repetitions of two rivals taken in turn, and what is told of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter

LEAST_ROUNDS = 5
"""Rounds that are always taken, however long they last."""

Act = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Measured:
    """What one bench found, in the unit of its row.

    values: one per repetition.  rival: those of the bare counterpart, taken in the same run; () without one.
    sound: False when a condition beside the limit was broken; the limit then does not matter.
    """

    values: tuple[float, ...]
    rival: tuple[float, ...] = ()
    sound: bool = True

    @property
    def median(self) -> float:
        """Middle of the values."""
        return middle(self.values)

    @property
    def p95(self) -> float:
        """The value that 95 % of the repetitions do not exceed."""
        ordered = sorted(self.values)
        # The smallest that covers 95 %: with few repetitions this is the largest, never a value between two.
        return ordered[-(-95 * len(ordered) // 100) - 1]

    @property
    def ratio(self) -> float | None:
        """Median over the rival's median, or None without a rival."""
        return self.median / middle(self.rival) if self.rival else None


def middle(values: Sequence[float]) -> float:
    """Median, without the import of `statistics`, which would slow every start of the command line."""
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def seconds(act: Act) -> float:
    """How long an act takes."""
    start = perf_counter()
    act()
    return perf_counter() - start


def in_turn(ours: Act, bare: Act, *, budget_s: float, most: int) -> tuple[list[float], list[float]]:
    """Seconds of both, taken alternately, so that a busy machine slows both alike; the first is left out.

    Stops after `most` rounds, or once the budget is used up, but not before LEAST_ROUNDS.
    """
    ours()
    bare()
    mine: list[float] = []
    theirs: list[float] = []
    start = perf_counter()
    while len(mine) < most and (len(mine) < LEAST_ROUNDS or perf_counter() - start < budget_s):
        # The order alternates too: whoever comes second may find the caches warm.
        pair: Sequence[tuple[Act, list[float]]] = ((ours, mine), (bare, theirs))
        for act, found in pair if len(mine) % 2 == 0 else pair[::-1]:
            found.append(seconds(act))
    return mine, theirs


def milliseconds(values: Sequence[float]) -> tuple[float, ...]:
    """The same in ms."""
    return tuple(value * 1_000 for value in values)
