"""A file, folder or link on the command line, beside the options; what is no file is refused as before."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ffn_explorer.__main__ import main
from ffn_explorer.app import start as start_module
from ffn_explorer.cli.parser import parse
from ffn_explorer.core.errors import InputError
from ffn_explorer.state.app_state import AppState
from ffn_explorer.state.links import link_to
from ffn_explorer.state.target import Target
from tests.ui.weights_folder import llama

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What the window would have been opened with."""
    found: list[dict[str, Any]] = []

    def start(state: AppState | None, **more: Any) -> int:
        found.append({"state": state, "target": None, **more})
        return 0

    monkeypatch.setattr(start_module, "start", start)
    return found


@pytest.mark.parametrize(
    "line",
    [
        "{} --layer 1 --theme dark",
        "--layer 1 --theme dark {}",
        "--layer 1 {} --theme=dark",
        "--open {} --layer 1 --theme dark",
    ],
)
def test_a_file_stands_anywhere_beside_the_options(
    started: list[dict[str, Any]], tmp_path: Path, line: str
) -> None:
    folder = llama(tmp_path / "m")
    assert main(line.format(folder).split()) == 0
    (one,) = started
    assert one["target"] == Target(str(folder), 1, x_is="ffn-input")
    assert one["state"].appearance.theme == "dark"
    assert one["state"].source == AppState().source
    assert "theme" in one["given"]


def test_every_option_that_a_file_leaves_free_goes_with_it(started: list[dict[str, Any]]) -> None:
    line = "/m/x.gguf --stack decoder --layer 2 --neuron 7 --token 1 --theta 0.5 --seed 3 --dtype bfloat16"
    assert main([*line.split(), "--sentence", "one two", "--device", "cpu"]) == 0
    target = started[0]["target"]
    assert (target.layer, target.stack, target.neuron, target.token) == (2, "decoder", 7, 1)
    assert (target.theta, target.sentences) == (0.5, ("one two",))
    assert dict(target.free) == {"seed": 3, "dtype": "bfloat16", "device": "cpu"}


def test_a_link_is_opened_and_options_go_before_it(started: list[dict[str, Any]]) -> None:
    link = link_to(Target("/m/x.gguf", 4, neuron=9))
    assert main([link, "--layer", "5"]) == 0
    assert started[0]["target"] == Target("/m/x.gguf", 5, neuron=9, x_is="ffn-input")


def test_a_session_is_opened_by_itself(started: list[dict[str, Any]], capsys: Capture) -> None:
    assert main(["talk.ffnx", "--theme", "dark"]) == 0
    assert started[0]["target"] == Target(str(Path.cwd() / "talk.ffnx"))
    assert main(["talk.ffnx", "--layer", "1"]) == 2
    assert "--layer" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("/m/x.gguf --d-model 8", "--d-model"),
        ("/m/x.gguf --compare relu", "--compare"),
        ("/m/x.gguf --layer x", "--layer"),
        ("/m/x.gguf --theta -1", "--theta"),
        ("/m/x.gguf --dtype int7", "int7"),
        ("/m/x.gguf /m/y.gguf", "/m/y.gguf"),
        ("/m/x.gguf --open /m/y.gguf", "/m/y.gguf"),
        ("ffn-explorer://server/x", "ffn-explorer://server/x"),
        ("rnu", "rnu"),
        ("rendr --d-model 8", "rendr"),
        ("--nope /m/x.gguf", "--nope"),
    ],
)
def test_mistakes_are_told_before_any_window(
    started: list[dict[str, Any]], capsys: Capture, line: str, said: str
) -> None:
    assert main(line.split()) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert said in err
    assert started == []


def test_the_name_of_a_command_is_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run").mkdir()
    (tmp_path / "weights").mkdir()
    assert parse(["run"]).command == "run"
    assert "open" not in parse(["--sentence", "weights"])
    assert parse(["./run"]).open == "./run"
    assert parse(["weights"]).open == "weights"
    assert parse(["weights", "--no-bias", "--layer", "2"]).layer == "2"
    with pytest.raises(InputError):
        parse(["nothing-here"])


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="X11 and Wayland")
def test_without_a_screen_the_layer_is_drawn(tmp_path: Path) -> None:
    from PySide6.QtGui import QImage

    screens = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    kept = {name: value for name, value in os.environ.items() if name not in screens}
    kept |= {"FFN_EXPLORER_HOME": str(tmp_path / "home"), "LC_ALL": "C.UTF-8", "OMP_NUM_THREADS": "1"}

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "ffn_explorer", *arguments]
        return subprocess.run(
            command, env=kept, cwd=tmp_path, capture_output=True, text=True, timeout=100, check=False
        )

    done = run(str(llama(tmp_path / "m")), "--layer", "2", "--neuron", "3")
    assert (done.returncode, done.stderr) == (0, "")
    settings = QImage(str(tmp_path / "ffn-explorer.png")).text("Settings")
    assert '"layer": 2' in settings
    assert '"d_model": 8' in settings
    done = run(str(tmp_path / "m"), "--layer", "3")
    assert done.returncode == 2
    assert "layer" in done.stderr
    assert len(done.stderr.splitlines()) == 1
