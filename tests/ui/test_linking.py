"""Linking: what a person clicks or points at in one panel changes every other panel.

Each panel is swept with real mouse events; what it asks for is applied to the state, and every other panel
must look different then, in one of two states at least: with experts and a hidden value chosen, or without
experts and a value of the output chosen. Nothing here knows what the panels show. The panels that count whole
networks are linked among themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from functools import cache

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QWidget,
)
from pytestqt.qtbot import QtBot

from ffn_explorer.core.settings import Settings
from ffn_explorer.core.stages import Stage
from ffn_explorer.panels.table import PANELS
from ffn_explorer.state.app_state import AppState, Selection
from ffn_explorer.state.change import Change
from ffn_explorer.state.scene import Scene
from ffn_explorer.widgets.panel import Panel
from tests.snapshots.files import FILES
from tests.snapshots.scenes import roofline
from tests.snapshots.words import nameless, title
from tests.ui.live import mouse, pixels, scene_of, settle

DENSE = Settings(d_model=24, d_ff=64, heads=2, kv_heads=2, activation="swiglu", layers=4)
STATES = tuple(
    AppState(settings=settings, selection=Selection(token=4, neuron=9, dim=7, stage=stage))
    for settings, stage in (
        (DENSE.with_(experts=4, top_k=2), Stage.HIDDEN),
        (DENSE, Stage.OUT),
    )
)
COSTS = ("model", "growth", "ratio", "depth", "roofline")
"""What is chosen in a pass changes none of their numbers, and what they count for changes no pass.

