"""Films of the board: each frame is the still picture of its time; from Python, and from the command line."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from PIL import Image
from pytestqt.qtbot import QtBot

from ffn_explorer.__main__ import main
from ffn_explorer.app import animating
from ffn_explorer.app.animating import animate, camera, computed_for, film_of, of_pass
from ffn_explorer.app.still import Subject, beside_others, draw, prepare_application, whole_application
from ffn_explorer.core.edits import Edits
from ffn_explorer.core.errors import InputError
from ffn_explorer.core.settings import Settings
from ffn_explorer.export.films.table import MOVING
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import AppState, Language, ThemeName
from ffn_explorer.state.compute import Cancelled
from ffn_explorer.state.layouts import LAYOUTS, Slot, panels_of
from ffn_explorer.state.needs import needs
from ffn_explorer.state.results import Results
from ffn_explorer.state.sessions_in import session_in
from tests.films import Rgb, decoded, rgb, ssim

SMALL = AppState(settings=Settings(d_model=8, d_ff=32, layers=1, heads=2, kv_heads=2))
ARGUMENTS = ("--d-model", "8", "--d-ff", "32", "--heads", "2")
SIZE = (640, 360)
WINDOW_PX = (1_280, 720)
EXACT = (".apng", ".webp")
LEAST = 0.98
LANGUAGES: tuple[Language, ...] = ("ja", "en")


pytestmark = pytest.mark.usefixtures("style_given_back")


def picture(state: AppState, path: Path, subject: Subject, pixels: float = 1.0) -> Rgb:
    """Still picture of a subject, as it is read back."""
    draw(state, path, panel=subject.panel, layout=subject.layout, size=subject.size, pixels=pixels)
    with Image.open(path) as image:
        return np.asarray(image.convert("RGB"))


def test_times_are_even_and_both_ends_are_among_them() -> None:
    times = [state.playback.time for state in of_pass(SMALL, frames=5)]
    assert times == [0.0, 0.25, 0.5, 0.75, 1.0]
    backwards = [state.playback.time for state in of_pass(SMALL, frames=3, span=(0.6, 0.2))]
    assert backwards == pytest.approx([0.6, 0.4, 0.2])
    assert len(of_pass(SMALL, frames=60)) == 60


@pytest.mark.parametrize("suffix", MOVING)
def test_each_frame_is_the_still_picture_of_its_time(qtbot: QtBot, tmp_path: Path, suffix: str) -> None:
    states, subject, path = of_pass(SMALL, frames=6), Subject("stage", size=SIZE), tmp_path / f"f{suffix}"
    told: list[float] = []
    animate(states, path, subject, told=told.append)
    found = decoded(path).frames
    assert len(found) == 6
    assert told == pytest.approx([1 / 6, 2 / 6, 3 / 6, 4 / 6, 5 / 6, 1.0])
    for number in (0, 3, 5):
        still = picture(states[number], tmp_path / "still.png", subject)
        if suffix in EXACT:
            assert np.array_equal(found[number], still)
        else:
            assert ssim(found[number], still) >= LEAST
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


@pytest.mark.parametrize(("layout", "language"), [*zip(LAYOUTS, cycle(LANGUAGES))])
def test_a_window_that_has_shown_other_times_equals_a_new_one(
    qtbot: QtBot, tmp_path: Path, layout: str, language: Language
) -> None:
    look = replace(SMALL.appearance, language=language, theme="dark" if language == "ja" else "light")
    states = of_pass(replace(SMALL, appearance=look), frames=5)
    states = tuple(changes.show_panels(frozenset(panels_of(LAYOUTS[layout]))).to(state) for state in states)
    subject = Subject(layout=layout, size=WINDOW_PX)
    prepare_application(look)
    with camera(states[0], computed_for(states), subject, wear=whole_application, pixels=1.0) as shoot:
        frames = [rgb(shoot(state)) for state in states]
    for number in (2, 4):
        assert np.array_equal(frames[number], picture(states[number], tmp_path / "still.png", subject))


@pytest.mark.parametrize("theirs", get_args(ThemeName))
@pytest.mark.parametrize("mine", get_args(ThemeName))
def test_a_look_of_its_own_is_the_same_whatever_the_program_wears(
    qtbot: QtBot, mine: ThemeName, theirs: ThemeName
) -> None:
    def drawn(others: ThemeName) -> np.ndarray:
        prepare_application(replace(SMALL.appearance, theme=others))
        subject = Subject(layout="inspect", size=(1_280, 720))
        state = changes.show_panels(frozenset(panels_of(LAYOUTS["inspect"]))).to(SMALL)
        state = replace(state, appearance=replace(SMALL.appearance, theme=mine))
        with camera(state, computed_for([state]), subject, wear=beside_others, pixels=1.0) as shoot:
            return rgb(shoot(state))

    assert np.array_equal(drawn(mine), drawn(theirs))


def test_the_first_picture_of_all_equals_the_next(qtbot: QtBot, tmp_path: Path) -> None:
    first, second = (picture(SMALL, tmp_path / "p.png", Subject(layout="cost")) for _ in range(2))
    assert np.array_equal(first, second)


def test_a_finer_film_has_the_pixels_of_a_finer_picture(qtbot: QtBot, tmp_path: Path) -> None:
    states, subject, path = of_pass(SMALL, frames=2), Subject("maps", size=(301, 201)), tmp_path / "f.apng"
    animate(states, path, subject, pixels=1.5)
    still = picture(states[1], tmp_path / "still.png", subject, pixels=1.5)
    assert still.shape == (302, 452, 3)
    assert np.array_equal(decoded(path).frames[1], still)


@pytest.mark.parametrize("suffix", MOVING)
def test_a_film_opens_again_with_all_that_it_was_made_from(qtbot: QtBot, tmp_path: Path, suffix: str) -> None:
    state, path = replace(changes.use_memory("xor").to(SMALL), edits=Edits(keep=1)), tmp_path / f"f{suffix}"
    animate(of_pass(state, frames=2), path, Subject("curve", size=(200, 120)))
    found, _ = session_in(path)
    assert (found.source, found.settings, found.edits) == (state.source, state.settings, state.edits)
    assert found.playback.time == 1.0


def test_every_stage_is_computed_before_the_first_frame() -> None:
    states = of_pass(replace(SMALL, shown=frozenset({"proof", "maps"})), frames=30)
    results = computed_for(states)
    assert all(needs(state, results) == () for state in states)
    again = Results()
    assert computed_for(states, results).nbytes == results.nbytes
    assert again.nbytes == 0


def test_what_is_known_is_not_computed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    states = of_pass(replace(SMALL, shown=frozenset({"maps"})), frames=4)
    known = computed_for(states)

    def computing(*_: object, **__: object) -> None:
        pytest.fail("something was computed again")

    monkeypatch.setattr(animating, "compute", computing)
    computed_for(states, known)


def test_a_film_given_up_leaves_nothing(qtbot: QtBot, tmp_path: Path) -> None:
    told: list[float] = []
    with pytest.raises(Cancelled):
        animate(
            of_pass(SMALL, frames=60),
            tmp_path / "f.mp4",
            Subject("stage", size=SIZE),
            told=told.append,
            stopped=lambda: len(told) >= 3,
        )
    assert len(told) < 60
    assert list(tmp_path.glob("*f*")) == []
    with pytest.raises(Cancelled):
        computed_for(of_pass(SMALL, frames=2), stopped=lambda: True)


def test_a_frame_that_cannot_be_drawn_ends_the_film(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("no picture")

    monkeypatch.setattr(animating, "image_of", broken)
    with pytest.raises(RuntimeError, match="no picture"):
        animate(of_pass(SMALL, frames=3), tmp_path / "f.gif", Subject("stage", size=SIZE))
    assert list(tmp_path.glob("*f*")) == []


def test_an_encoder_that_fails_ends_the_drawing(qtbot: QtBot, tmp_path: Path) -> None:
    told: list[float] = []
    with pytest.raises(InputError) as caught:
        animate(of_pass(SMALL, frames=60), tmp_path / "no" / "f.gif", Subject("curve"), told=told.append)
    assert caught.value.key == "export.write"
    assert len(told) < 60


@pytest.mark.parametrize("suffix", MOVING)
def test_render_animates_from_the_command_line(qtbot: QtBot, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"film{suffix}"
    options = ("--panel", "curve", "--size", "321x201", "--frames", "4", "--fps", "10", "--range", "0.9:0.1")
    assert main(["render", "--animate", "-o", str(path), *options, *ARGUMENTS]) == 0
    film = decoded(path)
    assert len(film.frames) == 4
    assert film.times[-1] == pytest.approx(0.4, abs=0.002)
    width, height = film.frames[0].shape[1::-1]
    assert (width, height) == ((322, 202) if suffix == ".mp4" else (321, 201))


@pytest.mark.parametrize(
    "wrong",
    [
        ("-o", "f.png", "--animate"),
        ("-o", "f.csv", "--animate", "--panel", "stage"),
        ("-o", "f.mp4"),
        ("-o", "f.png", "--frames", "9"),
        ("-o", "f.png", "--fps", "9"),
        ("-o", "f.png", "--range", "0:1"),
        ("-o", "f.gif", "--animate", "--time", "0.5"),
        ("-o", "f.gif", "--animate", "--frames", "1"),
        ("-o", "f.gif", "--animate", "--frames", "3001"),
        ("-o", "f.gif", "--animate", "--frames", "2.5"),
        ("-o", "f.gif", "--animate", "--fps", "0"),
        ("-o", "f.gif", "--animate", "--fps", "51"),
        ("-o", "f.mp4", "--animate", "--fps", "61"),
        ("-o", "f.mp4", "--animate", "--range", "0.5"),
        ("-o", "f.mp4", "--animate", "--range", "0:1.5"),
        ("-o", "f.mp4", "--animate", "--range", "nan:1"),
        ("-o", "f.mp4", "--animate", "--range", "a:b"),
        ("-o", "f.mp4", "--animate", "--size", "5000x100"),
        ("-o", "f.mp4", "--animate", "--size", "2000x1000", "--pixels", "4"),
        ("-o", "f.mp4", "--animate", "--panel", "nope"),
        ("-o", "f.mp4", "--animate", "--layout", "nope"),
        ("-o", "no/such/f.mp4", "--animate", "--panel", "curve", "--frames", "2"),
    ],
)
def test_a_wrong_option_is_one_sentence(
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    wrong: tuple[str, ...],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["render", *wrong, *ARGUMENTS]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert len(told.err.splitlines()) == 1
    assert list(tmp_path.glob("f*")) == []


def test_progress_is_told_to_a_terminal_alone(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["render", "--animate", "-o", str(tmp_path / "f.apng"), "--panel", "curve", "--frames", "2"]
    assert main([*command, *ARGUMENTS]) == 0
    assert "%" not in capsys.readouterr().err
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert main([*command, *ARGUMENTS]) == 0
    assert "\rDrawing the film: 50 %\rDrawing the film: 100 %\n" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl+C reaches a child otherwise there")
def test_ctrl_c_leaves_no_file(tmp_path: Path) -> None:
    script = """
import os, signal, sys
from ffn_explorer.app import animating
real, count = animating.frame_of, [0]
def counted(image):
    count[0] += 1
    if count[0] == 3:
        os.kill(os.getpid(), signal.SIGINT)
    return real(image)
animating.frame_of = counted
from ffn_explorer.__main__ import main
sys.argv[0] = "ffn-explorer"
sys.exit(main())
"""
    place = tmp_path / "place"
    place.mkdir()
    arguments = ["render", "--animate", "-o", str(place / "f.mp4"), "--panel", "curve", *ARGUMENTS]
    environment = {**os.environ, "TMPDIR": str(place)}
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 128 + signal.SIGINT, done.stderr
    assert list(place.iterdir()) == []


def test_the_film_of_a_panel_shows_what_that_panel_needs(qtbot: QtBot, tmp_path: Path) -> None:
    states = of_pass(SMALL, frames=2)
    assert panels_of(Slot("proof")) == ("proof",)
    film = film_of(states, Subject("proof"), rate=12, pixels=2.0)
    assert (film.size, film.frames, film.rate) == ((1_920, 1_200), 2, 12)
    assert (film.notes["Time"], film.notes["Frames"], film.notes["Rate"]) == ("0:1", "2", "12")
