"""What both pictures of the memories ask of a Scene: which reading fits it, and what one points at."""

from ffn_explorer.core.readings import Memories
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import Cell
from ffn_explorer.state.result import RunResult
from ffn_explorer.state.scene import Scene


def reading_of(scene: Scene) -> Memories | None:
    """The memories, where they fit the run on screen; their token may be one that was chosen before."""
    found, run = scene.memories, scene.run
    if found is None or run is None or found.sentence >= len(run.tokens):
        return None
    fits = found.token < len(run.tokens[found.sentence])
    return found if fits and len(found.neuron) == run.values[run.enters_down].shape[2] else None


def dropped(run: RunResult, found: Memories) -> bool:
    """Whether that expert had no room for the token, so that nothing was computed."""
    lost = run.expert_dropped
    return lost is not None and bool(lost[found.sentence, found.token, found.slot])


def kept_of(run: RunResult) -> int:
    """How many memories the pass keeps of each token."""
    return run.spec.keep or run.values[run.enters_down].shape[2]


def rank_of(found: Memories, neuron: int) -> int | None:
    """Place of a neuron among the memories, the strongest 1; None where it is not among them."""
    places = (found.neuron == neuron).nonzero()[0]
    return int(places[0]) + 1 if len(places) else None


def point_at(run: RunResult, found: Memories, neuron: int) -> changes.Change:
    """Point at a memory: its number of the pass where that holds it, which is the first expert's."""
    if found.slot == 0:
        return changes.hover(Cell(run.enters_down, found.sentence, found.token, neuron))
    return changes.point(token=found.token, neuron=neuron, expert=found.expert)
