"""Acts: what the rows of ACTIONS do to a window, where it takes more than one change of the state."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from ffn_explorer.board.board import EDITORS
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import Appearance, AppState, ThemeName
from ffn_explorer.state.change import Change
from ffn_explorer.state.file_endings import SUFFIX
from ffn_explorer.state.numbers import count
from ffn_explorer.state.setting_changes import parameter_matched
from ffn_explorer.state.storage import save_session
from ffn_explorer.state.text import Text, text
from ffn_explorer.widgets.panel import Panel

if TYPE_CHECKING:
    from ffn_explorer.app.window import Window

SCALES = (1.0, 1.1, 1.25, 1.5, 1.75, 2.0)


def play_or_go_on(window: "Window") -> None:
    """Play or pause; in a lecture, the scene's move and then the next step."""
    if window.director.state.lesson is None:
        window.director.play_or_pause()
    else:
        window.lecture.go_on()


def fold_or_show_knobs(window: "Window") -> None:
    """Put the knobs away behind one button, or bring them back."""
    window.controls.fold(not window.controls.folded)


def ask(make: Callable[[AppState], Change]) -> "Callable[[Window], None]":
    """An act that asks for one change of the state."""
    return lambda window: window.director.request(make(window.director.state))


def larger(state: AppState) -> Change:
    """Next larger size of type and lines."""
    now = state.appearance.scale
    return changes.set_scale(next((scale for scale in SCALES if scale > now), SCALES[-1]))


def smaller(state: AppState) -> Change:
    """Next smaller size."""
    now = state.appearance.scale
    return changes.set_scale(next((scale for scale in reversed(SCALES) if scale < now), SCALES[0]))


def other_language(state: AppState) -> Change:
    """English, or Japanese."""
    return changes.set_language("en" if state.appearance.language == "ja" else "ja")


def other_theme(state: AppState) -> Change:
    """Dark, or light."""
    theme: ThemeName = "light" if state.appearance.theme == "dark" else "dark"
    return changes.set_theme(theme)


def undo(window: "Window") -> None:
    """Take the last step back."""
    _in_history(window, window.director.session.undo)


def redo(window: "Window") -> None:
    """Do the step taken back again."""
    _in_history(window, window.director.session.redo)


def _in_history(window: "Window", go: Callable[[], None]) -> None:
    """Go, and where that leads into a lecture or out of it, let its scene settle."""
    director = window.director
    before = director.state.lesson
    go()
    if director.state.lesson != before:
        from ffn_explorer.state.lectures.changes import settled  # the first picture needs none of it
        from ffn_explorer.state.lectures.shown import lesson_shown

        shown = lesson_shown(director.state)
        director.request(settled(None if shown is None else shown.lecture))


def undo_label(window: "Window") -> Text | None:
    """Words of undo, naming what it takes back."""
    return window.director.session.undo_text


def redo_label(window: "Window") -> Text | None:
    """Words of redo, naming what it does again."""
    return window.director.session.redo_text


def swap_label(window: "Window") -> Text | None:
    """Words of the exchange of A and B; None while nothing is compared."""
    return None if window.director.state.compare is None else text("action.swap")


def compare_end_label(window: "Window") -> Text | None:
    """Words of the end of a comparison; None while there is none."""
    return None if window.director.state.compare is None else text("action.compare_end")


def match_label(window: "Window") -> Text | None:
    """Words of the parameter match; None while no other Dff would come nearer, or none can be chosen."""
    state = window.director.state
    if not state.source.plain or parameter_matched(state.settings, state.compare) == state.settings:
        return None
    return text("action.match")


def toggle_projector(window: "Window") -> None:
    """Projector theme, or the one that was there before it."""
    on = window.director.state.appearance.theme == "projector"
    window.director.request(changes.set_theme(window.room_theme if on else "projector"))


def toggle_fullscreen(window: "Window") -> None:
    """Fill the screen, or come back."""
    # Leaving keeps the other states: a window that was maximised is so again.
    window.setWindowState(window.windowState() ^ Qt.WindowState.WindowFullScreen)


def typing() -> bool:
    """Whether an editor holds the keyboard."""
    return isinstance(QApplication.focusWidget(), EDITORS)


def escape(window: "Window") -> None:
    """The nearest thing to leave: work under way, a message, an editor, a chosen cell, the full screen."""
    # Work too short to be announced is none that a person means to stop.
    announced = window.scene is not None and window.scene.busy is not None
    if (announced and window.director.cancel()) or window.notices.dismiss():
        return
    if typing():
        window.board.setFocus()
    elif window.board.alone is not None:
        window.board.fill(None)
    elif window.director.state.selection.stage is not None:
        window.director.request(changes.clear_selection())
    elif window.isFullScreen():
        toggle_fullscreen(window)


