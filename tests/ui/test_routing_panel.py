"""The routing panel: what stands in it is what the router did, and its buttons and keys edit the choice."""

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QMouseEvent, QPainter, QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ffn_explorer.core.edits import Edits
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.stages import Stage
from ffn_explorer.panels.routing import RoutingPanel
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import Appearance, Cell, Compare, Playback, Point, Selection, View
from ffn_explorer.state.routing_table import RoutingTable
from ffn_explorer.widgets import drawn_text, routing_frame, routing_paint
from ffn_explorer.widgets.routing_picture import RoutingPicture
from tests.ui.live import SMALL, Live, scene_of, settle, state_of
from tests.ui.pictures import mouse, shown

MIXED = SMALL.with_(experts=6, top_k=2, activation="swiglu")

SHOWN = frozenset({"routing"})


def live_of(qtbot: QtBot, settings: Settings = MIXED, **parts: object) -> Live:
    return Live(qtbot, RoutingPanel(), state_of(settings=settings, shown=SHOWN, **parts))


def panel_of(live: Live) -> RoutingPanel:
    assert isinstance(live.panel, RoutingPanel)
    return live.panel


def picture_of(live: Live) -> RoutingPicture:
    picture = panel_of(live).map.picture
    assert picture is not None
    return picture


def table_of(live: Live) -> RoutingTable:
    return picture_of(live).table


def centre(live: Live, token: int, expert: int) -> QPointF:
    """Middle of a cell, in the map."""
    places, picture = panel_of(live).map.places, picture_of(live)
    assert places is not None
    x = places.area.left() + (expert - picture.first + 0.5) / picture.shown * places.area.width()
    return QPointF(x, places.area.top() + (token + 0.5) / picture.table.tokens * places.area.height())


def click(live: Live, at: QPointF) -> None:
    mouse(panel_of(live).map, at, kind=QMouseEvent.Type.MouseButtonPress, pressed=True)


def test_a_cell_chooses_token_and_expert(qtbot: QtBot) -> None:
    live = live_of(qtbot)
    click(live, centre(live, 3, 4))
    assert (live.state.selection.token, live.state.selection.expert) == (3, 4)
    picture = picture_of(live)
    assert (picture.token, picture.expert) == (3, 4)


def test_loads_choose_an_expert_and_margins_a_token(qtbot: QtBot) -> None:
    live = live_of(qtbot)
    places = panel_of(live).map.places
    assert places is not None
    click(live, QPointF(centre(live, 0, 2).x(), places.load.center().y()))
    assert (live.state.selection.token, live.state.selection.expert) == (5, 2)
    click(live, QPointF(places.margin.center().x(), centre(live, 1, 0).y()))
    assert (live.state.selection.token, live.state.selection.expert) == (1, 2)


def test_pointing_is_told_and_ends(qtbot: QtBot) -> None:
    live = live_of(qtbot)
    mouse(panel_of(live).map, centre(live, 2, 5))
    qtbot.waitUntil(lambda: live.state.point == Point(token=2, expert=5))
    assert picture_of(live).pointed_expert == 5
    assert "expert 5" in picture_of(live).words.readout[0]
    QApplication.sendEvent(panel_of(live).map, QEvent(QEvent.Type.Leave))
    qtbot.waitUntil(lambda: live.state.point is None)


def test_what_others_point_at_is_shown(qtbot: QtBot) -> None:
    live = live_of(qtbot)
    live.change(changes.hover(Cell(Stage.OUT, 0, 6, 3)))
    assert picture_of(live).pointed_token == 6
    assert picture_of(live).words.readout[0].startswith("“lost”")


def test_arrows_move_token_and_expert(qtbot: QtBot) -> None:
    live = live_of(qtbot, selection=Selection(token=0))
    first = int(table_of(live).index[0, 0])
    canvas = panel_of(live).map
    qtbot.keyClick(canvas, Qt.Key.Key_Right)
    assert live.state.selection.expert == first
    qtbot.keyClick(canvas, Qt.Key.Key_Down)
    qtbot.keyClick(canvas, Qt.Key.Key_Up)
    qtbot.keyClick(canvas, Qt.Key.Key_Up)
    assert (live.state.selection.token, live.state.selection.expert) == (0, first)
    qtbot.keyClick(canvas, Qt.Key.Key_Left)
    assert live.state.selection.expert == max(0, first - 1)


