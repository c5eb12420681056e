"""Acts of a lecture: what its rows of ACTIONS do to a window; outside a lecture most of them do nothing."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from ffn_explorer.state.text import Text, text

if TYPE_CHECKING:
    from ffn_explorer.app.window import Window


def during(name: str) -> "Callable[[Window], Text | None]":
    """Words of an act that there is only while a lecture is on."""
    return lambda window: text(f"action.lecture_{name}") if window.director.state.lesson is not None else None


def step(by: int) -> "Callable[[Window], None]":
    """To the next beat, or to the one before."""

    def act(window: "Window") -> None:
        if window.director.state.lesson is not None:
            window.lecture.step(by)

    return act


def list_scenes(window: "Window") -> None:
    """Show the list of scenes over the words of this one."""
    if window.director.state.lesson is None:
        return
    from ffn_explorer.panels.lesson import LessonPanel  # not wanted before the first picture

    panel = window.board.panels.get("lesson")
    if not isinstance(panel, LessonPanel):
        window.lecture.again()
        panel = window.board.panels.get("lesson")
    if isinstance(panel, LessonPanel):
        panel.open_list()


def deeper(window: "Window") -> None:
    """Words at the next depth."""
    if window.director.state.lesson is not None:
        window.lecture.deeper()


def again(window: "Window") -> None:
    """The scene as it was declared."""
    if window.director.state.lesson is not None:
        window.lecture.again()


def handout(window: "Window") -> None:
    """Ask for a handout of the lecture under way, or of the built-in one: how it is to be, and where."""
    from ffn_explorer.app.lecture.handout_dialog import HandoutDialog  # not wanted before the first picture

    HandoutDialog(window).open()


def leave(window: "Window") -> None:
    """End the lecture."""
    if window.director.state.lesson is not None:
        window.lecture.leave()
