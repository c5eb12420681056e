"""Terms panel: chosen rows, pointing, scrolling, and what is copied."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from ffn_explorer.core.stages import Stage
from ffn_explorer.panels.terms import TermsPanel
from ffn_explorer.state.app_state import Cell, Playback, Selection
from tests.ui.live import Live, pixels, state_of


def live(qtbot: QtBot, **parts: Any) -> tuple[Live, TermsPanel]:
    made = Live(qtbot, TermsPanel(), state_of(**parts))
    assert isinstance(made.panel, TermsPanel)
    return made, made.panel


OUT = Selection(token=5, dim=17, stage=Stage.OUT)


def test_a_row_chooses_the_neuron_and_the_sum_stays(qtbot: QtBot) -> None:
    made, panel = live(qtbot, selection=OUT)
    assert panel.scene is not None
    terms = panel.scene.terms
    assert terms is not None
    assert (terms.stage, terms.cell, terms.counts) == (Stage.OUT, 17, "neuron")
    panel.list.chosen.emit(int(terms.index[3]))
    assert made.state.selection.neuron == int(terms.index[3])
    assert (made.state.selection.dim, made.state.selection.stage) == (17, Stage.OUT)
    qtbot.keyClick(panel.list, Qt.Key.Key_Down)
    assert made.state.selection.neuron == int(terms.index[4])


def test_pointing_is_passed_on(qtbot: QtBot) -> None:
    made, panel = live(qtbot, selection=OUT)
    before = pixels(panel)
    seen = []
    for key in (7, None):
        panel.list.pointed.emit(key)
        seen.append(made.state.hover)
    assert seen == [Cell(Stage.ACT, 0, 5, 7), None]
    assert (pixels(panel) == before).all()


def test_what_is_copied_adds_up(qtbot: QtBot) -> None:
    _, panel = live(qtbot, selection=OUT)
    table = panel.table()
    assert table is not None
    assert table[0][0] == "neuron"
    numbers = np.array([[float(value) for value in row] for row in table[1:]])
    assert np.allclose(numbers[:, 1] * numbers[:, 2], numbers[:, 3], rtol=1e-15)
    assert panel.scene is not None
    assert panel.scene.run is not None
    shown = float(panel.scene.run.values[Stage.OUT][0, 5, 17])
    assert abs(numbers[-1, 4] - shown) < 1e-6


def test_before_the_sum_nothing_is_shown(qtbot: QtBot) -> None:
    _, panel = live(qtbot, selection=OUT, playback=Playback(0.1))
    assert panel.sum.text == ""
    assert panel.table() is None
