"""Summaries and quizzes stand alone: as large as they have room, never with their buttons out of sight."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from ffn_explorer.app.window import Window
from ffn_explorer.panels.lesson import LessonPanel
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import Language, ThemeName
from ffn_explorer.state.lectures.changes import to_beat, to_scene
from ffn_explorer.state.lectures.store import LECTURES
from tests.ui.house import house
from tests.ui.live import settle

LECTURE = LECTURES.open("")
ALONE = [at for at, beat in enumerate(LECTURE.beats) if beat.alone]


@pytest.fixture
def window(qtbot: QtBot) -> Iterator[Window]:
    with house(qtbot) as made:
        yield made


def at(window: Window, beat: int) -> LessonPanel:
    """Go to a beat, and return its card once everything has found its place."""
    window.director.request(to_beat(LECTURE, beat, rest=True))
    window.director.show_now()
    settle()
    panel = window.board.panels["lesson"]
    assert isinstance(panel, LessonPanel)
    return panel


def whole(widget: QWidget) -> bool:
    return not widget.isVisible() or widget.visibleRegion().boundingRect() == widget.rect()


@pytest.mark.parametrize("beat", ALONE)
def test_nothing_stands_beside_them(window: Window, beat: int) -> None:
    at(window, beat)
    assert set(window.board.panels) == {"chips", "lesson", "transport"}


@pytest.mark.parametrize("theme", get_args(ThemeName))
@pytest.mark.parametrize("language", get_args(Language))
def test_all_of_them_are_seen_whole_in_large_type(
    window: Window, theme: ThemeName, language: Language
) -> None:
    window.resize(1_024, 768)
    window.director.request(changes.set_theme(theme))
    window.director.request(changes.set_language(language))
    for beat in ALONE:
        inside = at(window, beat).inside
        parts = (inside.page, inside.answers, inside.after, inside.back, inside.on, inside.list)
        assert all(map(whole, parts)), beat


@pytest.mark.parametrize("size", [(1_024, 640), (1_280, 720)])
@pytest.mark.parametrize("scale", [1.5, 2.0])
def test_where_room_is_short_the_words_scroll_between_tabs_and_buttons(
    window: Window, size: tuple[int, int], scale: float
) -> None:
    window.resize(*size)
    window.director.request(changes.set_theme("projector"))
    window.director.request(changes.set_scale(scale))
    scrolled = 0
    for beat in ALONE:
        inside = at(window, beat).inside
        assert all(map(whole, (inside.back, inside.on, inside.list))), beat
        scrolled += inside.area.verticalScrollBar().maximum() > 0
    assert scrolled


def test_page_down_reads_on_before_it_leads_on(window: Window, qtbot: QtBot) -> None:
    """A remote has no other key, and a small projector has no room for a long answer."""
    window.resize(1_024, 768)
    window.director.request(changes.set_theme("projector"))
    window.director.request(changes.set_language("ja"))
    answer = next(n for n, beat in enumerate(LECTURE.beats) if beat.part == "answer")
    bar = at(window, answer).inside.area.verticalScrollBar()
    assert bar.maximum() > 0
    pressed = 0
    while bar.value() < bar.maximum():
        qtbot.keyClick(window.board, Qt.Key.Key_PageDown)
        window.director.show_now()
        settle()
        pressed += 1
        assert window.director.state.lesson is not None
        assert window.director.state.lesson.beat == answer
        assert pressed < 10
    qtbot.keyClick(window.board, Qt.Key.Key_PageDown)
    assert window.lecture.shown is not None
    assert window.lecture.shown.lesson.beat == answer + 1


def test_a_scene_keeps_the_height_that_its_pictures_need(window: Window) -> None:
    window.resize(1_280, 720)
    window.director.request(changes.set_scale(2.0))
    heights = []
    for change in (to_beat(LECTURE, ALONE[0]), to_scene(LECTURE, 3)):
        window.director.request(change)
        window.director.show_now()
        settle()
        heights.append(window.board.panels["lesson"].height())
    assert heights[1] > heights[0]
