"""Depth against width: the line, the dots and the fields move the network, and its weights stay."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractSpinBox
from pytestqt.qtbot import QtBot

from ffn_explorer.app.window import Window
from ffn_explorer.core.depth_width import stack_weights
from ffn_explorer.core.settings import Settings
from ffn_explorer.panels.depth import DepthPanel
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import AppState
from ffn_explorer.state.costing import Costing
from ffn_explorer.widgets.lines_plot import LinesPicture
from tests.ui.house import house, press
from tests.ui.live import Live, drag, mouse, settle, state_of

SIX = Settings(d_model=96, d_ff=384, layers=6, heads=4, kv_heads=4)
BUDGET = 6 * 12 * 96 * 96


def live(qtbot: QtBot, settings: Settings = SIX, **parts: object) -> Live:
    return Live(qtbot, DepthPanel(), state_of(settings=settings, **parts), width=640)


def panel_of(shown: Live) -> DepthPanel:
    assert isinstance(shown.panel, DepthPanel)
    return shown.panel


def picture_of(shown: Live) -> LinesPicture:
    picture = panel_of(shown).plot.picture
    assert picture is not None
    return picture


def at_layers(panel: DepthPanel, layers: float) -> QPointF:
    """A place on the plot at a depth, near its upper edge, away from the dots."""
    plot = panel.plot
    return QPointF(plot.point_of(math.log2(layers), 0.0).x(), plot.area.top() + 2.0)


def enter(editor: QAbstractSpinBox, text: str) -> None:
    """Type a number and press Enter, as a person does."""
    editor.setFocus()
    editor.selectAll()
    QTest.keyClicks(editor, text)
    QTest.keyClick(editor, Qt.Key.Key_Return)
    settle()


def near_budget(settings: Settings) -> bool:
    """Whether the weights differ by less than one step of D would make."""
    step = settings.with_(d_model=settings.d_model + settings.heads)
    return abs(stack_weights(settings) - BUDGET) <= stack_weights(step) - stack_weights(settings)


def test_every_dot_is_a_network_of_the_budget(qtbot: QtBot) -> None:
    shown = live(qtbot)
    table = panel_of(shown).table()
    assert table is not None
    dots = picture_of(shown).dots
    assert len(dots) == len(table) - 1 > 10
    for dot, row in zip(dots, table[1:], strict=True):
        layers, d_model, d_ff, weights, flops, cached = map(int, row)
        assert (2.0**dot.x, dot.y) == pytest.approx((layers, d_model))
        made = SIX.with_(layers=layers, d_model=d_model, d_ff=d_ff)
        assert weights == stack_weights(made)
        assert abs(weights - BUDGET) <= BUDGET / 8
        assert flops > 2 * weights, "every weight is used once, and the scores come on top"
        assert cached == layers * 2 * d_model * 9, "8 tokens in the cache, and the new one"
        assert dot.strong == (layers == 6)
    widths = [dot.y for dot in dots]
    assert widths == sorted(widths, reverse=True), "the deeper, the narrower"


def test_a_drag_keeps_the_weights_and_comes_back_to_where_it_began(qtbot: QtBot) -> None:
    shown = live(qtbot)
    panel, seen, ended = panel_of(shown), [], []
    panel.requested.connect(lambda _change: seen.append(shown.state.settings))
    panel.gesture_ended.connect(lambda: ended.append(True))
    depths = (3, 48, 1, 6)
    places = [at_layers(panel, n) for n in depths]
    drag(panel.plot.viewport(), places[0], *places[1:])
    assert shown.asked == ["undo.reshape"] * 4
    assert tuple(s.layers for s in seen) == depths
    assert all(map(near_budget, seen))
    assert len({s.d_model for s in seen}) == 4
    assert shown.state.settings == SIX, "rounding does not add up"
    assert shown.state.costing.budget == BUDGET
    assert ended == [True]


@pytest.mark.parametrize(
    ("key", "layers", "wanted"),
    [
        (Qt.Key.Key_Right, 6, 7),
        (Qt.Key.Key_Left, 6, 5),
        (Qt.Key.Key_Left, 1, 1),
        (Qt.Key.Key_Right, 128, 128),
    ],
)
def test_arrows_change_the_depth_by_one(qtbot: QtBot, key: Qt.Key, layers: int, wanted: int) -> None:
    shown = live(qtbot, SIX.with_(layers=layers))
    qtbot.keyClick(panel_of(shown).plot, key)
    assert shown.state.settings.layers == wanted


def test_a_click_on_a_dot_goes_there(qtbot: QtBot) -> None:
    shown = live(qtbot)
    plot = panel_of(shown).plot
    for number, layers in ((0, 1), (8, 24), (1, 2)):
        dot = picture_of(shown).dots[number]
        for kind in (QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonRelease):
            mouse(plot.viewport(), kind, plot.point_of(dot.x, dot.y))
        assert shown.state.settings.layers == layers
        assert near_budget(shown.state.settings)
        assert [each.strong for each in picture_of(shown).dots].index(True) == number


def test_typed_layers_and_ratios_keep_the_weights(qtbot: QtBot) -> None:
    shown = live(qtbot)
    panel = panel_of(shown)
    enter(panel.layers, "12")
    assert shown.state.settings.layers == 12
    assert near_budget(shown.state.settings)
    assert panel.plot.hasFocus(), "the keyboard goes on with the line"
    enter(panel.ratio, "2")
    made = shown.state.settings
    assert (made.layers, made.d_ff) == (12, 2 * made.d_model)
    assert near_budget(made)
    assert shown.state.costing.budget == BUDGET
    assert (panel.layers.value(), panel.ratio.value()) == (12, 2.0)
    assert f"D = {made.d_model}, F = {made.d_ff}" in panel.readout.text


def test_a_network_far_from_the_budget_has_its_own(qtbot: QtBot) -> None:
    shown = live(qtbot, costing=Costing(budget=BUDGET))
    shown.change(changes.set_setting("d_ff", 400))
    assert f"{BUDGET:,}" in panel_of(shown).note.text, "near enough: the budget is held"
    shown.change(changes.set_setting("d_ff", 1_600))
    own = stack_weights(shown.state.settings)
    assert f"{own:,}" in panel_of(shown).note.text
    qtbot.keyClick(panel_of(shown).plot, Qt.Key.Key_Right)
    assert shown.state.costing.budget == own


def test_one_token_after_t_cached_ones_is_billed(qtbot: QtBot) -> None:
    shown = live(qtbot, costing=Costing(tokens=100))
    weights, scores = BUDGET, 6 * 4 * 101 * 96
    tip = next(dot.tip for dot in picture_of(shown).dots if dot.strong)
    assert tip.startswith(
        f"Layers: 6. D = 96, F = 384: {weights:,} weights. One token after 100 cached ones: "
    )
    table = panel_of(shown).table()
    assert table is not None
    six = next(row for row in table if row[0] == "6")
    assert int(six[4]) == 2 * weights + scores


def test_hand_built_memories_are_looked_at_only(qtbot: QtBot) -> None:
    shown = Live(qtbot, DepthPanel(), changes.use_memory("facts").to(AppState()), width=640)
    panel = panel_of(shown)
    assert picture_of(shown).cursor is None
    assert not panel.layers.isEnabled()
    assert not panel.ratio.isEnabled()
    drag(panel.plot.viewport(), at_layers(panel, 2), at_layers(panel, 3))
    qtbot.keyClick(panel.plot, Qt.Key.Key_Right)
    dots = picture_of(shown).dots
    assert dots
    for dot in dots:
        for kind in (QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonRelease):
            mouse(panel.plot.viewport(), kind, panel.plot.point_of(dot.x, dot.y))
    assert shown.asked == []


@pytest.mark.parametrize(
    "settings",
    [
        Settings(d_model=1, d_ff=1, heads=1, kv_heads=1),
        Settings(d_model=64, d_ff=65_536, heads=64, kv_heads=1, layers=128),
        Settings(d_model=8_192, d_ff=256, heads=64, kv_heads=64, layers=2),
        SIX.with_(experts=8, top_k=2, activation="swiglu", shared_experts=2),
    ],
)
def test_odd_networks_can_be_moved_too(qtbot: QtBot, settings: Settings) -> None:
    shown = live(qtbot)
    assert shown.panel.scene is not None
    panel, made = panel_of(shown), []
    panel.requested.disconnect(shown.change)
    panel.requested.connect(lambda change: made.append(change.to(AppState(settings=settings)).settings))
    # Drawn on another's pass: their own would need more memory than there is for some of them.
    panel.offer(replace(shown.panel.scene, settings=settings))
    picture = picture_of(shown)
    assert picture.cursor == pytest.approx(math.log2(settings.layers))
    assert picture.axes.y[1] >= settings.d_model
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
        qtbot.keyClick(panel.plot, key)
    wanted = [max(1, settings.layers - 1), min(128, settings.layers + 1)]
    assert [each.layers for each in made] == wanted


@pytest.fixture
def window(qtbot: QtBot) -> Iterator[Window]:
    with house(qtbot) as made:
        made.arrangement.bring("depth")
        made.arrangement.fill_or_share("depth")
        yield made


def test_each_drag_and_each_number_is_one_step_of_undo(window: Window, qtbot: QtBot) -> None:
    panel = window.board.panels["depth"]
    assert isinstance(panel, DepthPanel)
    qtbot.waitUntil(lambda: panel.plot.picture is not None and panel.plot.area.height() > 200)
    made = [window.director.state.settings]

    def done() -> None:
        made.append(window.director.state.settings)
        qtbot.waitUntil(lambda: panel.scene is not None and panel.scene.settings == made[-1])

    drag(panel.plot.viewport(), at_layers(panel, 2), at_layers(panel, 12), at_layers(panel, 8))
    done()
    drag(panel.plot.viewport(), at_layers(panel, 4), at_layers(panel, 5))
    done()
    enter(panel.layers, "12")
    done()
    assert [each.layers for each in made] == [3, 8, 5, 12]
    for before in made[-2::-1]:
        window.director.session.undo()
        assert window.director.state.settings == before


def test_what_is_out_of_range_is_said_and_gives_way(window: Window, qtbot: QtBot) -> None:
    panel = window.board.panels["depth"]
    assert isinstance(panel, DepthPanel)
    qtbot.waitUntil(lambda: panel.plot.picture is not None)
    before = window.director.state.settings
    enter(panel.layers, "500")
    notice = window.notices.message
    qtbot.waitUntil(lambda: "500" in notice.label.text() and "128" in notice.label.text())
    assert window.director.state.settings == before
    press(window, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: panel.layers.value() == before.layers)
