"""Layouts, panels that exchange places, one that fills the board: by key and by hand, and remembered."""

import gc
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from ffn_explorer.app.director import Director
from ffn_explorer.app.memory import Memory
from ffn_explorer.app.window import Window
from ffn_explorer.core.stages import Stage
from ffn_explorer.panels.table import PANELS
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import Cell
from ffn_explorer.state.layouts import FIXED, LAYOUTS, panels_of, sizes_of
from ffn_explorer.state.results import Results
from ffn_explorer.state.session import Session
from ffn_explorer.widgets.panel import Panel
from tests.ui.house import SMALL, house, press, scene

CTRL = Qt.KeyboardModifier.ControlModifier
DIGIT = {name: Qt.Key(Qt.Key.Key_1 + place) for place, name in enumerate(LAYOUTS)}


@pytest.fixture
def window(qtbot: QtBot) -> Iterator[Window]:
    with house(qtbot) as made:
        yield made


def absent(window: Window) -> str:
    """A panel that is not on the board."""
    return next(name for name in PANELS if name not in window.board.panels and name not in FIXED)


def alone(window: Window) -> str | None:
    """The panel that fills the board."""
    return window.board.alone


def double_click(panel: Panel, at: QPoint) -> None:
    QTest.mouseDClick(panel, Qt.MouseButton.LeftButton, pos=at)


def on_header(panel: Panel) -> QPoint:
    return panel.title.geometry().center()


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_key_shows_a_layout_and_the_state_knows_what_is_in_sight(
    window: Window, qtbot: QtBot, name: str
) -> None:
    press(window, DIGIT[name], CTRL)
    assert window.arrangement.name == name
    assert tuple(window.board.panels) == panels_of(LAYOUTS[name])
    assert window.director.state.shown == frozenset(panels_of(LAYOUTS[name]))
    assert all(panel.isVisible() for panel in window.board.panels.values())
    qtbot.waitUntil(lambda: all(panel.scene is window.scene for panel in window.board.panels.values()))


@pytest.mark.parametrize("name", LAYOUTS)
def test_digits_lead_from_panel_to_panel_whatever_they_hold(window: Window, name: str) -> None:
    press(window, DIGIT[name], CTRL)
    for place, panel in enumerate(window.board.panels.values()):
        press(window, Qt.Key(Qt.Key.Key_1 + place))
        assert window.board.focused_panel() is panel


def test_panels_that_stay_are_the_same_and_those_that_go_are_deleted(window: Window, qtbot: QtBot) -> None:
    before = dict(window.board.panels)
    press(window, DIGIT["lecture"], CTRL)
    after = window.board.panels
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    for name, panel in before.items():
        assert (after.get(name) is panel) == isValid(panel) == (name in after)


def test_many_layouts_leave_no_widgets_behind(window: Window, qtbot: QtBot) -> None:
    def count() -> int:
        QTest.qWait(60)
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        gc.collect()
        return len(QApplication.allWidgets())

    for name in (*LAYOUTS, "explore"):
        press(window, DIGIT[name], CTRL)
    first = count()
    for _ in range(3):
        for name in (*LAYOUTS, "explore"):
            press(window, DIGIT[name], CTRL)
    assert count() == first


def test_the_keyboard_stays_with_a_panel_that_stays(window: Window) -> None:
    stage = window.board.panels["stage"]
    press(window, Qt.Key.Key_2)
    assert window.board.focused_panel() is stage
    held = QApplication.focusWidget()
    press(window, DIGIT["lecture"], CTRL)
    assert QApplication.focusWidget() is held
    window.board.focus_panel(3)
    window.arrangement.stand_instead(list(window.board.panels)[3], absent(window))
    assert QApplication.focusWidget() is window.board


def test_a_panel_takes_the_place_of_another(window: Window) -> None:
    new = absent(window)
    before = list(window.board.panels)
    window.arrangement.stand_instead("maps", new)
    assert list(window.board.panels) == [new if name == "maps" else name for name in before]
    assert new in (window.director.state.shown or ())
    assert "maps" not in (window.director.state.shown or ())


