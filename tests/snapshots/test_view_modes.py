"""Modes of panels: what a lecture may name is what the panels show, each another picture."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import get_args

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from ffn_explorer.panels.table import PANELS
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import AppState, Compare, View
from ffn_explorer.state.growth import Of
from ffn_explorer.state.handmade_changes import use_memory
from ffn_explorer.state.parts.matrix import ROLES
from ffn_explorer.state.view_modes import FILTERS, VIEW_MODES, mode_fits
from tests.snapshots.pictures import Picture, Stand
from tests.snapshots.scenes import EXPERTS, GATED, scene_of

COMPARED = AppState(settings=GATED, compare=Compare(GATED.with_(activation="geglu")))
STATES = {
    "theatre": use_memory("facts").to(AppState()),
    "routing": AppState(settings=EXPERTS),
}
"""Where a panel has all of its pictures; the others have them while two activations are compared."""


def picture(stand: Stand, panel: str, mode: str) -> Picture:
    """Return what a panel shows in one of its modes, with all that it needs computed."""
    state = changes.show_panels(frozenset({panel})).to(STATES.get(panel, COMPARED))
    return stand.show(scene_of(replace(state, views=((panel, View(mode=mode)),))))


@pytest.mark.parametrize("panel", VIEW_MODES)
def test_every_mode_is_another_picture(qapp: QApplication, panel: str) -> None:
    # So narrow that a panel shows one picture at a time.
    stand = Stand(panel, (460, 420))
    try:
        found = {mode: picture(stand, panel, mode) for mode in VIEW_MODES[panel]}
        usual = picture(stand, panel, "")
    finally:
        stand.close()
    same = [pair for pair in combinations(found, 2) if np.array_equal(found[pair[0]], found[pair[1]])]
    assert same == []
    assert np.array_equal(usual, found[VIEW_MODES[panel][0]])


def test_modes_are_those_of_what_is_computed() -> None:
    assert VIEW_MODES["growth"] == get_args(Of)
    assert VIEW_MODES["weights"] == ("", *ROLES)
    assert set(VIEW_MODES) | FILTERS <= set(PANELS)


def test_what_fits() -> None:
    assert all(mode_fits(panel, "") for panel in PANELS)
    assert mode_fits("layers", "any words")
    assert mode_fits("maps", "diff")
    assert not mode_fits("maps", "quadrants")
    assert not mode_fits("stage", "diff")
