"""Drag and drop anywhere on the window, over editors too; and the menus that list what was opened."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ffn_explorer.app.window import Window
from ffn_explorer.state import changes
from ffn_explorer.state.open_files import OPEN_FILES
from tests.ui.house import house, scene
from tests.ui.weights_folder import llama

PATIENCE_MS = 20_000


@pytest.fixture
def window(qtbot: QtBot) -> Iterator[Window]:
    with house(qtbot) as made:
        yield made
    OPEN_FILES.close()


def files(*paths: Path) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    return data


def typed(text: str) -> QMimeData:
    data = QMimeData()
    data.setText(text)
    return data


def enter(window: Window, data: QMimeData, at: QPoint) -> QDragEnterEvent:
    """Drag something into the window; the event says whether it may be dropped."""
    left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    event = QDragEnterEvent(at, Qt.DropAction.CopyAction, data, left, none)
    event.ignore()
    QApplication.sendEvent(window.windowHandle(), event)
    return event


def drop(window: Window, data: QMimeData, at: QPoint) -> None:
    left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    event = QDropEvent(QPointF(at), Qt.DropAction.CopyAction, data, left, none, QEvent.Type.Drop)
    QApplication.sendEvent(window.windowHandle(), event)


def test_a_folder_is_dropped_onto_an_editor_and_opened(window: Window, qtbot: QtBot, tmp_path: Path) -> None:
    folder = llama(tmp_path / "a model")
    edit = window.controls.knobs[0].editor
    at = edit.mapTo(window, edit.rect().center())
    assert enter(window, files(folder), at).isAccepted()
    hint = window.drops.hint
    assert hint.isVisible()
    assert hint.sentence == "Drop to open a model"
    assert hint.geometry() == window.rect()
    drop(window, files(folder), at)
    assert hint.isHidden()
    qtbot.waitUntil(lambda: window.director.state.source.opened is not None, timeout=PATIENCE_MS)
    assert window.opener.recent.paths == (str(folder),)


def test_a_link_is_dropped(window: Window, qtbot: QtBot, tmp_path: Path) -> None:
    link = f"ffn-explorer://{llama(tmp_path / 'm')}?layer=1"
    at = window.rect().center()
    assert enter(window, typed(link), at).isAccepted()
    assert window.drops.hint.sentence == "Drop to open m"
    drop(window, typed(link), at)
    qtbot.waitUntil(lambda: window.director.state.settings.layer == 1, timeout=PATIENCE_MS)


def test_what_cannot_be_opened_is_left_to_the_widgets(window: Window, tmp_path: Path) -> None:
    at = window.rect().center()
    web = QMimeData()
    web.setUrls([QUrl("https://example.com/x.gguf")])
    for data in (typed("some words"), web, QMimeData()):
        enter(window, data, at)
        assert window.drops.hint.isHidden()
    assert not enter(window, files(tmp_path / "a", tmp_path / "b"), at).isAccepted()
    assert "One file" in window.drops.hint.sentence
    drop(window, files(tmp_path / "a", tmp_path / "b"), at)
    assert window.drops.hint.isHidden()
    assert not window.opener.job.under_way
    enter(window, files(tmp_path / "a"), at)
    QApplication.sendEvent(window.windowHandle(), QDragLeaveEvent())
    assert window.drops.hint.isHidden()


@pytest.mark.parametrize("theme", ["light", "dark", "projector"])
def test_the_hint_is_drawn_over_everything(window: Window, qtbot: QtBot, theme: Any, tmp_path: Path) -> None:
    window.director.request(changes.set_theme(theme))
    qtbot.waitUntil(lambda: scene(window).look.theme == theme)
    before = window.grab().toImage()
    enter(window, files(tmp_path / ("long" * 60)), QPoint(5, 5))
    shown = window.grab().toImage()
    differ = sum(
        shown.pixelColor(x, y) != before.pixelColor(x, y)
        for x in range(0, window.width(), 40)
        for y in range(0, window.height(), 40)
    )
    assert differ > 20
    window.drops.hint.hide()


def test_the_menu_greys_what_is_missing_and_drops_it(window: Window, qtbot: QtBot, tmp_path: Path) -> None:
    here, gone = llama(tmp_path / "here"), tmp_path / "a & b"
    recent = window.opener.recent
    recent.recall([str(here), str(gone)])
    with qtbot.waitSignal(recent.looked):
        window.source_menu.menu.aboutToShow.emit()
    rows = {row.toolTip(): row for row in window.source_menu.recent.actions() if row.text()}
    assert rows[str(here)].isEnabled()
    assert not rows[str(gone)].isEnabled()
    assert "a && b" in rows[str(gone)].text()
    assert "(missing)" in rows[str(gone)].text()
    next(row for row in window.source_menu.recent.actions() if "missing ones" in row.text()).trigger()
    assert recent.paths == (str(here),)
    window.source_menu.fill()
    rows = {row.toolTip(): row for row in window.source_menu.recent.actions() if row.text()}
    rows[str(here)].trigger()
    qtbot.waitUntil(lambda: window.director.state.source.opened is not None, timeout=PATIENCE_MS)
    next(row for row in window.source_menu.recent.actions() if "Clear" in row.text()).trigger()
    assert len(window.opener.recent.paths) == 0
    window.source_menu.fill()
    assert not window.source_menu.recent.isEnabled()


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("theme", ["light", "projector"])
def test_nothing_in_the_bar_is_cut_with_a_file_open(
    window: Window, qtbot: QtBot, tmp_path: Path, language: Any, theme: Any
) -> None:
    window.opener.open_text(str(llama(tmp_path / ("a-model-with-a-very-long-name-" * 4 + "Q4_1"))))
    qtbot.waitUntil(lambda: window.director.state.source.opened is not None, timeout=PATIENCE_MS)
    window.director.request(changes.set_language(language))
    window.director.request(changes.set_theme(theme))
    qtbot.waitUntil(lambda: scene(window).look == window.look)
    qtbot.waitUntil(lambda: not window.controls.picker.isHidden())
    QTest.qWait(50)
    bar = window.controls
    assert bar.source.text().endswith("Q4_1")
    assert "…" in bar.source.text()
    assert bar.preset.isHidden()
    assert {knob.row.field for knob in bar.knobs if knob.isHidden()} == {"ratio", "bias", "experts"}
    shown = (knob for knob in bar.knobs if not knob.isHidden())
    for part in (bar.source, bar.picker, bar.picker.edit, bar.more_button, *shown, window.buttons):
        assert part.width() >= part.minimumSizeHint().width()
        assert part.height() >= part.minimumSizeHint().height()
        assert bar.rect().contains(part.mapTo(bar, part.rect().bottomRight()))
    for part in (bar.source, bar.picker.edit):
        assert part.accessibleName()
        assert part.toolTip() or part.accessibleDescription()
        assert part.focusPolicy() & Qt.FocusPolicy.TabFocus
