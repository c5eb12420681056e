"""Tables of exact numbers of one token's pass, for the clipboard and for files."""

from collections.abc import Callable

from ffn_explorer.state.result import Floats
from ffn_explorer.state.scene import Scene

Rows = list[list[str]]


def token_table(scene: Scene, say: Callable[[str], str]) -> Rows | None:
    """Every number of the chosen token in the stages that the pass has left behind; None before a run."""
    run, chosen, done = scene.run, scene.selection, dict(scene.progress)
    if run is None:
        return None
    rows = [[say(f"table.{name}") for name in ("stage", "index", "value")]]
    for stage in run.stages:
        if done.get(stage, 0.0) >= 1.0:
            values = run.values[stage][chosen.sentence, chosen.token]
            rows += [[str(stage), str(at), str(value)] for at, value in enumerate(values)]
    return rows


def curve_table(z: Floats, value: Floats, say: Callable[[str], str]) -> Rows:
    """What enters and leaves the function, neuron by neuron; z and value `[F]`."""
    rows = [[say("table.neuron"), "z", "f(z)"]]
    return rows + [[str(at), str(a), str(b)] for at, (a, b) in enumerate(zip(z, value, strict=True))]


def chips_table(scene: Scene, say: Callable[[str], str]) -> Rows:
    """Tokens of the sentence with their shares of active neurons, where they are known."""
    rows = [[say(f"table.{name}") for name in ("position", "token", "active")]]
    return rows + [
        [str(at), chip.text, "" if chip.active is None else repr(float(chip.active))]
        for at, chip in enumerate(scene.chips)
    ]
