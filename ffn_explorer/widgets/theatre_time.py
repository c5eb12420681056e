"""When what happens in the memory theatre: pure functions of the stages' progress."""

from dataclasses import dataclass

from ffn_explorer.core.stages import Stage
from ffn_explorer.state.scene import Scene
from ffn_explorer.widgets.theatre_cast import Actor, Cast

LANDS_AT = 0.7
"""Share of a flight after which the value has arrived; in the rest of it, the sum takes it in."""


@dataclass(frozen=True, slots=True)
class Moment:
    """Shares 0..1: keys read, answers given, values flown, x added."""

    read: float
    answered: float
    flown: float
    added: float

    def flight(self, place: int | None, flying: int) -> float:
        """How far the value at this place in the order has flown; one after the other, none for None."""
        if place is None or flying == 0:
            return 0.0
        return min(1.0, max(0.0, self.flown * flying - place))


def moment_of(scene: Scene, *, hidden: Stage) -> Moment:
    """The moment that the pass has reached; a stage that this FFN lacks adds nothing."""
    done = dict(scene.progress)
    return Moment(
        read=done.get(Stage.UP, 1.0),
        answered=done.get(hidden, 1.0),
        flown=done.get(Stage.OUT, 1.0),
        added=done.get(Stage.RESIDUAL, 0.0),
    )


def landed(flight: float) -> float:
    """Share of a value that the running sum has taken in."""
    return min(1.0, max(0.0, (flight - LANDS_AT) / (1.0 - LANDS_AT)))


def travelled(flight: float) -> float:
    """How far along its path a value is."""
    return min(1.0, flight / LANDS_AT)


def sums(
    cast: Cast, actors: list[tuple[Actor, int | None]], moment: Moment, *, flying: int
) -> tuple[float, ...]:
    """Running sum of each lane; once everything has landed, the output itself, to the last digit."""
    if moment.flown >= 1.0:
        return tuple(lane.out for lane in cast.lanes)
    shares = [(actor, landed(moment.flight(place, flying))) for actor, place in actors]
    return tuple(
        sum(share * actor.parts[i] for actor, share in shares if share > 0.0) for i in range(len(cast.lanes))
    )


def cosine_at(cast: Cast, moment: Moment, *, flying: int) -> float:
    """Cosine of the sum of what has landed with the sum of all, between two landings in proportion."""
    count = moment.flown * flying
    whole = min(int(count), flying)
    known = [*cast.cosine[:flying], cast.cosine[-1]]
    if whole >= flying or moment.flown >= 1.0:
        return cast.cosine[-1]
    share = landed(count - whole)
    return known[whole] + (known[whole + 1] - known[whole]) * share
