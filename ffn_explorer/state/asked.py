"""What of a state asks for something: what messages are about, and what results follow from."""

from ffn_explorer.state.app_state import AppState


def chosen_in(state: AppState) -> tuple[object, ...]:
    """What a message may be about: once it changes, the message is out of date."""
    return state.source, state.settings, state.edits, state.theta, state.compare


def drawn_in(state: AppState) -> tuple[object, ...]:
    """What decides which results are needed, the moment of the pass left out."""
    at = (state.selection, state.hover, state.point, state.views, state.shown, state.asked, state.looking)
    return (*chosen_in(state), *at)
