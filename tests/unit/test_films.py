"""Films: what other programs decode of them, how they fail, and that nothing is left behind then."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from ffn_explorer.core.errors import InputError
from ffn_explorer.export.films import mp4, table, webp
from ffn_explorer.export.films.changed import changed, changes
from ffn_explorer.export.films.film import FRAMES, OPAQUE, RATES, SIDE_PX, Film, Frame
from ffn_explorer.export.films.palette import COLOURS, nearest, palette_of, split
from ffn_explorer.export.films.reel import Reel
from ffn_explorer.export.films.table import MOVING, check_film, write_film
from ffn_explorer.export.notes import notes_of
from ffn_explorer.state.app_state import AppState
from ffn_explorer.state.changes import set_sentences
from ffn_explorer.state.compute import Cancelled, never
from ffn_explorer.state.sessions_in import session_in
from tests.films import decoded, drawn, film_for, rgb, ssim

EXACT = (".apng", ".webp")
LEAST = 0.98
ODD = (75, 49)


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Temporary files go where a test can count them."""
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(place))
    return place


def left_in(folder: Path) -> list[str]:
    """Every file below a folder."""
    return [path.name for path in folder.rglob("*") if path.is_file()]


@pytest.mark.parametrize("suffix", MOVING)
@pytest.mark.parametrize("size", [(96, 64), ODD])
def test_another_program_decodes_exactly_the_frames(
    tmp_path: Path, suffix: str, size: tuple[int, int]
) -> None:
    frames, path = drawn(13, size=size), tmp_path / f"film{suffix}"
    write_film(iter(frames), film_for(frames), path)
    found = decoded(path).frames
    assert len(found) == 13
    for frame, seen in zip(frames, found):
        same = seen[: size[1], : size[0]]
        assert np.array_equal(rgb(frame), same) if suffix in EXACT else ssim(rgb(frame), same) >= LEAST
    even = [side + side % 2 for side in size] if suffix == ".mp4" else list(size)
    assert list(found[0].shape[1::-1]) == even


def test_an_odd_side_of_an_mp4_becomes_even_by_its_last_row_once_more() -> None:
    frame = drawn(1, size=ODD)[0]
    even = mp4._even(frame)
    assert even.shape == (50, 76)
    assert np.array_equal(even[:-1, :-1], frame)
    assert np.array_equal(even[-1, :-1], frame[-1])
    assert np.array_equal(even[:-1, -1], frame[:, -1])


@pytest.mark.parametrize("suffix", MOVING)
@pytest.mark.parametrize("rate", [1, 7, 24, 30, 50])
def test_no_frame_drifts_off_its_time(tmp_path: Path, suffix: str, rate: int) -> None:
    frames, path = drawn(31, size=(32, 24)), tmp_path / f"film{suffix}"
    write_film(iter(frames), film_for(frames, rate=rate), path)
    times = decoded(path).times
    # What an MP4 says of its whole length is in milliseconds.
    unit = {".gif": 0.01, ".webp": 0.001, ".mp4": 0.001}.get(suffix, 0.0)
    assert len(times) == 32
    assert times == pytest.approx([frame / rate for frame in range(32)], abs=unit / 2 + 1e-4)


@given(rate=st.integers(*RATES), frames=st.integers(*FRAMES), unit=st.sampled_from([100, 1_000]))
def test_durations_add_up(rate: int, frames: int, unit: int) -> None:
    found = Film((16, 16), frames, rate, {}).durations(per_second=unit)
    assert len(found) == frames
    assert sum(found) == round(frames * unit / rate)
    assert max(found) - min(found) <= 1


@pytest.mark.parametrize("suffix", MOVING)
def test_a_film_opens_again_as_the_session_it_shows(tmp_path: Path, suffix: str) -> None:
    state = set_sentences("鍵 = 1; #2 \\ \n\ud800 …").to(AppState())
    path, frames = tmp_path / f"film{suffix.upper()}", drawn(3)
    write_film(iter(frames), film_for(frames, notes=notes_of(state)), path)
    found, note = session_in(path)
    assert (found.source, found.settings, note) == (state.source, state.settings, None)


@pytest.mark.parametrize("suffix", MOVING)
def test_two_equal_frames_are_two_frames(tmp_path: Path, suffix: str) -> None:
    frames, path = [drawn(1)[0]] * 3, tmp_path / f"film{suffix}"
    write_film(iter(frames), film_for(frames, rate=25), path)
    assert len(decoded(path).frames) == 3


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Frame, Frame]:
    """Two frames of one size, with few colours, so that many pixels stay."""
    shape = draw(st.tuples(st.integers(1, 9), st.integers(1, 9)))
    of = arrays.arrays(np.uint32, shape, elements=st.integers(0, 2))
    return draw(of) | np.uint32(OPAQUE), draw(of) | np.uint32(OPAQUE)


