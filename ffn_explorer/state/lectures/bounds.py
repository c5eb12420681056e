"""What a lecture's state chooses must be there: tokens, neurons, orders, memories kept."""

from ffn_explorer.core.errors import ExplorerError
from ffn_explorer.core.tokens import tokenize
from ffn_explorer.state.app_state import AppState
from ffn_explorer.state.lectures.tables import Table


def check_bounds(table: Table, state: AppState) -> None:
    """Note every choice that lies beyond the sentences and widths of the state itself."""
    lengths, settings, chosen = _lengths(state), state.settings, state.selection
    if lengths is None:
        return
    _within(table, "selection.sentence", chosen.sentence, len(lengths))
    if chosen.sentence < len(lengths):
        _within(table, "selection.token", chosen.token, lengths[chosen.sentence])
    _within(table, "selection.neuron", chosen.neuron, settings.d_ff)
    _within(table, "selection.dim", chosen.dim, settings.d_model)
    _within(table, "selection.expert", chosen.expert, settings.experts)
    _within(table, "edits.keep", state.edits.keep, settings.d_ff + 1)
    orders = state.source.orders
    for order, length in zip(orders, lengths, strict=False):
        if order and sorted(order) != [*range(length)]:
            table.wrong("source.orders", "orders", count=length)


def _lengths(state: AppState) -> tuple[int, ...] | None:
    """Tokens of each sentence, or input patterns; None where only a file can tell."""
    source = state.source
    if source.opened is not None:
        return None
    if source.memory is not None:
        return (len(source.memory.patterns),)
    try:
        return tuple(len(tokens) for tokens in tokenize(source.sentences))
    except ExplorerError:
        return None  # said of the sentences themselves


def _within(table: Table, name: str, value: int | None, count: int) -> None:
    if value is not None and not 0 <= value < count:
        table.wrong(name, "bounds", low=0, high=count - 1)
