"""A window on a small FFN, shown and computing, as the tests of what stands around the panels need it."""

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ffn_explorer.app.director import Director
from ffn_explorer.app.window import Window
from ffn_explorer.core.settings import Settings
from ffn_explorer.state.app_state import AppState
from ffn_explorer.state.results import Results
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.session import Session

SMALL = AppState(settings=Settings(d_model=8, d_ff=32, layers=3, heads=2, kv_heads=2))


@contextmanager
def house(qtbot: QtBot, state: AppState = SMALL) -> Iterator[Window]:
    """Open a window, wait for its first run, and give the application's style back at the end."""
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    palette, font = application.palette(), application.font()
    window = Window(Director(Session(state), Results()))
    qtbot.addWidget(window)
    window.painted.connect(window.director.loader.warm_up)
    window.resize(1_280, 720)
    window.director.start()
    with qtbot.waitExposed(window):
        window.show()
    window.activateWindow()
    qtbot.waitUntil(lambda: window.scene is not None and window.scene.run is not None, timeout=20_000)
    yield window
    assert window.director.close()
    application.setStyleSheet("")
    application.setPalette(palette)
    application.setFont(font)


def press(
    window: Window, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier
) -> None:
    """A key as a person presses it: on the widget that has the keyboard."""
    QTest.keyClick(QApplication.focusWidget() or window, key, modifier)


def scene(window: Window) -> Scene:
    """The Scene on screen."""
    assert window.scene is not None
    return window.scene
