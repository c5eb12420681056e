"""What both pictures of the memories ask of a Scene: which reading fits it, and why there is none."""

from ffn_explorer.core.readings import Memories
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