@given(pairs(), st.booleans())
def test_what_changed_makes_the_next_frame_and_is_no_larger_than_needed(
    pair: tuple[Frame, Frame], even: bool
) -> None:
    before, after = pair
    x, y, pixels = changed(before, after, even=even)
    height, width = pixels.shape
    made = before.copy()
    place = made[y : y + height, x : x + width]
    place[pixels != 0] = pixels[pixels != 0]
    assert np.array_equal(made, after)
    assert np.count_nonzero(pixels) == np.count_nonzero(before != after)
    if even:
        assert (x % 2, y % 2) == (0, 0)
    if (before == after).all():
        assert pixels.shape == (1, 1)
    else:
        edges = [pixels[-1], pixels[:, -1], *([] if even else [pixels[0], pixels[:, 0]])]
        assert all(edge.any() for edge in edges)


def test_the_first_frame_is_whole_and_frames_are_taken_one_by_one() -> None:
    frames, taken = drawn(4), 0

    def given_out() -> Iterator[Frame]:
        nonlocal taken
        for frame in frames:
            taken += 1
            yield frame

    for number, change in enumerate(changes(given_out()), 1):
        assert taken == number
        assert (change.pixels.shape == frames[0].shape) is (number == 1)


@settings(max_examples=25)
@given(arrays.arrays(np.uint32, st.integers(1, 700), elements=st.integers(0, 0xFFFFFF), unique=True))
def test_each_colour_gets_the_nearest_of_the_palette(colours: Frame) -> None:
    palette = palette_of(colours, np.arange(colours.size, 0, -1, dtype=np.uint32))
    assert 1 <= len(palette) <= COLOURS
    chosen = palette[nearest(colours, palette)[colours]].astype(int)
    wanted = split(colours).astype(int)
    if colours.size <= COLOURS:
        assert np.array_equal(chosen, wanted)
    weights = np.array([2, 4, 3])
    away = (weights * (wanted - chosen) ** 2).sum(axis=1)
    least = (weights * (wanted[:, None] - palette.astype(int)) ** 2).sum(axis=2).min(axis=1)
    assert (away <= least + 1).all()


@pytest.mark.parametrize("suffix", MOVING)
@pytest.mark.parametrize("after", [0, 1, 4])
def test_a_film_given_up_leaves_nothing(tmp_path: Path, own_folder: Path, suffix: str, after: int) -> None:
    path, frames, asked = tmp_path / f"film{suffix}", drawn(5), iter(range(1_000))
    path.write_bytes(b"older")
    with pytest.raises(Cancelled):
        write_film(iter(frames), film_for(frames), path, stopped=lambda: next(asked) >= after)
    assert path.read_bytes() == b"older"
    assert left_in(tmp_path) == [path.name]
    assert list(own_folder.iterdir()) == []


@pytest.mark.parametrize("suffix", MOVING)
def test_frames_that_cannot_be_drawn_leave_nothing(tmp_path: Path, own_folder: Path, suffix: str) -> None:
    def broken() -> Iterator[Frame]:
        yield drawn(1)[0]
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        write_film(broken(), film_for(drawn(3)), tmp_path / f"film{suffix}")
    assert left_in(tmp_path) == []
    assert list(own_folder.iterdir()) == []


