"""Chips: choosing, dragging, scrolling and editing tokens."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QInputMethodEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ffn_explorer.panels.chips import ChipsPanel
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import DEFAULT_SENTENCE, Appearance, Selection, Source
from ffn_explorer.state.scene import Chip
from ffn_explorer.widgets.chip_faces import layout_of, note_of
from ffn_explorer.widgets.chip_layout import ChipLayout
from tests.scenes import make_scene
from tests.ui.live import Live, drag, mouse, pixels, settle, state_of

LONG = " ".join(["The keys on the table are lost and nobody knows where they went"] * 3)
WIDTHS = st.lists(st.integers(20, 200), min_size=1, max_size=60)


def live(qtbot: QtBot, *sentences: str, width: int = 950, token: int = 5) -> tuple[Live, ChipsPanel]:
    panel = ChipsPanel()
    state = state_of(*sentences, selection=Selection(token=token))
    return Live(qtbot, panel, state, width=width), panel


def words(panel: ChipsPanel) -> list[str]:
    assert panel.scene is not None
    return [chip.text for chip in panel.scene.chips]


def keys(panel: ChipsPanel, *presses: tuple[Qt.Key, Qt.KeyboardModifier] | Qt.Key) -> None:
    for press in presses:
        key, held = press if isinstance(press, tuple) else (press, Qt.KeyboardModifier.NoModifier)
        QTest.keyClick(panel.row, key, held)


def test_a_click_selects(qtbot: QtBot) -> None:
    joined, panel = live(qtbot)
    drag(panel.row, panel.row.chip_rect(1).center())
    assert joined.state.selection.token == 1


def test_keys_walk_and_stop_at_the_ends(qtbot: QtBot) -> None:
    joined, panel = live(qtbot)
    keys(panel, Qt.Key.Key_Right, Qt.Key.Key_Right)
    assert joined.state.selection.token == 7
    keys(panel, Qt.Key.Key_Right)
    assert joined.state.selection.token == 7
    keys(panel, Qt.Key.Key_Home, Qt.Key.Key_Left)
    assert joined.state.selection.token == 0
    keys(panel, Qt.Key.Key_End)
    assert joined.state.selection.token == 7


def test_control_and_arrows_move_the_chip(qtbot: QtBot) -> None:
    joined, panel = live(qtbot)
    keys(panel, (Qt.Key.Key_Left, Qt.KeyboardModifier.ControlModifier))
    assert words(panel)[4:6] == ["are", "table"]
    assert joined.state.selection.token == 4
    keys(panel, *[(Qt.Key.Key_Right, Qt.KeyboardModifier.ControlModifier)] * 9)
    assert words(panel)[-1] == "are"


@pytest.mark.parametrize(("start", "target"), [(2, 5), (5, 2), (0, 7), (7, 0), (3, 3)])
def test_a_dragged_chip_lands_where_it_is_dropped(qtbot: QtBot, start: int, target: int) -> None:
    joined, panel = live(qtbot)
    before = words(panel)
    row = panel.row
    drag(row, row.chip_rect(start).center(), QPointF(475, 20), row.chip_rect(target).center())
    assert words(panel) == moved(before, start, target)
    assert joined.state.selection.token == target


def moved(tokens: list[str], start: int, target: int) -> list[str]:
    rest = tokens[:start] + tokens[start + 1 :]
    return [*rest[:target], tokens[start], *rest[target:]]


def test_escape_drops_the_chip_where_it_was(qtbot: QtBot) -> None:
    joined, panel = live(qtbot)
    row = panel.row
    row.setFocus()
    calm = pixels(panel)
    drag(row, row.chip_rect(5).center(), QPointF(40, 20), drop=False)
    assert (pixels(panel) != calm).any()
    keys(panel, Qt.Key.Key_Escape)
    mouse(row, QEvent.Type.MouseButtonRelease, QPointF(40, 20))
    assert words(panel) == DEFAULT_SENTENCE.replace(".", " .").split()
    assert joined.asked == []
    row.leaveEvent(QEvent(QEvent.Type.Leave))
    assert np.array_equal(pixels(panel), calm)


def test_chips_make_room_for_the_lifted_one(qtbot: QtBot) -> None:
    _, panel = live(qtbot)
    row = panel.row
    drag(row, row.chip_rect(1).center(), row.chip_rect(4).center(), drop=False)
    places = sorted(row.chip_rect(i).left() for i in range(8))
    rights = {row.chip_rect(i).left(): row.chip_rect(i).right() for i in range(8)}
    assert all(rights[one] <= other for one, other in pairwise(places))
    assert row.chip_rect(1).left() > row.chip_rect(4).left()
    row.let_go()


def test_a_row_that_is_too_long_shows_the_selected_chip(qtbot: QtBot) -> None:
    joined, panel = live(qtbot, LONG, width=640)
    for token in (0, 17, 38, 20):
        joined.change(changes.select_token(token))
        settle()
        place = panel.row.chip_rect(token)
        assert place.left() >= 0
        assert place.right() <= panel.row.width()


def test_the_wheel_scrolls_and_the_next_selection_comes_back_into_view(qtbot: QtBot) -> None:
    joined, panel = live(qtbot, LONG, width=640, token=0)
    for _ in range(6):
        wheel(panel, -120)
    assert panel.row.first == 12
    assert joined.state.selection.token == 0
    joined.change(changes.select_token(1))
    assert panel.row.first == 0


def wheel(panel: ChipsPanel, turned: int) -> None:
    at = QPointF(200, 20)
    none, plain = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier
    angle = QPoint(0, turned)
    event = QWheelEvent(
        at, panel.row.mapToGlobal(at), QPoint(), angle, none, plain, Qt.ScrollPhase.NoScrollPhase, False
    )
    QApplication.sendEvent(panel.row, event)


def test_a_click_in_a_scrolled_row_does_not_move_it(qtbot: QtBot) -> None:
    joined, panel = live(qtbot, LONG, width=640, token=0)
    for _ in range(6):
        wheel(panel, -120)
    settle()
    before = panel.row.chip_rect(14)
    drag(panel.row, before.center())
    assert joined.state.selection.token == 14
    assert panel.row.chip_rect(14) == before


def test_the_arrow_turns_the_page(qtbot: QtBot) -> None:
    _, panel = live(qtbot, LONG, width=640, token=0)
    shown = len(panel.row.places.visible(panel.row.offset, panel.row.room))
    drag(panel.row, QPointF(panel.row.width() - 5, 20))
    assert panel.row.first == shown - 2


def test_up_and_down_go_through_the_batch(qtbot: QtBot) -> None:
    joined, panel = live(qtbot, "One two three.", "Four five.", "six", token=3)
    assert panel.place.text == "1 / 3"
    keys(panel, Qt.Key.Key_Down)
    assert (panel.place.text, words(panel)) == ("2 / 3", ["Four", "five", "."])
    assert joined.state.selection.token == 2
    panel.onward.click()
    panel.onward.click()
    assert panel.place.text == "3 / 3"
    assert not panel.onward.isEnabled()
    keys(panel, Qt.Key.Key_Up)
    assert panel.place.text == "2 / 3"


def test_one_sentence_needs_no_switch(qtbot: QtBot) -> None:
    _, panel = live(qtbot)
    assert not panel.place.isVisible()
    assert not panel.back.isVisible()


# Editor -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", [Qt.Key.Key_F2, Qt.Key.Key_Return])
def test_a_key_opens_the_editor_and_control_enter_applies(qtbot: QtBot, key: Qt.Key) -> None:
    joined, panel = live(qtbot)
    keys(panel, key)
    assert panel.editor.isVisible()
    assert panel.editor.field.toPlainText() == DEFAULT_SENTENCE
    panel.editor.field.setPlainText("First one.\n\n  Second one here. ")
    QTest.keyClick(panel.editor.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert joined.state.source.sentences == ("First one.", "Second one here.")
    assert not panel.editor.isVisible()


def test_a_double_click_opens_the_editor(qtbot: QtBot) -> None:
    joined, panel = live(qtbot)
    at = panel.row.chip_rect(5).center().toPoint()
    QTest.mouseDClick(panel.row, Qt.MouseButton.LeftButton, pos=at)
    assert panel.editor.isVisible()
    assert joined.asked == []
    panel.editor.close_editor()


def test_escape_cancels_the_editor(qtbot: QtBot) -> None:
    joined, panel = live(qtbot)
    panel.edit()
    panel.editor.field.setPlainText("something else")
    QTest.keyClick(panel.editor.field, Qt.Key.Key_Escape)
    assert not panel.editor.isVisible()
    assert joined.asked == []


def test_a_press_outside_applies(qtbot: QtBot) -> None:
    joined, panel = live(qtbot)
    panel.edit()
    panel.editor.field.setPlainText("A new one.")
    QTest.mouseClick(panel.editor.field.viewport(), Qt.MouseButton.LeftButton)
    assert panel.editor.isVisible()
    QTest.mouseClick(joined.window, Qt.MouseButton.LeftButton, pos=QPoint(5, 400))
    assert joined.state.source.sentences == ("A new one.",)


@pytest.mark.parametrize("typed", ["", "  \n \n", "\u200b"])
def test_an_empty_sentence_is_not_applied_and_says_why(qtbot: QtBot, typed: str) -> None:
    joined, panel = live(qtbot)
    panel.edit()
    panel.editor.field.setPlainText(typed)
    panel.editor.finish()
    assert panel.editor.isVisible()
    assert panel.editor.verdict.text
    assert not panel.editor.apply.isEnabled()
    assert joined.asked == []
    panel.editor.close_editor()


def test_too_many_tokens_are_refused_with_the_number(qtbot: QtBot) -> None:
    _, panel = live(qtbot)
    panel.edit()
    panel.editor.field.setPlainText("a " * 2_049)
    panel.editor.count()
    assert "2049" in panel.editor.verdict.text.replace(",", "")
    assert not panel.editor.apply.isEnabled()
    panel.editor.close_editor()


def test_tokens_are_counted_while_typing(qtbot: QtBot) -> None:
    _, panel = live(qtbot)
    panel.edit()
    assert panel.editor.verdict.text == "8 tokens, 1 sentence"
    panel.editor.field.setPlainText("one")
    qtbot.waitUntil(lambda: panel.editor.verdict.text == "1 token, 1 sentence", timeout=2_000)
    panel.editor.restore.click()
    qtbot.waitUntil(lambda: panel.editor.verdict.text == "8 tokens, 1 sentence", timeout=2_000)
    panel.editor.close_editor()


def test_a_word_still_in_the_input_method_is_typed_first(qtbot: QtBot) -> None:
    joined, panel = live(qtbot)
    panel.edit()
    field = panel.editor.field
    field.clear()
    QApplication.sendEvent(field, QInputMethodEvent("かぎ", []))
    assert field.toPlainText() == ""
    commit = QInputMethodEvent("", [])
    commit.setCommitString("鍵がない。")
    QApplication.sendEvent(field, commit)
    panel.editor.finish()
    assert joined.state.source.sentences == ("鍵がない。",)


# Picture and places -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("share", "note"),
    [
        (None, "3 · …"),
        (0.52, "3 · 52 %"),
        (0.0, "3 · 0 %"),
        (0.001, "3 · < 1 %"),
        (0.997, "3 · > 99 %"),
        (1.0, "3 · 100 %"),
    ],
)
def test_the_note_rounds_nothing_to_none_or_all(share: float | None, note: str) -> None:
    assert note_of(3, share) == note


def test_widths_do_not_depend_on_the_share(qtbot: QtBot) -> None:
    panel = ChipsPanel()
    qtbot.addWidget(panel)
    known = make_scene()
    panel.offer(known)
    places = panel.row.places
    panel.offer(replace(known, chips=tuple(Chip(chip.text, None) for chip in known.chips)))
    assert panel.row.places is places


@pytest.mark.parametrize("text", ["אבג", "Z͑ͫaͦ̓l̇g̀ő", "👩‍👩‍👧", "鍵", "<0xE2>", "w" * 400])
def test_no_token_breaks_the_row(qapp: QApplication, text: str) -> None:
    look = Appearance()
    alone, among = layout_of((text,), look), layout_of(("a", text, "b"), look)
    assert among.widths[1] == alone.widths[0]
    assert 20 < alone.widths[0] < 220


def test_long_tokens_keep_their_whole_text_in_the_tooltip(qtbot: QtBot) -> None:
    _, panel = live(qtbot, "w" * 300 + " b", token=0)
    assert "w" * 300 in panel._tip(0)
    assert panel.row.accessibleDescription().startswith("“www")


@given(WIDTHS, st.integers(120, 900), st.integers(0, 80))
def test_the_selected_chip_is_always_in_view(widths: list[int], room: int, chosen: int) -> None:
    places = ChipLayout.of(widths, gap=6, zone=26)
    token = min(chosen, len(widths) - 1)
    offset = places.offset(places.first_for(token, room), room)
    assert 0 <= offset <= max(0, places.content - room)
    assert token in places.visible(offset, room)


@given(WIDTHS, st.integers(260, 900), st.integers(0, 80), st.integers(0, 80))
def test_the_nearest_scroll_shows_the_chip_whole(
    widths: list[int], room: int, chosen: int, start: int
) -> None:
    places = ChipLayout.of(widths, gap=6, zone=26)
    token = min(chosen, len(widths) - 1)
    first = min(start, places.last_first(room))
    found = places.nearest_first(token, first, room=room)
    assert places.clear(token, places.offset(found, room), room)
    assert places.nearest_first(token, found, room=room) == found


@given(WIDTHS, st.data())
def test_shifted_chips_fill_the_row_without_gap_or_overlap(widths: list[int], data: st.DataObject) -> None:
    places = ChipLayout.of(widths, gap=6, zone=26)
    chips = st.integers(0, len(widths) - 1)
    start, to = data.draw(chips), data.draw(chips)
    lefts = [int(places.lefts[i]) + places.shift(i, start, to=to) for i in range(len(widths))]
    order = sorted(range(len(widths)), key=lefts.__getitem__)
    rest = [i for i in range(len(widths)) if i != start]
    assert order == [*rest[:to], start, *rest[to:]]
    assert all(lefts[a] + widths[a] + 6 == lefts[b] for a, b in pairwise(order))


def test_the_source_shown_in_the_editor_is_the_one_typed(qtbot: QtBot) -> None:
    joined, panel = live(qtbot)
    joined.state = replace(joined.state, source=Source(("a b", "c"), ((), ())))
    assert panel.scene is not None
    panel.offer(replace(panel.scene, source=joined.state.source))
    panel.edit()
    assert panel.editor.field.toPlainText() == "a b\nc"
    panel.editor.close_editor()


@given(WIDTHS, st.data())
def test_a_chip_dropped_on_another_takes_its_place(widths: list[int], data: st.DataObject) -> None:
    places = ChipLayout.of(widths, gap=6, zone=26)
    chips = st.integers(0, len(widths) - 1)
    start, to = data.draw(chips), data.draw(chips)
    assert places.target(start, float(places.lefts[to] + places.widths[to] / 2)) == to
