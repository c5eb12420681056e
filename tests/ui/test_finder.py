"""The search: everything is found in both languages, numbers too, and Enter does it."""

from collections.abc import Iterator
from time import monotonic

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ffn_explorer.app.actions import ACTIONS
from ffn_explorer.app.finder import Finder
from ffn_explorer.app.finds import NOT_FOUND, finds
from ffn_explorer.app.window import Window
from ffn_explorer.panels.table import PANELS
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import Selection
from ffn_explorer.state.text import catalogue, say
from tests.ui.house import SMALL, house, press, scene


@pytest.fixture
def window(qtbot: QtBot) -> Iterator[Window]:
    with house(qtbot) as made:
        yield made
        made.finder.close()


@pytest.fixture
def finder(window: Window, qtbot: QtBot) -> Finder:
    press(window, Qt.Key.Key_Slash)
    qtbot.waitUntil(window.finder.edit.hasFocus)
    return window.finder


def listed(finder: Finder) -> list[str]:
    items = (finder.list.topLevelItem(row) for row in range(finder.list.topLevelItemCount()))
    return [item.text(0) for item in items if item is not None]


def enter(finder: Finder, typed: str) -> None:
    QTest.keyClicks(finder.edit, typed)
    QTest.keyClick(finder.edit, Qt.Key.Key_Return)


def test_everything_is_there_while_nothing_is_typed(finder: Finder, window: Window) -> None:
    rows = listed(finder)
    english = catalogue("en")
    assert all(any(english[f"panel_name.{name}"] in row for row in rows) for name in PANELS)
    for action in ACTIONS:
        if action.words(window) is not None and action.name not in NOT_FOUND:
            assert english[action.key] in rows
    assert all(any(f"“{chip.text}”" in row for row in rows) for chip in scene(window).chips)


def test_escape_leaves_everything_as_it_was(finder: Finder, window: Window, qtbot: QtBot) -> None:
    before = window.director.state
    QTest.keyClicks(finder.edit, "dark")
    QTest.keyClick(finder.edit, Qt.Key.Key_Escape)
    assert not finder.isVisible()
    assert window.director.state == before
    qtbot.waitUntil(lambda: QApplication.focusWidget() is window.board)


@pytest.mark.parametrize("typed", ["dark theme", "theme da", "ダーク", "DARK"])
def test_an_action_is_found_by_its_words_in_both_languages(
    finder: Finder, window: Window, typed: str
) -> None:
    finder.edit.setText(typed)
    QTest.keyClick(finder.edit, Qt.Key.Key_Return)
    assert window.look.theme == "dark"
    assert not finder.isVisible()


@pytest.mark.parametrize("typed", ["match", "parameters", "パラメータ数"])
def test_parameters_are_matched_and_there_is_no_such_line_while_they_match(
    window: Window, qtbot: QtBot, typed: str
) -> None:
    assert not [find for find in finds(window, "match") if find.keys == ""]
    window.director.request(changes.pin())
    window.director.request(changes.set_setting("activation", "swiglu"))
    press(window, Qt.Key.Key_Slash)
    qtbot.waitUntil(window.finder.edit.hasFocus)
    window.finder.edit.setText(typed)
    QTest.keyClick(window.finder.edit, Qt.Key.Key_Return)
    # 2 · 8 · 32 weights of two matrices, and 3 · 8 · F of three.
    assert window.director.state.settings.d_ff == 21


@pytest.mark.parametrize("typed", ["panel: code", "パネル：コード"])
def test_a_panel_is_brought_to_the_board(finder: Finder, window: Window, qtbot: QtBot, typed: str) -> None:
    finder.edit.setText(typed)
    finder.take()
    qtbot.waitUntil(lambda: window.board.focused_panel() is window.board.panels["code"])


def test_a_layout_is_found(finder: Finder, window: Window) -> None:
    enter(finder, "layout inspect")
    assert window.arrangement.name == "inspect"


@pytest.mark.parametrize("typed", ["swiglu", "活性化関数：SwiGLU"])
def test_an_activation_is_found(finder: Finder, window: Window, typed: str) -> None:
    finder.edit.setText(typed)
    finder.take()
    assert window.director.state.settings.activation == "swiglu"


def test_a_token_is_found_by_its_text(finder: Finder, window: Window) -> None:
    enter(finder, "lost")
    assert window.director.state.selection.token == 6


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ("neuron 12", {"neuron": 12}),
        ("n12", {"neuron": 12}),
        ("N 1,2", {"neuron": 12}),
        ("ニューロン 12", {"neuron": 12}),
        ("dim 7", {"dim": 7}),
        ("d7", {"dim": 7}),
        ("次元7", {"dim": 7}),
        ("t2", {"token": 2}),
        ("token 2", {"token": 2}),
        ("位置 2", {"token": 2}),
        ("12", {"neuron": 12}),
    ],
)
def test_a_number_chooses_what_it_counts(
    finder: Finder, window: Window, typed: str, wanted: dict[str, int]
) -> None:
    before = window.director.state.selection
    finder.edit.setText(typed)
    finder.take()
    now = window.director.state.selection
    assert {name: getattr(now, name) for name in wanted} == wanted
    rest = {"neuron", "dim", "token"} - wanted.keys()
    assert {name: getattr(now, name) for name in rest} == {name: getattr(before, name) for name in rest}


