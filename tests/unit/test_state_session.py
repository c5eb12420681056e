"""The session: one notification per difference, one undo step per gesture, and nothing else undone."""

import threading
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ffn_explorer.core.errors import SettingError
from ffn_explorer.core.stages import Stage
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import AppState, Cell, View
from ffn_explorer.state.session import HISTORY, Session
from ffn_explorer.state.text import say, text

Heard = list[tuple[AppState, AppState]]


def session() -> tuple[Session, Heard]:
    heard: Heard = []
    return Session(AppState(), lambda old, new: heard.append((old, new))), heard


def test_one_notification_with_old_and_new() -> None:
    made, heard = session()
    made.apply(changes.select_token(2))
    assert [(old.selection.token, new.selection.token) for old, new in heard] == [(5, 2)]
    assert heard[0][1] is made.state


def test_equal_state_is_no_change() -> None:
    made, heard = session()
    made.apply(changes.select_token(5))
    made.apply(changes.set_setting("d_model", 512))
    made.apply(changes.tick(0.1))
    assert heard == []
    assert made.undo_text is None


def test_refused_change_leaves_everything_as_it_was() -> None:
    made, heard = session()
    before = made.state
    with pytest.raises(SettingError) as refused:
        made.apply(changes.set_setting("d_model", 0))
    assert refused.value.key == "error.range"
    assert made.state is before
    assert heard == []
    made.apply(changes.select_token(1))
    assert made.state.selection.token == 1


def test_a_gesture_is_one_step() -> None:
    made, _ = session()
    for width in (600, 700, 800):
        made.apply(changes.set_setting("d_ff", width, gesture="drag d_ff"))
        made.apply(changes.hover(Cell(Stage.ACT, 0, 0, width)))
    made.end_gesture()
    made.apply(changes.set_setting("d_ff", 900, gesture="drag d_ff"))
    made.undo()
    assert made.state.settings.d_ff == 800
    made.undo()
    assert made.state.settings.d_ff == 2_048
    made.redo()
    assert made.state.settings.d_ff == 800
    made.apply(changes.set_setting("d_ff", 1_000, gesture="drag d_ff"))
    made.undo()
    assert made.state.settings.d_ff == 800


def test_every_sentence_applied_is_a_step() -> None:
    made, _ = session()
    for typed in ("One more.", "Two more."):
        made.apply(changes.set_sentences(typed))
    made.undo()
    assert made.state.source.sentences == ("One more.",)


def test_another_change_closes_a_gesture() -> None:
    made, _ = session()
    made.apply(changes.set_setting("d_ff", 600, gesture="drag"))
    made.apply(changes.select_token(1))
    made.apply(changes.set_setting("d_ff", 700, gesture="drag"))
    made.undo()
    assert (made.state.settings.d_ff, made.state.selection.token) == (600, 1)


def test_undo_leaves_hover_playback_looks_and_views() -> None:
    made, _ = session()
    made.apply(changes.select_token(1))
    cell = Cell(Stage.OUT, 0, 1, 3)
    for change in (
        changes.hover(cell),
        changes.seek(0.3),
        changes.set_theme("dark"),
        changes.set_view("heatmap", View(first=4)),
    ):
        made.apply(change)
    made.undo()
    state = made.state
    assert state.selection.token == 5
    assert (state.hover, state.playback.time, state.appearance.theme) == (cell, 0.3, "dark")
    assert state.view("heatmap") == View(first=4)
    assert made.undo_text is None


def test_changes_during_a_notification_follow_in_order() -> None:
    order: list[int] = []
    made = Session(AppState())

    def first(_: AppState, new: AppState) -> None:
        order.append(new.selection.token)
        if new.selection.token == 1:
            made.apply(changes.select_token(2))
            made.apply(changes.select_token(3))
            assert made.state.selection.token == 1

    second: list[tuple[int, int]] = []
    made.listen(first)
    made.listen(lambda old, new: second.append((old.selection.token, new.selection.token)))
    made.apply(changes.select_token(1))
    assert order == [1, 2, 3]
    assert second == [(5, 1), (1, 2), (2, 3)]


def test_a_refusal_in_the_queue_does_not_lose_what_follows() -> None:
    made = Session(AppState())

    def listener(_: AppState, new: AppState) -> None:
        if new.selection.token == 1:
            made.apply(changes.set_setting("d_ff", 0))
            made.apply(changes.select_token(2))

    made.listen(listener)
    with pytest.raises(SettingError):
        made.apply(changes.select_token(1))
    assert made.state.selection.token == 2


def test_menu_texts_name_the_act() -> None:
    made, _ = session()
    made.apply(changes.set_setting("activation", "swiglu"))
    undo = text("undo.undo", what=text("undo.activation"))
    redo = text("undo.redo", what=text("undo.activation"))
    assert (made.undo_text, made.redo_text) == (undo, None)
    for language in ("en", "ja"):
        assert say(language, "undo.activation") in say(language, undo)
    made.undo()
    assert (made.undo_text, made.redo_text) == (None, redo)
    made.apply(changes.select_token(1))
    assert (made.undo_text, made.redo_text) == (text("undo.undo", what=text("undo.select")), None)


def test_history_is_bounded() -> None:
    made, _ = session()
    for width in range(1, HISTORY + 50):
        made.apply(changes.set_setting("d_ff", width))
    undone = 0
    while made.undo_text:
        made.undo()
        undone += 1
    assert undone == HISTORY


def test_only_the_thread_that_made_it() -> None:
    made, _ = session()
    caught: list[BaseException] = []

    def other() -> None:
        try:
            made.apply(changes.select_token(1))
        except AssertionError as error:
            caught.append(error)

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert len(caught) == 1
    assert made.state == AppState()


acts = st.one_of(
    st.integers(0, 7).map(changes.select_token),
    st.integers(1, 4).map(lambda width: changes.set_setting("d_ff", width, gesture="drag")),
    st.floats(0, 1).map(changes.seek),
    st.sampled_from([changes.set_theme("light"), changes.set_theme("dark")]),
)


@settings(max_examples=50)
@given(st.lists(acts, max_size=30))
def test_undoing_all_returns_and_redoing_all_comes_back(history: list[changes.Change]) -> None:
    made, heard = session()
    for change in history:
        made.apply(change)
    end = made.state
    while made.undo_text:
        made.undo()
    start = AppState()
    assert made.state == replace(end, settings=start.settings, selection=start.selection)
    while made.redo_text:
        made.redo()
    assert made.state == end
    assert all(old != new for old, new in heard)
