"""The ranking as a part of a run: of the chosen token and expert, and the same whatever is kept."""

from __future__ import annotations

import numpy as np

from ffn_explorer.core.edits import Edits
from ffn_explorer.core.stages import Stage
from ffn_explorer.state.app_state import AppState, Selection
from ffn_explorer.state.compute import attempt
from ffn_explorer.state.needs import needs
from ffn_explorer.state.resolver import resolve
from ffn_explorer.state.results import Results
from ffn_explorer.state.scene import Scene
from tests.snapshots.scenes import EXPERTS, PLAIN

SHOWN = frozenset({"memory"})


def scene_of(state: AppState, results: Results) -> Scene:
    """Return the finished scene."""
    while missing := needs(state, results):
        attempt(missing[0], results)
    return resolve(state, results)


def test_it_belongs_to_the_chosen_token() -> None:
    results = Results()
    scene = scene_of(AppState(settings=PLAIN, selection=Selection(token=2), shown=SHOWN), results)
    assert scene.run is not None
    assert scene.memories is not None
    assert (scene.memories.token, scene.memories.slot, scene.memories.expert) == (2, 0, None)
    strongest = scene.memories.neuron[0]
    assert scene.memories.m[0] == scene.run.values[Stage.ACT][0, 2, strongest]
    assert scene.lagging == frozenset()


def test_every_number_of_kept_memories_has_the_same_ranking() -> None:
    results = Results()
    state = AppState(settings=PLAIN, shown=SHOWN)
    whole = scene_of(state, results).memories
    cut = scene_of(AppState(settings=PLAIN, edits=Edits(keep=7), shown=SHOWN), results)
    assert whole is not None
    assert cut.memories is whole
    assert cut.run is not None
    hidden = cut.run.values[Stage.HIDDEN][0, whole.token]
    assert set(np.flatnonzero(hidden).tolist()) <= set(whole.neuron[:7].tolist())


def test_it_follows_the_chosen_expert() -> None:
    state = AppState(settings=EXPERTS, selection=Selection(token=1), shown=SHOWN)
    results = Results()
    first = scene_of(state, results)
    assert first.run is not None
    assert first.run.expert_index is not None
    second = int(first.run.expert_index[0, 1, 1])
    chosen = AppState(settings=EXPERTS, selection=Selection(token=1, expert=second), shown=SHOWN)
    found = scene_of(chosen, results).memories
    assert found is not None
    assert (found.slot, found.expert) == (1, second)


def test_nothing_is_ranked_while_no_panel_shows_it() -> None:
    scene = scene_of(AppState(settings=PLAIN, shown=frozenset({"maps"})), Results())
    assert scene.memories is None
