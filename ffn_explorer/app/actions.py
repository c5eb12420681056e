"""ACTIONS: everything that a key or the menu can do, one row each."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ffn_explorer.app import acts
from ffn_explorer.app.acts import ask
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import AppState
from ffn_explorer.state.text import Text, text

if TYPE_CHECKING:
    from ffn_explorer.app.window import Window

Group = Literal["file", "edit", "pass", "view", "help"]
GROUPS: tuple[Group, ...] = ("pass", "view", "edit", "file", "help")


@dataclass(frozen=True, slots=True)
class Action:
    """One thing a person can do; its words are "action.<name>" in the catalogue.

    keys: portable key names (Ctrl is Command on macOS), the first is the one shown.
    checked: whether it is on now, for those that switch something.
    repeats: whether a key held down does it again and again.
    label: words that change with the session, None while there is nothing to do.
    """

    name: str
    group: Group
    keys: tuple[str, ...]
    run: "Callable[[Window], object]"
    checked: Callable[[AppState], bool] | None = None
    repeats: bool = False
    label: "Callable[[Window], Text | None] | None" = None
    in_menu: bool = True

    def words(self, window: "Window") -> Text | None:
        """What the menu says; None while it cannot be done."""
        return text(self.key) if self.label is None else self.label(window)

    @property
    def key(self) -> str:
        """Catalogue key of its words."""
        return f"action.{self.name}"


def _is_projector(state: AppState) -> bool:
    return state.appearance.theme == "projector"


def _is_dark(state: AppState) -> bool:
    return state.appearance.theme == "dark"


def _is_still(state: AppState) -> bool:
    return state.appearance.reduce_motion


def _is_transposed(state: AppState) -> bool:
    return state.appearance.transposed


PASS_ACTIONS = (
    Action("play", "pass", ("Space",), lambda window: window.director.play_or_pause()),
    Action("step", "pass", ("Right",), lambda window: window.director.step(1), repeats=True),
    Action("back", "pass", ("Left", "Backspace"), lambda window: window.director.step(-1), repeats=True),
    Action("first", "pass", ("Home",), ask(lambda _: changes.seek(0.0))),
    Action("last", "pass", ("End",), ask(lambda _: changes.seek(1.0))),
)

VIEW_ACTIONS = (
    Action("fullscreen", "view", ("F", "F11"), acts.toggle_fullscreen),
    Action("projector", "view", ("P",), acts.toggle_projector, _is_projector),
    Action("dark", "view", ("T",), ask(acts.other_theme), _is_dark),
    Action("language", "view", ("L",), ask(acts.other_language)),
    Action("motion", "view", ("M",), ask(lambda _: changes.toggle_reduce_motion()), _is_still),
    Action("transposed", "view", ("B",), ask(lambda _: changes.toggle_transposed()), _is_transposed),
    Action("larger", "view", ("Ctrl++", "Ctrl+="), ask(acts.larger), repeats=True),
    Action("smaller", "view", ("Ctrl+-",), ask(acts.smaller), repeats=True),
    Action("normal_size", "view", ("Ctrl+0",), ask(lambda _: changes.set_scale(1.0))),
    Action("reset_layout", "view", ("Ctrl+R",), lambda window: window.reset_layout()),
)

EDIT_ACTIONS = (
    Action("undo", "edit", ("Ctrl+Z",), acts.undo, repeats=True, label=acts.undo_label),
    Action("redo", "edit", ("Ctrl+Shift+Z", "Ctrl+Y"), acts.redo, repeats=True, label=acts.redo_label),
    Action("goto", "edit", ("G",), acts.go_to_token),
)

FILE_ACTIONS = (
    Action("open", "file", ("Ctrl+O",), acts.open_session),
    Action("save", "file", ("Ctrl+S",), acts.save_session_as),
    Action("export", "file", ("Ctrl+E",), acts.export_window),
    Action("export_panel", "file", ("Ctrl+Shift+E",), acts.export_panel),
    Action("quit", "file", ("Ctrl+Q",), lambda window: window.close()),
)

HELP_ACTIONS = (
    Action("keys", "help", ("?", "F1"), acts.show_keys),
    Action("about", "help", (), acts.show_about),
    Action("leave", "help", ("Esc",), acts.escape, in_menu=False),
)

ACTIONS: tuple[Action, ...] = (*PASS_ACTIONS, *VIEW_ACTIONS, *EDIT_ACTIONS, *FILE_ACTIONS, *HELP_ACTIONS)
