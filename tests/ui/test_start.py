"""Starting: with a screen, without one, with libraries missing; and leaving without a trace."""

import ctypes
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from ffn_explorer.app import screen
from ffn_explorer.core.errors import InputError

PROGRAM = [sys.executable, "-m", "ffn_explorer"]
SCREENS = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")


def environment(home: Path, **more: str) -> dict[str, str]:
    """The surroundings of a fresh process: no screen unless given, own preferences."""
    kept = {name: value for name, value in os.environ.items() if name not in SCREENS}
    return {**kept, "FFN_EXPLORER_HOME": str(home), "OMP_NUM_THREADS": "1", "LC_ALL": "C.UTF-8", **more}


def run(*command: str, home: Path, cwd: Path, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        env=environment(home, **more),
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


@pytest.mark.parametrize(
    ("library", "package"),
    [
        ("libEGL.so.1", "libegl1"),
        ("libxcb-cursor.so.0", "libxcb-cursor0"),
        ("libxkbcommon-x11.so.0", "libxkbcommon-x11-0"),
        ("libdbus-1.so.3", "libdbus-1-3"),
        ("libglib-2.0.so.0", "libglib2.0-0"),
    ],
)
def test_debian_packages_follow_from_library_names(library: str, package: str) -> None:
    assert screen.package_of(library) == package


def test_the_packages_agree_with_the_list_that_prepare_installs() -> None:
    listed = Path(__file__).parents[2] / "packaging" / "qt_libraries.txt"
    rows = [row.split() for row in listed.read_text("utf-8").splitlines() if row and not row.startswith("#")]
    assert {library: screen.package_of(library) for library, _, _ in rows} == {
        library: package for library, package, _ in rows
    }


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="shared objects of Linux")
def test_a_missing_library_is_named_with_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    qt = tmp_path / "Qt"
    (qt / "lib").mkdir(parents=True)
    broken = qt / "lib" / "libQt6Gui.so.6"
    broken.write_bytes(b"")
    monkeypatch.setattr(screen, "_qt_folder", lambda: qt)

    def cannot_open(name: str) -> None:
        raise OSError("libEGL.so.1: cannot open shared object file: No such file or directory")

    monkeypatch.setattr(ctypes, "CDLL", cannot_open)
    with pytest.raises(InputError) as caught:
        screen.check_libraries(window=False)
    assert caught.value.key == "window.no_libraries"
    assert caught.value.values == {"libraries": "libEGL.so.1", "packages": "libegl1"}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="X11")
def test_an_x_server_that_does_not_answer_is_one_sentence(tmp_path: Path) -> None:
    done = run(*PROGRAM, home=tmp_path / "home", cwd=tmp_path, DISPLAY=":7654")
    assert done.returncode == 2
    assert ":7654" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert done.stdout == ""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="X11 and Wayland")
