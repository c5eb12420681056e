"""Change: one act of a person, as a pure function of the state."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from ffn_explorer.state.app_state import AppState
from ffn_explorer.state.text import Text

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    Part = TypeVar("Part", bound=DataclassInstance)
else:
    Part = TypeVar("Part")


@dataclass(frozen=True, slots=True)
class Change:
    """One act of a person.

    what: catalogue key of its name ("undo.select").  gesture: consecutive changes with the same non-empty
    gesture make one undo step (a slider drag, typing).  gathers: the last step of this gesture, and all that
    was done since, become one step with it.  undoable: hover, playback and looks never are.
    to: raises SettingError or InputError where the change leads to something that cannot be.
    """

    what: str
    to: Callable[[AppState], AppState]
    gesture: str = ""
    gathers: str = ""
    undoable: bool = True
    says: Callable[[AppState], Text | None] | None = None
    """What to tell the person of the new state, once it is made."""


def silent(what: str, to: Callable[[AppState], AppState]) -> Change:
    """A change that undo passes over."""
    return Change(what, to, undoable=False)


def part(value: Part, /, **changes: Any) -> Part:  # noqa: ANN401 - any field of any part of the state
    """Copy with some fields changed; the same object when nothing differs, so that comparing stays cheap."""
    if all(getattr(value, name) == new for name, new in changes.items()):
        return value
    return replace(value, **changes)