def go_to_token(window: "Window") -> None:
    """Ask for a token and choose it."""
    from ffn_explorer.app import dialogs  # not wanted before the first picture

    if window.scene is None:
        return
    token = dialogs.ask_token(window, window.scene)
    if token is not None:
        window.director.request(changes.select_token(token))


def save_session_as(window: "Window") -> None:
    """Ask for a place and write the session there."""
    from ffn_explorer.app import dialogs  # not wanted before the first picture

    suggestion = window.folder / f"ffn-session{SUFFIX}"
    path = dialogs.ask_save(window, suggestion, suffixes=(SUFFIX,))
    if path is not None:
        _write(window, path, lambda: save_session(path, window.director.state))


def export(window: "Window") -> None:
    """Open the dialog that asks what is to be exported, with what was chosen last."""
    _open_export(window, _in_use(window).name, kind="")


def export_panel(window: "Window") -> None:
    """The same, for a picture of the panel that holds the keyboard, or of the first one."""
    export_card(window, _in_use(window))


def export_card(window: "Window", panel: Panel) -> None:
    """The same for a picture of one panel."""
    _open_export(window, panel.name, kind="panel")


def copy_numbers_in_use(window: "Window") -> None:
    """Copy the numbers of the panel that holds the keyboard, or of the first one that has some."""
    panels = [_in_use(window), *window.board.panels.values()]
    panel = next((panel for panel in panels if panel.isVisible() and panel.table() is not None), None)
    if panel is not None:
        copy_numbers(window, panel)


def copy_picture_in_use(window: "Window") -> None:
    """Copy a picture of the panel that holds the keyboard, or of the first one."""
    copy_picture(window, _in_use(window))


def copy_numbers(window: "Window", panel: Panel) -> None:
    """Put the panel's exact numbers on the clipboard, as a table that spreadsheets take."""
    from ffn_explorer.export.tsv import tsv

    rows = panel.table()
    if rows is not None:
        QApplication.clipboard().setText(tsv(rows))
        name = text(f"panel_name.{panel.name}")
        window.director.remark(text("menu.copied_numbers", panel=name, rows=count(len(rows) - 1)))


def copy_picture(window: "Window", panel: Panel) -> None:
    """Put a picture of the panel on the clipboard."""
    from ffn_explorer.app.exporting import FIRST_PIXELS
    from ffn_explorer.export.png import image_of

    with panel.without_menu():
        QApplication.clipboard().setImage(image_of(panel, FIRST_PIXELS))
    window.director.remark(text("menu.copied_picture", panel=text(f"panel_name.{panel.name}")))


def open_panel_menu(window: "Window") -> None:
    """Open the menu of the panel that holds the keyboard."""
    panel = window.board.focused_panel()
    if panel is not None:
        panel.open_menu()


def find(window: "Window") -> None:
    """Open the search over everything there is."""
    window.hints.did("find")
    window.finder.open()


def _in_use(window: "Window") -> Panel:
    """The panel that holds the keyboard, or the first one that is a card in sight."""
    cards = (panel for panel in window.board.panels.values() if panel.framed and panel.isVisible())
    return window.board.focused_panel() or next(cards)


def _open_export(window: "Window", panel: str, *, kind: str) -> None:
    from ffn_explorer.app.export_dialog import ExportDialog  # not wanted before the first picture

    ExportDialog(window, panel, kind=kind).open()


def state_shown(window: "Window", look: Appearance | None = None) -> AppState:
    """The state behind the picture, whose run may be older than what the knobs ask for; look: another one."""
    state = window.director.state
    state = replace(state, appearance=look or state.appearance)
    run = None if window.scene is None else window.scene.run
    if run is None:
        return state
    shown = run.request
    return replace(state, settings=shown.settings, source=shown.source, edits=shown.edits)


def _write(window: "Window", path: Path, act: Callable[[], None]) -> None:
    window.folder = path.parent
    if window.director.attempt(act):
        window.director.tell(text("window.saved", path=str(path)))


def show_keys(window: "Window") -> None:
    """List of all keys."""
    from ffn_explorer.app import dialogs  # not wanted before the first picture

    dialogs.KeyList(window, window.keymap.actions).exec()


def show_about(window: "Window") -> None:
    """Name, version and licence."""
    from ffn_explorer.app import dialogs  # not wanted before the first picture

    dialogs.About(window).exec()