def test_two_panels_on_the_board_exchange_places(window: Window) -> None:
    places = {name: panel.mapTo(window, QPoint()) for name, panel in window.board.panels.items()}
    window.arrangement.stand_instead("maps", "curve")
    QTest.qWait(30)
    assert window.board.panels["curve"].mapTo(window, QPoint()) == places["maps"]
    assert window.board.panels["maps"].mapTo(window, QPoint()) == places["curve"]


def test_fixed_panels_stay_where_they_are(window: Window) -> None:
    before = list(window.board.panels)
    window.arrangement.stand_instead("chips", "maps")
    window.arrangement.stand_instead("maps", "transport")
    assert list(window.board.panels) == before
    window.board.fill("chips")
    assert alone(window) is None


def test_a_panel_fills_the_board_and_gives_it_back(window: Window, qtbot: QtBot) -> None:
    shares = sizes_of(window.board.arrangement())
    press(window, Qt.Key.Key_3)
    press(window, Qt.Key.Key_X)
    assert alone(window) == "maps"
    assert window.director.state.shown == frozenset({"chips", "maps", "transport"})
    assert not window.board.panels["stage"].isVisible()
    QTest.qWait(30)
    maps = window.board.panels["maps"]
    assert maps.width() > 0.9 * window.width()
    assert sizes_of(window.board.arrangement()) == shares
    press(window, Qt.Key.Key_Escape)
    QTest.qWait(30)
    assert alone(window) is None
    assert window.director.state.shown == frozenset(window.board.panels)
    assert sizes_of(window.board.arrangement()) == shares


def test_escape_brings_the_others_back_before_it_lets_go_of_a_cell(window: Window) -> None:
    window.director.request(changes.select_cell(Cell(Stage.ACT, 0, 1, 3)))
    window.board.fill("stage")
    for stage in (Stage.ACT, None):
        press(window, Qt.Key.Key_Escape)
        assert alone(window) is None
        assert window.director.state.selection.stage is stage


