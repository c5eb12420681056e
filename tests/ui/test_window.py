"""The window: keys, messages, looks, what it remembers, and that it never loses the screen to an error."""

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QMimeData, Qt
from PySide6.QtGui import QImage, QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox, QComboBox, QLabel, QLineEdit, QMenu, QSpinBox
from pytestqt.qtbot import QtBot

from ffn_explorer import __version__
from ffn_explorer.app import dialogs, open_dialogs
from ffn_explorer.app.actions import ACTIONS, GROUPS
from ffn_explorer.app.controls.knobs import Knob
from ffn_explorer.app.dialogs import About, KeyList, TokenDialog
from ffn_explorer.app.director import Director
from ffn_explorer.app.export_dialog import ExportDialog
from ffn_explorer.app.key_names import native
from ffn_explorer.app.memory import Memory, fit
from ffn_explorer.app.window import Window
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.stages import Stage
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import Appearance, AppState, Cell, Playback
from ffn_explorer.state.compute import Cancelled
from ffn_explorer.state.layouts import DEFAULT_LAYOUT, LAYOUTS, panels_of, sizes_of
from ffn_explorer.state.results import Results
from ffn_explorer.state.session import Session
from ffn_explorer.state.storage import load_preferences, preferences_path
from ffn_explorer.state.text import catalogue, text
from ffn_explorer.widgets.fonts import font
from tests.ui.house import press, scene

SMALL = AppState(
    settings=Settings(d_model=8, d_ff=32, layers=1, heads=2, kv_heads=2),
    shown=frozenset(panels_of(LAYOUTS[DEFAULT_LAYOUT])),
)


pytestmark = pytest.mark.usefixtures("style_given_back")


@pytest.fixture
def window(qtbot: QtBot) -> Iterator[Window]:
    """A window on a small FFN, shown and computing."""
    made = Window(Director(Session(SMALL), Results()))
    qtbot.addWidget(made)
    made.painted.connect(made.director.loader.warm_up)
    made.resize(1_280, 720)
    made.director.start()
    with qtbot.waitExposed(made):
        made.show()
    made.activateWindow()
    qtbot.waitUntil(lambda: made.scene is not None and made.scene.activity is not None, timeout=20_000)
    yield made
    assert made.director.close()


def width_shown(window: Window) -> int:
    """Dff of the run on screen."""
    run = scene(window).run
    assert run is not None
    return run.request.settings.d_ff


def shown(window: Window) -> str:
    """Message on screen, "" where there is none."""
    notice = window.notices.message
    return "" if notice.isHidden() else notice.label.text()


def test_the_first_scene_is_there_before_anything_is_computed(qtbot: QtBot) -> None:
    window = Window(Director(Session(SMALL), Results()))
    qtbot.addWidget(window)
    window.director.start()
    assert window.scene is not None
    assert window.scene.run is None
    assert [chip.text for chip in scene(window).chips] == [
        "The",
        "keys",
        "on",
        "the",
        "table",
        "are",
        "lost",
        ".",
    ]
    assert window.director.close()


def test_a_knob_leads_to_a_new_run(window: Window, qtbot: QtBot) -> None:
    window.director.request(changes.set_setting("d_ff", 48))
    qtbot.waitUntil(lambda: width_shown(window) == 48)


def test_what_cannot_be_is_said_and_the_screen_stays(window: Window, qtbot: QtBot) -> None:
    before = scene(window)
    window.director.request(changes.set_setting("d_model", 0))
    qtbot.waitUntil(lambda: shown(window).startswith("D cannot be 0"))
    assert window.director.state == SMALL
    assert scene(window).run is before.run
    window.director.request(changes.set_setting("d_model", 12))
    qtbot.waitUntil(lambda: shown(window) == "")


def test_a_message_can_be_read_and_put_away_and_comes_again(window: Window, qtbot: QtBot) -> None:
    for _ in range(2):
        window.director.request(changes.set_setting("d_model", 0))
        qtbot.waitUntil(lambda: shown(window) != "")
        press(window, Qt.Key.Key_Escape)
        assert shown(window) == ""
        qtbot.waitUntil(lambda: scene(window).message is None)


