"""Acts of opened files: choosing, pasting, copying, going through layers, and what flows into them."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QApplication

from ffn_explorer.app.opener import trouble_of
from ffn_explorer.state import changes
from ffn_explorer.state.known_file import facts_of
from ffn_explorer.state.text import Text, text

if TYPE_CHECKING:
    from ffn_explorer.app.window import Window


def open_file(window: "Window") -> None:
    """Ask for a session or a file of weights, and open it."""
    from ffn_explorer.app import open_dialogs  # not wanted before the first picture

    path = open_dialogs.ask_open(window, window.folder)
    if path is not None:
        window.folder = path.parent
        window.opener.open_path(str(path))


def open_folder(window: "Window") -> None:
    """Ask for a folder of weights, and open it."""
    from ffn_explorer.app import open_dialogs  # not wanted before the first picture

    path = open_dialogs.ask_folder(window, window.folder)
    if path is not None:
        window.folder = path.parent
        window.opener.open_path(str(path))


def open_typed(window: "Window") -> None:
    """Ask for a path or a link, and open it."""
    from ffn_explorer.app import open_dialogs  # not wanted before the first picture

    typed = open_dialogs.ask_text(window)
    if typed is not None:
        window.opener.open_text(typed)


def open_pasted(window: "Window") -> None:
    """Open the file, or the link or path, on the clipboard."""
    found = QApplication.clipboard().mimeData()
    urls = found.urls() if found.hasUrls() else []
    local = [url.toLocalFile() for url in urls if url.isLocalFile()]
    if len(local) == 1:
        window.opener.open_path(local[0])
    else:
        window.opener.open_text(found.text())


def copy_label(window: "Window") -> Text | None:
    """Words for the copying of a link; None without a file."""
    state = window.director.state
    if state.source.opened is None:
        return None
    return text("action.copy_link" if state.selection.neuron is not None else "action.copy_link_layer")


def copy_link(window: "Window") -> None:
    """Put the link to the layer, and to the neuron chosen in it, on the clipboard."""
    from ffn_explorer.state.links import link_of

    def copy() -> None:
        link = link_of(window.director.state)
        if link is not None:
            QApplication.clipboard().setText(link)
            window.director.remark(text("open.copied"))

    window.director.attempt(copy)


def step_layer(by: int) -> "Callable[[Window], None]":
    """An act that goes some layers on in the opened file, and stops at its ends."""

    def step(window: "Window") -> None:
        state = window.director.state
        facts = facts_of(state.source.opened)
        if facts is None:
            return
        from ffn_explorer.state.opened_changes import select_layer

        wanted = min(len(facts.layers) - 1, max(0, state.settings.layer + by))
        window.director.request(select_layer(wanted, gesture="layer keys"))

    return step


def with_file(name: str) -> "Callable[[Window], Text | None]":
    """Words of an action that only an opened file makes possible."""
    return lambda window: None if window.director.state.source.opened is None else text(f"action.{name}")


def open_rows(window: "Window") -> None:
    """Ask for an NPY file and what its rows are, and let them flow into the layer."""
    from ffn_explorer.app import open_dialogs  # not wanted before the first picture

    if window.director.state.source.opened is None:
        return
    path = open_dialogs.ask_rows(window, window.folder)
    if path is None:
        return
    window.folder = path.parent
    x_is = open_dialogs.ask_what_rows_are(window, path)
    if x_is is not None:
        window.opener.hidden_states(str(path), x_is=x_is)


def embeddings_label(window: "Window") -> Text | None:
    """Words for the way back to the embeddings of tokens; None while nothing else flows in."""
    opened = window.director.state.source.opened
    return None if opened is None or not opened.x else text("action.embeddings")


def use_embeddings(window: "Window") -> None:
    """Let the embeddings of the sentences' tokens flow into the layer again."""
    from ffn_explorer.state.opened_changes import set_hidden_states

    window.director.request(set_hidden_states(""))
    opened = window.director.state.source.opened
    trouble = None if opened is None else trouble_of(opened)
    if trouble is not None:
        window.director.tell(trouble)


def correct(window: "Window") -> None:
    """Open the dialog in which a person says how the file is to be read."""
    from ffn_explorer.app.correction_dialog import CorrectionDialog  # not wanted before the first picture

    if facts_of(window.director.state.source.opened) is not None:
        CorrectionDialog(window).open()


def leave_label(window: "Window") -> Text | None:
    """Words for the way back to random weights; None while they are in use."""
    return None if window.director.state.source.plain else text("action.random")


def leave(window: "Window") -> None:
    """Back to random weights, with everything as it was before the file or the hand-built memory."""
    if window.director.state.source.opened is not None:
        from ffn_explorer.state.opened_changes import leave_opened

        window.director.request(leave_opened())
    elif window.director.state.source.memory is not None:
        window.director.request(changes.leave_memory())
