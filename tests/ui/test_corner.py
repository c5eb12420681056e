"""The end of the tokens' line: comparison, tags of edits, hints; and what a new run changed, for a moment."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from ffn_explorer.app import director as director_module
from ffn_explorer.app.hints import HINTS, Hints
from ffn_explorer.app.window import Window
from ffn_explorer.core.edits import Edits
from ffn_explorer.core.stages import Stage
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import AppState, Cell, Compare, Playback
from ffn_explorer.state.text import say
from ffn_explorer.widgets.buttons import WordButton
from tests.ui.house import SMALL, house, press, scene


@pytest.fixture
def window(qtbot: QtBot) -> Iterator[Window]:
    with house(qtbot) as made:
        yield made


def width_of(window: Window) -> int:
    run = scene(window).run
    assert run is not None
    return run.request.settings.d_ff


def is_shown(window: Window, width: int) -> bool:
    return width_of(window) == width


def compared(window: Window) -> Compare | None:
    return window.director.state.compare


def tags(window: Window) -> list[str]:
    """The tags of edits that can be seen."""
    return [tag.text() for tag in window.corner_bar.tags.values() if tag.isVisible()]


# Comparison -------------------------------------------------------------------------------------------------


def test_keys_pin_exchange_and_end(window: Window, qtbot: QtBot) -> None:
    director = window.director
    press(window, Qt.Key.Key_V)
    assert compared(window) is None
    press(window, Qt.Key.Key_C)
    assert compared(window) == Compare(SMALL.settings, pinned=True)
    director.request(changes.set_setting("d_ff", 48))
    press(window, Qt.Key.Key_V)
    assert director.state.settings == SMALL.settings
    assert compared(window) == Compare(SMALL.settings.with_(d_ff=48))
    press(window, Qt.Key.Key_N)
    assert compared(window) is None


def test_the_button_says_what_is_compared_and_its_tip_all_that_differs(window: Window, qtbot: QtBot) -> None:
    button = window.corner_bar.compare
    assert button.text() == "Compare"
    other = SMALL.settings.with_(activation="swiglu", d_ff=48, bias=False)
    window.director.request(changes.set_compare(other))
    qtbot.waitUntil(lambda: button.text() == "A ReLU 32 | B SwiGLU 48")
    for line in ("activation: A ReLU, B SwiGLU", "Dff: A 32, B 48", "bias: A on, B off"):
        assert line in button.toolTip()
    window.director.request(changes.set_compare(None))
    qtbot.waitUntil(lambda: button.text() == "Compare")


def test_another_activation_is_chosen_from_the_menu(window: Window, qtbot: QtBot) -> None:
    button = window.corner_bar.compare
    button.fill()
    rows = {row.text(): row for row in button.others.actions()}
    assert {"ReLU", "SwiGLU", "GELU"} <= rows.keys()
    assert not any(row.isChecked() for row in rows.values())
    rows["SwiGLU"].trigger()
    assert window.director.state.compare == Compare(SMALL.settings.with_(activation="swiglu"))
    qtbot.waitUntil(lambda: scene(window).compare is not None)
    button.fill()
    assert [row.text() for row in button.others.actions() if row.isChecked()] == ["SwiGLU"]


def test_what_needs_a_comparison_rests_without_one(window: Window, qtbot: QtBot) -> None:
    button = window.corner_bar.compare

    def usable() -> list[str]:
        button.fill()
        return [
            row.text().split("\t")[1]
            for row in button.rows.actions()
            if "\t" in row.text() and row.isEnabled()
        ]

    assert usable() == ["C"]
    next(row for row in button.rows.actions() if row.text().endswith("\tC")).trigger()
    qtbot.waitUntil(lambda: scene(window).compare is not None)
    assert usable() == ["C", "V", "N"]


# Edits ------------------------------------------------------------------------------------------------------


def test_edits_stand_as_tags_and_a_click_takes_each_back(window: Window, qtbot: QtBot) -> None:
    window.director.request(changes.set_setting("experts", 4))
    window.director.request(changes.set_edits(Edits(keep=5, banned=(1,), forced=2)))
    qtbot.waitUntil(lambda: len(tags(window)) == 3)
    assert tags(window) == ["keeps 5 memories  ×", "without expert 1  ×", "always expert 2  ×"]
    expected = [Edits(banned=(1,), forced=2), Edits(forced=2), Edits()]
    for tag, left in zip(window.corner_bar.tags.values(), expected, strict=True):
        assert tag.accessibleName().startswith("Take back: ")
        QTest.mouseClick(tag, Qt.MouseButton.LeftButton)
        assert window.director.state.edits == left
    qtbot.waitUntil(lambda: tags(window) == [])
    window.director.session.undo()
    assert window.director.state.edits == Edits(forced=2)


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("theme", ["light", "projector"])
@pytest.mark.parametrize("width", [1_024, 1_280])
def test_nothing_at_the_end_of_the_line_is_cut(
    window: Window, qtbot: QtBot, language: str, theme: str, width: int
) -> None:
    window.director.request(changes.set_language("ja" if language == "ja" else "en"))
    window.director.request(changes.set_theme("projector" if theme == "projector" else "light"))
    window.director.request(changes.set_edits(Edits(keep=5)))
    window.director.request(changes.set_compare(SMALL.settings.with_(activation="gelu_tanh", d_ff=4_096)))
    window.resize(width, 720)
    qtbot.waitUntil(lambda: scene(window).look == window.look and len(tags(window)) == 1)
    QTest.qWait(60)
    corner = window.corner_bar
    assert window.rect().contains(corner.mapTo(window, corner.rect().bottomRight()))
    for part in (*corner.tags.values(), corner.compare, *corner.switch.findChildren(WordButton)):
        if part.isVisible():
            assert part.width() >= part.sizeHint().width()
            assert corner.rect().contains(part.mapTo(corner, part.rect().bottomRight()))
    assert window.board.panels["chips"].width() > 0.3 * width


# Hints ------------------------------------------------------------------------------------------------------


def test_no_hint_is_shown_unless_the_program_began(window: Window) -> None:
    assert window.hints.current is None
    assert not window.corner_bar.hint.isVisible()


def test_each_hint_goes_when_it_is_followed_and_never_comes_back(window: Window, qtbot: QtBot) -> None:
    hint = window.corner_bar.hint
    window.hints.begin()
    said = []
    acts: tuple[Callable[[], None], ...] = (
        lambda: press(window, Qt.Key.Key_Home),
        lambda: window.director.request(changes.select_cell(Cell(Stage.ACT, 0, 1, 3))),
        lambda: window.director.request(changes.set_setting("d_ff", 48)),
        lambda: press(window, Qt.Key.Key_Slash),
        window.lecture.start,
    )
    for act in acts:
        assert hint.isVisible()
        said.append(hint.text())
        window.finder.close()
        act()
    assert [line.removesuffix("  ×") for line in said] == [say("en", f"hint.{row.name}") for row in HINTS]
    assert not hint.isVisible()
    assert window.hints.current is None
    window.finder.close()


def test_a_click_puts_a_hint_away_for_good(window: Window) -> None:
    window.hints.begin()
    QTest.mouseClick(window.corner_bar.hint, Qt.MouseButton.LeftButton)
    assert window.hints.current == "cell"
    assert window.hints.done == ["play"]


def test_what_is_done_before_its_turn_needs_no_hint() -> None:
    hints = Hints()
    hints.begin()
    hints.note(SMALL, replace(SMALL, settings=SMALL.settings.with_(d_ff=8)))
    assert hints.current == "play"
    hints.did("play")
    hints.did("cell")
    assert hints.current == "find"


def test_what_was_done_in_an_earlier_session_is_recalled_and_nonsense_is_not() -> None:
    hints = Hints()
    hints.recall(["play", "from the future", 7, None])
    hints.begin()
    assert hints.done == ["play"]
    assert hints.current == "cell"


@pytest.mark.parametrize(
    ("old", "new", "followed"),
    [
        (Playback(0.2, playing=True), Playback(0.3, playing=True), False),
        (Playback(0.9, playing=True), Playback(1.0, playing=False), False),
        (Playback(0.4, playing=True), Playback(0.4, playing=False), True),
        (Playback(1.0), Playback(0.0, playing=True), True),
        (Playback(1.0), Playback(0.5), True),
        (Playback(1.0), Playback(1.0), False),
    ],
)
def test_the_pass_that_plays_by_itself_is_not_the_persons_doing(
    old: Playback, new: Playback, followed: bool
) -> None:
    hints = Hints()
    hints.begin()
    hints.note(AppState(playback=old), AppState(playback=new))
    assert (hints.current != "play") is followed


# What changed -----------------------------------------------------------------------------------------------


def test_a_new_run_tells_what_it_changed_beside_the_first_title_and_goes(
    window: Window, qtbot: QtBot
) -> None:
    strip = window.flash
    assert strip.isHidden()
    window.director.request(changes.set_setting("d_ff", 48))
    qtbot.waitUntil(strip.isVisible)
    assert strip.label.text().startswith("Dff 32 → 48")
    assert "parameters" in strip.accessibleName()
    stage = window.board.panels["stage"]
    header = stage.mapTo(window.board, stage.free_header.topLeft())
    assert strip.geometry().left() >= header.x()
    assert strip.geometry().bottom() <= stage.mapTo(window.board, stage.title.geometry().bottomLeft()).y()
    assert (
        strip.geometry().right()
        < stage.menu_button.mapTo(window.board, stage.menu_button.rect().topLeft()).x()
    )
    qtbot.waitUntil(strip.isHidden, timeout=2 * director_module.FLASH_MS)
    assert scene(window).before is None


def test_the_first_run_and_a_run_of_the_same_settings_change_nothing(window: Window, qtbot: QtBot) -> None:
    assert scene(window).before is None
    window.director.request(changes.select_token(1))
    qtbot.waitUntil(lambda: scene(window).selection.token == 1)
    assert scene(window).before is None


def test_a_knob_that_is_turned_on_tells_from_where_it_started(window: Window, qtbot: QtBot) -> None:
    first = scene(window).run
    hidden = []
    for width in (40, 48, 56):
        window.director.request(changes.set_setting("d_ff", width, gesture="drag"))
        qtbot.waitUntil(partial(is_shown, window, width))
        hidden.append(window.flash.isHidden())
        assert scene(window).before is first
    assert hidden == [False, False, False]
    assert window.flash.label.text().startswith("Dff 32 → 56")
    window.director.request(changes.set_setting("d_ff", 32, gesture="drag"))
    qtbot.waitUntil(lambda: width_of(window) == 32 and window.flash.isHidden())


def test_with_reduced_motion_it_is_there_at_once(window: Window, qtbot: QtBot) -> None:
    window.director.request(changes.toggle_reduce_motion())
    window.director.request(changes.set_setting("d_ff", 48))
    qtbot.waitUntil(window.flash.isVisible)
    assert window.flash._veil.opacity() == 1.0


def test_it_fits_or_is_left_out(window: Window, qtbot: QtBot) -> None:
    window.arrangement.stand_instead("stage", "curve")
    window.director.request(changes.set_language("ja"))
    window.director.request(
        changes.use_settings(SMALL.settings.with_(d_ff=48, activation="swiglu", norm="rms"))
    )
    qtbot.waitUntil(lambda: width_of(window) == 48)
    QTest.qWait(50)
    strip = window.flash
    card = next(panel for panel in window.board.panels.values() if panel.framed)
    assert strip.isHidden() or strip.width() <= card.free_header.width()
    assert strip.isHidden() or strip.label.width() >= strip.label.sizeHint().width()
