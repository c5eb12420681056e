"""The board: places, feeding only what can be seen, shares that can be dragged and remembered."""

from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from ffn_explorer.board import Board
from ffn_explorer.panels.table import PANELS
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import AppState
from ffn_explorer.state.layouts import (
    DEFAULT_LAYOUT,
    LAYOUTS,
    Layout,
    Slot,
    Split,
    panels_of,
    sizes_of,
    with_sizes,
)
from ffn_explorer.state.resolver import Resolver
from ffn_explorer.state.results import Results
from ffn_explorer.state.scene import Scene
from ffn_explorer.widgets.panel import Panel


class Noting(Panel):
    """A panel that notes the Scenes it was offered, and can act or fail while drawing."""

    name: ClassVar[str] = "noting"
    reads: ClassVar[frozenset[str]] = frozenset({"selection"})

    def __init__(self) -> None:
        """Note nothing yet."""
        super().__init__()
        self.drawn: list[Scene] = []
        self.asks_while_drawing = False
        self.fails = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def render_scene(self, scene: Scene) -> None:
        """Note it."""
        if self.fails:
            raise ValueError("this panel is broken")
        self.drawn.append(scene)
        if self.asks_while_drawing:
            self.request(changes.clear_selection())


MAKERS = dict.fromkeys("abcd", Noting)
LAYOUT = Split(
    "column",
    (Slot("a"), Split("row", (Slot("b"), Split("column", (Slot("c"), Slot("d")), (50, 50))), (70, 30))),
    (0, 1),
)


def scene_of(state: AppState) -> Scene:
    return Resolver(Results()).resolve(state)


def chosen(token: int) -> Scene:
    return scene_of(changes.select_token(token).to(AppState()))


def board_of(qtbot: QtBot, layout: Layout = LAYOUT) -> tuple[Board, dict[str, Noting]]:
    board = Board(layout, makers=MAKERS)
    qtbot.addWidget(board)
    panels = {name: panel for name, panel in board.panels.items() if isinstance(panel, Noting)}
    return board, panels


def test_every_layout_names_panels_that_exist_once_each() -> None:
    for layout in LAYOUTS.values():
        names = panels_of(layout)
        assert len(set(names)) == len(names)
        assert set(names) <= set(PANELS)
    assert DEFAULT_LAYOUT in LAYOUTS


def test_panels_stand_where_the_layout_says(qtbot: QtBot) -> None:
    board, panels = board_of(qtbot)
    board.resize(900, 600)
    with qtbot.waitExposed(board):
        board.show()
    place = {name: panel.mapTo(board, panel.rect().center()) for name, panel in panels.items()}
    assert place["a"].y() < place["b"].y()
    assert place["b"].x() < place["c"].x()
    assert place["c"].x() == place["d"].x()
    assert place["c"].y() < place["d"].y()
    assert panels["b"].width() > 2 * panels["c"].width() * 0.95


def test_a_scene_reaches_every_panel_once_and_only_when_something_it_reads_changed(qtbot: QtBot) -> None:
    board, panels = board_of(qtbot)
    board.show_scene(chosen(1))
    board.show_scene(chosen(1))
    board.show_scene(chosen(2))
    assert {name: len(panel.drawn) for name, panel in panels.items()} == dict.fromkeys("abcd", 2)


def test_a_hidden_panel_gets_the_scene_when_it_is_shown(qtbot: QtBot) -> None:
    board, panels = board_of(qtbot)
    with qtbot.waitExposed(board):
        board.show()
    panels["c"].hide()
    board.show_scene(chosen(1))
    board.show_scene(chosen(3))
    assert panels["c"].drawn == []
    panels["c"].show()
    assert [scene.selection.token for scene in panels["c"].drawn] == [3]


def test_what_any_panel_asks_for_comes_out_of_the_board(qtbot: QtBot) -> None:
    board, panels = board_of(qtbot)
    asked: list[object] = []
    board.requested.connect(asked.append)
    for panel in panels.values():
        panel.request(changes.clear_selection())
    assert len(asked) == len(panels)


def test_a_request_made_while_drawing_follows_after_it(qtbot: QtBot) -> None:
    board, panels = board_of(qtbot)
    panels["a"].asks_while_drawing = True
    asked: list[object] = []
    board.requested.connect(asked.append)
    board.show_scene(chosen(1))
    assert asked == []
    qtbot.waitUntil(lambda: len(asked) == 1)


def test_a_broken_panel_does_not_blank_the_others(qtbot: QtBot) -> None:
    board, panels = board_of(qtbot)
    panels["a"].fails = True
    with pytest.raises(ValueError, match="broken"):
        board.show_scene(chosen(1))
    assert all(len(panels[name].drawn) == 1 for name in "bcd")


def test_numbers_reach_panels_in_reading_order(qtbot: QtBot) -> None:
    board, panels = board_of(qtbot)
    with qtbot.waitExposed(board):
        board.show()
    board.activateWindow()
    assert [board.focus_panel(place) and board.focused_panel() for place in range(4)] == list(panels.values())
    assert not board.focus_panel(4)
    assert not board.focus_panel(-1)


def test_arrow_keys_move_a_handle_and_double_click_asks_for_the_default(qtbot: QtBot) -> None:
    board, panels = board_of(qtbot)
    board.resize(900, 600)
    with qtbot.waitExposed(board):
        board.show()
    board.show_scene(scene_of(AppState()))
    before = panels["b"].width()
    handle = board._frame.splitters[0].handles()[0]
    with qtbot.waitSignal(board.arranged):
        QTest.keyClick(handle, Qt.Key.Key_Left)
    assert panels["b"].width() < before
    with qtbot.waitSignal(board.reset_asked):
        QTest.mouseDClick(handle, Qt.MouseButton.LeftButton)
    board.arrange(LAYOUT)
    assert panels["b"].width() == before


def test_an_arrangement_can_be_put_back(qtbot: QtBot) -> None:
    board, panels = board_of(qtbot)
    board.resize(900, 600)
    with qtbot.waitExposed(board):
        board.show()
    board.arrange(with_sizes(LAYOUT, [(30, 70), (80, 20)]))
    widths = {name: panel.size() for name, panel in panels.items()}
    kept = board.arrangement()
    board.arrange(LAYOUT)
    assert {name: panel.size() for name, panel in panels.items()} != widths
    board.arrange(kept)
    assert {name: panel.size() for name, panel in panels.items()} == widths


@given(st.lists(st.lists(st.integers(1, 1_000_000), min_size=2, max_size=2), min_size=2, max_size=2))
def test_shares_that_fit_are_taken_over_exactly(sizes: list[list[int]]) -> None:
    assert sizes_of(with_sizes(LAYOUT, sizes)) == tuple(map(tuple, sizes))


@pytest.mark.parametrize(
    "sizes", [[], [(1, 2)], [(1, 2), (3, 4, 5)], [(1, 2), (0, 4)], [(1, 2), (-1, 4)], [(1.5, 2), (3, 4)]]
)
def test_shares_that_do_not_fit_change_nothing(sizes: list[tuple[int, ...]]) -> None:
    assert with_sizes(LAYOUT, sizes) is LAYOUT
