"""`render --scene`: the scene that a lecture comes to, at a depth, as the window shows it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from ffn_explorer.__main__ import main
from ffn_explorer.app.director import Director
from ffn_explorer.app.still import computed
from ffn_explorer.app.window import Window
from ffn_explorer.export.png import lay_out
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import AppState
from ffn_explorer.state.layouts import lesson_layout, panels_of
from ffn_explorer.state.lectures.changes import set_depth, to_beat
from ffn_explorer.state.lectures.store import LECTURES
from ffn_explorer.state.session import Session
from tests.unit.test_lectures import SMALL

SIZE = (1_280, 720)


pytestmark = pytest.mark.usefixtures("style_given_back")


@pytest.fixture
def written(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(SMALL, "utf-8")
    return path


def render(path: Path, *options: str) -> int:
    return main(["render", "-o", str(path), "--size", "1280x720", *options])


def window_at(path: Path, scene: int) -> QImage:
    """Return the window after a person has answered the scene's question and read on to its mathematics."""
    lecture = LECTURES.open(str(path))
    beat = lecture.first_beat(scene) + 1
    assert lecture.beats[beat].part == "answer"
    layout = lesson_layout(lecture.scenes[scene].layout_at("mathematics"))
    state = set_depth("mathematics").to(to_beat(lecture, beat, rest=True).to(AppState()))
    state = changes.show_panels(frozenset(panels_of(layout))).to(state)
    window = Window(Director(Session(state), computed(state)))
    window.arrangement.show_scene(layout)
    window.director.start()
    lay_out(window, window.size().__class__(*SIZE))
    image = window.grab().toImage()
    assert window.director.close()
    window.close()
    window.deleteLater()
    return image


def test_it_is_what_the_window_shows(qtbot: QtBot, tmp_path: Path, written: Path) -> None:
    picture = tmp_path / "scene.png"
    assert render(picture, "--lecture", str(written), "--scene", "plain", "--depth", "mathematics") == 0
    made = QImage(str(picture))
    wanted = window_at(written, 0).convertToFormat(made.format())
    assert (made.width(), made.height()) == SIZE
    assert made == wanted
    settings = json.loads(made.text("Settings"))
    assert (settings["d_model"], settings["d_ff"], settings["activation"]) == (8, 16, "gelu")
    assert made.text("Time") == "0.75"  # where the scene's move ends


def test_a_number_is_a_name_and_depths_are_different_pictures(
    qtbot: QtBot, tmp_path: Path, written: Path
) -> None:
    made = {}
    for name, options in {
        "name": ("plain",),
        "number": ("1",),
        "shapes": ("plain", "--depth", "shapes"),
        "time": ("plain", "--time", "0.3"),
        "dark": ("plain", "--theme", "dark"),
        "other": ("memory",),
    }.items():
        path = tmp_path / f"{name}.png"
        given = ("--lecture", str(written), "--size", "640x400", "--scene", *options)
        assert main(["render", "-o", str(path), *given]) == 0
        made[name] = QImage(str(path))
    assert made["name"] == made["number"]
    rest = [made[name] for name in ("name", "shapes", "time", "dark", "other")]
    assert all(a != b for at, a in enumerate(rest) for b in rest[:at])


def test_a_panel_of_a_scene_of_the_built_in_lecture(qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "panel.png"
    assert render(path, "--scene", "keys", "--panel", "theatre") == 0
    session = json.loads(QImage(str(path)).text("Session"))
    assert "memory" in session["source"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--scene", "99"), "There is no scene “99”"),
        (("--scene", "gate", "--depth", "deep"), "--depth cannot be “deep”"),
        (("--scene", "gate", "--d-model", "8"), "--d-model cannot stand beside a scene"),
        (("--scene", "gate", "--open", "x.gguf"), "--open cannot stand beside a scene"),
        (("--depth", "idea"), "--depth is about a scene of a lecture"),
        (("--lecture", "x.toml"), "--lecture is about a scene of a lecture"),
        (("--scene", "gate", "--lecture", "nowhere.toml"), "nowhere.toml"),
    ],
)
def test_what_cannot_be_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], words: str
) -> None:
    path = tmp_path / "no.png"
    assert render(path, *options) == 2
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1
    assert not path.exists()


def test_a_film_of_a_scene_is_its_move(qtbot: QtBot, tmp_path: Path, written: Path) -> None:
    path, still = tmp_path / "move.apng", tmp_path / "end.png"
    scene = ("--lecture", str(written), "--scene", "plain", "--size", "640x400")
    assert main(["render", *scene, "--animate", "--frames", "4", "-o", str(path)]) == 0
    assert main(["render", *scene, "-o", str(still)]) == 0
    with Image.open(path) as film, Image.open(still) as end:
        assert getattr(film, "n_frames") == 4  # noqa: B009 - no attribute of pictures that stand still
        assert film.info["Time"] == "0.25:0.75"
        film.seek(0)
        first = film.convert("RGB").tobytes()
        film.seek(3)
        last = film.convert("RGB").tobytes()
        assert last == end.convert("RGB").tobytes()
        assert first != last
