"""The export dialog: each kind through to a file, what cannot be says why, choices and cancelling."""

from __future__ import annotations

import csv
import io
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent, QImage, QPalette
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox
from pytestqt.qtbot import QtBot

from ffn_explorer.__main__ import main
from ffn_explorer.app import acts, dialogs, exporting
from ffn_explorer.app import exports as rows
from ffn_explorer.app.export_dialog import ExportDialog
from ffn_explorer.app.export_fields import FIELDS
from ffn_explorer.app.exports import EXPORTS, Export, Stopped, Wish
from ffn_explorer.app.window import Window
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import AppState
from ffn_explorer.state.file_endings import PICTURES
from ffn_explorer.state.needs import needs
from ffn_explorer.state.sessions_in import session_in
from ffn_explorer.state.setting_changes import set_setting
from ffn_explorer.state.text import catalogue, text
from tests.ui.house import SMALL, house, press, scene
from tests.ui.live import settle
from tests.ui.other_programs import drawn, similarity, words_in

PATIENCE_MS = 20_000
CONTROL = Qt.KeyboardModifier.ControlModifier
BOTH = CONTROL | Qt.KeyboardModifier.ShiftModifier
FILES = [(row.kind, suffix) for row in EXPORTS for suffix in row.suffixes]


@pytest.fixture
def window(qtbot: QtBot) -> Iterator[Window]:
    with house(qtbot) as made:
        yield made


def dialog_on(window: Window, kind: str = "", panel: str = "stage") -> ExportDialog:
    """Open the dialog."""
    dialog = ExportDialog(window, panel, kind=kind)
    dialog.open()
    dialog.activateWindow()
    for _ in range(500):
        # The screen says so a little later, and only then does the keyboard go into the dialog.
        if dialog.isActiveWindow():
            break
        QTest.qWait(10)
    assert dialog.isActiveWindow()
    return dialog


def the_dialog(window: Window) -> ExportDialog:
    """The dialog that is open."""
    return next(found for found in window.findChildren(ExportDialog) if found.isVisible())


def choose(edit: QComboBox, value: str) -> None:
    """Choose a row of a list, as a person does."""
    edit.setCurrentIndex(edit.findData(value))
    edit.activated.emit(edit.currentIndex())


def edit_of(dialog: ExportDialog, name: str) -> Any:
    """The editor with these words."""
    parts = [part for field in dialog.fields.values() for part in field.parts]
    return next(part.editor for part in parts if part.name == name)


def visible(dialog: ExportDialog) -> list[str]:
    """Names of the fields in sight, from top to bottom."""
    parts = [part for field in dialog.fields.values() for part in field.parts]
    return [part.name for part in parts if part.holder.isVisibleTo(dialog)]


def take(monkeypatch: pytest.MonkeyPatch, path: Path | None) -> list[tuple[Path, tuple[str, ...]]]:
    """Let the dialog for files answer with a path; returns what it was asked."""
    asked: list[tuple[Path, tuple[str, ...]]] = []

    def answer(_: Window, suggestion: Path, *, suffixes: tuple[str, ...]) -> Path | None:
        asked.append((suggestion, suffixes))
        return path

    monkeypatch.setattr(dialogs, "ask_save", answer)
    return asked


def wait(window: Window, qtbot: QtBot) -> None:
    """Until the file is written, or the reason is said."""
    qtbot.waitUntil(lambda: not window.exporting.job.under_way, timeout=PATIENCE_MS)


def check_file(path: Path, state: AppState) -> None:
    """The file is what its suffix says, and holds what is on screen."""
    if path.suffix in PICTURES:
        assert session_in(path)[0].settings == state.settings
    elif path.suffix == ".csv":
        assert len(list(csv.reader(io.StringIO(path.read_text("utf-8-sig"))))) > 8
    elif path.suffix == ".py":
        compile(path.read_text("utf-8"), path.name, "exec")
    else:
        with np.load(path) as arrays:
            assert {"names", "hidden"} & set(arrays.files)


