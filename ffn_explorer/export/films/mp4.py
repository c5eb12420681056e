"""MP4 films: H.264, written by the program ffmpeg, which runs as a process of its own."""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import numpy as np

from ffn_explorer.core.errors import InputError
from ffn_explorer.export.films.film import Check, Film, Frame

QUALITY = 12
"""CRF: 0 is exact, 23 usual; small letters and thin lines want less loss than a photograph."""

ASK_S = 0.05
"""How often is asked, while ffmpeg finishes, whether the film is still wanted."""

_COLOURS = (
    *("-colorspace", "bt709", "-color_primaries", "bt709"),
    *("-color_trc", "iec61966-2-1", "-color_range", "tv"),
)
_CONVERTED = (
    "scale=out_color_matrix=bt709:out_range=tv:flags=accurate_rnd+full_chroma_int+full_chroma_inp+area,"
    "format=yuv420p"
)


def encode(frames: Iterator[Frame], film: Film, file: IO[bytes], check: Check) -> None:
    """Write a film; a side that is odd becomes even by the last row or column once more.

    InputError where there is no ffmpeg, or it fails; OSError where the file does not take it.
    """
    program = ffmpeg()
    with tempfile.TemporaryDirectory(prefix="ffn-explorer-") as folder:
        made, notes, said = (Path(folder) / name for name in ("film.mp4", "notes.txt", "said.txt"))
        notes.write_text(_notes(film), encoding="utf-8")
        with said.open("wb") as errors, _running(_command(program, film, notes, made), errors) as process:
            fed = _feed(process, frames)
            while process.poll() is None:
                check()
                with suppress(subprocess.TimeoutExpired):
                    process.wait(ASK_S)
        if not fed or process.returncode != 0:
            lines = said.read_text("utf-8", errors="replace").strip().splitlines()
            raise InputError("export.ffmpeg_failed", why=lines[-1] if lines else str(process.returncode))
        with made.open("rb") as content:
            shutil.copyfileobj(content, file, 1 << 20)


def ffmpeg() -> str:
    """Path of ffmpeg; InputError where there is none."""
    try:
        import imageio_ffmpeg  # not wanted before the first film, and a bundle may come without it

        return str(imageio_ffmpeg.get_ffmpeg_exe())
    except (ImportError, RuntimeError) as error:
        raise InputError("export.no_ffmpeg") from error


@contextmanager
def _running(command: list[str], errors: IO[bytes]) -> Iterator["subprocess.Popen[bytes]"]:
    """The process; killed where anything goes wrong, and gone in any case when this is left."""
    try:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=errors, **_apart()
        )
    except OSError as error:
        raise InputError("export.no_ffmpeg") from error
    try:
        yield process
    except BaseException:
        process.kill()
        raise
    finally:
        if process.stdin is not None:
            with suppress(OSError):
                process.stdin.close()
        process.wait()


def _apart() -> dict[str, Any]:
    """How a process starts without a window on Windows, elsewhere out of reach of a Ctrl+C meant for us."""
    return {"creationflags": 0x08000000} if sys.platform == "win32" else {"start_new_session": True}


def _feed(process: "subprocess.Popen[bytes]", frames: Iterator[Frame]) -> bool:
    """Give all frames to ffmpeg; False where it wants no more of them."""
    assert process.stdin is not None
    for frame in frames:
        try:
            process.stdin.write(_even(frame).astype("<u4", copy=False).data)
        except OSError:
            return False
    with suppress(OSError):
        process.stdin.close()
    return True


def _even(frame: Frame) -> Frame:
    height, width = frame.shape
    if height % 2 or width % 2:
        frame = np.pad(frame, ((0, height % 2), (0, width % 2)), mode="edge")
    return np.ascontiguousarray(frame)


def _command(program: str, film: Film, notes: Path, made: Path) -> list[str]:
    width, height = (side + side % 2 for side in film.size)
    pixels = ["-f", "rawvideo", "-pixel_format", "bgr0", "-video_size", f"{width}x{height}"]
    return [
        *(program, "-hide_banner", "-loglevel", "error", "-nostdin", "-y"),
        *(*pixels, "-framerate", str(film.rate), "-i", "pipe:0"),
        *("-f", "ffmetadata", "-i", str(notes), "-map", "0:v", "-map_metadata", "1"),
        *("-an", "-vf", _CONVERTED, "-c:v", "libx264", "-preset", "superfast", "-crf", str(QUALITY)),
        *_COLOURS,
        *("-fps_mode", "passthrough", "-movflags", "+faststart", "-f", "mp4", str(made)),
    ]


def _notes(film: Film) -> str:
    """Metadata as ffmpeg reads them: the session as the comment."""
    fields = {
        "title": "FFN Explorer",
        "artist": film.notes.get("Software", ""),
        "comment": film.notes.get("Session", ""),
    }
    return "\n".join([";FFMETADATA1", *(f"{name}={_escaped(value)}" for name, value in fields.items()), ""])


def _escaped(text: str) -> str:
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return "".join(f"\\{letter}" if letter in "=;#\\\n" else letter for letter in text)
