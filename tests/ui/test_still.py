"""Still pictures: the same board without a screen, at the size asked for, the same every time."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from ffn_explorer.__main__ import main
from ffn_explorer.app.still import draw
from ffn_explorer.core.edits import Edits
from ffn_explorer.core.errors import InputError
from ffn_explorer.core.settings import Settings
from ffn_explorer.export import png
from ffn_explorer.panels.table import PANELS
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import AppState, Playback
from ffn_explorer.state.layouts import DEFAULT_LAYOUT, LAYOUTS
from ffn_explorer.state.state_json import state_from_json
from ffn_explorer.state.text import catalogue

SMALL = AppState(settings=Settings(d_model=8, d_ff=32, layers=1, heads=2, kv_heads=2))
ARGUMENTS = ("--d-model", "8", "--d-ff", "32", "--heads", "2")


pytestmark = pytest.mark.usefixtures("style_given_back")


def at(time: float) -> AppState:
    return replace(SMALL, playback=replace(SMALL.playback, time=time))


@pytest.mark.parametrize("panel", [None, *PANELS])
def test_a_picture_has_the_size_asked_for_and_something_in_it(
    qtbot: QtBot, tmp_path: Path, panel: str | None
) -> None:
    path = tmp_path / "picture.png"
    draw(SMALL, path, panel=panel, size=(1_300, 760))
    image = QImage(str(path))
    assert (image.width(), image.height()) == (1_300, 760)
    colours = {image.pixel(x, y) for x in range(0, 1_300, 7) for y in range(0, 760, 3)}
    assert len(colours) > 20


def test_the_same_state_gives_the_same_picture_and_another_time_another(qtbot: QtBot, tmp_path: Path) -> None:
    for name, time in (("a", 0.4), ("b", 0.4), ("c", 0.6)):
        draw(at(time), tmp_path / f"{name}.png", size=(1_280, 720))
    a, b, c = (QImage(str(tmp_path / f"{name}.png")) for name in "abc")
    assert a == b
    assert a != c
    assert (a.text("Time"), c.text("Time")) == ("0.4", "0.6")
    assert a.text("Sentences") == '["The keys on the table are lost."]'


def test_a_picture_carries_all_that_it_was_made_from(qtbot: QtBot, tmp_path: Path) -> None:
    state = replace(changes.use_memory("xor").to(SMALL), edits=Edits(keep=1))
    draw(state, tmp_path / "p.png", panel="stage", size=(600, 300))
    image = QImage(str(tmp_path / "p.png"))
    assert state_from_json(json.loads(image.text("Session")))[0] == replace(
        state, playback=Playback(state.playback.time)
    )
    assert image.text("Sentences") == ""


@pytest.mark.parametrize(
    ("panel", "size", "name", "key"),
    [
        ("nope", None, "p.png", "export.panel"),
        (None, (15, 100), "p.png", "export.size"),
        (None, (100, 16_385), "p.png", "export.size"),
        (None, None, "p.jpg", "export.format"),
        (None, None, "p", "export.format"),
        ("chips", None, "no/such/folder/p.png", "export.write"),
    ],
)
def test_what_cannot_be_drawn_is_one_sentence(
    qtbot: QtBot, tmp_path: Path, panel: str | None, size: tuple[int, int] | None, name: str, key: str
) -> None:
    with pytest.raises(InputError) as caught:
        draw(SMALL, tmp_path / name, panel=panel, size=size)
    assert caught.value.key == key
    assert list(tmp_path.iterdir()) == []


def test_a_picture_larger_than_memory_is_refused_before_it_is_begun(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(png, "free_bytes", lambda: 900_000_000)
    with pytest.raises(InputError) as caught:
        draw(SMALL, tmp_path / "p.png", panel="curve", size=(5_000, 4_001))
    assert (caught.value.key, caught.value.values["needed"]) == ("export.memory_free", "480.1 MB")
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr(png, "free_bytes", lambda: 970_000_000)
    png.check_size(QSize(5_000, 4_001))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_can_be_drawn(qtbot: QtBot, tmp_path: Path, layout: str) -> None:
    draw(SMALL, tmp_path / "one.png", size=(1_280, 720), layout=layout)
    draw(SMALL, tmp_path / "default.png", size=(1_280, 720))
    one, default = (QImage(str(tmp_path / f"{name}.png")) for name in ("one", "default"))
    assert (one == default) is (layout == DEFAULT_LAYOUT)


def test_a_failed_write_leaves_the_old_picture(qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "old.png"
    path.mkdir()
    with pytest.raises(InputError) as caught:
        draw(SMALL, path, panel="chips")
    assert caught.value.key == "export.write"
    assert [found.name for found in tmp_path.iterdir()] == ["old.png"]


def test_render_draws_from_the_command_line(qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "picture.png"
    size = ("--size", "900x500", "--time", "0.5", "--scale", "1.5", "--theme", "dark")
    assert main(["render", "-o", str(path), "--panel", "stage", *size, *ARGUMENTS]) == 0
    assert QImage(str(path)).width() == 900


@pytest.mark.parametrize(
    "wrong",
    [
        ("--time", "1.5"),
        ("--time", "-0.1"),
        ("--time", "nan"),
        ("--time", "late"),
        ("--scale", "0.5"),
        ("--scale", "3"),
        ("--size", "big"),
        ("--size", "0x10"),
        ("--panel", "nope"),
        ("--panel", "stage", "--window"),
        ("--panel", "stage", "--layout", "cost"),
        ("--layout", "nope"),
        ("--pixels", "2"),  # of shapes
    ],
)
def test_a_wrong_option_is_one_sentence(
    qtbot: QtBot, tmp_path: Path, capsys: pytest.CaptureFixture[str], wrong: tuple[str, ...]
) -> None:
    name = "p.svg" if "--pixels" in wrong else "p.png"
    assert main(["render", "-o", str(tmp_path / name), *wrong, *ARGUMENTS]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert len(told.err.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_help_names_every_panel_and_layout(language: str) -> None:
    said = catalogue(language)
    assert set(re.findall(r"[a-z_]+", said["cli.option.panel"])) >= PANELS.keys()
    assert set(re.findall(r"[a-z_]+", said["cli.option.layout"])) >= LAYOUTS.keys()
