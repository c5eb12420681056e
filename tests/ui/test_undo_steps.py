"""Every drag is one step of undo, also where the same thing is dragged twice."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPointF
from pytestqt.qtbot import QtBot

from ffn_explorer.app.window import Window
from ffn_explorer.panels.running_sum import RunningSumPanel
from ffn_explorer.panels.sparsity import SparsityPanel
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import View
from tests.ui.house import house
from tests.ui.live import drag


@pytest.fixture
def window(qtbot: QtBot) -> Iterator[Window]:
    with house(qtbot) as made:
        yield made


def test_two_drags_of_the_memories_kept_are_two_steps(window: Window, qtbot: QtBot) -> None:
    window.arrangement.use("inspect")
    panel = window.board.panels["running_sum"]
    assert isinstance(panel, RunningSumPanel)
    plot = panel.plot
    qtbot.waitUntil(lambda: plot.k_at(plot.area.right()) == 32)
    kept = []
    for share in (0.8, 0.4):
        start, end = (plot.area.left() + at * plot.area.width() for at in (share, share - 0.1))
        drag(plot.viewport(), QPointF(start, 60.0), QPointF(end, 60.0))
        kept.append(window.director.state.edits.keep)
        qtbot.waitUntil(lambda: window.scene is not None and window.scene.edits.keep == kept[-1])
    assert 0 < kept[1] < kept[0]
    window.director.session.undo()
    assert window.director.state.edits.keep == kept[0]
    window.director.session.undo()
    assert window.director.state.edits.keep == 0


def test_two_drags_of_theta_are_two_steps(window: Window, qtbot: QtBot) -> None:
    window.director.request(changes.set_view("sparsity", View(mode="values")))
    window.director.request(changes.set_theta(0.2))
    window.arrangement.fill_or_share("sparsity")
    panel = window.board.panels["sparsity"]
    assert isinstance(panel, SparsityPanel)
    plot = panel.plot
    seen = [0.2]
    for _ in range(2):
        qtbot.waitUntil(lambda: plot.picture is not None and plot.picture.theta == seen[-1])
        start = QPointF(plot.x_of(seen[-1]), plot.area.center().y())
        drag(plot.viewport(), start, start - QPointF(20.0, 0.0))
        seen.append(window.director.state.theta.value or 0.0)
    assert seen == sorted(set(seen), reverse=True)
    window.director.session.undo()
    assert window.director.state.theta.value == seen[1]
