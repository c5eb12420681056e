"""Which contributions a scene has, and which rows of them are chosen and pointed at.

A row's key is expert · F + neuron, or the neuron alone where the FFN is dense.
"""

import numpy as np

from ffn_explorer.core.readings import Contributions
from ffn_explorer.core.stages import Stage
from ffn_explorer.state.result import Floats, RunResult
from ffn_explorer.state.scene import Scene
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.glyphs import shown_token


def reading_of(scene: Scene) -> Contributions | None:
    """The contributions at hand, where they fit the run on screen."""
    found, run = scene.contributions, scene.run
    if found is None or run is None or found.sentence >= len(run.tokens):
        return None
    inside = found.token < len(run.tokens[found.sentence]) and found.dim < run.values[Stage.OUT].shape[2]
    return found if inside else None


def shown_share(scene: Scene) -> float:
    """How much of out the pass has made."""
    return dict(scene.progress).get(Stage.OUT, 1.0)


def token_of(scene: Scene, run: RunResult, reading: Contributions) -> str:
    """Token that the contributions belong to."""
    return shown_token(run.tokens[reading.sentence][reading.token], font(scene.look, "title"))


def other_row(scene: Scene, run: RunResult, reading: Contributions) -> Floats | None:
    """B's row of out `[D]` at the same token, where it has the same dimensions."""
    other = scene.other
    if other is None or other.values[Stage.OUT].shape != run.values[Stage.OUT].shape:
        return None
    row: Floats = other.values[Stage.OUT][reading.sentence, reading.token]
    return row


def chosen_key(scene: Scene, run: RunResult, reading: Contributions) -> int | None:
    """Key of the chosen neuron's row: of the chosen expert, or the one looked at."""
    neuron = scene.selection.neuron
    if neuron is None or reading.expert is None or run.expert_index is None:
        return neuron
    expert = int(run.expert_index[reading.sentence, reading.token, scene.slot])
    return expert * run.request.settings.d_ff + neuron


def pointed_key(scene: Scene, run: RunResult, reading: Contributions) -> int | None:
    """Key of the row that is pointed at, here or in another panel."""
    at = scene.pointed
    if at.neuron is None or at.token not in (None, reading.token):
        return None
    if reading.expert is None or run.expert_index is None:
        return at.neuron
    first = int(run.expert_index[reading.sentence, reading.token, 0])
    return (first if at.expert is None else at.expert) * run.request.settings.d_ff + at.neuron


def place_of(run: RunResult, reading: Contributions, key: int | None) -> int | None:
    """Row of a key, None where the list has none."""
    if key is None:
        return None
    expert, neuron = divmod(key, run.request.settings.d_ff)
    of = reading.neuron == neuron
    found = np.flatnonzero(of if reading.expert is None else of & (reading.expert == expert))
    return int(found[0]) if found.size else None
