"""The menu of a card: how it opens, what it does, and that pictures of the card leave it out."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QAction, QContextMenuEvent, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from ffn_explorer.app import dialogs
from ffn_explorer.app.export_dialog import ExportDialog
from ffn_explorer.app.window import Window
from ffn_explorer.export.tsv import tsv
from ffn_explorer.panels.code import CodePanel
from ffn_explorer.panels.proof import ProofPanel
from ffn_explorer.panels.table import PANELS
from ffn_explorer.state import changes
from ffn_explorer.state.layouts import FIXED, PANEL_GROUPS
from ffn_explorer.state.text import catalogue, say, text
from ffn_explorer.widgets.panel import Panel
from tests.snapshots.pictures import pixels_of
from tests.ui.house import house, press, scene

SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def window(qtbot: QtBot) -> Iterator[Window]:
    with house(qtbot) as made:
        yield made
        made.panel_menu.close()


def rows(window: Window, panel: Panel) -> dict[str, QAction]:
    """What the menu of a panel offers, by its English words."""
    window.panel_menu.fill(panel)
    return {row.text().split("\t")[0]: row for row in window.panel_menu.actions() if not row.isSeparator()}


def others(window: Window, panel: Panel) -> dict[str, QAction]:
    """The panels that can stand in the place of one."""
    assert "Show here instead" in rows(window, panel)
    return {row.text().split("\t")[0]: row for row in window.panel_menu.others.actions() if row.text()}


def right_click(widget: QWidget, at: QPoint) -> None:
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, widget.mapToGlobal(at))
    QApplication.sendEvent(widget, event)


def test_the_button_opens_the_menu_under_itself(window: Window, qtbot: QtBot) -> None:
    panel = window.board.panels["maps"]
    QTest.mouseClick(panel.menu_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(window.panel_menu.isVisible)
    below = panel.menu_button.mapToGlobal(panel.menu_button.rect().bottomLeft())
    assert window.panel_menu.pos().y() >= below.y()


@pytest.mark.parametrize("key", [Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Down])
def test_the_button_is_reached_by_tab_and_opens_by_key(window: Window, qtbot: QtBot, key: Qt.Key) -> None:
    button = window.board.panels["curve"].menu_button
    assert button.focusPolicy() & Qt.FocusPolicy.TabFocus
    button.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(button, key)
    qtbot.waitUntil(window.panel_menu.isVisible)


def test_the_menu_key_opens_the_menu_of_the_panel_in_use(window: Window, qtbot: QtBot) -> None:
    press(window, Qt.Key.Key_3)
    press(window, Qt.Key.Key_F10, SHIFT)
    qtbot.waitUntil(window.panel_menu.isVisible)
    checked = [name for name, row in others(window, window.board.panels["maps"]).items() if row.isChecked()]
    assert checked == ["All positions"]


def test_a_right_click_on_the_header_opens_it_where_the_pointer_is(window: Window, qtbot: QtBot) -> None:
    panel = window.board.panels["stage"]
    at = panel.title.geometry().center()
    right_click(panel, at)
    qtbot.waitUntil(window.panel_menu.isVisible)
    assert window.panel_menu.pos() == panel.mapToGlobal(at)


def test_strips_without_a_card_have_no_menu(window: Window) -> None:
    for name in FIXED:
        panel = window.board.panels[name]
        assert not panel.menu_button.isVisible()
        right_click(panel, panel.rect().center())
    assert not window.panel_menu.isVisible()


def test_every_panel_can_be_chosen_and_the_present_one_is_ticked(window: Window) -> None:
    panel = window.board.panels["maps"]
    found = others(window, panel)
    names = [name for group in PANEL_GROUPS.values() for name in group if name in PANELS]
    assert list(found) == [catalogue("en")[f"panel_name.{name}"] for name in names]
    found["Activation"].trigger()
    assert list(window.board.panels).index("curve") == 2
    assert "maps" in window.board.panels
    others(window, window.board.panels["curve"])["Code"].trigger()
    assert list(window.board.panels)[2] == "code"


def test_room_is_given_and_taken(window: Window) -> None:
    panel = window.board.panels["curve"]
    rows(window, panel)["Fill the board"].trigger()
    assert window.board.alone == "curve"
    rows(window, panel)["Bring the other panels back"].trigger()
    assert window.board.alone is None


def test_numbers_are_copied_as_a_table_where_there_is_one(
    window: Window, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel = window.board.panels["stage"]
    monkeypatch.setattr(panel, "table", lambda: None)
    assert not rows(window, panel)["Copy the numbers"].isEnabled()
    monkeypatch.setattr(panel, "table", lambda: [["neuron", "m"], ["1,203", "0.1"]])
    rows(window, panel)["Copy the numbers"].trigger()
    assert QApplication.clipboard().text() == "neuron\tm\n1,203\t0.1\n"
    told = "One position: copied as a table. Rows: 1"
    qtbot.waitUntil(lambda: window.notices.message.label.text() == told)


@pytest.mark.parametrize("name", ["proof", "code"])
def test_copying_by_a_panel_s_button_is_said_for_a_moment(window: Window, qtbot: QtBot, name: str) -> None:
    window.arrangement.bring(name)
    panel = window.board.panels[name]
    assert isinstance(panel, ProofPanel | CodePanel)
    qtbot.waitUntil(panel.copy.isEnabled)
    window.director._remark.setInterval(300)
    panel.copy.click()
    notice, told = window.notices.message, say("en", "menu.copied_text")
    qtbot.waitUntil(lambda: notice.isVisible() and notice.label.text() == told)
    qtbot.waitUntil(notice.isHidden)


def test_a_later_message_outlives_the_moment_of_a_remark(window: Window, qtbot: QtBot) -> None:
    window.director._remark.setInterval(50)
    window.director.remark(text("menu.copied_text"))
    window.director.tell(text("window.stopped"))
    qtbot.waitUntil(lambda: not window.director._remark.isActive())
    window.director.show_now()
    assert window.notices.message.label.text() == say("en", "window.stopped")


def test_a_table_that_breaks_is_said(
    window: Window, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    panel = window.board.panels["stage"]
    monkeypatch.setattr(panel, "table", lambda: [["a"]])
    row = rows(window, panel)["Copy the numbers"]

    def broken() -> None:
        raise ZeroDivisionError("no table")

    monkeypatch.setattr(panel, "table", broken)
    row.trigger()
    qtbot.waitUntil(lambda: "no table" in window.notices.message.label.text())
    assert "no table" in caplog.text


def test_pictures_of_a_card_leave_its_menu_out(
    window: Window, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel = window.board.panels["curve"]
    button = panel.menu_button.geometry()
    with_dots = pixels_of(panel.grab(button).toImage())
    assert len({tuple(pixel) for row in with_dots for pixel in row}) > 1
    path = tmp_path / "curve.png"
    monkeypatch.setattr(dialogs, "ask_save", lambda *_, **__: path)
    window.exporting.recall({"pixels": 2.0})
    rows(window, panel)["Export…"].trigger()
    next(found for found in window.findChildren(ExportDialog) if found.isVisible()).ok.click()
    qtbot.waitUntil(lambda: not window.exporting.job.under_way)
    rows(window, panel)["Copy the picture"].trigger()
    copied, written = QApplication.clipboard().image(), QImage(str(path))
    assert copied.size() == written.size() == panel.size() * 2
    button = QRect(button.topLeft() * 2, button.size() * 2)
    place = pixels_of(copied.copy(button))
    assert len({tuple(pixel) for row in place for pixel in row}) == 1
    # There, the note has the room that the menu leaves.
    assert len({tuple(pixel) for row in pixels_of(written.copy(button)) for pixel in row}) > 1
    assert (pixels_of(panel.grab(panel.menu_button.geometry()).toImage()) == with_dots).all()


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("name", PANELS)
def test_every_panel_has_a_name_and_a_sentence_about_itself(language: str, name: str) -> None:
    assert catalogue(language)[f"panel_name.{name}"]
    about = catalogue(language)[f"panel.{name}.about"]
    assert about.endswith("。" if language == "ja" else ".")


def test_about_a_panel_is_said_and_stands_in_the_tip_of_its_title(window: Window, qtbot: QtBot) -> None:
    panel = window.board.panels["maps"]
    about = catalogue("en")["panel.maps.about"]
    window.grab()
    assert about in panel.title.toolTip()
    rows(window, panel)["About this panel"].trigger()
    qtbot.waitUntil(lambda: window.notices.message.label.text() == about)


def test_the_menu_speaks_the_language_of_the_window(window: Window, qtbot: QtBot) -> None:
    window.director.request(changes.set_language("ja"))
    qtbot.waitUntil(lambda: scene(window).look.language == "ja")
    panel = window.board.panels["maps"]
    window.panel_menu.fill(panel)
    said = [row.text().split("\t")[0] for row in window.panel_menu.actions() if not row.isSeparator()]
    assert catalogue("ja")["menu.numbers"] in said
    assert "全位置の一覧" in panel.menu_button.accessibleName()


def test_cells_of_a_table_stay_in_their_places() -> None:
    assert tsv([["a\tb", "c\nd"], ["1", ""]]) == "a b\tc d\n1\t\n"
    assert tsv([]) == ""
