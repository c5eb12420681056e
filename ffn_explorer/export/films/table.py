"""MOVING: formats of films by suffix."""

from collections.abc import Iterator, Mapping
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
    """One format; most_rate: frames per second beyond which programs that show it fall behind."""

    encode: Encoder
    most_rate: int = RATES[1]


MOVING: Mapping[str, Moving] = MappingProxyType(
    {
        ".mp4": Moving(mp4.encode),
        # A frame stays a whole number of hundredths of a second, and one of a single hundredth is shown slower.
        ".gif": Moving(gif.encode, most_rate=50),
        ".webp": Moving(webp.encode),
        ".apng": Moving(apng.encode),
    }
)


def moving_of(path: Path) -> Moving:
    """Format of a file name; InputError naming the formats where there is none."""
    found = MOVING.get(path.suffix.lower())
    if found is None:
        raise InputError("export.film_format", suffix=path.suffix or path.name, choices=", ".join(MOVING))
    return found


def check_film(film: Film, path: Path) -> None:
    """Raise InputError on a film that no format, or not this one, can hold, or an unknown format."""
    most = moving_of(path).most_rate
    film.check()
    if film.rate > most:
        raise InputError("export.film_fast", suffix=path.suffix.lower(), value=film.rate, high=most)
    if path.suffix.lower() == ".mp4":
        mp4.ffmpeg()


def write_film(frames: Iterator[Frame], film: Film, path: Path, *, stopped: Asked = never) -> None:
    """Write a film whole or not at all; frames: as many as it says, each `[height, width]`.

    stopped: asked between frames; Cancelled is raised then, and nothing is left.  InputError where the file
    cannot be written.
    """
    check_film(film, path)

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
            moving_of(path).encode(checked(), film, file, check)
            check()
    except (OSError, ValueError) as error:
        raise InputError("export.write", path=str(path), why=reason_of(error)) from error
