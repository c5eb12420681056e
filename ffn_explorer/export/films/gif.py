"""GIF films: 255 colours for all frames, chosen once every frame is known, and what changed of each."""

import io
import struct
import tempfile
import zlib
from collections.abc import Iterator
from typing import IO

import numpy as np
from numpy.typing import NDArray

from ffn_explorer.export.films.changed import Changed, changes
from ffn_explorer.export.films.film import Check, Film, Frame
from ffn_explorer.export.films.palette import COLOURS, Colours, Counted, nearest, palette_of
from ffn_explorer.export.notes_xml import packet

STAYS = COLOURS
"""Number of the transparent colour."""

KEPT_BYTES = 32_000_000
"""What waits for its palette is held in memory up to this, then in a file without a name."""

_HEAD = struct.Struct("<5I")
_TRAILER = bytes([1, *range(255, -1, -1), 0])
"""Behind XMP: wherever a reader that knows only lengths lands in the text, this leads it to the end."""


def encode(frames: Iterator[Frame], film: Film, file: IO[bytes], check: Check) -> None:
    """Write a film; it repeats for ever. OSError where the file does not take it."""
    counted = Counted()
    with tempfile.SpooledTemporaryFile(KEPT_BYTES) as kept:
        for change in changes(frames):
            counted.add(change.pixels)
            _keep(change, kept)
        colours, counts = counted.found()
        palette = palette_of(colours, counts)
        table = nearest(colours, palette)
        file.write(_header(film, palette))
        kept.seek(0)
        durations = film.durations(per_second=100)
        for change, hundredths in zip(_kept(kept), durations, strict=True):
            check()
            _write_frame(file, change, table, hundredths)
        file.write(b";")


def _keep(change: Changed, kept: IO[bytes]) -> None:
    height, width = change.pixels.shape
    packed = zlib.compress(change.pixels.tobytes(), 1)
    kept.write(_HEAD.pack(change.x, change.y, width, height, len(packed)) + packed)


def _kept(kept: IO[bytes]) -> Iterator[Changed]:
    while head := kept.read(_HEAD.size):
        x, y, width, height, size = _HEAD.unpack(head)
        pixels = np.frombuffer(zlib.decompress(kept.read(size)), np.uint32)
        yield Changed(x, y, pixels.reshape(height, width))


def _header(film: Film, palette: Colours) -> bytes:
    """Everything before the first frame: size, palette, how often it is shown, notes."""
    table = np.zeros((256, 3), np.uint8)
    table[: len(palette)] = palette
    # 0xf7: a palette for all frames, of 8 bits a channel and 256 entries.
    screen = struct.pack("<HH3B", *film.size, 0xF7, 0, 0)
    again = b"\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0"
    notes = b"\x21\xff\x0bXMP DataXMP" + packet(film.notes) + _TRAILER
    return b"GIF89a" + screen + table.tobytes() + again + notes


def _write_frame(file: IO[bytes], change: Changed, table: NDArray[np.uint8], hundredths: int) -> None:
    pixels, changed = change.pixels, change.pixels != 0
    numbers = np.full(pixels.shape, STAYS, np.uint8)
    numbers[changed] = table[pixels[changed] & np.uint32(0xFFFFFF)]
    height, width = pixels.shape
    # 0x05: the frame stays when its time is over, and one colour is transparent.
    file.write(struct.pack("<4BHBB", 0x21, 0xF9, 4, 0x05, hundredths, STAYS, 0))
    file.write(struct.pack("<BHHHHB", 0x2C, change.x, change.y, width, height, 0))
    file.write(_packed(numbers))


def _packed(numbers: NDArray[np.uint8]) -> bytes:
    """Numbers `[h, w]` of colours, packed as GIF does; taken from a picture that Pillow makes of them."""
    from PIL import Image  # not wanted before the first film

    height, width = numbers.shape
    image = Image.frombuffer("P", (width, height), numbers.tobytes(), "raw", "P", 0, 1)
    image.putpalette(bytes(768))
    made = io.BytesIO()
    image.save(made, "GIF", optimize=False, interlace=False)
    whole = made.getvalue()
    # Header and palette, then extensions, then the one picture with a head of ten bytes.
    place = 13 + (3 << (whole[10] & 7) + 1 if whole[10] & 0x80 else 0)
    while whole[place] == 0x21:
        place += 2
        while whole[place]:
            place += 1 + whole[place]
        place += 1
    flags = whole[place + 9]
    return whole[place + 10 + (3 << (flags & 7) + 1 if flags & 0x80 else 0) : -1]
