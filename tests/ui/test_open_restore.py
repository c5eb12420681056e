"""The last session's file is opened again behind the first picture; recent files and corrections stay."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ffn_explorer.app.corrections import Corrections
from ffn_explorer.app.director import Director
from ffn_explorer.app.memory import Memory
from ffn_explorer.app.recent import MOST, Recent
from ffn_explorer.app.window import Window
from ffn_explorer.checkpoints import catalog
from ffn_explorer.checkpoints.correction import Correction
from ffn_explorer.core.settings import Settings
from ffn_explorer.state import changes, open_files
from ffn_explorer.state.app_state import AppState, Selection, Theta
from ffn_explorer.state.open_files import OPEN_FILES
from ffn_explorer.state.opened_changes import use_opened
from ffn_explorer.state.remembered import MOST_CORRECTIONS
from ffn_explorer.state.results import Results
from ffn_explorer.state.session import Session
from ffn_explorer.state.storage import Preferences, load_preferences, preferences_path, save_preferences
from ffn_explorer.state.text import say
from tests.ui.weights_folder import D, llama

PATIENCE_MS = 20_000


def last_session(folder: Path) -> AppState:
    """A state that looks at the second layer of a folder, as a person left it; the file is closed again."""
    state = use_opened(OPEN_FILES.open(folder), layer=1, neuron=4).to(AppState())
    state = replace(state, theta=Theta(0.25), settings=state.settings.with_(dtype="float64"))
    OPEN_FILES.close()
    return state


@contextmanager
def relaunched(qtbot: QtBot) -> Iterator[tuple[Window, Memory]]:
    """The program started anew, as `start` does it, up to its first picture."""
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    memory = Memory(application)
    window = Window(Director(Session(memory.first_state(None, frozenset())), Results()))
    qtbot.addWidget(window)
    memory.watch(window)
    window.opener.awaited = memory.last_opened
    window.director.start()
    yield window, memory
    window.close()
    assert window.director.close()
    memory.deleteLater()
    OPEN_FILES.close()


def test_everything_comes_back_behind_the_default_scene(qtbot: QtBot, tmp_path: Path) -> None:
    state = last_session(llama(tmp_path / "m"))
    # What was written may be of another version of the program: the layer's own settings count.
    save_preferences(Preferences(last=replace(state, settings=Settings(dtype="float64", layer=1))))
    with relaunched(qtbot) as (window, memory):
        assert window.director.state.source == AppState().source
        last = memory.last_opened
        assert last is not None
        window.opener.restore(last)
        qtbot.waitUntil(lambda: window.director.state.source.opened is not None, timeout=PATIENCE_MS)
        now = window.director.state
        assert (now.source, now.settings, now.theta) == (state.source, state.settings, state.theta)
        assert (now.selection.neuron, now.before_memory) == (4, state.before_memory)
        assert window.opener.awaited is None
        assert window.opener.recent.paths == (str(tmp_path / "m"),)


@pytest.mark.parametrize("fate", ["gone", "another"])
def test_a_file_that_is_not_what_it_was_leaves_the_default_scene(
    qtbot: QtBot, tmp_path: Path, fate: str
) -> None:
    folder = llama(tmp_path / "m")
    save_preferences(Preferences(last=last_session(folder)))
    if fate == "gone":
        (folder / "model.safetensors").unlink()
    else:
        llama(folder, layers=2)
    with relaunched(qtbot) as (window, memory):
        last = memory.last_opened
        assert last is not None
        window.opener.restore(last)
        qtbot.waitUntil(lambda: window.director._message is not None, timeout=PATIENCE_MS)
        assert window.director._message is not None
        assert "m" in say("en", window.director._message).split()
        assert window.director.state.source == AppState().source
        assert window.opener.recent.paths == (str(folder),)
        # A drive that is missing today does not cost the session of yesterday.
        memory.save()
        assert load_preferences()[0].last == last


def test_a_window_closed_before_its_file_is_open_forgets_nothing(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = last_session(llama(tmp_path / "m"))
    save_preferences(Preferences(last=state))
    hold, really = threading.Event(), catalog.open_checkpoint

    def open_checkpoint(path: Any) -> Any:
        hold.wait(20)
        return really(path)

    monkeypatch.setattr(open_files, "open_checkpoint", open_checkpoint)
    with relaunched(qtbot) as (window, memory):
        memory.save()
        assert load_preferences()[0].last == state
        assert memory.last_opened is not None
        window.opener.restore(memory.last_opened)
        memory.save()
        assert load_preferences()[0].last == state
        assert window.opener.job.cancel()
        memory.save()
        assert load_preferences()[0].last == state
        window.director.request(changes.set_sentences("something else"))
        memory.save()
        last = load_preferences()[0].last
        assert last is not None
        assert last.source.opened is None
        hold.set()


def test_hidden_states_that_are_gone_give_way_to_embeddings(qtbot: QtBot, tmp_path: Path) -> None:
    folder = llama(tmp_path / "m")
    np.save(tmp_path / "x.npy", np.ones((3, D), np.float32))
    state = last_session(folder)
    assert state.source.opened is not None
    opened = replace(state.source.opened, x=str(tmp_path / "x.npy"))
    state = replace(state, source=replace(state.source, opened=opened), selection=Selection(token=2))
    save_preferences(Preferences(last=state))
    (tmp_path / "x.npy").unlink()
    with relaunched(qtbot) as (window, memory):
        assert memory.last_opened is not None
        window.opener.restore(memory.last_opened)
        qtbot.waitUntil(lambda: window.director.state.source.opened is not None, timeout=PATIENCE_MS)
        assert window.director.state.source.opened == replace(opened, x="")
        assert window.director._message is not None
        assert "x.npy" in say("en", window.director._message)


def test_recent_files_and_corrections_are_remembered(qtbot: QtBot) -> None:
    digest, by = "a" * 32, Correction("layers", up="a.{layer}", function="gelu")
    with relaunched(qtbot) as (window, memory):
        window.opener.recent.add("/m/x.gguf")
        window.opener.corrections.keep(digest, by)
        memory.save()
    with relaunched(qtbot) as (window, _):
        assert window.opener.recent.paths == ("/m/x.gguf",)
        assert window.opener.corrections.known == {digest: by}
    data = json.loads(preferences_path().read_text())
    data["layout"] |= {
        "recent": [7, "", "/y", "/y", "a" * 9_000],
        "corrections": {digest: {"up": 3}, "x": {}},
    }
    preferences_path().write_text(json.dumps(data))
    with relaunched(qtbot) as (window, _):
        assert window.opener.recent.paths == ("/y",)
        assert window.opener.corrections.known == {}


def test_the_last_ten_are_kept_the_newest_first(qtbot: QtBot) -> None:
    recent = Recent(there=lambda path: "nothing" if path.name == "3" else "file")
    for number in range(13):
        recent.add(f"/m/{number}")
    recent.add("/m/5")
    assert recent.paths == ("/m/5", *(f"/m/{number}" for number in (12, 11, 10, 9, 8, 7, 6, 4, 3)))
    assert len(recent.paths) == MOST
    with qtbot.waitSignal(recent.looked):
        recent.look()
    assert recent.missing == {"/m/3"}
    recent.drop_missing()
    assert "/m/3" not in recent.paths
    recent.clear()
    assert recent.paths == ()
    assert recent.job.close()


def test_no_more_corrections_are_kept_than_there_is_room_for() -> None:
    kept = Corrections()
    for number in range(MOST_CORRECTIONS + 3):
        kept.keep(f"{number:032x}", Correction(up=str(number)))
    assert len(kept.known) == MOST_CORRECTIONS
    assert f"{2:032x}" not in kept.known
    kept.keep(f"{9:032x}", None)
    assert f"{9:032x}" not in kept.known
    again = Corrections()
    again.recall(kept.to_json())
    assert again.known == kept.known


def test_the_window_comes_first_and_then_the_file(tmp_path: Path) -> None:
    line = [str(llama(tmp_path / "m")), "--layer", "2", "--neuron", "3", "--sentence", "one two"]
    script = f"""
import sys
from PySide6.QtCore import Qt, QTimer
from ffn_explorer import __main__
from ffn_explorer.app import start

really_open, told = start.open_window, []

def opened(*arguments):
    window = really_open(*arguments)
    def seen():
        print(window.scene.run is not None, "torch" in sys.modules, window.director.state.source.opened)
        window.director.state_changed.connect(lambda old, new: new.source.opened and tell(new))
    def tell(state):
        told.append(state)
        len(told) == 1 and print(state.settings.layer, state.selection.neuron, state.source.sentences)
        QTimer.singleShot(0, window.close)
    window.painted.connect(seen, type=Qt.ConnectionType.DirectConnection)
    return window

start.open_window = opened
sys.exit(__main__.main({line!r}))
"""
    screens = ("DISPLAY", "WAYLAND_DISPLAY")
    kept = {name: value for name, value in os.environ.items() if name not in screens}
    kept |= {"FFN_EXPLORER_HOME": str(tmp_path / "home"), "LC_ALL": "C.UTF-8", "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(
        [sys.executable, "-c", script], env=kept, capture_output=True, text=True, timeout=100, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "True False None\n2 3 ('one two',)\n"
