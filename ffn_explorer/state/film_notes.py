"""Notes in films: where WebP, GIF and MP4 keep what they were made from, read with a bound."""

from collections.abc import Iterator
from typing import IO, NamedTuple

from ffn_explorer.state.files import Damaged
from ffn_explorer.state.text import text

MOST_BYTES = 8_000_000
"""Bytes of notes that are read at most."""

MOST_PARTS = 100_000
"""Parts of a file that are passed over at most; a film of 3,000 frames has about as many."""

XMP_APPLICATION = b"XMP DataXMP"
"""Name under which GIF files keep an XMP packet."""

_COMMENT = (b"moov", b"udta", b"meta", b"ilst", b"\xa9cmt", b"data")
"""Boxes of an MP4 file, each inside the one before; the last one holds the comment."""


def xmp_of_webp(file: IO[bytes]) -> bytes | None:
    """XMP packet of a WebP file; frames are passed over."""
    head = file.read(12)
    if head[:4] != b"RIFF" or head[8:] != b"WEBP":
        raise Damaged(text("state.why_film", kind="WebP"))
    for _ in range(MOST_PARTS):
        head = file.read(8)
        if len(head) < 8:
            return None
        size = int.from_bytes(head[4:], "little")
        if head[:4] == b"XMP ":
            return file.read(min(size, MOST_BYTES))
        file.seek(size + size % 2, 1)
    return None


def xmp_of_gif(file: IO[bytes]) -> bytes | None:
    """XMP packet of a GIF file, which stands before its first picture."""
    head = file.read(13)
    if head[:3] != b"GIF" or len(head) < 13:
        raise Damaged(text("state.why_film", kind="GIF"))
    if head[10] & 0x80:
        file.seek(3 << (head[10] & 7) + 1, 1)
    for _ in range(MOST_PARTS):
        if file.read(1) != b"\x21":
            return None
        kind = file.read(1)
        name = file.read(_byte(file))
        if kind == b"\xff" and name == XMP_APPLICATION:
            # Not in blocks, as all else: what stands behind the packet makes up for that.
            return file.read(MOST_BYTES)
        for _ in range(MOST_PARTS):
            if not (length := _byte(file)):
                break
            file.seek(length, 1)
    return None


def comment_of_mp4(file: IO[bytes]) -> bytes | None:
    """Comment of an MP4 file, in UTF-8; what is filmed is passed over."""
    size = file.seek(0, 2)
    file.seek(0)
    if file.read(8)[4:] != b"ftyp":
        raise Damaged(text("state.why_film", kind="MP4"))
    place = _Box(b"", 0, size)
    for kind in _COMMENT:
        # A version and flags stand before the boxes of this one.
        start = place.start + (4 if place.kind == b"meta" else 0)
        found = next((box for box in _boxes(file, start, place.end) if box.kind == kind), None)
        if found is None:
            return None
        place = found
    file.seek(place.start + 8)  # the kind of the value, and its language
    return file.read(max(0, min(place.end - file.tell(), MOST_BYTES)))


class _Box(NamedTuple):
    """Kind of a part of an MP4 file, and where its content begins and ends."""

    kind: bytes
    start: int
    end: int


def _boxes(file: IO[bytes], start: int, end: int) -> Iterator[_Box]:
    for _ in range(MOST_PARTS):
        if start + 8 > end:
            return
        file.seek(start)
        head = file.read(16)
        if len(head) < 8:
            return
        size, before = int.from_bytes(head[:4], "big"), 8
        if size == 1:
            size, before = int.from_bytes(head[8:16], "big"), 16
        elif size == 0:
            size = end - start  # to the end of what it stands in
        if size < before:
            return
        yield _Box(head[4:8], start + before, min(end, start + size))
        start += size


def _byte(file: IO[bytes]) -> int:
    found = file.read(1)
    return found[0] if found else 0
