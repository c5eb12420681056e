"""A grid of named numbers: cells are reached, opened, typed over and left with keys or mouse alike."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.number_grid import NumberGrid
from ffn_explorer.widgets.number_grid_plan import HEAD, Grid, GridCell
from tests.ui.live import settle

Key = Qt.Key


def number(row: int, column: int) -> GridCell:
    """Return a cell that can be typed over; the last column cannot."""
    text = f"{row}.{column}"
    return GridCell(text) if column == 3 else GridCell(text, ("key", row, column), text)


def grid_of(rows: int = 3, first_row: int = 0, first_column: int = 0) -> Grid:
    """Return a grid of numbers that tell their place."""
    return Grid(
        look=Appearance(),
        name="weights",
        corner="W",
        columns=tuple(GridCell(f"c{c}", ("feature", c, 0), f"c{c}") for c in range(4)),
        rows=tuple(
            (GridCell(f"r{r}", ("neuron", r, 0), f"r{r}"), tuple(number(r, c) for c in range(4)))
            for r in range(rows)
        ),
        first_row=first_row,
        first_column=first_column,
    )


@pytest.fixture
def grid(qtbot: QtBot) -> Iterator[NumberGrid]:
    """Yield a grid in a window, with the keyboard."""
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(400, 200)
    made = NumberGrid(window)
    made.resize(380, 180)
    made.show_grid(grid_of())
    window.show()
    window.activateWindow()
    made.setFocus(Qt.FocusReason.TabFocusReason)
    settle()
    yield made
    window.close()


@pytest.fixture
def typed(grid: NumberGrid) -> list[tuple[object, str]]:
    """Return the list that will hold what is typed."""
    found: list[tuple[object, str]] = []
    grid.typed.connect(lambda place, text: found.append((place, text)))
    return found


def test_arrows_reach_every_cell_and_the_names(grid: NumberGrid) -> None:
    for key, wanted in (
        (Key.Key_Right, (0, 1)), (Key.Key_Down, (1, 1)), (Key.Key_Left, (1, 0)), (Key.Key_Left, (1, HEAD)),
        (Key.Key_Left, (1, HEAD)), (Key.Key_Right, (1, 0)), (Key.Key_Up, (0, 0)), (Key.Key_Up, (HEAD, 0)),
        (Key.Key_Up, (HEAD, 0)), (Key.Key_Left, (HEAD, 0)),
    ):  # fmt: skip
        QTest.keyClick(grid, key)
        assert grid.at == wanted


@pytest.mark.parametrize("key", [Key.Key_Return, Key.Key_F2])
def test_enter_and_f2_open_a_cell_and_enter_keeps_what_is_typed(
    grid: NumberGrid, typed: list[tuple[object, str]], key: Qt.Key
) -> None:
    QTest.keyClick(grid, key)
    assert grid.editor.isVisible()
    assert grid.editor.text() == "0.0"
    grid.editor.setText("7")
    QTest.keyClick(grid.editor, Key.Key_Return)
    assert typed == [(("key", 0, 0), "7")]
    assert not grid.editor.isVisible()
    assert grid.hasFocus()


def test_a_digit_begins_a_new_number(grid: NumberGrid, typed: list[tuple[object, str]]) -> None:
    QTest.keyClicks(grid, "4")
    assert grid.editor.text() == "4"
    QTest.keyClicks(grid.editor, "2")
    QTest.keyClick(grid.editor, Key.Key_Return)
    assert typed == [(("key", 0, 0), "42")]


def test_escape_leaves_a_cell_as_it_was(grid: NumberGrid, typed: list[tuple[object, str]]) -> None:
    QTest.keyClicks(grid, "9")
    QTest.keyClick(grid.editor, Key.Key_Escape)
    assert typed == []
    assert not grid.editor.isVisible()
    assert grid.hasFocus()


def test_tab_goes_on_to_the_next_cell_that_can_be_typed_in(
    grid: NumberGrid, typed: list[tuple[object, str]]
) -> None:
    grid.go(0, 2)
    QTest.keyClicks(grid, "5")
    QTest.keyClick(grid.editor, Key.Key_Tab)
    assert typed == [(("key", 0, 2), "5")]
    assert grid.at == (1, HEAD), "the last column cannot be typed in"
    assert grid.editor.isVisible()
    assert grid.editor.text() == "r1"
    QTest.keyClick(grid.editor, Key.Key_Backtab)
    assert grid.at == (0, 2)
    assert typed == [(("key", 0, 2), "5")], "nothing was typed, so nothing changes"


def test_a_double_click_opens_the_cell_under_the_pointer(
    grid: NumberGrid, typed: list[tuple[object, str]]
) -> None:
    place = grid.rect_of(2, 1)
    assert place is not None
    QTest.mouseClick(grid, Qt.MouseButton.LeftButton, pos=place.center().toPoint())
    assert grid.at == (2, 1)
    QTest.mouseDClick(grid, Qt.MouseButton.LeftButton, pos=place.center().toPoint())
    assert grid.editor.text() == "2.1"
    grid.editor.setText("−3")
    QTest.mouseClick(grid, Qt.MouseButton.LeftButton, pos=QPointF(place.center().x(), 5).toPoint())
    grid.setFocus()
    settle()
    assert typed == [(("key", 2, 1), "−3")], "going elsewhere keeps what was typed"


def test_read_only_cells_do_not_open(grid: NumberGrid) -> None:
    grid.go(0, 3)
    QTest.keyClick(grid, Key.Key_Return)
    assert not grid.editor.isVisible()
    assert grid.place == ("neuron", 0, 0), "the row's own place stands for it"


@pytest.mark.parametrize(("key", "signal"), [(Key.Key_Space, "flipped"), (Key.Key_Delete, "removed")])
def test_space_flips_and_delete_removes(grid: NumberGrid, key: Qt.Key, signal: str) -> None:
    found: list[object] = []
    getattr(grid, signal).connect(found.append)
    grid.go(1, 1)
    QTest.keyClick(grid, key)
    assert found == [("key", 1, 1)]


def test_a_long_grid_scrolls_after_the_cursor(grid: NumberGrid) -> None:
    asked: list[tuple[int, int]] = []
    grid.show_grid(grid_of(rows=40))
    grid.scrolled.connect(lambda row, column: asked.append((row, column)))
    grid.go(30, 0)
    assert asked
    assert grid.rect_of(30, 0) is None, "the Scene says how far a grid is scrolled"
    grid.show_grid(grid_of(rows=40, first_row=asked[-1][0]))
    assert grid.rect_of(30, 0) is not None


def test_a_narrow_grid_scrolls_sideways_and_keeps_the_names(grid: NumberGrid) -> None:
    asked: list[tuple[int, int]] = []
    grid.resize(110, 180)
    grid.scrolled.connect(lambda row, column: asked.append((row, column)))
    grid.go(0, 3)
    grid.show_grid(grid_of(first_column=asked[-1][1]))
    assert grid.rect_of(0, 3) is not None
    assert grid.rect_of(0, HEAD) is not None
    assert grid.rect_of(0, 0) is None


def test_the_cursor_is_told_to_screen_readers(grid: NumberGrid) -> None:
    grid.go(1, 2)
    interface = QAccessible.queryAccessibleInterface(grid)
    assert interface.text(QAccessible.Text.Name) == "weights"
    assert interface.text(QAccessible.Text.Description) == "r1, c2, 1.2"


def test_cells_and_type_grow_where_there_is_room_and_all_stays_in_sight(grid: NumberGrid) -> None:
    grid.resize(120, grid.whole_height())
    least = grid._plan()
    grid.resize(900, 600)
    most = grid._plan()
    assert (least.role, most.role) == ("small", "body")
    assert most.line >= 1.6 * least.line
    assert sum(most.widths) >= 1.8 * sum(least.widths)
    assert grid.most_height() >= most.line * 4
    for size in ((380, 180), (200, 120), (900, 100)):
        grid.resize(*size)
        corner = grid.rect_of(2, 3)
        assert corner is not None
        assert corner.right() <= size[0] + 1
        assert corner.bottom() <= size[1]
