"""Knobs turned faster than anything can be computed: the last state wins, and nothing late is ever shown."""

from collections.abc import Iterator
from random import Random

import pytest
from pytestqt.qtbot import QtBot

from ffn_explorer.app.director import Director
from ffn_explorer.app.window import Window
from ffn_explorer.core.activation_table import ACTIVATIONS
from ffn_explorer.core.settings import Settings
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import AppState
from ffn_explorer.state.change import Change
from ffn_explorer.state.needs import needs
from ffn_explorer.state.requests import RunRequest, run_of
from ffn_explorer.state.results import Results
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.session import Session

SMALL = AppState(settings=Settings(d_model=8, d_ff=32, layers=1, heads=2, kv_heads=2))
COUNT = 100


@pytest.fixture
def window(qtbot: QtBot) -> Iterator[Window]:
    """A window on a small FFN, shown and computing."""
    made = Window(Director(Session(SMALL), Results()))
    qtbot.addWidget(made)
    made.painted.connect(made.director.loader.warm_up)
    made.director.start()
    with qtbot.waitExposed(made):
        made.show()
    qtbot.waitUntil(lambda: not missing(made), timeout=30_000)
    yield made
    assert made.director.close()


def missing(window: Window) -> bool:
    """Whether something that the state needs is not there, or not shown."""
    director = window.director
    run = window.scene.run if window.scene else None
    return (
        bool(needs(director.state, director.results)) or run is None or run.request != run_of(director.state)
    )


def knobs(draw: Random) -> Iterator[Change]:
    """Changes of which no two lead to the same settings: the seed counts up among them."""
    names = sorted(ACTIVATIONS)
    for number in range(COUNT):
        yield draw.choice(
            (
                changes.set_setting("d_ff", draw.randrange(16, 96), gesture="drag"),
                changes.set_setting("d_model", draw.randrange(4, 24), gesture="drag"),
                changes.set_setting("activation", draw.choice(names)),
                changes.set_setting("norm", draw.choice(("none", "layer", "rms"))),
                changes.set_setting("experts", draw.choice((1, 2, 4))),
                changes.set_sentences(f"Sentence {number}."),
            )
        )
        yield changes.set_setting("seed", number + 1)


@pytest.mark.parametrize("seed", [1, 2])
def test_the_last_of_many_changes_is_shown_and_none_before_it_comes_back(
    window: Window, qtbot: QtBot, seed: int
) -> None:
    draw = Random(seed)
    director = window.director
    asked: dict[RunRequest, int] = {run_of(director.state): 0}
    shown: list[tuple[int, int]] = []

    def note(scene: Scene) -> None:
        assert scene.run is not None
        shown.append((asked[scene.run.request], len(asked) - 1))

    director.scene_made.connect(note)
    for change in knobs(draw):
        director.request(change)
        asked.setdefault(run_of(director.state), len(asked))
        if draw.random() < 0.1:
            qtbot.wait(draw.randrange(60))
    qtbot.waitUntil(lambda: not missing(window), timeout=30_000)
    director.scene_made.disconnect(note)
    runs = [run for run, _ in shown]
    assert runs == sorted(runs), "a run older than the one on screen was shown"
    assert all(run <= newest for run, newest in shown)
    assert runs[-1] == len(asked) - 1
    assert window.scene is not None
    assert not window.scene.stale
    assert (window.scene.message, director.details) == (None, "")
    assert all(panel.scene is window.scene for panel in window.board.panels.values())