def test_a_defect_is_said_with_details_to_copy_and_the_program_goes_on(
    window: Window, qtbot: QtBot, caplog: pytest.LogCaptureFixture
) -> None:
    def break_down(_state: AppState) -> AppState:
        raise ZeroDivisionError("not foreseen")

    window.director.request(changes.Change("undo.select", break_down))
    qtbot.waitUntil(lambda: "not foreseen" in shown(window))
    assert window.notices.copy_button.isVisible()
    window.notices.copy_button.click()
    copied = QApplication.clipboard().mimeData()
    assert isinstance(copied, QMimeData)
    assert "break_down" in copied.text()
    assert "ZeroDivisionError" in caplog.text
    window.director.request(changes.select_token(1))
    qtbot.waitUntil(lambda: scene(window).selection.token == 1)


def test_a_panel_that_breaks_is_said_once_and_the_others_go_on(
    window: Window, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def break_down(_scene: object) -> bool:
        raise ZeroDivisionError("no picture")

    monkeypatch.setattr(window.board.panels["chips"], "offer", break_down)
    window.director.request(changes.select_token(2))
    qtbot.waitUntil(lambda: "no picture" in shown(window))
    # What the choice wants computed arrives with frames of its own.
    QTest.qWait(200)
    frames: list[object] = []
    window.director.scene_made.connect(frames.append)
    QTest.qWait(200)
    assert frames == []
    stage = window.board.panels["stage"].scene
    assert stage is not None
    assert stage.selection.token == 2
    assert caplog.text.count("unexpected error") == 1


def test_keys_drive_the_pass(window: Window, qtbot: QtBot) -> None:
    def state() -> Playback:
        return window.director.state.playback

    press(window, Qt.Key.Key_Home)
    assert state().time == 0.0
    press(window, Qt.Key.Key_Right)
    first = state().time
    assert 0.0 < first < 1.0
    press(window, Qt.Key.Key_Right)
    press(window, Qt.Key.Key_Backspace)
    assert state().time == first
    press(window, Qt.Key.Key_End)
    assert state().time == 1.0
    press(window, Qt.Key.Key_Space)
    assert state().playing
    assert window.director.clock.running
    press(window, Qt.Key.Key_Space)
    assert not state().playing
    assert not window.director.clock.running


def test_the_pass_plays_in_real_time_and_rests_at_the_end(window: Window, qtbot: QtBot) -> None:
    window.director.request(changes.set_speed(8.0))
    window.director.request(changes.play())
    qtbot.waitUntil(lambda: not window.director.state.playback.playing, timeout=5_000)
    assert window.director.state.playback.time == 1.0
    assert not window.director.clock.running


def test_with_reduced_motion_play_jumps_stage_by_stage(window: Window) -> None:
    window.director.request(changes.toggle_reduce_motion())
    press(window, Qt.Key.Key_Home)
    times = []
    for _ in range(3):
        press(window, Qt.Key.Key_Space)
        times.append(window.director.state.playback.time)
        assert not window.director.state.playback.playing
    assert times == sorted(set(times))
    window.director.request(changes.seek(1.0))
    press(window, Qt.Key.Key_Space)
    assert window.director.state.playback.time == 0.0


def test_looks_change_by_key(window: Window, qtbot: QtBot) -> None:
    def look() -> Appearance:
        return window.look

    press(window, Qt.Key.Key_T)
    assert look().theme == "dark"
    qtbot.waitUntil(lambda: window.room_theme == "dark")
    press(window, Qt.Key.Key_P)
    assert look().theme == "projector"
    QTest.qWait(50)
    press(window, Qt.Key.Key_P)
    assert look().theme == "dark"
    press(window, Qt.Key.Key_L)
    assert look().language == "ja"
    press(window, Qt.Key.Key_Plus, Qt.KeyboardModifier.ControlModifier)
    assert look().scale > 1.0
    press(window, Qt.Key.Key_0, Qt.KeyboardModifier.ControlModifier)
    assert look().scale == 1.0


def test_looks_leave_no_trace_in_the_picture(window: Window, qtbot: QtBot) -> None:
    def picture() -> QImage:
        qtbot.waitUntil(lambda: scene(window).look == window.look)
        QTest.qWait(60)
        return window.grab().toImage()

    before = picture()
    for key in (Qt.Key.Key_T, Qt.Key.Key_P, Qt.Key.Key_L):
        press(window, key)
        assert picture() != before
        press(window, key)
        assert picture() == before
    for key in (Qt.Key.Key_Plus, Qt.Key.Key_0):
        press(window, key, Qt.KeyboardModifier.ControlModifier)
    assert picture() == before


def test_undo_and_redo_by_key(window: Window) -> None:
    window.director.request(changes.select_token(1))
    press(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert window.director.state.selection.token == SMALL.selection.token
    both = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    press(window, Qt.Key.Key_Z, both)
    assert window.director.state.selection.token == 1


def test_letters_and_digits_belong_to_an_editor_while_it_has_the_keyboard(
    window: Window, qtbot: QtBot
) -> None:
    edit = QLineEdit(window)
    edit.show()
    edit.setFocus()
    before = window.director.state
    QTest.keyClicks(edit, "ltp 1 g?")
    press(window, Qt.Key.Key_Home)
    press(window, Qt.Key.Key_Backspace)
    assert edit.text() == "ltp 1 g?"
    assert window.director.state == before
    assert QApplication.focusWidget() is edit


def test_the_other_knobs_have_the_font_of_the_window_in_every_look(window: Window) -> None:
    for theme in ("light", "projector"):
        window.director.request(changes.set_theme(theme))
        window.director.show_now()
        wanted = font(window.look).pixelSize()
        for made in (*window.controls.knobs, *window.controls.more.knobs):
            assert made.editor.font().pixelSize() == wanted, made.row.field


def test_the_undo_keys_are_the_windows_in_the_other_knobs_too(window: Window) -> None:
    window.controls.more.open_under(window.controls.more_button)
    edit = knob(window, "layers").editor
    assert isinstance(edit, QSpinBox)
    edit.stepBy(1)
    undo = QKeyEvent(QEvent.Type.ShortcutOverride, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    # Left to the window: nothing of its own was typed.
    undo.ignore()
    QApplication.sendEvent(edit, undo)
    assert not undo.isAccepted()
    window.controls.more.hide()


def test_undo_in_a_number_editor_first_undoes_typing_then_the_knob(window: Window) -> None:
    undo = (Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    spin = next(knob.editor for knob in window.controls.knobs if knob.row.field == "d_ff")
    assert isinstance(spin, QSpinBox)
    spin.setFocus()
    spin.selectAll()
    QTest.keyClicks(spin, "48")
    press(window, *undo)
    assert spin.text() == "32"
    assert window.director.state == SMALL
    spin.selectAll()
    QTest.keyClicks(spin, "48")
    press(window, Qt.Key.Key_Return)
    assert window.director.state.settings.d_ff == 48
    press(window, *undo)
    assert window.director.state.settings.d_ff == 32


def test_escape_leaves_an_editor(window: Window) -> None:
    spin = next(knob.editor for knob in window.controls.knobs if knob.row.field == "d_ff")
    spin.setFocus()
    languages = []
    for key in (Qt.Key.Key_L, Qt.Key.Key_Escape, Qt.Key.Key_L):
        press(window, key)
        languages.append(window.look.language)
    assert languages == ["en", "en", "ja"]


def test_a_click_on_a_button_leaves_space_to_the_pass(window: Window) -> None:
    QTest.mouseClick(window.buttons.theme, Qt.MouseButton.LeftButton)
    assert window.look.theme == "dark"
    press(window, Qt.Key.Key_Space)
    assert window.look.theme == "dark"
    assert window.director.state.playback.playing


def test_digits_give_the_keyboard_to_panels(window: Window) -> None:
    for place, name in enumerate(window.board.panels):
        press(window, Qt.Key(Qt.Key.Key_1 + place))
        assert window.board.focused_panel() is window.board.panels[name]


def test_pointing_costs_one_change_a_frame(window: Window, qtbot: QtBot) -> None:
    heard: list[object] = []
    window.director.state_changed.connect(lambda _old, new: heard.append(new.hover))
    cells = [Cell(Stage.UP, 0, 0, index) for index in range(30)]
    for cell in cells:
        window.director.request(changes.hover(cell))
    qtbot.waitUntil(lambda: scene(window).hover == cells[-1])
    assert heard == [cells[-1]]


def test_what_is_only_pointed_at_is_computed_too(window: Window, qtbot: QtBot) -> None:
    def role() -> str:
        made = scene(window).matrix
        return "" if made is None else made.role

    window.arrangement.bring("weights")
    qtbot.waitUntil(lambda: role() == "down")
    window.director.request(changes.point(stage=Stage.UP))
    qtbot.waitUntil(lambda: role() == "up")
    window.director.request(changes.hover(None))
    qtbot.waitUntil(lambda: role() == "down")


@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_action_has_words_a_place_in_the_menu_and_a_line_among_the_keys(
    window: Window, qtbot: QtBot, language: Any
) -> None:
    window.director.request(changes.set_language(language))
    qtbot.waitUntil(lambda: scene(window).look.language == language)
    words = [catalogue(language)[action.key] for action in ACTIONS]
    window.director.request(changes.select_token(1))
    window.buttons.fill()
    menus = [menu for menu in window.buttons.menu.findChildren(QMenu) if menu.actions()]
    groups = [menu.actions() for menu in menus]
    assert len(window.buttons.menu.actions()) == len(groups) == len(GROUPS)
    said = [row.text().split("\t")[0] for rows in groups for row in rows]
    assert len(said) == sum(action.in_menu for action in ACTIONS)
    listed = KeyList(window, ACTIONS)
    labels = {label.text() for label in listed.findChildren(QLabel)}
    for action, sentence in zip(ACTIONS, words, strict=True):
        assert action.in_menu == any(sentence in shown_words for shown_words in said)
        assert not action.keys or sentence in labels
    listed.deleteLater()


def test_no_key_stands_for_two_actions() -> None:
    keys = [key for action in ACTIONS for key in action.keys]
    assert len(keys) == len(set(keys))
    assert all(native(key) for key in keys)
    assert len({action.name for action in ACTIONS}) == len(ACTIONS)


def test_undo_says_what_it_takes_back_and_rests_while_there_is_nothing(window: Window) -> None:
    undo = next(action for action in ACTIONS if action.name == "undo")
    assert undo.words(window) is None
    window.director.request(changes.select_token(1))
    assert undo.words(window) == text("undo.undo", what=text("undo.select"))


def test_going_to_a_token(window: Window, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    dialog = TokenDialog(window, scene(window))
    QTest.keyClicks(dialog.edit, "lo")
    assert dialog.token == 6
    dialog.edit.clear()
    QTest.keyClick(dialog.edit, Qt.Key.Key_Down)
    assert [dialog.token] == [1]
    dialog.edit.setText("nothing like it")
    assert [dialog.token] == [None]
    dialog.deleteLater()
    monkeypatch.setattr(dialogs, "ask_token", lambda *_: 3)
    press(window, Qt.Key.Key_G)
    assert window.director.state.selection.token == 3


def test_about_names_the_version(window: Window) -> None:
    about = About(window)
    assert any(__version__ in label.text() for label in about.findChildren(QLabel))
    about.deleteLater()


def test_a_session_is_saved_and_opened_again(
    window: Window, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "talk.ffnx"
    monkeypatch.setattr(dialogs, "ask_save", lambda *_, **__: path)
    monkeypatch.setattr(open_dialogs, "ask_open", lambda *_, **__: path)
    window.director.request(changes.select_token(2))
    press(window, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: str(path) in shown(window))
    window.director.request(changes.select_token(4))
    press(window, Qt.Key.Key_O, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: window.director.state.selection.token == 2)
    assert window.folder == tmp_path
    path.write_text("{")
    press(window, Qt.Key.Key_O, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: path.name in shown(window))
    assert window.director.state.selection.token == 2


def test_a_picture_of_window_or_panel_carries_its_settings(
    window: Window, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "picture.png"
    monkeypatch.setattr(dialogs, "ask_save", lambda *_, **__: path)
    press(window, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    image = exported(window, qtbot, path)
    assert image.size() == window.size() * 2
    assert '"d_ff": 32' in image.text("Settings")
    window.board.focus_panel(1)
    both = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    press(window, Qt.Key.Key_E, both)
    assert exported(window, qtbot, path).size() == window.board.panels["stage"].size() * 2


def exported(window: Window, qtbot: QtBot, path: Path) -> QImage:
    """The picture that the open dialog writes, as it stands."""
    next(found for found in window.findChildren(ExportDialog) if found.isVisible()).ok.click()
    qtbot.waitUntil(lambda: not window.exporting.job.under_way)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    return QImage(str(path))


def opened(
    qtbot: QtBot, state: AppState | None, given: frozenset[str] = frozenset()
) -> tuple[Window, Memory]:
    """A window as `start` makes it, without computing."""
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    memory = Memory(application)
    window = Window(Director(Session(memory.first_state(state, given)), Results()))
    qtbot.addWidget(window)
    memory.watch(window)
    window.director.start()
    with qtbot.waitExposed(window):
        window.show()
    return window, memory


def closed(window: Window, memory: Memory) -> None:
    window.close()
    assert window.director.close()
    memory.deleteLater()


def test_looks_shares_and_session_are_remembered(qtbot: QtBot, tmp_path: Path) -> None:
    window, memory = opened(qtbot, SMALL)
    window.resize(1_300, 800)
    window.director.request(changes.set_theme("dark"))
    window.director.request(changes.set_language("ja"))
    window.director.request(changes.set_scale(1.5))
    window.director.request(changes.select_token(2))
    handle = window.board._frame.splitters[0].handles()[0]
    QTest.keyClick(handle, Qt.Key.Key_Left)
    shares = sizes_of(window.board.arrangement())
    window.folder = tmp_path
    closed(window, memory)

    again, memory = opened(qtbot, None)
    assert again.director.state == window.director.state
    for kept, now in zip(shares, sizes_of(again.board.arrangement()), strict=True):
        assert kept[0] / sum(kept) == pytest.approx(now[0] / sum(now), abs=0.01)
    assert again.folder == tmp_path
    closed(again, memory)


def test_the_command_line_goes_before_what_is_remembered(qtbot: QtBot) -> None:
    window, memory = opened(qtbot, SMALL)
    window.director.request(changes.set_theme("dark"))
    window.director.request(changes.set_language("ja"))
    closed(window, memory)
    window, memory = opened(qtbot, AppState(), frozenset({"lang"}))
    assert window.look.language == "en"
    assert window.look.theme == "dark"
    assert window.director.state.settings == Settings()
    closed(window, memory)


def test_a_change_is_saved_soon_and_playing_is_not(qtbot: QtBot) -> None:
    window, memory = opened(qtbot, SMALL)
    window.director.request(changes.seek(0.3))
    QTest.qWait(1_200)
    assert not preferences_path().exists()
    window.director.request(changes.set_theme("dark"))
    qtbot.waitUntil(lambda: preferences_path().exists(), timeout=3_000)
    assert load_preferences()[0].appearance.theme == "dark"
    closed(window, memory)


def test_broken_preferences_are_a_message_and_no_more(qtbot: QtBot) -> None:
    preferences_path().parent.mkdir(parents=True, exist_ok=True)
    preferences_path().write_text("{broken")
    window, memory = opened(qtbot, None)
    qtbot.waitUntil(lambda: "preferences.json" in shown(window))
    assert window.director.state.settings == Settings()
    closed(window, memory)


def test_nonsense_in_the_layout_part_changes_nothing(qtbot: QtBot) -> None:
    window, memory = opened(qtbot, SMALL)
    closed(window, memory)
    data = json.loads(preferences_path().read_text())
    data["layout"] = {
        "name": "none such",
        "layouts": {"explore": {"panels": ["nope", 7, "maps"], "sizes": [[1], "x"]}, "lecture": [], "x": 1},
        "hints": ["nope", 3],
        "geometry": "é",
        "folder": 7,
        "room_theme": "pink",
    }
    preferences_path().write_text(json.dumps(data))
    window, memory = opened(qtbot, None)
    assert window.arrangement.name == "explore"
    assert tuple(window.board.panels) == panels_of(LAYOUTS["explore"])
    assert window.hints.done == []
    assert window.folder == Path.home()
    assert window.room_theme == "light"
    closed(window, memory)


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("theme", ["light", "projector"])
def test_nothing_in_the_bar_is_cut_at_the_smallest_size(
    window: Window, qtbot: QtBot, language: Any, theme: Any
) -> None:
    window.director.request(changes.set_language(language))
    window.director.request(changes.set_theme(theme))
    qtbot.waitUntil(lambda: scene(window).look == window.look)
    QTest.qWait(100)
    brand, bar = window.controls.brand, window.controls
    # The name of the program is left out where that saves a row; the title bar says it too.
    assert brand.width() in (0, brand.sizeHint().width())
    for part in (bar.source, bar.preset, bar.more_button, *bar.knobs, window.buttons):
        assert part.width() >= part.minimumSizeHint().width()
        assert part.height() >= part.minimumSizeHint().height()
        place = part.mapTo(window, part.rect().bottomRight())
        assert window.rect().contains(place)
        assert window.controls.rect().contains(part.mapTo(window.controls, part.rect().bottomRight()))


def test_escape_stops_work_under_way(window: Window, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    def never_ends(
        _request: object, _results: object, *, cancelled: Callable[[], bool], **_told: object
    ) -> None:
        while not cancelled():
            time.sleep(0.002)
        raise Cancelled

    monkeypatch.setattr(window.director.loader, "_compute", never_ends)
    window.director.request(changes.set_setting("d_ff", 40))
    qtbot.waitUntil(lambda: not window.notices.busy.isHidden(), timeout=3_000)
    press(window, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: catalogue("en")["window.stopped"] == shown(window))
    qtbot.waitUntil(window.notices.busy.isHidden)
    assert width_shown(window) == 32


def knob(window: Window, field: str) -> Knob:
    """A knob of the bar or of the popup."""
    bar = window.controls
    return next(made for made in (*bar.knobs, *bar.more.knobs) if made.row.field == field)


def test_what_memory_cannot_hold_is_refused_and_the_knob_shows_what_is(
    window: Window, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ffn_explorer.core.budget.free_bytes", lambda _device="cpu": 10_000)
    edit = knob(window, "d_ff").editor
    assert isinstance(edit, QSpinBox)
    for _ in range(2):
        edit.stepBy(1)
        qtbot.waitUntil(lambda: "half" in shown(window))
        assert window.director.state == SMALL
        qtbot.waitUntil(lambda: edit.value() == 32)
    assert width_shown(window) == 32


def test_settings_that_cannot_be_computed_at_the_start_give_way_to_the_default(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "ffn_explorer.core.budget.bytes_needed",
        lambda settings, _lengths, **_: 10**15 * (settings.d_model == 8),
    )
    made = Window(Director(Session(SMALL), Results()))
    qtbot.addWidget(made)
    made.director.start()
    made.show()
    made.director.loader.warm_up()
    qtbot.waitUntil(lambda: made.scene is not None and made.scene.run is not None, timeout=20_000)
    assert made.director.state.settings == Settings()
    assert "half" in shown(made)
    assert made.director.close()


def test_a_choice_gives_the_keyboard_back_to_the_pass(window: Window, qtbot: QtBot) -> None:
    edit = knob(window, "d_ff").editor
    assert isinstance(edit, QSpinBox)
    edit.setFocus()
    edit.selectAll()
    QTest.keyClicks(edit, "48")
    press(window, Qt.Key.Key_Return)
    assert window.board.hasFocus()
    qtbot.waitUntil(lambda: width_shown(window) == 48)
    choice = knob(window, "activation").editor
    assert isinstance(choice, QComboBox)
    choice.setFocus()
    choice.showPopup()
    choice.hidePopup()
    assert window.board.hasFocus()
    press(window, Qt.Key.Key_Space)
    assert window.director.state.playback.playing


def test_each_number_entered_is_a_step_of_undo(window: Window) -> None:
    edit = knob(window, "d_ff").editor
    for number in ("48", "64"):
        edit.setFocus()
        edit.selectAll()  # type: ignore[union-attr]
        QTest.keyClicks(edit, number)
        press(window, Qt.Key.Key_Return)
    widths = [window.director.state.settings.d_ff]
    for _ in range(2):
        window.director.session.undo()
        widths.append(window.director.state.settings.d_ff)
    assert widths == [64, 48, 32]


def test_each_tick_is_a_step_of_undo(window: Window) -> None:
    tick = knob(window, "bias").editor
    assert isinstance(tick, QCheckBox)
    for _ in range(2):
        tick.click()
    window.director.session.undo()
    assert not window.director.state.settings.bias


def test_what_is_no_ratio_is_said_and_gives_way(window: Window, qtbot: QtBot) -> None:
    edit = knob(window, "ratio").editor
    assert isinstance(edit, QComboBox)
    edit.setFocus()
    edit.lineEdit().selectAll()  # type: ignore[union-attr]
    QTest.keyClicks(edit, "abc")
    press(window, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "abc" in shown(window))
    assert edit.currentText() == "×4"


def test_escape_lets_go_of_a_chosen_cell(window: Window) -> None:
    window.director.request(changes.select_cell(Cell(Stage.ACT, 0, 1, 3)))
    press(window, Qt.Key.Key_Escape)
    assert window.director.state.selection.stage is None
    assert window.director.state.selection.token == 1


def test_full_screen_comes_back_to_what_was(window: Window) -> None:
    window.setWindowState(Qt.WindowState.WindowMaximized)
    press(window, Qt.Key.Key_F)
    assert window.isFullScreen()
    press(window, Qt.Key.Key_F)
    assert window.isMaximized()
    assert not window.isFullScreen()


def test_a_new_window_is_no_larger_than_its_screen(qtbot: QtBot) -> None:
    made = Window(Director(Session(SMALL), Results()))
    qtbot.addWidget(made)
    fit(made)
    room = made.screen().availableGeometry()
    assert made.height() <= max(room.height(), made.minimumHeight())
    assert made.width() <= max(room.width(), made.minimumWidth())
