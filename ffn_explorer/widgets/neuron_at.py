"""What a scene has of a neuron's card: the card where it fits the run, what is reached, B's values."""

import numpy as np

from ffn_explorer.core.readings import NeuronCard
from ffn_explorer.core.stages import Stage
from ffn_explorer.state.result import Floats, RunResult
from ffn_explorer.state.scene import Scene
from ffn_explorer.widgets.neuron_rows import Known
from ffn_explorer.widgets.reveal import cell_share


def card_of(scene: Scene) -> NeuronCard | None:
    """The card at hand, where it fits the run on screen."""
    card, run = scene.neuron_card, scene.run
    if card is None or run is None or card.sentence >= len(run.tokens):
        return None
    fits = len(card.m) == len(run.tokens[card.sentence]) and card.neuron < run.request.settings.d_ff
    return card if fits and len(card.up) == run.request.settings.d_model else None


def known_of(scene: Scene, run: RunResult) -> Known:
    """How far the pass is with this neuron's values."""
    done = dict(scene.progress)
    hidden = cell_share(done.get(run.enters_down, 1.0))
    return Known(done.get(run.enters_act, 1.0), done.get(Stage.ACT, 1.0), hidden)


def other_values(scene: Scene, run: RunResult, card: NeuronCard) -> Floats | None:
    """B's m of the same neuron at every token `[S]`; None unless both are dense and of one width."""
    other = scene.other
    if other is None or card.expert is not None or other.expert_index is not None:
        return None
    theirs = other.values[other.enters_down]
    if theirs.shape != run.values[run.enters_down].shape:
        return None
    row: Floats = theirs[card.sentence, : len(card.m), card.neuron]
    return row


def table_of(run: RunResult, card: NeuronCard) -> list[list[str]]:
    """Values at every token, and after an empty row the weights by dimension: exact numbers under heads."""
    tokens = run.tokens[card.sentence]
    lists = [column.tolist() for column in (card.pre, card.act, card.m, card.rank)]
    rows = [["token", "pre-activation", "act", "m", "place"]]
    rows += [
        # A neuron that is off or cut writes nothing: among the others like it, it has no place.
        [token, *map(repr, (pre, act, m)), str(rank + 1) if rank >= 0 and m != 0.0 else ""]
        for token, pre, act, m, rank in zip(tokens, *lists, strict=True)
    ]
    columns = {"up": card.up, "gate": card.gate, "down": card.down}
    kept = {name: column.tolist() for name, column in columns.items() if column is not None}
    weights = zip(np.arange(len(card.up)).tolist(), *kept.values(), strict=True)
    return [*rows, [], ["dimension", *kept], *(list(map(repr, row)) for row in weights)]
