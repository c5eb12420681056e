"""Notices: whatever is said, the button that puts it away stays in sight."""

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from ffn_explorer.app.messages import Notices
from ffn_explorer.core.errors import SettingError
from ffn_explorer.core.settings import Settings
from ffn_explorer.state.app_state import AppState
from ffn_explorer.state.resolver import Resolver
from ffn_explorer.state.results import Results
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.text import Text, said, text


def scene(message: Text, scale: float = 1.0) -> Scene:
    """The first scene, with a message."""
    state = AppState()
    large = replace(state, appearance=replace(state.appearance, scale=scale))
    return Resolver(Results()).resolve(large, message=message)


@pytest.mark.parametrize("scale", [1.0, 2.0])
@pytest.mark.parametrize("size", [(400, 300), (1_280, 720)])
def test_long_messages_leave_the_buttons_in_sight(qtbot: QtBot, size: tuple[int, int], scale: float) -> None:
    board = QWidget()
    qtbot.addWidget(board)
    board.resize(*size)
    notices = Notices(board)
    board.show()
    # Lists of the program's own are never shortened.
    long = " ".join(["12345"] * 2_000)
    notices.show_scene(scene(text("window.no_libraries", libraries=long, packages="p"), scale), details="d")
    for button in (notices.close_button, notices.copy_button):
        assert board.rect().contains(button.mapTo(board, button.rect().topLeft()))
        assert board.rect().contains(button.mapTo(board, button.rect().bottomRight()))
    shown = notices.message.label.text()
    assert shown.endswith("…")
    assert shown[:-1] == notices.message.sentence[: len(shown) - 1]
    assert len(notices.message.label.toolTip()) > len(shown)
    label = notices.message.label
    assert label.heightForWidth(label.width()) <= label.height()
    notices.dismiss()
    notices.show_scene(scene(text("window.no_libraries", libraries=long, packages="p"), scale))
    assert notices.message.isHidden()


def test_short_messages_are_whole(qtbot: QtBot) -> None:
    board = QWidget()
    qtbot.addWidget(board)
    board.resize(800, 600)
    notices = Notices(board)
    board.show()
    notices.show_scene(scene(text("window.saved", path="a\x1bb.png")))
    assert notices.message.label.text() == "Saved: a<U+001B>b.png"
    assert notices.message.label.toolTip() == ""


def test_settings_are_called_what_their_knobs_are_called(qtbot: QtBot) -> None:
    board = QWidget()
    qtbot.addWidget(board)
    board.resize(1_280, 720)
    notices = Notices(board)
    board.show()
    with pytest.raises(SettingError) as caught:
        Settings(d_ff=4_000_000)
    notices.show_scene(scene(said(caught.value)))
    assert notices.message.sentence == "Dff cannot be 4,000,000: give a number from 1 to 131,072."
