"""A lecture in the window: by the remote alone, by keys, by clicks; what is left is found again."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QMenu
from pytestqt.qtbot import QtBot

from ffn_explorer.app import acts
from ffn_explorer.app.window import Window
from ffn_explorer.panels.lesson import LessonPanel
from ffn_explorer.state import changes
from ffn_explorer.state.layouts import panels_of
from ffn_explorer.state.lectures.changes import to_beat, to_scene
from ffn_explorer.state.lectures.shown import LessonShown
from ffn_explorer.state.lectures.store import LECTURES
from tests.ui.house import SMALL, house, press, scene
from tests.unit.test_lectures import SMALL as WRITTEN

PATIENCE_MS = 20_000
SHIFT = Qt.KeyboardModifier.ShiftModifier
CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def window(qtbot: QtBot) -> Iterator[Window]:
    with house(qtbot) as made:
        yield made


@pytest.fixture
def written(tmp_path: Path) -> Path:
    path = tmp_path / "talk.toml"
    path.write_text(WRITTEN, "utf-8")
    return path


def lesson(window: Window) -> LessonShown:
    found = scene(window).lesson
    assert found is not None
    return found


def panel(window: Window) -> LessonPanel:
    found = window.board.panels["lesson"]
    assert isinstance(found, LessonPanel)
    return found


def is_at(window: Window, beat: int) -> bool:
    """Whether a beat is on screen."""
    return lesson(window).lesson.beat == beat


def says(window: Window, words: str) -> bool:
    """Whether these words are among those of the beat."""
    return words in [row[1] for row in panel(window).table() or []]


def begun(window: Window, qtbot: QtBot, path: Path) -> None:
    """Open a lecture as a person does."""
    window.opener.open_text(str(path))
    qtbot.waitUntil(lambda: scene(window).lesson is not None, timeout=PATIENCE_MS)


def settled(window: Window) -> bool:
    """Whether the move is done and everything of it computed."""
    now = window.director.state.playback
    run = scene(window).run
    here = run is not None and run.request.settings == window.director.state.settings
    return here and not now.playing and not scene(window).stale


def test_a_whole_lecture_by_the_remote_alone(window: Window, qtbot: QtBot) -> None:
    press(window, Qt.Key.Key_F5)
    qtbot.waitUntil(lambda: scene(window).lesson is not None, timeout=PATIENCE_MS)
    lecture = lesson(window).lecture
    seen = []
    for number, beat in enumerate(lecture.beats):
        qtbot.waitUntil(partial(is_at, window, number), timeout=PATIENCE_MS)
        assert lesson(window).beat == beat
        wanted = () if beat.alone else panels_of(lecture.scenes[beat.scene].layout)
        assert set(window.board.panels) == {"chips", "lesson", *wanted, "transport"}
        seen.append(panel(window).title.text)
        QTest.keyClick(QApplication.focusWidget() or window, Qt.Key.Key_PageDown)
    assert len(seen) == len(lecture.beats)
    assert lesson(window).lesson.beat == len(lecture.beats) - 1
    assert not lesson(window).strayed
    press(window, Qt.Key.Key_PageUp)
    assert window.director.state.lesson is not None
    assert window.director.state.lesson.beat == len(lecture.beats) - 2


def picture(window: Window) -> bytes:
    """What the board looks like, without what no screen shows."""
    window.board.grab()
    image = window.board.grab().toImage().convertToFormat(QImage.Format.Format_RGB888)
    return bytes(image.constBits())


def test_jumping_to_a_scene_shows_what_walking_to_it_shows(
    window: Window, qtbot: QtBot, written: Path
) -> None:
    begun(window, qtbot, written)
    for _ in range(2):
        press(window, Qt.Key.Key_PageDown)
    qtbot.waitUntil(lambda: settled(window) and lesson(window).beat.scene == 1, timeout=PATIENCE_MS)
    walked = window.director.state
    press(window, Qt.Key.Key_PageUp)
    window.director.request(changes.select_token(1))
    window.director.request(to_scene(lesson(window).lecture, 1))
    qtbot.waitUntil(lambda: settled(window) and window.director.state == walked, timeout=PATIENCE_MS)
    window.director.show_now()
    first = picture(window)
    press(window, Qt.Key.Key_PageUp)
    qtbot.waitUntil(lambda: settled(window) and lesson(window).beat.scene == 0, timeout=PATIENCE_MS)
    press(window, Qt.Key.Key_PageDown)
    qtbot.waitUntil(lambda: settled(window) and window.director.state == walked, timeout=PATIENCE_MS)
    window.director.show_now()
    assert picture(window) == first


def test_space_plays_the_move_rests_and_goes_on(window: Window, qtbot: QtBot, written: Path) -> None:
    begun(window, qtbot, written)
    assert window.director.state.playback.time == 0.25
    press(window, Qt.Key.Key_Space)
    assert lesson_beat(window) == 1
    qtbot.waitUntil(lambda: settled(window), timeout=PATIENCE_MS)
    assert window.director.state.playback.time == 0.75
    press(window, Qt.Key.Key_Space)
    assert lesson_beat(window) == 2
    press(window, Qt.Key.Key_Space)
    assert not window.director.state.playback.playing
    assert lesson_beat(window) == 2
    press(window, Qt.Key.Key_Space)
    assert window.director.state.playback.playing


def lesson_beat(window: Window) -> int | None:
    found = window.director.state.lesson
    return None if found is None else found.beat


def test_an_answer_is_taken_and_judged(window: Window, qtbot: QtBot, written: Path) -> None:
    begun(window, qtbot, written)
    qtbot.waitUntil(panel(window).inside.answers.isVisible, timeout=PATIENCE_MS)
    QTest.mouseClick(panel(window).inside.answers.buttons[0], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: lesson(window).beat.part == "answer", timeout=PATIENCE_MS)
    told = [row[1] for row in panel(window).table() or []]
    assert told[-2:] == ["Not quite. Because.", "In English."]
    press(window, Qt.Key.Key_PageUp)
    qtbot.waitUntil(lambda: lesson(window).beat.part == "question", timeout=PATIENCE_MS)
    assert lesson(window).lesson.answer(0) == 0


def test_a_belief_is_tried_and_left(window: Window, qtbot: QtBot, written: Path) -> None:
    begun(window, qtbot, written)
    press(window, Qt.Key.Key_PageDown)
    qtbot.waitUntil(lambda: panel(window).inside.tries.isVisible() and settled(window), timeout=PATIENCE_MS)
    declared = window.director.state
    QTest.mouseClick(panel(window).inside.tries.buttons[0], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: scene(window).settings.activation == "swiglu", timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: settled(window), timeout=PATIENCE_MS)
    told = [row[1] for row in panel(window).table() or []]
    assert "Often said: It is the same." in told
    assert "It is not." in told
    press(window, Qt.Key.Key_R)
    qtbot.waitUntil(lambda: settled(window) and window.director.state == declared, timeout=PATIENCE_MS)
    assert panel(window).inside.again.isHidden()


def folded(window: Window) -> bool:
    """Whether the knobs are put away."""
    return window.controls.folded


def test_free_play_is_left_by_a_button(window: Window, qtbot: QtBot, written: Path) -> None:
    begun(window, qtbot, written)
    assert folded(window)
    press(window, Qt.Key.Key_K)
    assert not folded(window)
    window.director.request(changes.set_setting("d_ff", 24))
    qtbot.waitUntil(panel(window).inside.again.isVisible, timeout=PATIENCE_MS)
    press(window, Qt.Key.Key_2, CTRL)
    assert "lesson" not in window.board.panels
    press(window, Qt.Key.Key_R)
    qtbot.waitUntil(
        lambda: "lesson" in window.board.panels and not lesson(window).strayed, timeout=PATIENCE_MS
    )
    assert scene(window).settings.d_ff == 16


def test_depth_changes_words_and_panels(window: Window, qtbot: QtBot, written: Path) -> None:
    begun(window, qtbot, written)
    assert not says(window, "In English.")  # which might tell the answer
    press(window, Qt.Key.Key_PageDown)
    for wanted in ("shapes", "mathematics", "In English."):
        press(window, Qt.Key.Key_D)
        qtbot.waitUntil(partial(says, window, wanted), timeout=PATIENCE_MS)
        assert ("code" in window.board.panels) == (wanted == "mathematics")


def test_the_end_gives_the_layout_back_and_undo_what_was_there(
    window: Window, qtbot: QtBot, written: Path
) -> None:
    before = tuple(window.board.panels)
    begun(window, qtbot, written)
    press(window, Qt.Key.Key_F5, SHIFT)
    qtbot.waitUntil(lambda: tuple(window.board.panels) == before, timeout=PATIENCE_MS)
    assert not window.controls.folded
    acts.undo(window)
    assert window.director.state.settings == SMALL.settings
    assert window.director.state.lesson is None
    assert tuple(window.board.panels) == before


def test_scenes_are_listed_and_gone_to(window: Window, qtbot: QtBot, written: Path) -> None:
    begun(window, qtbot, written)
    press(window, Qt.Key.Key_S)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    rows = menu.actions()
    assert [row.text() for row in rows] == ["A  First", "1  Plain", "2  Memory"]
    assert menu.activeAction() is rows[1]
    rows[2].trigger()
    menu.close()
    qtbot.waitUntil(lambda: lesson(window).beat.scene == 1, timeout=PATIENCE_MS)


def test_the_speaker_sees_notes_answers_and_what_follows(window: Window, qtbot: QtBot) -> None:
    window.lecture.start()
    press(window, Qt.Key.Key_N, CTRL)
    notes = window.lecture.notes
    qtbot.waitUntil(lambda: bool(notes.notes.toPlainText()), timeout=PATIENCE_MS)
    at = LECTURES.open("").scenes[0]
    assert at.notes.en in notes.notes.toPlainText()
    assert at.question is not None
    assert at.question.answers[at.question.right].en in notes.notes.toPlainText()
    QTest.keyClick(notes, Qt.Key.Key_PageDown)
    qtbot.waitUntil(lambda: lesson_beat(window) == 1, timeout=PATIENCE_MS)
    assert "0:" in notes.time.text()
    QTest.keyClick(notes, Qt.Key.Key_Space)  # no button has the keyboard
    assert (lesson_beat(window) or 0) >= 1
    QTest.keyClick(notes, Qt.Key.Key_D)
    now = window.director.state.lesson
    assert now is not None
    assert now.depth == "shapes"
    QTest.keyClick(notes, Qt.Key.Key_Escape)
    assert notes.isHidden()


def test_the_screen_is_blanked_and_the_pointer_follows(window: Window, qtbot: QtBot) -> None:
    press(window, Qt.Key.Key_Period)
    assert window.lecture.blank.isVisible()
    image = window.lecture.blank.grab().toImage()
    assert image.pixelColor(10, 10).lightness() == 0
    # The speaker looks at the notes, and the class at nothing.
    press(window, Qt.Key.Key_Control)
    press(window, Qt.Key.Key_N, CTRL)
    assert window.lecture.notes.isVisible()
    assert window.lecture.blank.isVisible()
    window.lecture.notes.close()
    window.activateWindow()
    window.lecture.blank.setFocus()
    press(window, Qt.Key.Key_A)
    assert window.lecture.blank.isHidden()
    press(window, Qt.Key.Key_H)
    assert window.lecture.pointer.isVisible()
    QTest.mouseMove(window.board, QPoint(60, 60))
    press(window, Qt.Key.Key_H)
    assert window.lecture.pointer.isHidden()


def test_a_file_that_is_saved_is_shown_anew(window: Window, qtbot: QtBot, written: Path) -> None:
    begun(window, qtbot, written)
    press(window, Qt.Key.Key_PageDown)
    written.write_text(WRITTEN.replace("In English.", "Said anew."), "utf-8")
    qtbot.waitUntil(lambda: says(window, "Said anew."), timeout=PATIENCE_MS)
    written.unlink()
    qtbot.waitUntil(lambda: "talk.toml" in window.notices.message.sentence, timeout=PATIENCE_MS)
    written.write_text(WRITTEN.replace("In English.", "Back again."), "utf-8")
    qtbot.waitUntil(lambda: says(window, "Back again."), timeout=PATIENCE_MS)
    written.write_text(WRITTEN.replace("right = 1", "right = 9"), "utf-8")
    qtbot.waitUntil(lambda: "question.right" in window.notices.message.sentence, timeout=PATIENCE_MS)
    assert says(window, "Back again.")


def test_one_undo_leads_out_of_a_lecture_and_redo_into_it_again(
    window: Window, qtbot: QtBot, written: Path
) -> None:
    window.director.request(changes.set_setting("d_ff", 24))
    before = window.director.state
    begun(window, qtbot, written)
    press(window, Qt.Key.Key_PageDown)
    window.director.request(changes.set_setting("d_ff", 12))
    press(window, Qt.Key.Key_Z, CTRL)
    assert (lesson_beat(window), window.director.state.settings.d_ff) == (1, 16)
    press(window, Qt.Key.Key_PageDown)
    press(window, Qt.Key.Key_PageUp)
    declared = window.director.state
    press(window, Qt.Key.Key_Z, CTRL)
    left = window.director.state
    assert (left.lesson, left.settings, left.source) == (None, before.settings, before.source)
    assert left.playback.until == 1.0
    press(window, Qt.Key.Key_Z, CTRL | SHIFT)
    qtbot.waitUntil(lambda: "lesson" in window.board.panels, timeout=PATIENCE_MS)
    again = window.director.state
    assert (again.lesson, again.settings, again.views) == (declared.lesson, declared.settings, declared.views)
    assert again.playback.time == 0.75


def test_a_remote_leads_on_from_a_number_and_lights_a_blank_screen(
    window: Window, qtbot: QtBot, written: Path
) -> None:
    begun(window, qtbot, written)
    press(window, Qt.Key.Key_K)
    edit = window.controls.findChild(QAbstractSpinBox)
    assert edit is not None
    edit.setFocus()
    width = window.director.state.settings
    QTest.keyClick(edit, Qt.Key.Key_PageDown)
    assert (lesson_beat(window), window.director.state.settings) == (1, width)
    window.setFocus()
    press(window, Qt.Key.Key_Period)
    press(window, Qt.Key.Key_PageDown)
    assert window.lecture.blank.isHidden()
    assert lesson_beat(window) == 1


def test_keys_of_a_lecture_go_before_those_of_a_panel(window: Window, qtbot: QtBot) -> None:
    lecture = LECTURES.open("")
    window.lecture.start()
    number = lecture.find("experts")
    assert number is not None
    window.director.request(to_scene(lecture, number))
    qtbot.waitUntil(lambda: "routing" in window.board.panels, timeout=PATIENCE_MS)
    window.board.focus_panel(list(window.board.panels).index("routing"))
    press(window, Qt.Key.Key_D)
    now = window.director.state
    assert now.lesson is not None
    assert (now.lesson.depth, now.edits) == ("shapes", lecture.scenes[number].state.edits)


def test_words_that_do_not_fit_are_reached_by_keys(window: Window, qtbot: QtBot, written: Path) -> None:
    written.write_text(WRITTEN.replace('"Because."', f'"{"Because. " * 200}"'), "utf-8")
    begun(window, qtbot, written)
    area = panel(window).inside.area
    assert area.focusPolicy() == Qt.FocusPolicy.NoFocus
    press(window, Qt.Key.Key_PageDown)
    qtbot.waitUntil(lambda: area.focusPolicy() == Qt.FocusPolicy.TabFocus, timeout=PATIENCE_MS)
    area.setFocus()
    qtbot.waitUntil(lambda: area.verticalScrollBar().maximum() > 0, timeout=PATIENCE_MS)
    QTest.keyClick(area, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: scene(window).view("lesson").scroll > 0, timeout=PATIENCE_MS)


def test_the_last_step_says_that_it_is_the_end(window: Window, qtbot: QtBot, written: Path) -> None:
    begun(window, qtbot, written)
    last = len(lesson(window).lecture.beats) - 1
    window.director.request(to_beat(lesson(window).lecture, last))
    press(window, Qt.Key.Key_PageDown)
    qtbot.waitUntil(lambda: "Shift+F5" in window.notices.message.sentence, timeout=PATIENCE_MS)
    assert lesson_beat(window) == last


def test_a_file_that_is_no_lecture_changes_nothing(window: Window, qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text("format = 1", "utf-8")
    window.opener.open_text(str(tmp_path / "bad.toml"))
    qtbot.waitUntil(lambda: "bad.toml" in window.notices.message.sentence, timeout=PATIENCE_MS)
    assert window.director.state.lesson is None
