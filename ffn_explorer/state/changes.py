"""Changes: what a person does to the state, as pure functions with a name for the undo menu."""

from collections.abc import Callable
from dataclasses import dataclass

from ffn_explorer.state.app_state import AppState


@dataclass(frozen=True, slots=True)
class Change:
    """One act of a person.

    what: catalogue key of its name ("undo.select").  gesture: consecutive changes with the same non-empty
    gesture make one undo step (a slider drag, typing).  undoable: hover, playback and looks never are.
    """

    what: str
    to: Callable[[AppState], AppState]
    gesture: str = ""
    undoable: bool = True