def test_a_double_click_on_the_header_gives_room_and_takes_it(window: Window) -> None:
    curve = window.board.panels["curve"]
    double_click(curve, on_header(curve))
    assert alone(window) == "curve"
    QTest.qWait(30)
    double_click(curve, QPoint(curve.width() // 2, curve.height() - 3))
    assert alone(window) == "curve"
    double_click(curve, on_header(curve))
    assert alone(window) is None


def test_a_digit_shows_another_panel_alone(window: Window) -> None:
    window.board.fill("stage")
    press(window, Qt.Key.Key_3)
    assert alone(window) == "maps"
    assert window.board.focused_panel() is window.board.panels["maps"]


def test_another_panel_in_the_place_of_the_one_alone_is_alone(window: Window) -> None:
    window.board.fill("stage")
    new = absent(window)
    window.arrangement.stand_instead("stage", new)
    assert alone(window) == new


def test_a_hidden_panel_is_up_to_date_when_it_comes_back(window: Window, qtbot: QtBot) -> None:
    window.board.fill("curve")
    window.director.request(changes.select_token(1))
    qtbot.waitUntil(lambda: scene(window).selection.token == 1)
    window.board.fill(None)
    stage = window.board.panels["stage"].scene
    assert stage is not None
    assert stage.selection.token == 1


def test_only_what_is_in_sight_is_computed(window: Window, qtbot: QtBot) -> None:
    press(window, DIGIT["cost"], CTRL)
    if "proof" in window.board.panels:
        window.arrangement.stand_instead("proof", "stage")
    window.director.request(changes.select_cell(Cell(Stage.ACT, 0, 1, 3)))
    qtbot.waitUntil(lambda: scene(window).detail is not None and scene(window).selection.token == 1)
    QTest.qWait(100)
    assert scene(window).proof is None or scene(window).subject != Cell(Stage.ACT, 0, 1, 3)
    window.arrangement.bring("proof")
    qtbot.waitUntil(lambda: scene(window).proof is not None)


def test_pointing_ends_when_the_panels_change(window: Window, qtbot: QtBot) -> None:
    window.director.request(changes.hover(Cell(Stage.ACT, 0, 1, 3)))
    qtbot.waitUntil(lambda: scene(window).hover is not None)
    press(window, DIGIT["lecture"], CTRL)
    qtbot.waitUntil(lambda: scene(window).hover is None)


def test_reset_brings_panels_and_shares_back_and_a_handle_only_the_shares(window: Window) -> None:
    new = absent(window)
    window.arrangement.stand_instead("maps", new)
    handle = window.board._frame.splitters[0].handles()[0]
    before = window.board.panels["stage"].width()
    QTest.keyClick(handle, Qt.Key.Key_Left)
    assert window.board.panels["stage"].width() < before
    QTest.mouseDClick(handle, Qt.MouseButton.LeftButton)
    assert window.board.panels["stage"].width() == before
    assert new in window.board.panels
    press(window, Qt.Key.Key_R, CTRL)
    assert tuple(window.board.panels) == panels_of(LAYOUTS["explore"])


def test_bringing_a_panel_focuses_it_where_it_is_and_else_puts_it_where_the_keyboard_was(
    window: Window,
) -> None:
    before = list(window.board.panels)
    window.arrangement.bring("curve")
    assert list(window.board.panels) == before
    assert window.board.focused_panel() is window.board.panels["curve"]
    new = absent(window)
    window.arrangement.bring(new)
    assert list(window.board.panels) == [new if name == "curve" else name for name in before]
    assert window.board.focused_panel() is window.board.panels[new]


def test_every_panel_can_stand_on_the_board(window: Window, qtbot: QtBot) -> None:
    for name in (name for name in PANELS if name not in FIXED):
        window.arrangement.bring(name)
        panel = window.board.panels[name]
        assert panel.menu_button.isVisible()
        assert panel.menu_button.accessibleName()
        assert panel.title.accessibleDescription()
    qtbot.waitUntil(lambda: not scene(window).lagging and not scene(window).stale, timeout=20_000)
    assert window.director.details == ""


def opened(qtbot: QtBot) -> tuple[Window, Memory]:
    """A window as `start` makes it, without computing."""
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    memory = Memory(application)
    window = Window(
        Director(Session(memory.first_state(SMALL, frozenset())), Results()), layout_name=memory.layout_name
    )
    qtbot.addWidget(window)
    memory.watch(window)
    window.director.start()
    with qtbot.waitExposed(window):
        window.show()
    return window, memory


def closed(window: Window, memory: Memory) -> None:
    window.close()
    assert window.director.close()
    memory.deleteLater()


def test_what_a_person_made_of_each_layout_is_remembered(qtbot: QtBot) -> None:
    window, memory = opened(qtbot)
    window.resize(1_300, 800)
    new = absent(window)
    window.arrangement.stand_instead("maps", new)
    window.arrangement.use("lecture")
    other = next(name for name in PANELS if name not in window.board.panels and name not in FIXED)
    window.arrangement.stand_instead("stage", other)
    window.board.fill(other)
    closed(window, memory)

    again, memory = opened(qtbot)
    assert again.arrangement.name == "lecture"
    assert other in again.board.panels
    assert "stage" not in again.board.panels
    assert again.board.alone is None
    again.arrangement.use("explore")
    assert new in again.board.panels
    assert "maps" not in again.board.panels
    assert again.director.state.shown == frozenset(again.board.panels)
    again.arrangement.reset()
    closed(again, memory)

    last, memory = opened(qtbot)
    assert tuple(last.board.panels) == panels_of(LAYOUTS["explore"])
    closed(last, memory)


def test_a_click_in_the_switch_shows_a_layout(window: Window) -> None:
    switch = window.corner_bar.switch
    for name, choice in switch.choices.items():
        assert choice.isVisible()
        QTest.mouseClick(choice, Qt.MouseButton.LeftButton)
        assert window.arrangement.name == name
        assert [each for each, made in switch.choices.items() if made.isChecked()] == [name]


def test_a_narrow_window_has_one_button_for_all_layouts(window: Window, qtbot: QtBot) -> None:
    window.director.request(changes.set_theme("projector"))
    qtbot.waitUntil(window.corner_bar.switch.button.isVisible)
    rows = window.corner_bar.switch.menu.actions()
    assert [row.isChecked() for row in rows] == [name == "explore" for name in LAYOUTS]
    rows[0].trigger()
    assert window.arrangement.name == next(iter(LAYOUTS))
