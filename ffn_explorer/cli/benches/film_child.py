"""Child of `film`: draws the pass again and again, in turn with films of it."""

import json
import os
import sys
import tempfile
from pathlib import Path

from ffn_explorer.cli.benches.timing import in_turn

FRAMES, RATE = 60, 30
SIZE_PX = (1_280, 720)
BUDGET_S = 12.0
MOST_ROUNDS = 9


def measure(suffix: str) -> dict[str, list[float]]:
    """Seconds of each film, and of drawing its frames; everything is computed before."""
    from ffn_explorer.app.animating import camera, computed_for, expose, film_of, of_pass
    from ffn_explorer.app.still import Subject, prepare_application, whole_application
    from ffn_explorer.state import changes
    from ffn_explorer.state.app_state import AppState
    from ffn_explorer.state.layouts import LAYOUTS, panels_of

    subject = Subject(size=SIZE_PX)
    state = changes.show_panels(frozenset(panels_of(LAYOUTS[subject.layout]))).to(AppState())
    prepare_application(state.appearance)
    states = of_pass(state, frames=FRAMES)
    film, results = film_of(states, subject, rate=RATE, pixels=1.0), computed_for(states)
    with (
        tempfile.TemporaryDirectory() as folder,
        camera(state, results, subject, wear=whole_application, pixels=1.0) as shoot,
    ):
        path = Path(folder) / f"film{suffix}"

        def draw() -> None:
            for wanted in states:
                shoot(wanted)

        mine, bare = in_turn(
            lambda: expose(states, shoot, film, path), draw, budget_s=BUDGET_S, most=MOST_ROUNDS
        )
    return {"film": mine, "drawing": bare}


if __name__ == "__main__":
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    print(json.dumps(measure(sys.argv[1])))
