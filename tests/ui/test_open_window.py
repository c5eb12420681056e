"""Opening in the window: weights, sessions, links, layers; what cannot be opened changes nothing."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtWidgets import QApplication, QSpinBox
from pytestqt.qtbot import QtBot

from ffn_explorer.app import open_dialogs
from ffn_explorer.app.actions import ACTIONS
from ffn_explorer.app.finds import finds
from ffn_explorer.app.window import Window
from ffn_explorer.checkpoints import catalog
from ffn_explorer.state import changes, open_files
from ffn_explorer.state.links import target_in
from ffn_explorer.state.open_files import OPEN_FILES
from ffn_explorer.state.opened_changes import use_opened
from ffn_explorer.state.storage import save_session
from ffn_explorer.state.target import Target
from ffn_explorer.state.text import say
from tests.ui.house import SMALL, house, press, scene
from tests.ui.weights_folder import D, F, llama, nameless

CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
PATIENCE_MS = 20_000


@pytest.fixture
def window(qtbot: QtBot) -> Iterator[Window]:
    with house(qtbot) as made:
        yield made
    OPEN_FILES.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return llama(tmp_path / "model")


def opened(window: Window, qtbot: QtBot, path: Path | str) -> None:
    """Open a path, and wait until its layer has been computed."""
    window.opener.open_text(str(path))
    qtbot.waitUntil(lambda: window.director.state.source.opened is not None, timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: not scene(window).stale and scene(window).file is not None, timeout=PATIENCE_MS)


def untouched(window: Window) -> bool:
    """Whether the state is the one that the window began with."""
    return replace(window.director.state, shown=None) == SMALL


def shown(window: Window) -> str:
    """The message on screen, "" where there is none."""
    return "" if window.notices.message.isHidden() else window.notices.message.sentence


def flowing(window: Window) -> str:
    """What the hidden states on screen are."""
    run = scene(window).run
    return "" if run is None else run.x_from


def layer_shown(window: Window) -> int | None:
    """Number of the layer on screen."""
    run = scene(window).run
    return None if run is None else run.request.settings.layer


def words_of(window: Window, name: str) -> str | None:
    """What the menu says of an action; None while it cannot be done."""
    action = next(action for action in ACTIONS if action.name == name)
    words = action.words(window)
    return None if words is None else say("en", words)


def test_a_folder_is_opened_and_its_layer_computed(window: Window, qtbot: QtBot, folder: Path) -> None:
    window.director.request(changes.set_sentences("two words"))
    opened(window, qtbot, folder)
    state = window.director.state
    assert (state.settings.d_model, state.settings.d_ff, state.settings.layers) == (D, F, 3)
    assert state.source.sentences == ("two words",)
    run = scene(window).run
    assert run is not None
    assert run.request.source.opened == state.source.opened
    assert window.opener.recent.paths == (str(folder),)
    assert window.controls.source.text() == "model"
    assert str(folder) in window.controls.source.toolTip()
    assert window.notices.offer.isHidden()


def test_leaving_brings_back_what_was_there(window: Window, qtbot: QtBot, folder: Path) -> None:
    assert words_of(window, "random") is None
    opened(window, qtbot, folder)
    assert words_of(window, "random") == "Random weights"
    next(action for action in ACTIONS if action.name == "random").run(window)
    assert untouched(window)
    qtbot.waitUntil(lambda: window.controls.source.text() == "Random weights")
    assert window.controls.layer_place.isHidden()
    window.director.session.undo()
    assert window.director.state.source.opened is not None


@pytest.mark.parametrize("what", ["missing", "text", "empty folder", "no ffn"])
def test_what_cannot_be_opened_is_one_sentence_and_nothing_changes(
    window: Window, qtbot: QtBot, tmp_path: Path, what: str
) -> None:
    place = tmp_path / "there"
    if what == "text":
        place.write_text("no weights")
    elif what == "empty folder":
        place.mkdir()
    elif what == "no ffn":
        np.savez(place.with_suffix(".npz"), a=np.zeros(3))
        place = place.with_suffix(".npz")
    window.opener.open_text(str(place))
    qtbot.waitUntil(lambda: shown(window) != "", timeout=PATIENCE_MS)
    assert "there" in shown(window)
    assert untouched(window)
    assert window.opener.recent.paths == ()
    assert not window.opener.job.under_way


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], threading.Event]:
    """A way to let the opening of a path wait until its event is set."""
    holds: dict[str, threading.Event] = {}
    really = catalog.open_checkpoint

    def open_checkpoint(path: Any) -> Any:
        for part, hold in holds.items():
            if part in str(path):
                hold.wait(20)
        return really(path)

    monkeypatch.setattr(open_files, "open_checkpoint", open_checkpoint)

    def hold_back(part: str) -> threading.Event:
        return holds.setdefault(part, threading.Event())

    return hold_back


def test_opening_is_announced_and_a_second_file_takes_over(
    window: Window, qtbot: QtBot, tmp_path: Path, slow: Callable[[str], threading.Event]
) -> None:
    first, second = llama(tmp_path / "first"), llama(tmp_path / "second", d_ff=24)
    hold = slow("first")
    window.opener.open_text(str(first))
    qtbot.waitUntil(lambda: not window.notices.busy.isHidden())
    assert window.notices.busy.sentence == "Opening first…"
    opened(window, qtbot, second)
    assert window.director.state.settings.d_ff == 24
    hold.set()
    qtbot.waitUntil(lambda: not any(thread.is_alive() for thread in window.opener.job._threads))
    assert window.director.state.settings.d_ff == 24
    assert window.opener.recent.paths == (str(second),)
    assert window.notices.busy.isHidden()


def test_escape_abandons_an_opening(
    window: Window, qtbot: QtBot, folder: Path, slow: Callable[[str], threading.Event]
) -> None:
    hold = slow("model")
    window.opener.open_text(str(folder))
    qtbot.waitUntil(lambda: not window.notices.busy.isHidden())
    press(window, Qt.Key.Key_Escape)
    qtbot.waitUntil(window.notices.busy.isHidden)
    assert not window.opener.job.under_way
    hold.set()
    qtbot.waitUntil(lambda: not any(thread.is_alive() for thread in window.opener.job._threads))
    assert untouched(window)


def test_the_window_stays_alive_while_a_file_hangs(
    window: Window, qtbot: QtBot, folder: Path, slow: Callable[[str], threading.Event]
) -> None:
    hold = slow("model")
    window.opener.open_text(str(folder))
    window.director.request(changes.set_setting("d_ff", 48))
    qtbot.waitUntil(lambda: scene(window).run is not None and scene(window).settings.d_ff == 48)
    start = time.monotonic()
    assert not window.director.works.close()
    assert time.monotonic() - start < 5
    hold.set()


def test_layers_are_gone_through_with_keys_and_field(window: Window, qtbot: QtBot, folder: Path) -> None:
    press(window, Qt.Key.Key_BracketRight)
    assert untouched(window)
    opened(window, qtbot, folder)
    picker = window.controls.picker
    qtbot.waitUntil(lambda: not picker.isHidden())
    assert picker.span.text() == "of 0–2"
    for key, layer in (
        (Qt.Key.Key_BracketRight, 1),
        (Qt.Key.Key_BracketRight, 2),
        (Qt.Key.Key_BracketRight, 2),
    ):
        press(window, key)
        assert window.director.state.settings.layer == layer
    press(window, Qt.Key.Key_BracketLeft)
    qtbot.waitUntil(lambda: picker.edit.value() == 1)
    assert isinstance(picker.edit, QSpinBox)
    picker.edit.stepBy(1)
    assert window.director.state.settings.layer == 2
    qtbot.waitUntil(lambda: layer_shown(window) == 2)
    assert shown(window) == ""


def test_what_the_file_decides_cannot_be_turned_and_says_so(
    window: Window, qtbot: QtBot, folder: Path
) -> None:
    opened(window, qtbot, folder)
    free = {"dtype", "device", "seed", "theta", "layer"}
    for knob in (*window.controls.knobs, *window.controls.more.knobs):
        assert knob.isEnabled() == (knob.row.field in free), knob.row.field
        if knob.row.field not in free:
            assert knob.toolTip() == "Given by the opened file model"
    assert window.controls.preset.isHidden()
    assert words_of(window, "match") is None
    button = window.corner_bar.compare
    button.fill()
    assert not button.others.isEnabled()
    for change in (changes.set_setting("d_ff", 24), changes.preset_2017(), changes.match_parameters()):
        window.director.request(change)
        qtbot.waitUntil(lambda: "given by the opened file" in shown(window))
        window.notices.dismiss()
    window.director.request(changes.set_setting("dtype", "bfloat16"))
    assert window.director.state.settings.dtype == "bfloat16"


def test_a_link_is_copied_and_leads_back(window: Window, qtbot: QtBot, folder: Path) -> None:
    clipboard = QApplication.clipboard()
    clipboard.setText("before")
    press(window, Qt.Key.Key_C, CTRL | SHIFT)
    assert clipboard.text() == "before"
    opened(window, qtbot, folder)
    assert words_of(window, "copy_link") == "Copy link to this layer"
    press(window, Qt.Key.Key_BracketRight)
    window.director.request(changes.choose(neuron=5))
    assert words_of(window, "copy_link") == "Copy link to this neuron"
    press(window, Qt.Key.Key_C, CTRL | SHIFT)
    link = clipboard.text()
    found = window.director.state.source.opened
    assert found is not None
    assert target_in(link) == Target(str(folder), 1, neuron=5, digest=found.digest)
    next(action for action in ACTIONS if action.name == "random").run(window)
    press(window, Qt.Key.Key_V, CTRL)
    qtbot.waitUntil(lambda: window.director.state.source.opened is not None, timeout=PATIENCE_MS)
    assert (window.director.state.settings.layer, window.director.state.selection.neuron) == (1, 5)
    assert shown(window) == ""


@pytest.mark.parametrize("clip", ["nothing of the kind\nat all", "ffn-explorer://server/x"])
def test_what_is_pasted_and_no_link_is_said(window: Window, qtbot: QtBot, clip: str) -> None:
    QApplication.clipboard().setText(clip)
    press(window, Qt.Key.Key_V, CTRL)
    qtbot.waitUntil(lambda: "link" in shown(window))
    assert untouched(window)


def test_a_copied_file_is_pasted(window: Window, qtbot: QtBot, folder: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(folder / "model.safetensors"))])
    QApplication.clipboard().setMimeData(data)
    press(window, Qt.Key.Key_V, CTRL)
    qtbot.waitUntil(lambda: window.director.state.source.opened is not None, timeout=PATIENCE_MS)


def test_a_link_to_another_file_opens_it_and_says_so(window: Window, qtbot: QtBot, folder: Path) -> None:
    opened(window, qtbot, f"ffn-explorer://{folder}?layer=2&digest={'0' * 32}")
    qtbot.waitUntil(lambda: "not the file that the link was made from" in shown(window))
    assert window.director.state.settings.layer == 2
    window.opener.open_text(f"ffn-explorer://{folder}?layer=3")
    qtbot.waitUntil(lambda: "0 to 2" in shown(window), timeout=PATIENCE_MS)
    assert window.director.state.settings.layer == 2
    window.opener.open_text(f"ffn-explorer://{folder}?neuron={F}")
    qtbot.waitUntil(lambda: "0 to 15" in shown(window), timeout=PATIENCE_MS)


def test_dialogs_lead_to_the_opener(
    window: Window, qtbot: QtBot, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_dialogs, "ask_open", lambda *_: folder / "model.safetensors")
    monkeypatch.setattr(open_dialogs, "ask_folder", lambda *_: folder)
    monkeypatch.setattr(open_dialogs, "ask_text", lambda *_: f"ffn-explorer://{folder}?layer=1")
    for key, modifier in ((Qt.Key.Key_O, CTRL), (Qt.Key.Key_O, CTRL | SHIFT), (Qt.Key.Key_L, CTRL)):
        press(window, key, modifier)
        qtbot.waitUntil(lambda: window.director.state.source.opened is not None, timeout=PATIENCE_MS)
        next(action for action in ACTIONS if action.name == "random").run(window)
    assert window.opener.recent.paths == (str(folder), str(folder / "model.safetensors"))
    assert window.folder == folder.parent


def test_hidden_states_flow_in_and_out_again(
    window: Window, qtbot: QtBot, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert words_of(window, "hidden_states") is None
    opened(window, qtbot, folder)
    good, bad = folder / "x.npy", folder / "bad.npy"
    np.save(good, np.ones((4, D), np.float32))
    np.save(bad, np.ones((4, D + 1), np.float32))
    monkeypatch.setattr(open_dialogs, "ask_what_rows_are", lambda *_: "ffn-input")
    run = next(action for action in ACTIONS if action.name == "hidden_states").run
    monkeypatch.setattr(open_dialogs, "ask_rows", lambda *_: good)
    run(window)
    qtbot.waitUntil(lambda: flowing(window) == "npy", timeout=PATIENCE_MS)
    for path in (folder / "none.npy", bad):
        monkeypatch.setattr(open_dialogs, "ask_rows", lambda *_, path=path: path)
        run(window)
        qtbot.waitUntil(lambda path=path: path.name in shown(window), timeout=PATIENCE_MS)  # type: ignore[misc]
    assert [chip.text for chip in scene(window).chips] == ["0", "1", "2", "3"]
    assert words_of(window, "embeddings") == "Token embeddings as x"
    next(action for action in ACTIONS if action.name == "embeddings").run(window)
    source = window.director.state.source
    assert source.opened is not None
    assert source.opened.x == ""


def test_what_rows_are_is_asked_and_the_field_takes_a_link(window: Window, tmp_path: Path) -> None:
    rows = open_dialogs.RowsDialog(window, tmp_path / "x.npy")
    said = [rows.chosen]
    rows.choices["ffn-input"].click()
    assert [*said, rows.chosen] == ["residual", "ffn-input"]
    typed = open_dialogs.TypedDialog(window)
    assert typed.edit.accessibleName()
    assert len(typed.box.buttons()) == 2
    for dialog in (rows, typed):
        dialog.deleteLater()


def test_a_session_takes_its_file_with_it(window: Window, qtbot: QtBot, folder: Path, tmp_path: Path) -> None:
    opened(window, qtbot, folder)
    window.director.request(changes.set_setting("layer", 2))
    window.director.request(changes.choose(neuron=3))
    saved = window.director.state
    save_session(tmp_path / "talk.ffnx", saved)
    next(action for action in ACTIONS if action.name == "random").run(window)
    OPEN_FILES.close()
    window.opener.open_text(str(tmp_path / "talk.ffnx"))
    qtbot.waitUntil(lambda: window.director.state.source.opened is not None, timeout=PATIENCE_MS)
    now = window.director.state
    assert (now.source, now.settings, now.selection) == (saved.source, saved.settings, saved.selection)
    next(action for action in ACTIONS if action.name == "random").run(window)
    (folder / "model.safetensors").unlink()
    OPEN_FILES.close()
    before = window.director.state
    window.opener.open_text(str(tmp_path / "talk.ffnx"))
    qtbot.waitUntil(lambda: shown(window) != "", timeout=PATIENCE_MS)
    assert window.director.state == before


def test_what_cannot_be_computed_says_so_and_keeps_the_file(
    window: Window, qtbot: QtBot, tmp_path: Path
) -> None:
    window.opener.open_text(str(nameless(tmp_path / "odd")))
    # Numbers of the random weights under the file's name would be taken for the file's.
    qtbot.waitUntil(lambda: scene(window).run is None, timeout=PATIENCE_MS)
    assert shown(window) == ""
    assert "activation of layer 0 is unknown" in window.board.panels["stage"].empty()
    assert window.director.state.source.opened is not None
    knob = next(knob for knob in window.controls.knobs if knob.row.field == "activation")
    assert knob.editor.currentText() == "unknown"  # type: ignore[union-attr]
    assert "30" in window.notices.offer.sentence
    window.notices.decline_button.click()
    qtbot.waitUntil(window.notices.offer.isHidden)
    press(window, Qt.Key.Key_BracketRight)
    qtbot.waitUntil(lambda: scene(window).settings.layer == 1)
    assert window.notices.offer.isHidden()


def test_a_file_that_cannot_be_computed_at_the_start_is_not_thrown_away(qtbot: QtBot, tmp_path: Path) -> None:
    found = OPEN_FILES.open(nameless(tmp_path / "odd"))
    state = use_opened(found).to(SMALL)
    from ffn_explorer.app.director import Director
    from ffn_explorer.state.results import Results
    from ffn_explorer.state.session import Session

    window = Window(Director(Session(state), Results()))
    qtbot.addWidget(window)
    window.painted.connect(window.director.loader.warm_up)
    window.director.start()
    with qtbot.waitExposed(window):
        window.show()
    qtbot.waitUntil(lambda: window.scene is not None and window.scene.no_run is not None, timeout=PATIENCE_MS)
    assert window.director.state.source.opened == found
    assert window.director.close()
    OPEN_FILES.close()


def test_everything_of_files_is_found(window: Window, qtbot: QtBot, folder: Path) -> None:
    def found(typed: str) -> list[str]:
        return [find.words for find in finds(window, typed) if find.run is not None]

    assert "Open a file…" in found("checkpoint")
    assert "フォルダーを開く…" not in found("open folder")
    assert "Copy link to this neuron" not in found("copy link")
    opened(window, qtbot, folder)
    window.director.request(changes.choose(neuron=5))
    assert "Copy link to this neuron" in found("copy link")
    assert "Correct the reading…" in found("roles")
    assert found("recent model")[0].startswith("Recent: model — ")