@pytest.mark.parametrize("suffix", MOVING)
def test_a_full_disk_is_one_sentence_and_leaves_nothing(
    tmp_path: Path, own_folder: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    real = Path.open

    class Full:
        def __init__(self, file: Any) -> None:
            self.file = file

        def write(self, _: bytes) -> int:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        def __getattr__(self, name: str) -> Any:
            return getattr(self.file, name)

        def __enter__(self) -> Self:
            return self

        def __exit__(self, *_: object) -> None:
            self.file.close()

    def opened(path: Path, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
        file = real(path, mode, *args, **kwargs)
        return Full(file) if path.suffix == ".tmp" else file

    monkeypatch.setattr(Path, "open", opened)
    frames = drawn(3)
    with pytest.raises(InputError) as caught:
        write_film(iter(frames), film_for(frames), tmp_path / f"film{suffix}")
    assert caught.value.key == "export.write"
    assert left_in(tmp_path) == []
    assert list(own_folder.iterdir()) == []


def test_a_webp_too_long_for_its_header_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webp, "MOST_BYTES", 900)
    with pytest.raises(InputError) as caught:
        write_film(iter(drawn(9)), film_for(drawn(9)), tmp_path / "film.webp")
    assert caught.value.key == "export.write"
    assert left_in(tmp_path) == []


@pytest.mark.parametrize("suffix", MOVING)
@pytest.mark.parametrize("where", ["no/such/folder/film", "\0"])
def test_a_place_that_cannot_be_is_one_sentence(tmp_path: Path, suffix: str, where: str) -> None:
    frames = drawn(2)
    with pytest.raises(InputError) as caught:
        write_film(iter(frames), film_for(frames), tmp_path / f"{where}{suffix}")
    assert caught.value.key == "export.write"


@pytest.mark.parametrize(
    ("film", "suffix", "key"),
    [
        (Film((64, 64), FRAMES[0] - 1, 30, {}), ".gif", "export.film_frames"),
        (Film((64, 64), FRAMES[1] + 1, 30, {}), ".gif", "export.film_frames"),
        (Film((64, 64), 60, 0, {}), ".mp4", "export.film_rate"),
        (Film((64, 64), 60, RATES[1] + 1, {}), ".mp4", "export.film_rate"),
        (Film((64, 64), 60, 51, {}), ".gif", "export.film_fast"),
        (Film((SIDE_PX[0] - 1, 64), 60, 30, {}), ".webp", "export.film_size"),
        (Film((64, SIDE_PX[1] + 1), 60, 30, {}), ".apng", "export.film_size"),
        (Film((64, 64), 60, 30, {}), ".avi", "export.film_format"),
        (Film((64, 64), 60, 30, {}), "", "export.film_format"),
    ],
)
def test_an_impossible_film_is_one_sentence(film: Film, suffix: str, key: str) -> None:
    with pytest.raises(InputError) as caught:
        check_film(film, suffix)
    assert caught.value.key == key


def test_without_ffmpeg_an_mp4_is_refused_before_anything_is_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing() -> str:
        raise RuntimeError("No ffmpeg exe could be found.")

    monkeypatch.setattr("imageio_ffmpeg.get_ffmpeg_exe", missing)

    frames = iter(drawn(2))
    with pytest.raises(InputError) as caught:
        write_film(frames, film_for(drawn(2)), tmp_path / "film.mp4")
    assert caught.value.key == "export.no_ffmpeg"
    assert len(list(frames)) == 2


def test_an_ffmpeg_that_is_no_program_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("imageio_ffmpeg.get_ffmpeg_exe", lambda: str(tmp_path / "nothing"))
    with pytest.raises(InputError) as caught:
        write_film(iter(drawn(2)), film_for(drawn(2)), tmp_path / "film.mp4")
    assert caught.value.key == "export.no_ffmpeg"
    assert left_in(tmp_path) == []


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    """Return a list that will hold the processes that are started."""
    started: list[subprocess.Popen[bytes]] = []
    real = subprocess.Popen

    def start(*args: Any, **kwargs: Any) -> subprocess.Popen[bytes]:
        started.append(real(*args, **kwargs))
        return started[-1]

    monkeypatch.setattr(subprocess, "Popen", start)
    return started


@pytest.mark.parametrize("after", [1, 5])
def test_an_ffmpeg_that_is_killed_is_one_sentence_and_leaves_nothing(
    tmp_path: Path, own_folder: Path, started: list[subprocess.Popen[bytes]], after: int
) -> None:
    frames = drawn(6)

    def killing() -> Iterator[Frame]:
        for number, frame in enumerate(frames, 1):
            if number == after:
                started[0].kill()
                started[0].wait()
            yield frame

    with pytest.raises(InputError) as caught:
        write_film(killing(), film_for(frames), tmp_path / "film.mp4")
    assert caught.value.key == "export.ffmpeg_failed"
    assert left_in(tmp_path) == []
    assert list(own_folder.iterdir()) == []


def test_no_process_outlives_a_film_given_up(tmp_path: Path, started: list[subprocess.Popen[bytes]]) -> None:
    asked = iter(range(1_000))
    with pytest.raises(Cancelled):
        write_film(iter(drawn(9)), film_for(drawn(9)), tmp_path / "x.mp4", stopped=lambda: next(asked) > 4)
    assert [process.poll() is not None for process in started] == [True]


def test_a_long_film_is_not_held_in_memory(tmp_path: Path) -> None:
    # 300 frames of 640 x 360 are 276 MB; a program that kept them would need at least as much.
    script = f"""
import resource, sys
import numpy as np
from pathlib import Path
from ffn_explorer.export.films.table import write_film
from ffn_explorer.export.films.film import Film
import PIL.Image, PIL.GifImagePlugin, PIL.WebPImagePlugin
def frames():
    for number in range(300):
        frame = np.full((360, 640), 0xffeeeeee, np.uint32)
        frame[:, number : number + 40] = 0xff000000 + number
        yield frame
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for suffix in (".apng", ".webp", ".gif", ".mp4"):
    write_film(frames(), Film((640, 360), 300, 30, {{}}), Path({str(tmp_path)!r}) / ("film" + suffix))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    if sys.platform != "linux":
        pytest.skip("memory is counted otherwise here")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert int(done.stdout) * 1_024 < 150_000_000


def test_a_reel_takes_a_few_frames_and_no_more() -> None:
    frames = drawn(20)
    reel = Reel(film_for(frames))
    taken = 0
    while reel.offer(frames[0]):
        taken += 1
    assert reel.full
    assert 1 <= taken <= 8
    assert not reel.offer(frames[0], patience_s=0.01)
    given_out = reel.frames(never)
    assert next(given_out) is frames[0]
    assert reel.offer(frames[0])
    with pytest.raises(Cancelled):
        next(reel.frames(lambda: True))
    assert Reel(Film((4_096, 4_096), 2, 1, {}))._waiting.maxsize == 1


def test_every_format_has_a_row() -> None:
    assert set(MOVING) == {".mp4", ".gif", ".webp", ".apng"}
    assert shutil.which(mp4.ffmpeg()) is not None
    assert table.MOVING[".mp4"].size_of(Film((75, 49), 2, 1, {})) == (76, 50)
