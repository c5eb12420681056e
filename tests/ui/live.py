"""A panel joined to a true state: what it asks for happens, and it is given the Scene that follows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QImage, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QWidget
from pytestqt.qtbot import QtBot

from ffn_explorer.core.readings import Memories
from ffn_explorer.core.settings import Settings
from ffn_explorer.state.app_state import AppState, Source
from ffn_explorer.state.change import Change
from ffn_explorer.state.compute import attempt
from ffn_explorer.state.needs import needs
from ffn_explorer.state.resolver import resolve
from ffn_explorer.state.results import Results
from ffn_explorer.state.scene import Scene
from ffn_explorer.widgets.panel import Panel
from ffn_explorer.widgets.theme import THEMES

SMALL = Settings(d_model=24, d_ff=64, heads=2, kv_heads=2)
TURNS = 4
"""Turns of the event loop after which a picture has settled."""


def state_of(*sentences: str, **parts: Any) -> AppState:
    """State with small widths and these sentences, the default one where none is given."""
    source = Source(sentences, ((),) * len(sentences)) if sentences else Source()
    return replace(AppState(settings=SMALL, source=source), **parts)


def scene_of(state: AppState) -> Scene:
    """Scene with everything computed."""
    results = Results()
    while missing := needs(state, results):
        for request in missing:
            attempt(request, results)
    return resolve(state, results)


def settle() -> None:
    """Let layouts and paints happen."""
    for _ in range(TURNS):
        QApplication.processEvents()


def pixels(widget: QWidget) -> NDArray[np.uint8]:
    """Picture of a widget `[height, width, 3]`, once it has settled."""
    settle()
    image = QImage(widget.size(), QImage.Format.Format_RGB888)
    image.fill(QColor(THEMES["light"].background))
    widget.render(image)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    return rows[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).copy()


def picture(panel: Panel, *, width: int, height: int) -> NDArray[np.uint8]:
    """Picture of a panel at a size; a panel of fixed height keeps it."""
    panel.resize(width, height)
    return pixels(panel)


class Live:
    """Panel in a window, and the state that it changes."""

    def __init__(self, qtbot: QtBot, panel: Panel, state: AppState, *, width: int = 950) -> None:
        """Show the state's scene."""
        self.state = replace(state, shown=frozenset({panel.name}))
        self.panel = panel
        self.asked: list[str] = []
        self.window = QWidget()
        qtbot.addWidget(self.window)
        self.window.resize(width + 20, 420)
        panel.setParent(self.window)
        panel.move(10, 10)
        panel.requested.connect(self.change)
        panel.offer(scene_of(self.state))
        panel.resize(width, panel.maximumHeight() if panel.maximumHeight() < 400 else 300)
        self.window.show()
        self.window.activateWindow()
        settle()

    def change(self, change: Change) -> None:
        """Do what the panel asks for."""
        self.asked.append(change.what)
        self.state = change.to(self.state)
        self.panel.offer(scene_of(self.state))


def memories_of(shown: Live) -> Memories:
    """The ranking that a panel was given."""
    assert shown.panel.scene is not None
    assert shown.panel.scene.memories is not None
    return shown.panel.scene.memories


def mouse(widget: QWidget, kind: QEvent.Type, at: QPointF) -> None:
    """Send one event of the left button, or a move with it held."""
    held = Qt.MouseButton.NoButton if kind is QEvent.Type.MouseMove else Qt.MouseButton.LeftButton
    place = widget.mapToGlobal(at)
    plain = Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(widget, QMouseEvent(kind, at, place, held, Qt.MouseButton.LeftButton, plain))


def drag(widget: QWidget, start: QPointF, *stops: QPointF, drop: bool = True) -> None:
    """Press, move along the stops, and let go at the last."""
    mouse(widget, QEvent.Type.MouseButtonPress, start)
    for stop in stops:
        mouse(widget, QEvent.Type.MouseMove, stop)
    if drop:
        mouse(widget, QEvent.Type.MouseButtonRelease, stops[-1] if stops else start)


def pick(combo: QComboBox, text: str) -> None:
    """Open the list with a click, and click on the row that begins with some words."""
    QTest.mouseClick(combo, Qt.MouseButton.LeftButton)
    settle()
    row = combo.findText(text, Qt.MatchFlag.MatchStartsWith)
    index, view = combo.model().index(row, 0), combo.view()
    view.scrollTo(index)
    # A click without a move before it would be taken for the end of the one that opened the list.
    for place in (QPoint(1, 1), view.visualRect(index).center()):
        QTest.mouseMove(view.viewport(), place)
        settle()
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=view.visualRect(index).center())
    settle()
