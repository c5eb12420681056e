"""WebP films: lossless, every frame as the pixels that changed."""

import errno
import io
import os
import struct
from collections.abc import Iterator
from typing import IO

from ffn_explorer.export.films.changed import changes, rgba
from ffn_explorer.export.films.film import Check, Film, Frame
from ffn_explorer.export.notes_xml import packet

ANIMATION, XMP, ALPHA = 0x02, 0x04, 0x10
"""Flags of the header."""
ALONE = 0x02
"""Flag of a frame that is not blended with the one before."""
MOST_BYTES = 2**32 - 2
"""Largest size that the header can name."""
EFFORT = 1
"""Of 0 to 6: at 0 the frames are ten times larger, above 1 they take longer to write than to draw."""


def encode(frames: Iterator[Frame], film: Film, file: IO[bytes], check: Check) -> None:  # noqa: ARG001 - nothing is done but taking the next frame
    """Write a film; it repeats for ever. OSError where the file does not take it."""
    width, height = film.size
    start = file.tell()
    file.write(b"RIFF\0\0\0\0WEBP")
    _write(file, b"VP8X", struct.pack("<I", ANIMATION | XMP | ALPHA) + _three(width - 1) + _three(height - 1))
    # Ground (transparent, and covered by the first frame), and how often it is shown: for ever.
    _write(file, b"ANIM", struct.pack("<IH", 0, 0))
    durations = film.durations(per_second=1_000)
    for at, (x, y, pixels) in enumerate(changes(frames, even=True)):
        h, w = pixels.shape
        place = _three(x // 2) + _three(y // 2) + _three(w - 1) + _three(h - 1)
        head = place + _three(durations[at]) + bytes([0 if at else ALONE])
        _write(file, b"ANMF", head + _picture(pixels))
    _write(file, b"XMP ", packet(film.notes))
    end = file.tell()
    if end - start - 8 > MOST_BYTES:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    file.seek(start + 4)
    file.write(struct.pack("<I", end - start - 8))
    file.seek(end)


def _write(file: IO[bytes], kind: bytes, content: bytes) -> None:
    file.write(kind + struct.pack("<I", len(content)))
    file.write(content)
    file.write(b"\0" * (len(content) % 2))


def _three(number: int) -> bytes:
    return number.to_bytes(3, "little")


def _picture(pixels: Frame) -> bytes:
    """The chunks of one lossless picture."""
    from PIL import Image  # not wanted before the first film

    height, width = pixels.shape
    image = Image.frombuffer("RGBA", (width, height), rgba(pixels), "raw", "RGBA", 0, 1)
    made = io.BytesIO()
    # exact: what lies under transparent pixels is nothing already, and need not be looked for.
    image.save(made, "WEBP", lossless=True, method=EFFORT, quality=0, exact=True)
    whole = made.getvalue()
    place = 12
    while whole[place : place + 4] == b"VP8X":  # a header of its own, which a frame has no room for
        place += 8 + int.from_bytes(whole[place + 4 : place + 8], "little")
    return whole[place:]
