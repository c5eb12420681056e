"""What a hand-built memory or an opened file stands in place of: kept, and brought back on leaving."""

from ffn_explorer.core.settings import Settings
from ffn_explorer.state.app_state import AppState, Before, Selection
from ffn_explorer.state.change import part
from ffn_explorer.state.token_lengths import token_lengths


def before_of(state: AppState) -> Before:
    """What leaving brings back."""
    return Before(
        orders=state.source.orders,
        settings=state.settings,
        edits=state.edits,
        compare=state.compare,
        theta=state.theta,
        selection=state.selection,
    )


def left(state: AppState) -> AppState:
    """The state without its memory or file, as it was before; without one, the same object."""
    if state.source.plain:
        return state
    before = state.before_memory or _default(state)
    settings = before.settings
    source = part(state.source, memory=None, opened=None, orders=before.orders)
    return part(
        state,
        source=source,
        settings=settings,
        edits=before.edits,
        compare=before.compare,
        theta=before.theta,
        selection=before.selection.clamped(token_lengths(source), settings.d_model, settings.d_ff),
        before_memory=None,
    )


def _default(state: AppState) -> Before:
    """What comes back where nothing is known of before (files of the first releases): the default widths."""
    now = state.settings
    kept = {"dtype": now.dtype, "device": now.device, "seed": now.seed}
    if state.source.memory is not None:
        kept["activation"] = now.activation
    return Before(
        orders=tuple(() for _ in state.source.sentences),
        settings=Settings(**kept),  # type: ignore[arg-type]  # each is of its field's type
        theta=state.theta,
        selection=Selection(token=state.selection.token),
    )