def test_drop_force_and_all_back_by_button(qtbot: QtBot) -> None:
    live = live_of(qtbot, selection=Selection(token=1, expert=3))
    panel = panel_of(live)
    assert not panel.restore.isEnabled()
    panel.drop.click()
    assert live.state.edits == Edits(banned=(3,))
    assert table_of(live).served[3] == 0
    assert picture_of(live).banned == {3}
    assert panel.drop.text() == "allow 3"
    panel.force.click()
    assert live.state.edits == Edits(forced=3)
    assert table_of(live).served[3] == table_of(live).tokens
    assert panel.force.text() == "free 3"
    panel.restore.click()
    assert live.state.edits == Edits()
    assert live.asked == ["undo.edits"] * 3


def test_the_same_by_key(qtbot: QtBot) -> None:
    live = live_of(qtbot, selection=Selection(token=1, expert=3))
    canvas = panel_of(live).map
    for key, wanted in (
        (Qt.Key.Key_D, Edits(banned=(3,))),
        (Qt.Key.Key_D, Edits()),
        (Qt.Key.Key_R, Edits(forced=3)),
        (Qt.Key.Key_D, Edits(banned=(3,))),
        (Qt.Key.Key_A, Edits()),
    ):
        qtbot.keyClick(canvas, key)
        assert live.state.edits == wanted
    qtbot.keyClick(canvas, Qt.Key.Key_W)
    assert picture_of(live).mode == "logits"
    qtbot.keyClick(canvas, Qt.Key.Key_W)
    assert picture_of(live).mode == "weights"


def test_kept_memories_stay_when_experts_come_back(qtbot: QtBot) -> None:
    live = live_of(qtbot, edits=Edits(keep=5, banned=(1,)))
    panel_of(live).restore.click()
    assert live.state.edits == Edits(keep=5)


def test_what_cannot_be_is_not_asked_for_and_says_why(qtbot: QtBot) -> None:
    live = live_of(
        qtbot, MIXED.with_(experts=3, top_k=2), edits=Edits(banned=(0,)), selection=Selection(expert=1)
    )
    panel = panel_of(live)
    assert not panel.drop.isEnabled()
    assert panel.drop.toolTip().startswith("1 experts are left and each token needs 2")
    qtbot.keyClick(panel.map, Qt.Key.Key_D)
    assert live.asked == []
    assert panel.force.isEnabled()


def test_without_a_chosen_expert_the_first_choice_is_meant(qtbot: QtBot) -> None:
    live = live_of(qtbot)
    first = int(table_of(live).index[5, 0])
    assert panel_of(live).drop.text() == f"drop {first}"


@pytest.mark.parametrize("act", ["drop", "force"])
def test_pressed_twice_a_button_takes_back_what_it_did(qtbot: QtBot, act: str) -> None:
    live = live_of(qtbot)
    panel = panel_of(live)
    first = int(table_of(live).index[5, 0])
    button = {"drop": panel.drop, "force": panel.force}[act]
    button.click()
    assert live.state.edits in (Edits(banned=(first,)), Edits(forced=first))
    assert button.text() == {"drop": f"allow {first}", "force": f"free {first}"}[act]
    button.click()
    assert live.state.edits == Edits()
    assert live.asked == ["undo.edits"] * 2


def test_without_experts_a_button_brings_them(qtbot: QtBot) -> None:
    live = live_of(qtbot, SMALL)
    panel = panel_of(live)
    assert panel.body.currentWidget() is panel.offered
    assert panel.table() is None
    panel.offered.button.click()
    assert (live.state.settings.experts, live.state.settings.top_k) == (8, 2)
    assert panel.body.currentWidget() is not panel.offered


def test_the_map_appears_with_the_first_wide_stage(qtbot: QtBot) -> None:
    shares = []
    for time in (0.0, 0.25, 0.3, 0.5, 1.0):
        live = live_of(qtbot, playback=Playback(time))
        shares.append(picture_of(live).share)
    assert shares[0] == 0.0
    assert shares == sorted(shares)
    assert shares[-2:] == [1.0, 1.0]
    assert panel_of(live_of(qtbot, playback=Playback(0.0))).map.at(QPointF(200, 100)) == (None, None)


def test_a_stage_is_shown_at_the_experts_in_which_it_runs(qtbot: QtBot) -> None:
    live = live_of(qtbot, selection=Selection(token=1))
    assert picture_of(live).stage is None
    live.change(changes.point(stage=Stage.UP, token=3))
    picture = picture_of(live)
    assert picture.stage is Stage.UP
    assert picture.visited == table_of(live).index[3].tolist()
    live.change(changes.point(stage=Stage.RESIDUAL))
    assert picture_of(live).stage is None