def test_without_a_screen_the_default_scene_is_written_and_the_place_told(tmp_path: Path) -> None:
    done = run(*PROGRAM, home=tmp_path / "home", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stderr == ""
    picture = tmp_path / "ffn-explorer.png"
    assert str(picture) in done.stdout
    assert QImage(str(picture)).width() == 1_600


OPENED = """
import sys
import time
from PySide6.QtCore import QTimer
from ffn_explorer.app import start
from ffn_explorer.state import changes

really_open = start.open_window

def opened(*arguments):
    window = really_open(*arguments)
    window.painted.connect(lambda: after_first_picture(window), type=Qt.ConnectionType.QueuedConnection)
    return window

start.open_window = opened
"""


def with_window(code: str, *, home: Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run the program, with `after_first_picture(window)` called once its first picture is on screen."""
    script = f"from PySide6.QtCore import Qt\n{code}\n{OPENED}\nsys.exit(start.start(None))\n"
    return run(sys.executable, "-c", script, home=home, cwd=cwd, QT_QPA_PLATFORM="offscreen")


def test_the_first_picture_shows_real_values_and_torch_comes_after_it(tmp_path: Path) -> None:
    code = """
def after_first_picture(window):
    print(window.scene.run is not None, window.scene.activity is not None, "torch" in sys.modules)
    window.director.loader.arrived.connect(lambda: (print("torch" in sys.modules), window.close()))
"""
    done = with_window(code, home=tmp_path / "home", cwd=tmp_path)
    assert done.stderr == ""
    assert done.stdout.split("\n")[0] == "True True False"
    assert done.stdout.split("\n")[1] == "True"
    assert done.returncode == 0


def test_torch_is_kept_out_of_garbage_collection_which_would_stop_a_frame(tmp_path: Path) -> None:
    code = """
import gc
from ffn_explorer.app.torch_import import import_torch
import_torch()
print(gc.get_freeze_count() > 100_000, gc.isenabled(), len(gc.get_objects()) < 50_000)
"""
    done = run(sys.executable, "-c", code, home=tmp_path / "home", cwd=tmp_path)
    assert (done.stdout, done.stderr) == ("True True True\n", "")


def test_no_garbage_is_looked_for_in_what_the_window_is_made_of(tmp_path: Path) -> None:
    code = """
def after_first_picture(window):
    import gc
    print(gc.isenabled(), gc.get_freeze_count() > 20_000)
    window.close()
"""
    done = with_window(code, home=tmp_path / "home", cwd=tmp_path)
    assert (done.stdout, done.stderr) == ("True True\n", "")


def test_the_pass_begins_with_the_first_picture(tmp_path: Path) -> None:
    code = """
def after_first_picture(window):
    director = window.director
    director.clock.ticked.connect(lambda: (print(director.state.playback.time > 0), window.close()))
"""
    before = "window.painted.connect(lambda: print(window.director.state.playback.time))"
    script = OPENED.replace("    return window", f"    {before}\n    return window")
    script = f"from PySide6.QtCore import Qt\n{code}\n{script}\nsys.exit(start.start(None))\n"
    home = tmp_path / "home"
    done = run(sys.executable, "-c", script, home=home, cwd=tmp_path, QT_QPA_PLATFORM="offscreen")
    assert done.stderr == ""
    assert done.stdout.startswith("0.0\nTrue\n")


def test_the_pass_is_playing_at_launch(tmp_path: Path) -> None:
    code = """
def after_first_picture(window):
    print(window.director.state.playback.playing, window.director.state.playback.time < 0.5)
    window.close()
"""
    done = with_window(code, home=tmp_path / "home", cwd=tmp_path)
    assert done.stdout == "True True\n"


CLOSING = {
    "at once": "window.close()",
    "while torch is imported": "QTimer.singleShot(250, window.close)",
    "while computing": """
    window.director.request(changes.set_setting("d_ff", 16_384))
    window.director.request(changes.set_setting("d_model", 4_096))
    loader = window.director.loader
    loader.busy_changed.connect(lambda busy: busy and QTimer.singleShot(0, window.close))""",
}


@pytest.mark.parametrize("moment", CLOSING)
def test_closing_leaves_no_trace(tmp_path: Path, moment: str) -> None:
    code = f"def after_first_picture(window):\n    {CLOSING[moment]}"
    done = with_window(code, home=tmp_path / "home", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_signal_closes_the_window_as_a_person_would(tmp_path: Path, name: str) -> None:
    code = f"""
def after_first_picture(window):
    import os, signal
    window.director.request(changes.set_theme("dark"))
    QTimer.singleShot(100, lambda: os.kill(os.getpid(), signal.{name}))
"""
    done = with_window(code, home=tmp_path / "home", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert '"theme": "dark"' in (tmp_path / "home" / "preferences.json").read_text("utf-8")


def test_work_that_ignores_its_cancel_flag_does_not_hold_the_program_open(tmp_path: Path) -> None:
    code = """
import time
def after_first_picture(window):
    loader = window.director.loader
    loader._compute = lambda *_, **__: time.sleep(60)
    loader.close.__func__.__defaults__ = (0.2,)
    loader.busy_changed.connect(lambda busy: busy and window.close())
    window.director.request(changes.set_setting("d_ff", 64))
"""
    start = time.monotonic()
    done = with_window(code, home=tmp_path / "home", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert time.monotonic() - start < 30
