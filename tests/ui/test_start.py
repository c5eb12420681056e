"""Starting: with a screen, without one, with libraries missing; and leaving without a trace."""

import os
import subprocess
import sys
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

    monkeypatch.setattr(screen.ctypes, "CDLL", cannot_open)
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
