"""ACTIONS: everything that a key or the menu can do, one row each."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ffn_explorer.app import acts, lecture_acts, open_acts
from ffn_explorer.app.acts import ask
from ffn_explorer.app.system_look import BOTH
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import Appearance
from ffn_explorer.state.layouts import LAYOUTS
from ffn_explorer.state.text import Text, text

if TYPE_CHECKING:
    from ffn_explorer.app.window import Window

Group = Literal["lecture", "file", "source", "edit", "compare", "pass", "panels", "view", "help"]
GROUPS: tuple[Group, ...] = ("pass", "lecture", "panels", "view", "compare", "edit", "file", "source", "help")


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
    checked: "Callable[[Window], bool] | None" = None
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


def _look(is_on: Callable[[Appearance], bool]) -> "Callable[[Window], bool]":
    return lambda window: is_on(window.look)


def _layout(place: int, name: str) -> Action:
    return Action(
        f"layout_{name}",
        "panels",
        (f"Ctrl+{place}",),
        lambda window: window.arrangement.use(name),
        lambda window: window.arrangement.name == name,
    )


PASS_ACTIONS = (
    Action("play", "pass", ("Space",), acts.play_or_go_on),
    Action("step", "pass", ("Right",), lambda window: window.director.step(1), repeats=True),
    Action("back", "pass", ("Left", "Backspace"), lambda window: window.director.step(-1), repeats=True),
    Action("first", "pass", ("Home",), ask(lambda _: changes.seek(0.0))),
    Action("last", "pass", ("End",), ask(lambda _: changes.seek(1.0))),
)

LECTURE_ACTIONS = (
    Action("lecture", "lecture", ("F5",), lambda window: window.lecture.start()),
    Action("lecture_next", "lecture", ("PgDown",), lecture_acts.step(1), label=lecture_acts.during("next")),
    Action("lecture_prev", "lecture", ("PgUp",), lecture_acts.step(-1), label=lecture_acts.during("prev")),
    Action("lecture_list", "lecture", ("S",), lecture_acts.list_scenes, label=lecture_acts.during("list")),
    Action("lecture_depth", "lecture", ("D",), lecture_acts.deeper, label=lecture_acts.during("depth")),
    Action("lecture_again", "lecture", ("R",), lecture_acts.again, label=lecture_acts.during("again")),
    Action("lecture_notes", "lecture", ("Ctrl+N",), lambda window: window.lecture.notes.toggle()),
    Action("blank", "lecture", (".",), lambda window: window.lecture.blank.toggle()),
    Action("pointer", "lecture", ("H",), lambda window: window.lecture.pointer.toggle()),
    Action("lecture_handout", "lecture", (), lecture_acts.handout),
    Action("lecture_end", "lecture", ("Shift+F5",), lecture_acts.leave, label=lecture_acts.during("end")),
)

VIEW_ACTIONS = (
    Action("fullscreen", "view", ("F", "F11"), acts.toggle_fullscreen),
    Action("projector", "view", ("P",), acts.toggle_projector, _look(lambda look: look.theme == "projector")),
    Action("dark", "view", ("T",), ask(acts.other_theme), _look(lambda look: look.theme == "dark")),
    Action("language", "view", ("L",), ask(acts.other_language)),
    Action(
        "system_look",
        "view",
        (),
        lambda window: window.system_look.follow(),
        lambda window: window.system_look.follows == BOTH,
    ),
    Action(
        "motion",
        "view",
        ("M",),
        ask(lambda _: changes.toggle_reduce_motion()),
        _look(lambda look: look.reduce_motion),
    ),
    Action(
        "transposed",
        "view",
        ("B",),
        ask(lambda _: changes.toggle_transposed()),
        _look(lambda look: look.transposed),
    ),
    Action("knobs", "view", ("K",), acts.fold_or_show_knobs),
    Action("lens", "view", ("Z",), ask(lambda _: changes.toggle_lens()), _look(lambda look: look.lens)),
    Action("larger", "view", ("Ctrl++", "Ctrl+="), ask(acts.larger), repeats=True),
    Action("smaller", "view", ("Ctrl+-",), ask(acts.smaller), repeats=True),
    Action("normal_size", "view", ("Ctrl+0",), ask(lambda _: changes.set_scale(1.0))),
)

PANEL_ACTIONS = (
    *(_layout(place, name) for place, name in enumerate(LAYOUTS, 1)),
    Action(
        "fill",
        "panels",
        ("X",),
        lambda window: window.arrangement.fill_or_share(None),
        lambda window: window.board.alone is not None,
    ),
    Action("panel_menu", "panels", ("Shift+F10",), acts.open_panel_menu, in_menu=False),
    Action("reset_layout", "panels", ("Ctrl+R",), lambda window: window.arrangement.reset()),
)

COMPARE_ACTIONS = (
    Action("pin", "compare", ("C",), ask(lambda _: changes.pin())),
    Action("match", "compare", (), ask(lambda _: changes.match_parameters()), label=acts.match_label),
    Action("swap", "compare", ("V",), ask(lambda _: changes.swap_compared()), label=acts.swap_label),
    Action(
        "compare_end",
        "compare",
        ("N",),
        ask(lambda _: changes.set_compare(None)),
        label=acts.compare_end_label,
    ),
)

EDIT_ACTIONS = (
    Action("undo", "edit", ("Ctrl+Z",), acts.undo, repeats=True, label=acts.undo_label),
    Action("redo", "edit", ("Ctrl+Shift+Z", "Ctrl+Y"), acts.redo, repeats=True, label=acts.redo_label),
    Action("find", "edit", ("/", "Ctrl+F"), acts.find),
    Action("goto", "edit", ("G",), acts.go_to_token),
)

FILE_ACTIONS = (
    Action("open", "file", ("Ctrl+O",), open_acts.open_file),
    Action("open_folder", "file", ("Ctrl+Shift+O",), open_acts.open_folder),
    Action("open_link", "file", ("Ctrl+L",), open_acts.open_typed),
    Action("paste_link", "file", ("Ctrl+V",), open_acts.open_pasted),
    Action("save", "file", ("Ctrl+S",), acts.save_session_as),
    Action("export", "file", ("Ctrl+E",), acts.export),
    Action("export_panel", "file", ("Ctrl+Shift+E",), acts.export_panel),
    Action("copy_picture", "file", ("Ctrl+Shift+I",), acts.copy_picture_in_use),
    Action("copy_numbers", "file", ("Ctrl+Shift+N",), acts.copy_numbers_in_use),
    Action("quit", "file", ("Ctrl+Q",), lambda window: window.close()),
)

SOURCE_ACTIONS = (
    Action(
        "layer_back",
        "source",
        ("[",),
        open_acts.step_layer(-1),
        repeats=True,
        label=open_acts.with_file("layer_back"),
    ),
    Action(
        "layer_on",
        "source",
        ("]",),
        open_acts.step_layer(1),
        repeats=True,
        label=open_acts.with_file("layer_on"),
    ),
    Action("copy_link", "source", ("Ctrl+Shift+C",), open_acts.copy_link, label=open_acts.copy_label),
    Action("hidden_states", "source", (), open_acts.open_rows, label=open_acts.with_file("hidden_states")),
    Action("embeddings", "source", (), open_acts.use_embeddings, label=open_acts.embeddings_label),
    Action("correct", "source", (), open_acts.correct, label=open_acts.with_file("correct")),
    Action("random", "source", (), open_acts.leave, label=open_acts.leave_label),
)

HELP_ACTIONS = (
    Action("keys", "help", ("?", "F1"), acts.show_keys),
    Action("about", "help", (), acts.show_about),
    Action("leave", "help", ("Esc",), acts.escape, in_menu=False),
)

ACTIONS: tuple[Action, ...] = (
    *PASS_ACTIONS,
    *LECTURE_ACTIONS,
    *PANEL_ACTIONS,
    *VIEW_ACTIONS,
    *COMPARE_ACTIONS,
    *EDIT_ACTIONS,
    *FILE_ACTIONS,
    *SOURCE_ACTIONS,
    *HELP_ACTIONS,
)
