"""Every layout, in every look: words in their places, none cut off, none too small, none without a name."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from ffn_explorer.app.director import Director
from ffn_explorer.app.window import Window
from ffn_explorer.state.app_state import Appearance
from ffn_explorer.state.layouts import DEFAULT_LAYOUT, LAYOUTS, panels_of
from ffn_explorer.state.requests import roofline_of
from ffn_explorer.state.result import Measured
from ffn_explorer.state.results import Results
from ffn_explorer.state.session import Session
from tests.snapshots.pictures import settle
from tests.snapshots.scenes import computed, roofline
from tests.snapshots.test_words import LEAST_PX, LOOKS, STATES, case_id, watch_drawn_texts
from tests.snapshots.words import cramped, nameless, overlapping, small

SIZE = (1_280, 720)
NAMES = [name for name in LAYOUTS if name != DEFAULT_LAYOUT]
"""The default one has tests of its own."""


@cache
def results_of(name: str, layout: str) -> Results:
    """Return what a state needs for the panels of a layout; a look changes nothing in it."""
    state = replace(STATES[name], shown=frozenset(panels_of(LAYOUTS[layout])))
    made = computed(state)
    if name != "plain":  # whose machine nobody has measured
        made.put(roofline_of(state), Measured(roofline()))
    return made


@pytest.mark.parametrize("look", LOOKS, ids=case_id)
@pytest.mark.parametrize("name", STATES)
@pytest.mark.parametrize("layout", NAMES)
def test_every_word_of_a_layout_has_its_place(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch, layout: str, name: str, look: Appearance
) -> None:
    cut = watch_drawn_texts(monkeypatch)
    state = replace(STATES[name], appearance=look)
    window = Window(Director(Session(state), results_of(name, layout)), layout_name=layout)
    window.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    window.resize(*SIZE)
    window.director.start()
    window.show()
    settle()
    window.grab()
    found = {
        "over or outside": list(overlapping(window)),
        "cut": list(cramped(window)) + cut,
        "without a name": list(nameless(window)),
        "too small": list(small(window, LEAST_PX[look.theme])),
    }
    assert window.director.close()
    window.close()
    window.deleteLater()
    settle()
    assert {what: lines for what, lines in found.items() if lines} == {}
