"""MOVING: formats of films by suffix."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import IO, Protocol

from ffn_explorer.core.errors import InputError
from ffn_explorer.export.films import apng, gif, mp4, webp
from ffn_explorer.export.films.film import RATES, Check, Film, Frame
from ffn_explorer.state.compute import Asked, Cancelled, never
from ffn_explorer.state.files import reason_of, whole


class Encoder(Protocol):
    """Writes a film, holding a few frames at a time; on any thread."""

    def __call__(self, frames: Iterator[Frame], film: Film, file: IO[bytes], check: Check) -> None:
        """Write all of it, asking `check` where more is done than taking the next frame."""


@dataclass(frozen=True, slots=True)
class Moving:
    """One format; most_rate: frames per second beyond which programs that show it fall behind.

    even: whether its sides are even; an odd one then gets one more row or column.
    needs: raises InputError where something that it is written with is missing.
    """

    encode: Encoder
    most_rate: int = RATES[1]
    even: bool = False
    needs: Callable[[], object] = bool

    def size_of(self, film: Film) -> tuple[int, int]:
        """Width and height in pixels of what is written."""
        width, height = film.size
        return (width + width % 2, height + height % 2) if self.even else (width, height)


MOVING: Mapping[str, Moving] = MappingProxyType(
    {
        ".mp4": Moving(mp4.encode, even=True, needs=mp4.ffmpeg),
        # A frame stays whole hundredths of a second, and one of a single hundredth is shown slower.
        ".gif": Moving(gif.encode, most_rate=50),
        ".webp": Moving(webp.encode),
        ".apng": Moving(apng.encode),
    }
)


def moving_of(suffix: str) -> Moving:
    """Format of a suffix; InputError naming the formats where there is none."""
    found = MOVING.get(suffix.lower())
    if found is None:
        raise InputError("export.film_format", suffix=suffix, choices=", ".join(MOVING))
    return found


def check_film(film: Film, suffix: str) -> None:
    """Raise InputError on a film that no format, or not this one, can hold, or an unknown format."""
    moving = moving_of(suffix)
    film.check()
    if film.rate > moving.most_rate:
        raise InputError("export.film_fast", suffix=suffix, value=film.rate, high=moving.most_rate)
    moving.needs()


def write_film(frames: Iterator[Frame], film: Film, path: Path, *, stopped: Asked = never) -> None:
    """Write a film whole or not at all; frames: as many as it says, each `[height, width]`.

    stopped: asked between frames; Cancelled is raised then, and nothing is left.  InputError where the file
    cannot be written.
    """
    check_film(film, path.suffix)

    def check() -> None:
        if stopped():
            raise Cancelled

    def checked() -> Iterator[Frame]:
        for frame in frames:
            check()
            yield frame
        check()

    try:
        with whole(path) as file:
            moving_of(path.suffix).encode(checked(), film, file, check)
            check()
    except (OSError, ValueError) as error:
        raise InputError("export.write", path=str(path), why=reason_of(error)) from error
