"""Standard output and standard error that are full or closed, and places that are no regular file."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from ffn_explorer.__main__ import main

SMALL = ("--d-model", "16", "--d-ff", "24")

Capture = pytest.CaptureFixture[str]

pytestmark = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a shell and /dev/full")


def shell(redirection: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The program as a shell starts it, with what comes after its arguments."""
    line = f'{redirection.partition("|")[0]} "$@" {redirection.partition("|")[2]}'
    return subprocess.run(
        ["sh", "-c", line, "sh", sys.executable, "-m", "ffn_explorer", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize(
    ("redirection", "reason"),
    [("|>/dev/full", "No space left on device"), ("|>&-", "Bad file descriptor")],
)
@pytest.mark.parametrize("arguments", [("run", *SMALL), ("--help",), ("--version",)])
def test_standard_output_that_cannot_be_written(
    redirection: str, reason: str, arguments: tuple[str, ...]
) -> None:
    done = shell(redirection, *arguments)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert f"Standard output could not be written ({reason})" in done.stderr


@pytest.mark.parametrize("redirection", ["|2>/dev/full", "|2>&-"])
def test_standard_error_that_cannot_be_written_changes_nothing(redirection: str, tmp_path: Path) -> None:
    done = shell(redirection, "run", "--json", *SMALL, "--npz", str(tmp_path / "a.npz"))
    assert done.returncode == 0
    assert done.stdout.startswith("{")
    assert done.stdout.endswith("}\n")
    done = shell(redirection, "run", "--d-model", "0")
    assert (done.returncode, done.stdout) == (2, "")


def test_a_full_disk_under_a_picture_is_one_sentence(tmp_path: Path) -> None:
    made = tmp_path / "a.png"
    done = shell("ulimit -f 8;|", "render", *SMALL, "-o", str(made))
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "File too large" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == []


@pytest.mark.timeout(30)
@pytest.mark.parametrize("command", ["npz", "render"])
def test_pipes_are_not_replaced_even_through_a_link(capsys: Capture, tmp_path: Path, command: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link.png").symlink_to("pipe")
    for name in ("pipe", "link.png") if command == "npz" else ("link.png",):
        place = str(tmp_path / name)
        given = ["run", *SMALL, "--npz", place] if command == "npz" else ["render", *SMALL, "-o", place]
        assert main(given) == 2
        assert "it is not a regular file" in capsys.readouterr().err
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    assert (tmp_path / "link.png").is_symlink()
    assert len([path for path in tmp_path.iterdir() if path.name != "home"]) == 2


def test_a_device_is_not_replaced(capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The real device is only asked what it is: a defect would replace it for everybody.
    place = tmp_path / "device"
    place.touch()
    device = Path(os.devnull).stat()
    real = Path.stat
    monkeypatch.setattr(Path, "stat", lambda path, **how: device if path == place else real(path, **how))
    assert main(["run", *SMALL, "--npz", str(place)]) == 2
    assert "it is not a regular file" in capsys.readouterr().err
    assert place.read_bytes() == b""
