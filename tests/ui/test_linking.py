"""Linking: what a person clicks or points at in one panel changes every other panel.

Each panel is swept with real mouse events; what it asks for is applied to the state, and every other panel
must look different then. Nothing here knows what the panels show.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF
from PySide6.QtWidgets import QAbstractScrollArea, QAbstractSpinBox, QApplication, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from ffn_explorer.core.settings import Settings
from ffn_explorer.core.stages import Stage
from ffn_explorer.panels.table import PANELS
from ffn_explorer.state.app_state import AppState, Selection
from ffn_explorer.state.change import Change
from ffn_explorer.state.scene import Scene
from ffn_explorer.widgets.panel import Panel
from tests.ui.live import mouse, pixels, scene_of, settle

SETTINGS = Settings(
    d_model=24, d_ff=64, heads=2, kv_heads=2, activation="swiglu", experts=4, top_k=2, layers=4
)
STATE = AppState(
    settings=SETTINGS, selection=Selection(token=4, neuron=9, dim=7, expert=None, stage=Stage.HIDDEN)
)
SIZES = {"chips": (950, 60), "transport": (950, 96)}
USUAL_SIZE = (520, 420)
STEP_PX = 13
"""Distance between the places swept: every row, chip and dot is met."""
MOST = 14
"""Different acts kept of one panel."""


@cache
def scene(state: AppState) -> Scene:
    return scene_of(state)


def shown(qtbot: QtBot, name: str, state: AppState) -> Panel:
    """Return a panel in a window, showing a state."""
    panel = PANELS[name]()
    qtbot.addWidget(panel)
    panel.offer(scene(state))
    panel.resize(*SIZES.get(name, USUAL_SIZE))
    panel.show()
    settle()
    return panel


def surfaces(panel: Panel) -> Iterator[QWidget]:
    """Yield the widgets that take the mouse: pictures first, then buttons."""
    for widget in (panel, *panel.findChildren(QWidget)):
        if not widget.isVisibleTo(panel) or not widget.isEnabled():
            continue
        if isinstance(widget, QAbstractSpinBox | QLineEdit):
            continue
        if isinstance(widget, QAbstractScrollArea):
            yield widget.viewport()
        elif not isinstance(widget.parent(), QAbstractScrollArea):
            yield widget


FIELDS = ("sentence", "token", "neuron", "dim", "expert", "stage")


def effect(before: AppState, after: AppState) -> tuple[object, ...]:
    """Say what an act does, so that acts of one kind are kept once."""
    old, new = before.selection, after.selection
    chosen = tuple(name for name in FIELDS if getattr(old, name) != getattr(new, name))
    point = tuple(name for name in FIELDS[1:] if after.point and getattr(after.point, name) is not None)
    moved = before.playback.time != after.playback.time
    # Early and late in the pass are different things to see.
    return chosen, after.hover is not None, point, round(4 * after.playback.time) if moved else None


NOTHING = effect(STATE, STATE)


def acts_of(qtbot: QtBot, name: str) -> list[AppState]:
    """Return the states that pointing and clicking in a panel lead to, one per kind of act."""
    panel = shown(qtbot, name, STATE)
    asked: list[Change] = []
    panel.requested.connect(asked.append)
    found: dict[object, AppState] = {}
    for widget in surfaces(panel):
        sweep(qtbot, widget, asked)
        for change in asked:
            state = change.to(STATE)
            same_run = (state.source, state.settings, state.edits) == (
                STATE.source,
                STATE.settings,
                STATE.edits,
            )
            kind = effect(STATE, state)
            if same_run and kind != ((), None, False) and len(found) < MOST:
                found.setdefault(kind, replace(state, views=(), appearance=STATE.appearance))
        asked.clear()
    panel.close()
    return list(found.values())


def sweep(qtbot: QtBot, widget: QWidget, asked: list[Change]) -> None:
    """Move over a widget and click at every place of a grid."""
    plain = [
        QPoint(x, y) for y in range(4, widget.height(), STEP_PX) for x in range(4, widget.width(), STEP_PX)
    ]
    for place in plain[:: max(1, len(plain) // 60)]:
        if widget.childAt(place) is not None:
            continue
        at = QPointF(place)
        mouse(widget, QEvent.Type.MouseMove, at)
        moved = getattr(widget.parent(), "moved", None)
        if moved is not None:
            moved.emit(at)  # what the frame timer would do a moment later
        mouse(widget, QEvent.Type.MouseButtonPress, at)
        mouse(widget, QEvent.Type.MouseButtonRelease, at)
    QApplication.processEvents()


EXPECTED_STILL: dict[tuple[str, str], str] = {}
"""(acting, other) -> why the other has nothing to show of it."""


@pytest.mark.parametrize("acting", PANELS)
def test_what_is_done_in_one_panel_is_seen_in_every_other(qtbot: QtBot, acting: str) -> None:
    states = acts_of(qtbot, acting)
    assert states, f"{acting} asks for nothing when it is pointed at or clicked"
    still = []
    for other in PANELS:
        if other == acting:
            continue
        panel = shown(qtbot, other, STATE)
        before = pixels(panel)
        if not any(differs(panel, state, before) for state in states):
            still.append(other)
        panel.close()
    assert [other for other in still if (acting, other) not in EXPECTED_STILL] == []


def differs(panel: Panel, state: AppState, before: np.ndarray) -> bool:
    """Whether a panel looks different in another state."""
    panel.offer(scene(state))
    return bool((pixels(panel) != before).any())
