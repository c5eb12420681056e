"""APNG films: exact, every frame as the pixels that changed."""

import struct
import zlib
from collections.abc import Iterator
from typing import IO

import numpy as np

from ffn_explorer.export.films.changed import changes, rgba
from ffn_explorer.export.films.film import Check, Film, Frame

SIGNATURE = b"\x89PNG\r\n\x1a\n"
LEVEL = 3
"""How hard zlib tries: more takes twice the time for a file a third smaller."""

RGBA_8 = (8, 6, 0, 0, 0)
"""Bits per channel, colour type, and the one kind there is of packing, filtering, interlacing."""
KEEP, REPLACE, OVER = 0, 0, 1
"""What becomes of a frame once its time is over, and how one is laid on the frame before."""


def encode(frames: Iterator[Frame], film: Film, file: IO[bytes], check: Check) -> None:  # noqa: ARG001 - nothing is done but taking the next frame
    """Write a film; it repeats for ever. OSError where the file does not take it."""
    file.write(SIGNATURE)
    _write(file, b"IHDR", struct.pack(">II5B", *film.size, *RGBA_8))
    _write(file, b"acTL", struct.pack(">II", film.frames, 0))
    for name, value in film.notes.items():
        _write(file, *_text(name, value))
    number = 0
    for at, (x, y, pixels) in enumerate(changes(frames)):
        height, width = pixels.shape
        laid = OVER if at else REPLACE
        control = struct.pack(">5I2H2B", number, width, height, x, y, 1, film.rate, KEEP, laid)
        _write(file, b"fcTL", control)
        number += 1
        if at == 0:
            _write(file, b"IDAT", _packed(pixels))
        else:
            _write(file, b"fdAT", struct.pack(">I", number) + _packed(pixels))
            number += 1
    _write(file, b"IEND", b"")


def _write(file: IO[bytes], kind: bytes, content: bytes) -> None:
    checksum = zlib.crc32(content, zlib.crc32(kind))
    file.write(struct.pack(">I", len(content)) + kind)
    file.write(content)
    file.write(struct.pack(">I", checksum))


def _text(name: str, value: str) -> tuple[bytes, bytes]:
    """Kind and content of a text chunk; lone surrogates, which can be typed, become escapes."""
    key = name.encode("latin-1") + b"\0"
    if value.isascii():
        return b"tEXt", key + value.encode("ascii")
    return b"iTXt", key + b"\0\0\0\0" + value.encode("utf-8", "backslashreplace")


def _packed(pixels: Frame) -> bytes:
    height, width = pixels.shape
    # Each row begins with its filter: none, since most of a row are zeros, or colours of the row above.
    rows = np.zeros((height, 1 + 4 * width), np.uint8)
    rows[:, 1:] = np.frombuffer(rgba(pixels), np.uint8).reshape(height, 4 * width)
    return zlib.compress(rows.tobytes(), LEVEL)
