"""Films decoded by other people's programs, and how alike two pictures are."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import av
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from ffn_explorer.export.films.film import OPAQUE, Film, Frame
from ffn_explorer.export.films.table import write_film

Rgb = NDArray[np.uint8]

WINDOW = 7
"""Side in pixels of the windows that are compared, as usual for SSIM."""


class Decoded(NamedTuple):
    """Frames `[H, W, 3]`, and the time in seconds at which each begins; at last the one at which all ends."""

    frames: list[Rgb]
    times: list[float]


def decoded(path: Path) -> Decoded:
    """A film as PyAV (MP4) or Pillow (everything else) reads it."""
    if path.suffix == ".mp4":
        with av.open(str(path)) as film:
            stream = film.streams.video[0]
            found = list(film.decode(stream))
            assert stream.duration is not None
            assert stream.time_base is not None
            end = float(stream.duration * stream.time_base)
            pictures = [np.asarray(frame.to_ndarray(format="rgb24"), np.uint8) for frame in found]
            return Decoded(pictures, [*(frame.time or 0.0 for frame in found), end])
    frames, times = [], [0.0]
    with Image.open(path) as image:
        for number in range(getattr(image, "n_frames", 1)):
            image.seek(number)
            frames.append(np.asarray(image.convert("RGB")))
            times.append(times[-1] + image.info["duration"] / 1_000)
    return Decoded(frames, times)


def rgb(frame: Frame) -> Rgb:
    """Red, green and blue of a frame."""
    return np.stack([frame >> 16 & 255, frame >> 8 & 255, frame & 255], axis=-1).astype(np.uint8)


def ssim(one: Rgb, other: Rgb) -> float:
    """Structural similarity (Wang et al. 2004) in windows of WINDOW pixels, mean of the three channels."""
    return float(np.mean([_ssim(one[..., k].astype(float), other[..., k].astype(float)) for k in range(3)]))


def _ssim(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    size = WINDOW * WINDOW
    mean_a, mean_b = _means(a), _means(b)
    scale = size / (size - 1)
    var_a, var_b = (_means(a * a) - mean_a**2) * scale, (_means(b * b) - mean_b**2) * scale
    both = (_means(a * b) - mean_a * mean_b) * scale
    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    above = (2 * mean_a * mean_b + c1) * (2 * both + c2)
    return float((above / ((mean_a**2 + mean_b**2 + c1) * (var_a + var_b + c2))).mean())


def _means(x: NDArray[np.float64]) -> NDArray[np.float64]:
    sums = np.pad(x, ((1, 0), (1, 0))).cumsum(0).cumsum(1)
    k = WINDOW
    found: NDArray[np.float64] = (sums[k:, k:] - sums[:-k, k:] - sums[k:, :-k] + sums[:-k, :-k]) / (k * k)
    return found


def drawn(frames: int, *, size: tuple[int, int] = (96, 64)) -> list[Frame]:
    """Frames like those of a film: a light ground, a heat map that changes, a dark block that moves."""
    width, height = size
    rows, columns = np.mgrid[: height // 3, : width - 8]
    made = []
    for number in range(frames):
        frame = np.full((height, width), OPAQUE + 0xF2F2EE, np.uint32)
        wave = np.sin(columns / 9 + rows / 5 + number // 2 / 3)
        # Hardly coloured: MP4 keeps colours half as fine as light and dark.
        grey = ((wave + 1) * 90).astype(np.uint32)
        frame[4 : 4 + height // 3, 4:-4] = OPAQUE + 0x38_38_38 + grey * 0x1_01_01 + rows % 5
        left = 2 * (number // 2) % max(1, width - 12)
        frame[height // 2 : height // 2 + 9, left : left + 11] = OPAQUE + 0x202428
        made.append(frame)
    return made


def film_for(frames: list[Frame], *, rate: int = 30, notes: dict[str, str] | None = None) -> Film:
    """The film of these frames."""
    height, width = frames[0].shape
    return Film((width, height), len(frames), rate, notes or {})


def film_bytes(suffix: str, notes: Mapping[str, str]) -> bytes:
    """A small film of two frames with these notes, as it stands in its file."""
    return _film_bytes(suffix, tuple(notes.items()))


@lru_cache(maxsize=64)
def _film_bytes(suffix: str, notes: tuple[tuple[str, str], ...]) -> bytes:
    frames = drawn(2, size=(24, 16))
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"film{suffix}"
        write_film(iter(frames), film_for(frames, notes=dict(notes)), path)
        return path.read_bytes()
