"""The search: everything is found in both languages, numbers too, and Enter does it."""

from collections.abc import Iterator
from time import monotonic

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ffn_explorer.app.actions import ACTIONS
from ffn_explorer.app.controls.table import CONTROLS
from ffn_explorer.app.finder import Finder
from ffn_explorer.app.finds import NOT_FOUND, finds
from ffn_explorer.app.window import Window
from ffn_explorer.core.handmade_examples import EXAMPLES
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
    assert not [find for find in finds(window, "match") if find.words.startswith("Match")]
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


def test_where_nothing_is_found_a_line_says_what_would_be_and_enter_waits(
    finder: Finder, window: Window
) -> None:
    enter(finder, "xyzzy")
    assert listed(finder) == [catalogue("en")["find.nothing"]]
    item = finder.list.topLevelItem(0)
    assert item is not None
    assert item.isDisabled()
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


@pytest.mark.parametrize("language", ["en", "ja"])
def test_what_is_proposed_where_nothing_is_found_is_found(window: Window, language: str) -> None:
    proposed = catalogue(language)["find.nothing"].rstrip("。").replace("：", ":").split(":")[1]
    for typed in proposed.replace("、", ",").split(","):
        assert finds(window, typed.strip())[0].run is not None


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ("sparse", "Panel: Sparsity"),
        ("theta", "Setting: θ, active above"),
        ("strongest", "Panel: Memories"),
        ("keep", "Panel: Memories"),
        ("nearly shut", "Panel: Gate"),
        ("xor", "Hand-built memory: XOR"),
        ("and", "Hand-built memory: AND"),
        ("or", "Hand-built memory: OR"),
        ("facts", "Hand-built memory: Facts"),
        ("shuffle", "Panel: Position lab"),
        ("drop", "Panel: Experts and routing"),
        ("drop", "Setting: dropout"),
        ("copy", "Panel: Code"),
        ("numpy", "Panel: Code"),
        ("pytorch", "Panel: Code"),
        ("seed", "Setting: seed"),
        ("ribbon", "Panel: One position"),
        ("why", "Panel: Where a number comes from"),
        ("8 experts", "experts = 8"),
        ("memories", "Panel: Memory theatre"),
        ("margin", "Panel: Experts and routing"),
        ("dead", "Panel: Sparsity"),
        ("attention", "Panel: Cost"),
        ("attention", "Setting: attention mixer first"),
        ("flops", "Panel: Cost"),
        ("lens", "Lens: cells around the pointer one to one"),
        ("baseline", "Pin what is there as baseline"),
        ("neuron", "Panel: Neuron"),
        ("float64", "number format = float64"),
        ("なぜ", "Panel: Where a number comes from"),
        ("死んだ", "Panel: Sparsity"),
        ("乱数", "Setting: seed"),
        ("真理値表", "Hand-built memory: XOR"),
        ("真理値表", "Panel: Memory theatre"),
    ],
)
def test_what_a_person_calls_it_is_found_near_the_top(window: Window, typed: str, wanted: str) -> None:
    assert wanted in [find.words for find in finds(window, typed)][:8]


@pytest.mark.parametrize(("typed", "wanted"), [("theta", "θ, active above"), ("dropout", "dropout")])
def test_a_knob_comes_first_by_its_name(window: Window, typed: str, wanted: str) -> None:
    assert finds(window, typed)[0].words == f"Setting: {wanted}"


@pytest.mark.parametrize("typed", ["and", "or", "xor", "facts"])
def test_the_whole_word_comes_first(window: Window, typed: str) -> None:
    assert finds(window, typed)[0].words.casefold() == f"hand-built memory: {typed}"


@pytest.mark.parametrize("name", [*PANELS])
def test_every_panel_has_words_to_search_for_in_both_languages(name: str) -> None:
    words = [catalogue(language)[f"panel.{name}.search"] for language in ("en", "ja")]
    assert all(words)
    assert words[0] != words[1]
    assert words[0].isascii()


def test_every_search_word_of_something_belongs_to_something(window: Window) -> None:
    named = {action.name for action in ACTIONS} | {row.field for row in CONTROLS} | {"memory"}
    for language in ("en", "ja"):
        there = {key.removeprefix("find.search.") for key in catalogue(language) if ".search." in key}
        assert there <= named


def test_a_memory_built_by_hand_is_taken_and_shown(finder: Finder, window: Window, qtbot: QtBot) -> None:
    assert not [find for find in finds(window, "leave memory") if "Leave" in find.words]
    enter(finder, "xor")
    assert window.director.state.source.memory == EXAMPLES["xor"]
    assert "theatre" in window.board.panels
    leave = finds(window, "leave memory")[0]
    assert leave.run is not None
    leave.run()
    assert window.director.state.source.memory is None


@pytest.mark.parametrize(
    ("typed", "field", "wanted"),
    [
        ("seed=7", "seed", 7),
        ("seed 7", "seed", 7),
        ("シード 7", "seed", 7),
        ("experts=8", "experts", 8),
        ("8 experts", "experts", 8),
        ("layers=12", "layers", 12),
        ("12 layers", "layers", 12),
        ("層数=12", "layers", 12),
        ("d_model = 16", "d_model", 16),
        ("dtype=float64", "dtype", "float64"),
        ("norm = rms", "norm", "rms"),
        ("dropout=0.1", "dropout", 0.1),
        ("Dff/D = 8/4", "d_ff", 16),
    ],
)
def test_a_setting_is_made_by_its_name_and_value(
    finder: Finder, window: Window, typed: str, field: str, wanted: object
) -> None:
    finder.edit.setText(typed)
    finder.take()
    assert getattr(window.director.state.settings, field) == wanted
    assert not finder.isVisible()


def test_theta_is_set_by_its_name_and_value(finder: Finder, window: Window) -> None:
    enter(finder, "theta=0.25")
    assert window.director.state.theta.value == 0.25


def test_a_value_that_cannot_be_is_refused_in_words(finder: Finder, window: Window) -> None:
    before = window.director.state.settings
    enter(finder, "experts=999999999")
    assert window.director.state.settings == before
    window.director.show_now()
    assert scene(window).message is not None


@pytest.mark.parametrize("typed", ["dropout=nan", "dropout=inf", "seed=x", "norm=best", "=7", "seed="])
def test_what_is_no_value_is_not_offered_as_one(window: Window, typed: str) -> None:
    assert [find.words for find in finds(window, typed) if find.known_as == "" and find.run is not None] == []


@pytest.mark.parametrize("field", [row.field for row in CONTROLS])
def test_every_knob_is_found_and_opened(window: Window, qtbot: QtBot, field: str) -> None:
    wanted = say("en", "find.setting", name=say("en", f"control.{field}"))
    find = next(find for find in finds(window, field) if find.words == wanted)
    assert find.run is not None
    find.run()
    knob = next(k for k in (*window.controls.knobs, *window.controls.more.knobs) if k.row.field == field)
    if knob.row.usable(window.director.state.settings):
        qtbot.waitUntil(knob.isVisible)
        qtbot.waitUntil(lambda: QApplication.focusWidget() in (knob.editor, knob.editor.focusProxy()))
    else:
        window.director.show_now()
        message = scene(window).message
        assert message is not None
        assert message.key == knob.row.needs
    window.controls.more.hide()