def test_each_kind_goes_through_to_a_file(
    window: Window, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for kind, suffix in FILES:
        path = tmp_path / f"{kind}{suffix}"
        asked = take(monkeypatch, path)
        dialog = dialog_on(window)
        dialog.kinds.setCurrentRow([row.kind for row in EXPORTS].index(kind))
        if len(dialog.export.suffixes) > 1:
            choose(edit_of(dialog, "suffix"), suffix)
        if "frames" in dialog.export.options:
            edit_of(dialog, "frames").show_value(2)
            dialog.fields["frames"].changed.emit()
        assert dialog.ok.isEnabled()
        dialog.ok.click()
        assert not dialog.isVisible()
        wait(window, qtbot)
        check_file(path, window.director.state)
        suggestion, suffixes = asked[0]
        assert suggestion.suffix == suffixes[0] == suffix
        assert set(suffixes) == set(dialog_row(kind).suffixes)
        qtbot.waitUntil(lambda: str(path) in window.notices.message.label.text(), timeout=PATIENCE_MS)  # noqa: B023
    assert window.folder == tmp_path


def dialog_row(kind: str) -> Export:
    """The row of a kind."""
    return next(row for row in EXPORTS if row.kind == kind)


def test_only_what_belongs_to_a_kind_is_asked(window: Window) -> None:
    dialog = dialog_on(window, "window")
    assert visible(dialog) == ["suffix", "size", "pixels", "theme", "language"]
    choose(edit_of(dialog, "suffix"), ".svg")
    assert visible(dialog) == ["suffix", "size", "theme", "language"]
    for kind, names in {"numbers": ["panel", "suffix"], "arrays": [], "script": ["library"]}.items():
        dialog.kinds.setCurrentRow([row.kind for row in EXPORTS].index(kind))
        assert visible(dialog) == names
    assert {name for row in EXPORTS for name in row.options} == set(FIELDS)
    dialog.reject()


@pytest.mark.parametrize("language", ["en", "ja"])
def test_everything_in_it_has_a_name_and_a_tip(window: Window, qtbot: QtBot, language: Any) -> None:
    window.director.request(changes.set_language(language))
    qtbot.waitUntil(lambda: scene(window).look.language == language)
    dialog = dialog_on(window, "panel")
    said = catalogue(language)
    for field in dialog.fields.values():
        for part in field.parts:
            assert part.label.text() == said[f"export.field.{part.name}"]
            assert part.label.buddy() is part.editor
            assert part.editor.accessibleName()
            assert part.editor.toolTip() == said[f"export.field.{part.name}_tip"]
    kinds = [dialog.kinds.item(at).text() for at in range(dialog.kinds.count())]
    assert kinds == [said[f"export.kind.{row.kind}"] for row in EXPORTS]
    assert dialog.about.text() == said["export.about.panel"]
    dialog.reject()


def test_the_size_is_that_of_the_screen_until_another_is_given(
    window: Window, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "p.png"
    take(monkeypatch, path)
    dialog = dialog_on(window, "panel", "stage")
    for name in ("maps", "stage"):
        choose(edit_of(dialog, "panel"), name)
        size = window.board.panels[name].size()
        assert dialog.wish.size == (size.width(), size.height())
    size_field: Any = dialog.fields["size"]
    assert not size_field.as_screen.isEnabled()
    for edit, typed in ((size_field.wide, "601"), (size_field.tall, "301")):
        edit.setFocus()
        edit.selectAll()
        QTest.keyClicks(edit, typed)
    edit_of(dialog, "pixels").setFocus()
    assert dialog.wish.size == (601, 301)
    assert dialog.outcome.text() == "A picture of 1,202 × 602 pixels"
    edit_of(dialog, "pixels").stepBy(-1)
    assert dialog.outcome.text() == "A picture of 902 × 452 pixels"
    size_field.as_screen.click()
    assert dialog.wish.size == (size.width(), size.height())
    size_field.wide.setFocus()
    size_field.wide.selectAll()
    QTest.keyClicks(size_field.wide, "602")
    dialog.ok.click()
    wait(window, qtbot)
    assert QImage(str(path)).width() == 903


def test_a_number_that_cannot_be_is_refused_in_words(
    window: Window, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = take(monkeypatch, None)
    dialog = dialog_on(window, "window")
    pixels = edit_of(dialog, "pixels")
    pixels.setFocus()
    pixels.selectAll()
    QTest.keyClicks(pixels, "99")
    edit_of(dialog, "size").setFocus()
    assert "8" in dialog.outcome.text()
    assert dialog.wish.pixels == 2.0
    assert dialog.ok.isEnabled()
    pixels.setFocus()
    pixels.selectAll()
    QTest.keyClicks(pixels, "0.1")
    # Nobody asks for a place: what was typed is refused first.
    QTest.keyClick(pixels, Qt.Key.Key_Return)
    assert dialog.isVisible()
    assert "0.5" in dialog.outcome.text()
    qtbot.wait(1)
    QTest.keyClicks(pixels, "9")
    dialog.ok.click()
    assert dialog.isVisible()
    qtbot.wait(1)
    pixels.show_value(8.0)
    pixels.stepBy(0)
    edit_of(dialog, "size").show_value(16_000)
    edit_of(dialog, "size").stepBy(0)
    assert not dialog.ok.isEnabled()
    assert "16,384" in dialog.outcome.text()
    choose(edit_of(dialog, "suffix"), ".svg")
    assert dialog.ok.isEnabled()
    assert asked == []
    dialog.reject()


def test_a_panel_without_numbers_cannot_be_chosen_and_says_so(window: Window, qtbot: QtBot) -> None:
    window.arrangement.stand_instead("sparsity", "code")
    qtbot.waitUntil(lambda: "code" in window.board.panels)
    dialog = dialog_on(window, "numbers", "code")
    edit = edit_of(dialog, "panel")
    code = edit.findData("code")
    assert not edit.model().item(code).isEnabled()
    assert edit.itemData(code, Qt.ItemDataRole.ToolTipRole) == "This panel shows no numbers now"
    assert edit.currentData() != "code"
    assert dialog.ok.isEnabled()
    dialog.kinds.setCurrentRow(0)
    assert edit.model().item(code).isEnabled()
    dialog.reject()


def dtype_shown(window: Window) -> str:
    """Number format of the run on screen."""
    run = scene(window).run
    return "" if run is None else run.request.settings.dtype


def test_a_program_that_numpy_cannot_run_is_refused(window: Window, qtbot: QtBot) -> None:
    window.director.request(set_setting("dtype", "bfloat16"))
    qtbot.waitUntil(lambda: dtype_shown(window) == "bfloat16", timeout=PATIENCE_MS)
    dialog = dialog_on(window, "script")
    assert dialog.ok.isEnabled()
    choose(edit_of(dialog, "library"), "numpy")
    assert not dialog.ok.isEnabled()
    assert "bfloat16" in dialog.outcome.text()
    choose(edit_of(dialog, "library"), "torch")
    assert dialog.ok.isEnabled()
    dialog.reject()


def test_a_name_that_cannot_be_is_told_and_another_may_follow(
    window: Window, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    take(monkeypatch, tmp_path / "x.gif")
    dialog = dialog_on(window, "window")
    dialog.ok.click()
    assert ".gif" in dialog.outcome.text()
    assert dialog.ok.isEnabled()
    take(monkeypatch, tmp_path / "x.png")
    dialog.ok.click()
    wait(window, qtbot)
    assert (tmp_path / "x.png").exists()


def test_a_picture_brings_back_its_moment(
    window: Window, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "early.png"
    take(monkeypatch, path)
    window.director.request(changes.seek(0.37))
    dialog_on(window, "window").ok.click()
    wait(window, qtbot)
    window.director.request(changes.set_setting("d_ff", 24))
    window.director.request(changes.play())
    window.opener.open_text(str(path))
    qtbot.waitUntil(lambda: window.director.state.settings.d_ff != 24, timeout=PATIENCE_MS)
    now = window.director.state.playback
    assert (now.time, now.playing) == (0.37, False)


def test_theme_and_language_of_the_picture_are_its_own(
    window: Window, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "ja.svg"
    take(monkeypatch, path)
    before = looks(window)
    dialog = dialog_on(window, "window")
    choose(edit_of(dialog, "theme"), "dark")
    choose(edit_of(dialog, "language"), "ja")
    choose(edit_of(dialog, "suffix"), ".svg")
    dialog.ok.click()
    wait(window, qtbot)
    assert "活性化関数" in words_in(path)
    assert (window.look.theme, window.look.language) == ("light", "en")
    assert looks(window) == before


def looks(window: Window) -> tuple[str, QPalette, str]:
    """What the window wears."""
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    return application.styleSheet(), window.palette(), window.styleSheet()


def begin_lecture(window: Window) -> None:
    """The board stands as the first scene says."""
    window.lecture.start()


def put_another_panel(window: Window) -> None:
    """A panel where another one stood."""
    window.arrangement.stand_instead("sparsity", "gate")


def fill(window: Window) -> None:
    """One panel over the whole board."""
    window.board.fill("curve")


@pytest.mark.parametrize("act", [begin_lecture, put_another_panel, fill])
def test_the_picture_of_the_window_is_what_stands_on_screen(
    window: Window,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    act: Callable[[Window], None],
) -> None:
    path, screen = tmp_path / "window.png", tmp_path / "screen.png"
    act(window)
    qtbot.waitUntil(lambda: at_rest(window), timeout=PATIENCE_MS)
    window.exporting.recall({"pixels": 1.0})
    take(monkeypatch, path)
    dialog = dialog_on(window, "window")
    window.grab().save(str(screen))
    dialog.ok.click()
    wait(window, qtbot)
    assert similarity(drawn(path, 1.0), drawn(screen, 1.0)).mean() > 0.999


def at_rest(window: Window) -> bool:
    """Whether nothing moves, and nothing is still computed."""
    settle()
    state, shown = window.director.state, scene(window)
    newest = shown.run is not None and shown.run.request.settings == state.settings
    # What has changed with the last run is shown for a moment, and in no picture.
    resting = shown.before is None and shown.busy is None and not state.playback.playing
    return newest and resting and not needs(state, window.director.results)


@pytest.mark.parametrize("name", ["p.jpg", "p.csv"])
def test_a_suffix_of_no_format_keeps_the_dialog(
    window: Window, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    take(monkeypatch, tmp_path / name)
    dialog = dialog_on(window, "panel")
    dialog.ok.click()
    assert dialog.isVisible()
    assert Path(name).suffix in dialog.outcome.text()
    assert list(tmp_path.glob("p.*")) == []
    dialog.reject()


def test_what_cannot_be_written_is_said_and_the_window_stays(
    window: Window, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    take(monkeypatch, tmp_path / "gone" / "p.png")
    dialog_on(window, "panel").ok.click()
    wait(window, qtbot)
    qtbot.waitUntil(lambda: "p.png" in window.notices.message.label.text(), timeout=PATIENCE_MS)
    assert window.isVisible()


def test_choices_are_remembered(
    window: Window, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[bool] = []
    window.exporting.changed.connect(lambda: heard.append(True))
    assert dialog_on(window).export.kind == "window"
    the_dialog(window).reject()
    for kind, suffix in (("panel", ".pdf"), ("numbers", ".npz"), ("panel", ".png")):
        take(monkeypatch, tmp_path / f"a{suffix}")
        dialog = dialog_on(window, kind)
        choose(edit_of(dialog, "suffix"), suffix)
        if suffix == ".png":
            edit_of(dialog, "pixels").stepBy(2)
        dialog.ok.click()
        wait(window, qtbot)
    assert heard == [True] * 3
    again = dialog_on(window)
    assert (again.wish.kind, again.wish.suffix, again.wish.pixels) == ("panel", ".png", 3.0)
    again.kinds.setCurrentRow([row.kind for row in EXPORTS].index("numbers"))
    assert again.wish.suffix == ".npz"
    again.reject()
    kept = json.loads(json.dumps(window.exporting.choices))
    window.exporting.recall(kept)
    assert window.exporting.choices == kept


WRONG: tuple[object, ...] = (
    None, [], {"kind": 3}, {"kind": "gone"}, {"pixels": float("nan")}, {"pixels": 1e9}, {"library": "jax"},
    {"suffixes": []}, {"suffixes": {"panel": 7, "window": ".exe"}},
)  # fmt: skip


def test_what_was_remembered_wrongly_is_left_out(window: Window) -> None:
    for data in WRONG:
        window.exporting.recall(data)
        for kind in ("window", ""):
            wish = exporting.first_wish(window, "stage", kind=kind)
            assert wish.suffix == ".png"
            assert 0.5 <= wish.pixels <= 8.0
            assert wish.library == "torch"


def test_escape_and_no_place_write_nothing(
    window: Window, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    take(monkeypatch, None)
    press(window, Qt.Key.Key_E, CONTROL)
    dialog = the_dialog(window)
    dialog.ok.click()
    assert dialog.isVisible()
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()
    assert not window.exporting.job.under_way


def test_work_that_is_cancelled_writes_nothing(
    window: Window, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, path = threading.Event(), tmp_path / "slow.png"
    found: list[bool] = []

    def prepare(_window: Window, _wish: Wish) -> rows.Work:
        def work(where: Path, stopped: Stopped) -> None:
            go_on.wait(20)
            found.append(stopped())
            if not stopped():
                where.write_bytes(b"too late")

        return work

    slow = replace(dialog_row("window"), prepare=prepare)
    monkeypatch.setattr(rows, "export_of", lambda _: slow)
    wish = exporting.first_wish(window, "stage", kind="window")
    assert window.exporting.start(wish, path)
    qtbot.waitUntil(lambda: scene(window).busy == text("export.busy", file="slow.png"), timeout=PATIENCE_MS)
    assert not window.exporting.start(wish, tmp_path / "second.png")
    dialog = dialog_on(window, "window")
    dialog.ok.click()
    assert dialog.outcome.text() == catalogue("en")["export.under_way"]
    dialog.reject()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    window.board.setFocus()
    press(window, Qt.Key.Key_Escape)
    assert not window.exporting.job.under_way
    go_on.set()
    qtbot.waitUntil(lambda: found == [True], timeout=PATIENCE_MS)
    assert not path.exists()


def test_picture_and_numbers_are_copied_by_keys(window: Window, qtbot: QtBot) -> None:
    window.board.focus_panel(list(window.board.panels).index("maps"))
    clipboard = QApplication.clipboard()
    press(window, Qt.Key.Key_I, BOTH)
    assert clipboard.image().size() == window.board.panels["maps"].size() * 2  # sharp on a slide
    press(window, Qt.Key.Key_N, BOTH)
    table = window.board.panels["maps"].table()
    assert table is not None
    assert clipboard.text().split("\n")[0].split("\t") == [" ".join(cell.split()) for cell in table[0]]
    assert len(clipboard.text().splitlines()) == len(table)


def test_keys_open_it_at_the_window_and_at_the_panel_in_use(window: Window) -> None:
    window.board.focus_panel(list(window.board.panels).index("curve"))
    press(window, Qt.Key.Key_E, BOTH)
    dialog = the_dialog(window)
    assert (dialog.wish.kind, dialog.wish.panel) == ("panel", "curve")
    dialog.reject()
    acts.export(window)
    assert the_dialog(window).wish.kind == "window"
    the_dialog(window).reject()


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_an_exported_picture_dropped_on_the_window_opens_again(
    window: Window, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    path = tmp_path / f"talk{suffix}"
    take(monkeypatch, path)
    window.director.request(changes.select_token(2))
    dialog = dialog_on(window, "panel")
    choose(edit_of(dialog, "suffix"), suffix)
    dialog.ok.click()
    wait(window, qtbot)
    window.director.request(set_setting("d_ff", 48))
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    drop = QDropEvent(QPointF(200, 200), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, CONTROL)
    handle = window.windowHandle()
    assert handle is not None
    QApplication.sendEvent(handle, drop)
    qtbot.waitUntil(lambda: window.director.state.settings == SMALL.settings, timeout=PATIENCE_MS)
    assert window.director.state.selection.token == 2
    assert window.opener.recent.paths[0] == str(path)


def test_the_command_line_writes_and_opens_all_of_it(
    qtbot: QtBot, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small = ("--d-model", "8", "--d-ff", "32", "--heads", "2", "--seed", "5")
    for name, more in {
        "w.svg": (), "p.pdf": ("--panel", "curve"), "p.png": ("--panel", "curve", "--pixels", "2"),
        "n.csv": ("--panel", "maps"), "n.npz": ("--panel", "maps"), "a.npz": (), "t.py": (),
        "n.py": ("--script", "numpy"),
    }.items():  # fmt: skip
        assert main(["render", "-o", str(tmp_path / name), *more, *small]) == 0, capsys.readouterr().err
        check_file(tmp_path / name, AppState(settings=SMALL.settings.with_(seed=5, layers=6)))
    assert QImage(str(tmp_path / "p.png")).width() == 1_920
    capsys.readouterr()
    assert main(["run", "--json", "--open", str(tmp_path / "p.png")]) == 0
    assert json.loads(capsys.readouterr().out)["shapes"]["hidden"] == [1, 8, 32]


@pytest.mark.parametrize(
    ("name", "more", "key"),
    [
        ("n.csv", (), "needs_panel"),
        ("n.csv", ("--panel", "code"), "no_numbers"),
        ("n.npz", ("--panel", "nope"), "panel"),
        ("s.py", ("--panel", "maps"), "script_alone"),
        ("p.png", ("--script", "torch"), "script_suffix"),
        ("s.py", ("--script", "jax"), None),
        ("s.py", ("--script", "numpy", "--dtype", "bfloat16"), "script_dtype"),
        ("p.png", ("--pixels", "9"), None),
        ("p.png", ("--size", "9000x100", "--pixels", "2"), "size"),
        ("p.jpg", (), "format"),
    ],
)
def test_the_command_line_refuses_in_one_sentence(
    qtbot: QtBot,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    name: str,
    more: tuple[str, ...],
    key: str | None,
) -> None:
    assert main(["render", "-o", str(tmp_path / name), "--d-model", "8", "--heads", "2", *more]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert len(told.err.splitlines()) == 1
    if key is not None:
        assert catalogue("en")[f"export.{key}"].split("{")[0].split("“")[0] in told.err
    assert list(tmp_path.iterdir()) == []