@pytest.mark.parametrize(
    ("typed", "field", "wanted"),
    [("D=16", "d_model", 16), ("d = 16", "d_model", 16), ("Dff 48", "d_ff", 48), ("dff=4,8", "d_ff", 48)],
)
def test_a_width_is_set_by_its_sign(
    finder: Finder, window: Window, typed: str, field: str, wanted: int
) -> None:
    enter(finder, typed)
    assert window.director.state.settings == SMALL.settings.with_(**{field: wanted})


def test_a_layer_is_chosen_by_its_number(finder: Finder, window: Window) -> None:
    enter(finder, "layer 2")
    assert window.director.state.settings.layer == 2


def test_an_expert_is_chosen_by_its_number(window: Window, qtbot: QtBot) -> None:
    assert "Expert 3" not in [find.words for find in finds(window, "3")]
    window.director.request(changes.set_setting("experts", 4))
    qtbot.waitUntil(lambda: scene(window).settings.experts == 4)
    press(window, Qt.Key.Key_Slash)
    enter(window.finder, "e3")
    assert window.director.state.selection.expert == 3


@pytest.mark.parametrize("typed", ["n32", "neuron 999999999999999999999", "layer 3"])
def test_a_number_beyond_the_last_is_said_and_does_nothing(
    finder: Finder, window: Window, typed: str
) -> None:
    before = window.director.state
    finder.edit.setText(typed)
    assert "there are only 0 to" in listed(finder)[0]
    finder.take()
    assert finder.isVisible()
    assert window.director.state == before


def test_a_number_alone_offers_all_that_it_can_mean(finder: Finder) -> None:
    finder.edit.setText("2")
    assert listed(finder)[:4] == ["Neuron 2", "Dimension 2", "Layer 2", "Token at position 2"]


def test_zeros_in_front_do_not_make_another_number(finder: Finder) -> None:
    finder.edit.setText(f"neuron {'0' * 20}17")
    assert listed(finder) == ["Neuron 17"]


@pytest.mark.parametrize("typed", [f"neuron{' ' * 20_000}17", f"{' ' * 20_000}17", " " * 20_000 + "x"])
def test_long_pasted_text_holds_nothing_up(finder: Finder, typed: str) -> None:
    start = monotonic()
    finder.edit.setText(typed)
    assert monotonic() - start < 2.0


def test_nothing_found_is_an_empty_list_and_enter_waits(finder: Finder, window: Window) -> None:
    enter(finder, "xyzzy")
    assert listed(finder) == []
    assert finder.isVisible()
    assert window.director.state.selection == Selection()


def test_arrows_move_the_mark_while_the_typing_goes_on(finder: Finder, window: Window) -> None:
    QTest.keyClick(finder.edit, Qt.Key.Key_Down)
    assert finder.list.currentIndex().row() == 1
    for key, row in ((Qt.Key.Key_Up, 0), (Qt.Key.Key_PageDown, 8), (Qt.Key.Key_PageUp, 0)):
        QTest.keyClick(finder.edit, key)
        assert finder.list.currentIndex().row() == row
    QTest.keyClick(finder.edit, Qt.Key.Key_Up)
    assert finder.list.currentIndex().row() == finder.list.topLevelItemCount() - 1
    QTest.keyClicks(finder.edit, "t")
    assert finder.list.currentIndex().row() == 0


def test_a_click_takes_a_line(finder: Finder, window: Window) -> None:
    finder.edit.setText("projector")
    item = finder.list.topLevelItem(0)
    assert item is not None
    at = finder.list.visualItemRect(item).center()
    QTest.mouseClick(finder.list.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert window.look.theme == "projector"


def test_it_opens_empty_again_in_the_present_language(finder: Finder, window: Window, qtbot: QtBot) -> None:
    finder.edit.setText("日本語")
    finder.take()
    assert window.look.language == "ja"
    qtbot.waitUntil(lambda: scene(window).look.language == "ja" and window.board.hasFocus())
    press(window, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert finder.edit.text() == ""
    assert catalogue("ja")["action.dark"] in listed(finder)
    assert finder.edit.accessibleName()


def test_a_panel_that_comes_from_the_search_says_which_one_gave_way(finder: Finder, window: Window) -> None:
    assert "output" not in window.board.panels
    gone = list(window.board.panels)
    enter(finder, "output")
    assert "output" in window.board.panels
    old = next(name for name in gone if name not in window.board.panels)
    english = catalogue("en")
    window.director.show_now()
    message = scene(window).message
    assert message is not None
    said = say("en", message)
    assert english["panel_name.output"] in said
    assert english[f"panel_name.{old}"] in said
