"""Timeline: time 0..1 of a pass -> progress of each Stage; the same for playing, scrubbing and export."""

from functools import lru_cache
from typing import NamedTuple

from ffn_explorer.core.stages import Stage

SEGMENT_S = 1.2
"""Seconds of one segment at speed 1: the move, then a rest."""

MOVE_SHARE = 0.75
"""Share of a segment in which things move (0.9 s of 1.2 s); the rest of it lets the eye settle."""

DURATION_S = 5 * SEGMENT_S
"""Seconds of a whole pass of the default FFN (norm, up, act, out, residual) at speed 1."""


class Segment(NamedTuple):
    """Stages that move together, and when (start and end in 0..1)."""

    stages: tuple[Stage, ...]
    start: float
    end: float


@lru_cache(maxsize=64)
def segments(stages: tuple[Stage, ...]) -> tuple[Segment, ...]:
    """Segments in order; gate and up share one; the input is there from the start (an empty one at 0)."""
    groups: list[tuple[Stage, ...]] = []
    for stage in stages:
        if stage in (Stage.UP, Stage.GATE) and groups and groups[-1][-1] in (Stage.UP, Stage.GATE):
            groups[-1] = (*groups[-1], stage)
        else:
            groups.append((stage,))
    moving = [group for group in groups if group != (Stage.INPUT,)]
    given = [Segment(group, 0.0, 0.0) for group in groups if group == (Stage.INPUT,)]
    count = len(moving)
    # i / count, not a running sum: the last end is exactly 1.
    return (*given, *(Segment(group, i / count, (i + 1) / count) for i, group in enumerate(moving)))


def duration_s(stages: tuple[Stage, ...]) -> float:
    """Seconds of a whole pass of these stages at speed 1."""
    return SEGMENT_S * max(1, sum(segment.end > segment.start for segment in segments(stages)))


def smoothstep(u: float) -> float:
    """Eased share of a move: 3u² − 2u³ with u clamped to 0..1; exactly 0 and 1 at the ends, never falling."""
    # 16 bits of u make every product below exact (50 of 53 bits), so that rounding cannot make it fall.
    u = round(min(1.0, max(0.0, u)) * 65_536) / 65_536
    return u * u * (3.0 - 2.0 * u)


def progress(time: float, stages: tuple[Stage, ...]) -> tuple[tuple[Stage, float], ...]:
    """Each stage's eased share 0..1 at this time, in the order of `stages`."""
    return tuple((stage, _share(time, segment)) for segment in segments(stages) for stage in segment.stages)


def current(time: float, stages: tuple[Stage, ...]) -> Stage:
    """The stage under way, or the last one done; of gate and up, the one that comes first."""
    found = segments(stages)[0]
    for segment in segments(stages):
        if segment.start < time:
            found = segment
    return found.stages[0]


def time_of(stage: Stage, stages: tuple[Stage, ...]) -> float:
    """Time at which a stage is done: the end of its segment, where stepping rests."""
    return next(segment.end for segment in segments(stages) if stage in segment.stages)


def step(time: float, stages: tuple[Stage, ...], *, by: int = 1) -> float:
    """Rest position after (by=+1) or before (by=-1) this time; 0 and 1 are the ends."""
    rests = sorted({0.0, *(segment.end for segment in segments(stages))})
    if by > 0:
        return next((rest for rest in rests if rest > time), 1.0)
    return next((rest for rest in reversed(rests) if rest < time), 0.0)


def _share(time: float, segment: Segment) -> float:
    length = segment.end - segment.start
    if length <= 0.0:
        return 1.0
    return smoothstep((time - segment.start) / (length * MOVE_SHARE))
