"""Changes of the selection, which all panels share."""

from ffn_explorer.core.stages import WIDE, Stage
from ffn_explorer.state.app_state import AppState, Cell
from ffn_explorer.state.change import Change, part
from ffn_explorer.state.token_lengths import token_lengths


def select_token(token: int, *, sentence: int | None = None) -> Change:
    """Choose a token; a chosen neuron or dimension stays, so that it can be followed along the sentence."""

    def to(state: AppState) -> AppState:
        at = state.selection.sentence if sentence is None else sentence
        return part(state, selection=part(state.selection, token=max(0, token), sentence=max(0, at)))

    return Change("undo.select", to)


def select_sentence(sentence: int) -> Change:
    """Choose a sentence of the batch; the token keeps its place where the sentence is long enough."""

    def to(state: AppState) -> AppState:
        lengths = token_lengths(state.source)
        at = min(max(0, sentence), len(lengths) - 1)
        token = min(state.selection.token, lengths[at] - 1)
        return part(state, selection=part(state.selection, sentence=at, token=token))

    return Change("undo.select", to)


def select_cell(cell: Cell, *, expert: int | None = None) -> Change:
    """Choose one number: its stage, sentence, token, and the neuron or dimension it counts."""
    index = {"neuron" if cell.stage in WIDE else "dim": cell.index}

    def to(state: AppState) -> AppState:
        place = {"stage": cell.stage, "sentence": cell.sentence, "token": cell.token}
        return part(state, selection=part(state.selection, expert=expert, **place, **index))

    return Change("undo.select", to)


def choose(
    *,
    token: int | None = None,
    neuron: int | None = None,
    dim: int | None = None,
    expert: int | None = None,
    stage: Stage | None = None,
    gesture: str = "",
) -> Change:
    """Choose any of these, and leave the others as they are.

    Without a stage, a neuron is looked at in act and a dimension in out, unless the chosen stage counts them.
    """

    def to(state: AppState) -> AppState:
        now = state.selection
        given = {"token": token, "neuron": neuron, "dim": dim, "expert": expert, "stage": stage}
        changed: dict[str, object] = {name: value for name, value in given.items() if value is not None}
        if stage is None and neuron is not None and now.stage not in WIDE:
            changed["stage"] = Stage.ACT
        elif (
            stage is None and neuron is None and dim is not None and (now.stage is None or now.stage in WIDE)
        ):
            changed["stage"] = Stage.OUT
        return part(state, selection=part(now, **changed))

    return Change("undo.select", to, gesture)


def select_expert(expert: int | None) -> Change:
    """Choose an expert, or none."""
    return Change("undo.select", lambda state: part(state, selection=part(state.selection, expert=expert)))


def clear_selection() -> Change:
    """Choose no cell, neuron, dimension or expert; a token is always chosen."""

    def to(state: AppState) -> AppState:
        return part(state, selection=part(state.selection, stage=None, neuron=None, dim=None, expert=None))

    return Change("undo.select", to)


def step_selection(dx: int, dy: int, *, stage: Stage | None = None) -> Change:
    """Arrow keys: dy moves along the tokens, dx along the neurons or dimensions of a stage.

    stage: the one that is looked at, which is then chosen; None for the chosen one.
    While nothing is chosen there, dx moves along the tokens too. One run of arrow presses is one undo step.
    """

    def to(state: AppState) -> AppState:
        chosen = state.selection if stage is None else part(state.selection, stage=stage)
        cell = chosen.cell()
        lengths = token_lengths(state.source)
        last = lengths[min(chosen.sentence, len(lengths) - 1)] - 1
        along = dy if cell else dx + dy
        token = min(max(0, chosen.token + along), last)
        if cell is None:
            return part(state, selection=part(state.selection, token=token))
        wide = cell.stage in WIDE
        width = state.settings.d_ff if wide else state.settings.d_model
        index = {"neuron" if wide else "dim": min(max(0, cell.index + dx), width - 1)}
        return part(state, selection=part(chosen, token=token, **index))

    return Change("undo.select", to, gesture="arrow keys")