The panels of FILES draw nothing but how a file is opened, as long as none is; their own tests link them.
The words of a lecture follow its scene, whatever is chosen in it.
"""
PASSING = [name for name in PANELS if name not in (*COSTS, *FILES, "lesson")]
SIZES = {"chips": (950, 60), "transport": (950, 96), **dict.fromkeys(COSTS, (950, 560))}
USUAL_SIZE = (520, 420)
STEP_PX = 13
"""Distance between the places swept."""
PLACES = 160
"""Places swept of one widget."""
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
        if isinstance(widget, QAbstractSpinBox | QComboBox | QLineEdit):
            continue
        if isinstance(widget, QAbstractScrollArea):
            yield widget.viewport()
        elif not isinstance(widget.parent(), QAbstractScrollArea):
            yield widget


FIELDS = ("sentence", "token", "neuron", "dim", "expert", "stage")


def effect(before: AppState, after: AppState) -> tuple[object, ...]:
    """Say what an act does, so that acts of one kind are kept once; another stage is another kind."""
    old, new = before.selection, after.selection
    chosen = tuple(name for name in FIELDS if getattr(old, name) != getattr(new, name))
    point = tuple(name for name in FIELDS[1:] if after.point and getattr(after.point, name) is not None)
    pointed = after.point.stage if after.point else after.hover.stage if after.hover else None
    moved = before.playback.time != after.playback.time
    # Early and late in the pass are different things to see.
    time = round(4 * after.playback.time) if moved else None
    return chosen, new.stage, after.hover is not None, point, pointed, time


def acts_of(qtbot: QtBot, name: str, begin: AppState) -> list[AppState]:
    """Return the states that pointing and clicking in a panel lead to, one per kind of act."""
    panel = shown(qtbot, name, begin)
    asked: list[Change] = []
    panel.requested.connect(asked.append)
    found: dict[object, AppState] = {}
    for widget in surfaces(panel):
        sweep(widget)
        for change in asked:
            state = change.to(begin)
            same_run = all(
                getattr(state, name) == getattr(begin, name) for name in ("source", "settings", "edits")
            )
            kind = effect(begin, state)
            if same_run and kind != effect(begin, begin) and len(found) < MOST:
                found.setdefault(kind, replace(state, views=(), appearance=begin.appearance))
        asked.clear()
    panel.close()
    return list(found.values())


def sweep(widget: QWidget) -> None:
    """Move over a widget and click at every place of a grid."""
    plain = [
        QPoint(x, y) for y in range(4, widget.height(), STEP_PX) for x in range(4, widget.width(), STEP_PX)
    ]
    for place in plain[:: max(1, len(plain) // PLACES)]:
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


EXPECTED_STILL = {
    ("weights", "position"): "a single weight has no place in a comparison of whole rows",
    ("proof", "position"): "a step back leads to another number of the same row",
}
"""(acting, other) -> why the other has nothing to show of it."""


@pytest.mark.parametrize("acting", PASSING)
def test_what_is_done_in_one_panel_is_seen_in_every_other(qtbot: QtBot, acting: str) -> None:
    still, asked = [other for other in PASSING if other != acting], False
    for begin in STATES:
        states = acts_of(qtbot, acting, begin) if still else []
        still = [other for other in still if not answers(qtbot, other, begin, states)]
        asked = asked or bool(states)
    assert asked, f"{acting} asks for nothing when it is pointed at or clicked"
    expected = {other for act, other in EXPECTED_STILL if act == acting}
    assert expected <= set(still), "what is seen now is no longer expected to stay still"
    missing = [other for other in still if other not in expected]
    assert not missing, f"acting in {acting} changes nothing in {', '.join(missing)}"


def answers(qtbot: QtBot, name: str, begin: AppState, states: list[AppState]) -> bool:
    """Whether a panel looks different in any of these states."""
    panel = shown(qtbot, name, begin)
    before = pixels(panel)
    found = any(differs(panel, state, before) for state in states)
    panel.close()
    return found


def differs(panel: Panel, state: AppState, before: np.ndarray) -> bool:
    """Whether a panel looks different in another state."""
    panel.offer(scene(state))
    return bool((pixels(panel) != before).any())


COUNTED = AppState(settings=DENSE, selection=Selection(token=4), shown=frozenset(COSTS))
COSTS_STILL = dict.fromkeys(
    [("model", "ratio"), ("growth", "ratio"), ("roofline", "ratio")],
    "it draws the settings, whatever else is counted and for how many tokens",
)
"""(acting, other) -> why the other has nothing to show of it."""


@cache
def counted(state: AppState) -> Scene:
    """Return the scene of a state on a measured machine."""
    return replace(scene(state), roofline=roofline(DENSE))


def counts_of(qtbot: QtBot, name: str) -> list[AppState]:
    """Return the states that clicks and keys in a cost panel lead to, one per kind of what they change."""
    panel = shown(qtbot, name, COUNTED)
    panel.offer(counted(COUNTED))
    settle()
    asked: list[Change] = []
    panel.requested.connect(asked.append)
    for widget in surfaces(panel):
        sweep(widget)
    for field in panel.findChildren(QAbstractSpinBox):
        for _ in range(2):  # far enough for another operating point to be the nearest
            qtbot.keyClick(field, Qt.Key.Key_PageUp)
    for choice in panel.findChildren(QComboBox):
        qtbot.keyClick(choice, Qt.Key.Key_Down)
    panel.close()
    found: dict[object, AppState] = {}
    for change in asked:
        state = change.to(COUNTED)
        if (state.costing, state.settings) != (COUNTED.costing, COUNTED.settings):
            old, new = (asdict(of.costing) | asdict(of.settings) for of in (COUNTED, state))
            found[frozenset(key for key in new if new[key] != old[key])] = state
    return list(found.values())


@pytest.mark.parametrize("acting", COSTS)
def test_what_is_counted_in_one_panel_is_seen_in_the_other_cost_panels(qtbot: QtBot, acting: str) -> None:
    states = counts_of(qtbot, acting)
    assert states
    still = []
    for other in COSTS:
        panel = shown(qtbot, other, COUNTED)
        panel.offer(counted(COUNTED))
        before = pixels(panel)
        if other != acting and not any(recounts(panel, state, before) for state in states):
            still.append(other)
        panel.close()
    assert still == [other for act, other in COSTS_STILL if act == acting]


def recounts(panel: Panel, state: AppState, before: np.ndarray) -> bool:
    """Whether a cost panel looks different in another state."""
    panel.offer(counted(state))
    return bool((pixels(panel) != before).any())


CONTROLS = (QAbstractButton, QAbstractSpinBox, QComboBox, QLineEdit)


def controls(panel: Panel) -> set[QWidget]:
    """Return what a person can use in a panel, the field inside a box apart."""
    return {
        widget
        for widget in panel.findChildren(QWidget)
        if (isinstance(widget, CONTROLS) or takes_clicks(widget))
        and widget.isVisibleTo(panel)
        and widget.isEnabled()
        and not isinstance(widget.parent(), QAbstractSpinBox | QComboBox)
    }


def takes_clicks(widget: QWidget) -> bool:
    """Whether a widget of the program does something of its own where it is pressed."""
    ours = [kind for kind in type(widget).__mro__ if kind.__module__.startswith("ffn_explorer.")]
    return any("mousePressEvent" in vars(kind) for kind in ours)


@pytest.mark.parametrize("name", PANELS)
def test_every_control_is_reached_by_tab_and_has_a_name(qtbot: QtBot, name: str) -> None:
    panel = shown(qtbot, name, STATES[0])
    panel.activateWindow()
    panel.setFocus()
    reached: list[QWidget] = []
    for _ in range(200):
        qtbot.keyClick(QApplication.focusWidget() or panel, Qt.Key.Key_Tab)
        now = QApplication.focusWidget()
        if now is None or now in reached:
            break
        reached.append(now)
    missed = [title(widget) for widget in controls(panel) - set(reached)]
    assert missed == []
    assert list(nameless(panel)) == []