def test_zoom_keeps_to_the_experts(qtbot: QtBot) -> None:
    live = live_of(qtbot, MIXED.with_(experts=64, d_ff=8))
    canvas = panel_of(live).map
    qtbot.keyClick(canvas, Qt.Key.Key_Plus)
    picture = picture_of(live)
    assert picture.shown == 51
    at = centre(live, 2, picture.first + 7)
    assert canvas.at(at) == (2, picture.first + 7)
    wheel = QWheelEvent(
        at, canvas.viewport().mapToGlobal(at), QPoint(), QPoint(0, 1_200), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(canvas.viewport(), wheel)
    assert picture_of(live).shown < 20
    for _ in range(12):
        qtbot.keyClick(canvas, Qt.Key.Key_Plus)
    assert picture_of(live).shown == 4
    qtbot.keyClick(canvas, Qt.Key.Key_Minus)
    assert picture_of(live).shown == 5
    qtbot.keyClick(canvas, Qt.Key.Key_0)
    assert (picture_of(live).first, picture_of(live).shown) == (0, 64)


def test_b_is_laid_over_the_load(qtbot: QtBot) -> None:
    other = MIXED.with_(seed=11, experts=4)
    live = live_of(qtbot, compare=Compare(other))
    wanted = scene_of(state_of(shown=SHOWN, settings=other)).run
    assert wanted is not None
    assert wanted.expert_index is not None
    found = picture_of(live).other
    assert found is not None
    assert found.tolist() == np.bincount(wanted.expert_index[0].flatten(), minlength=4).tolist()
    assert picture_of(live_of(qtbot, compare=Compare(SMALL))).other is None


def test_the_copied_table_is_exact(qtbot: QtBot) -> None:
    live = live_of(qtbot, MIXED.with_(capacity_factor=0.5))
    rows, table = panel_of(live).table(), table_of(live)
    assert rows is not None
    assert len(rows) == table.tokens + 1
    assert {len(row) for row in rows} == {2 + 3 * 2 + 1 + 6}
    for token, row in enumerate(rows[1:]):
        assert row[2:5] == [
            str(table.index[token, 0]),
            repr(float(table.weight[token, 0])),
            "no" if table.lost[token, 0] else "yes",
        ]
        assert float(row[8]) == table.margin[token]
        assert [float(cell) for cell in row[9:]] == table.logits[token].tolist()


def test_cells_have_the_colour_of_their_weight(qtbot: QtBot) -> None:
    """The darkest cell is the largest weight; experts that were not chosen stay blank."""
    live = live_of(qtbot)
    live.panel.resize(950, 380)
    settle()
    grabbed, table = panel_of(live).map.grab().toImage(), table_of(live)
    dark = {}
    for token in range(table.tokens):
        for expert in range(table.experts):
            at = centre(live, token, expert).toPoint()
            width = panel_of(live).map.places
            assert width is not None
            left = at.x() - int(width.area.width() / table.experts / 2) + 5
            dark[token, expert] = 255 - grabbed.pixelColor(left, at.y()).lightness()
    chosen = {(t, int(e)) for t in range(table.tokens) for e in table.index[t]}
    assert {cell for cell, value in dark.items() if value} == chosen
    heaviest = max(chosen, key=lambda cell: table.weights[cell])
    assert dark[heaviest] == max(dark.values())


@pytest.mark.parametrize(
    "look",
    [Appearance(), Appearance("dark", "ja"), Appearance("projector"), Appearance("projector", "ja"),
     Appearance(scale=2.0)],
)  # fmt: skip
@pytest.mark.parametrize("size", [(420, 260), (960, 600)])
def test_no_word_is_cut(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, look: Appearance, size: tuple[int, int]
) -> None:
    cut: list[str] = []
    original = drawn_text.draw_text

    def record(painter: QPainter, text: str, place: object, *, font: QFont, **style: object) -> None:
        if QFontMetricsF(font).horizontalAdvance(text) > place.width() + 1:  # type: ignore[attr-defined]
            cut.append(text)
        original(painter, text, place, font=font, **style)  # type: ignore[arg-type]

    monkeypatch.setattr(routing_frame, "draw_text", record)
    monkeypatch.setattr(routing_paint, "draw_text", record)
    wide = (round(size[0] * look.scale), round(size[1] * look.scale))
    edits, other = Edits(banned=(1,), forced=4), Compare(MIXED.with_(seed=3))
    for settings, view in (
        (MIXED.with_(capacity_factor=1.0), View()),
        (MIXED.with_(experts=32), View(mode="logits")),
    ):
        state = state_of(
            shown=SHOWN,
            settings=settings,
            appearance=look,
            edits=edits,
            compare=other,
            views=(("routing", view),),
        )
        shown(RoutingPanel, [scene_of(state)], wide)
    assert cut == []
