"""Sessions in pictures: what a PNG, SVG or PDF that the program exported was made from, read with a bound."""

import zlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import IO
from xml.parsers import expat

from ffn_explorer.core.errors import InputError
from ffn_explorer.state.app_state import AppState
from ffn_explorer.state.file_endings import SUFFIX
from ffn_explorer.state.files import LIMIT_BYTES, Damaged, json_in, kind_of, reason_of
from ffn_explorer.state.film_notes import comment_of_mp4, xmp_of_gif, xmp_of_webp
from ffn_explorer.state.storage import read_session, session_of
from ffn_explorer.state.text import Text, text

NAMESPACE = "urn:ffn-explorer:notes"
"""Namespace of the notes in XML."""

NOTE = "Session"
"""Name of the note that holds a session: PNG text chunk, or element of NAMESPACE."""

MOST_BYTES = 8_000_000
"""Bytes that are read of a picture at most."""

_PIECE = 65_536
_PNG = b"\x89PNG\r\n\x1a\n"
_PACKET = (b"<?xpacket begin=", b"<?xpacket end=")


def _of_png(file: IO[bytes]) -> str | None:
    """Text of the chunk tEXt, zTXt or iTXt of that name; pixels are passed over."""
    if file.read(len(_PNG)) != _PNG:
        raise Damaged(text("state.why_png"))
    read = 0
    while read < MOST_BYTES:
        head = file.read(8)
        size, kind = int.from_bytes(head[:4], "big"), head[4:]
        if len(head) < 8 or kind == b"IEND":
            return None
        read += 8
        if kind not in (b"tEXt", b"zTXt", b"iTXt"):
            file.seek(size + 4, 1)
            continue
        content = file.read(min(size, MOST_BYTES - read))
        read += len(content)
        name, _, rest = content.partition(b"\0")
        if name == NOTE.encode():
            return _unpacked(kind, rest)
        file.seek(size - len(content) + 4, 1)
    return None


def _unpacked(kind: bytes, rest: bytes) -> str:
    """Text of a chunk behind its name; Damaged where it is longer than a session may be, or no text."""
    packed, coding = kind == b"zTXt", "latin-1"
    if packed:
        rest = rest[1:]
    elif kind == b"iTXt":
        packed, coding = rest[:1] == b"\1", "utf-8"
        # Behind the method: a language and a translated name, both ended by a zero.
        rest = rest[2:].partition(b"\0")[2].partition(b"\0")[2]
    try:
        if packed:
            rest = zlib.decompressobj().decompress(rest, LIMIT_BYTES + 1)
        return rest.decode(coding)
    except (zlib.error, UnicodeDecodeError) as error:
        raise Damaged(text("state.why_json")) from error


def _of_svg(file: IO[bytes]) -> str | None:
    """Text of the element of that name in the metadata, which stands before what is drawn."""
    return _in_xml(iter(lambda: file.read(_PIECE), b""))


def _of_pdf(file: IO[bytes]) -> str | None:
    """The same in the XMP packet, which stands as plain text at one end of the file."""
    size = file.seek(0, 2)
    half = MOST_BYTES // 2
    for start in dict.fromkeys((0, max(0, size - half))):
        file.seek(start)
        found = _in_packet(file.read(half))
        if found is not None:
            return found
    return None


def _in_packet(part: bytes | None) -> str | None:
    """Text of that element in the first XMP packet of some bytes."""
    if part is None:
        return None
    first = part.find(_PACKET[0])
    last = part.find(_PACKET[1], first)
    inside = part[part.find(b"?>", first) + 2 : last] if -1 < first < last else b""
    return _in_xml([inside]) if inside else None


def _of_webp(file: IO[bytes]) -> str | None:
    return _in_packet(xmp_of_webp(file))


def _of_gif(file: IO[bytes]) -> str | None:
    return _in_packet(xmp_of_gif(file))


def _of_mp4(file: IO[bytes]) -> str | None:
    """The comment, which of other people's films holds anything."""
    found = comment_of_mp4(file)
    return found.decode("utf-8", "replace") if found is not None and found.startswith(b"{") else None


READERS_OF_SESSIONS: Mapping[str, Callable[[IO[bytes]], str | None]] = MappingProxyType(
    {
        ".png": _of_png,
        ".svg": _of_svg,
        ".pdf": _of_pdf,
        ".apng": _of_png,
        ".webp": _of_webp,
        ".gif": _of_gif,
        ".mp4": _of_mp4,
    }
)
"""By suffix (one of `file_endings.PICTURES`), how the session of a picture is found.

None where there is none, Damaged where it is broken.
"""


def session_in(path: Path) -> tuple[AppState, Text | None]:
    """State in a session file or a picture, and a note on entries left out; InputError, one sentence each."""
    if path.name.lower().endswith(SUFFIX):
        return read_session(path)
    reader = READERS_OF_SESSIONS[path.suffix.lower()]
    try:
        if kind_of(path) == "special":
            raise Damaged(text("state.why_regular"))
        with path.open("rb") as file:
            found = reader(file)
        if found is None:
            raise InputError("state.picture_without", file=path.name)
        # The pictures of the first releases hold no version.
        data = {"version": 1, **json_in(found.encode("utf-8", "surrogatepass"))}
        return session_of(data, path.name)
    except Damaged as error:
        raise InputError("state.session_damaged", file=path.name, reason=error.why) from error
    except (OSError, ValueError) as error:
        raise InputError("state.session_missing", file=path.name, reason=reason_of(error)) from error


class _Found(Exception):
    """The note has been read to its end."""


class _Notes:
    """Hears of elements and their text; keeps that of one note."""

    def __init__(self) -> None:
        self.kept: list[str] = []
        self.length = 0
        self.inside = False

    def start(self, name: str, _attributes: Mapping[str, str]) -> None:
        """An element begins; one inside the note is none of ours."""
        self.inside = name == f"{NAMESPACE} {NOTE}"

    def end(self, _name: str) -> None:
        """An element ends, and so does the reading where it was the note."""
        if self.inside:
            raise _Found

    def words(self, said: str) -> None:
        """Some text."""
        if self.inside:
            self.kept.append(said)
            self.length += len(said)
            if self.length > LIMIT_BYTES:
                raise Damaged(text("state.why_large", limit=f"{LIMIT_BYTES:,}"))

    def doctype(self, *_: object) -> None:
        """A document type, which alone could declare entities: none of our files has one."""
        raise Damaged(text("state.why_doctype"))


def _in_xml(pieces: Iterable[bytes]) -> str | None:
    """Text of the note in XML given piece by piece; Damaged where it is none, or declares a document type."""
    heard, parser = _Notes(), expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler, parser.EndElementHandler = heard.start, heard.end
    parser.CharacterDataHandler = heard.words
    parser.StartDoctypeDeclHandler = heard.doctype
    parser.EntityDeclHandler = heard.doctype
    read = 0
    try:
        for piece in pieces:
            read += len(piece)
            if read > MOST_BYTES:
                return None
            parser.Parse(piece, False)
        parser.Parse(b"", True)
    except _Found:
        return "".join(heard.kept)
    except (expat.ExpatError, LookupError, ValueError) as error:  # an unknown encoding is a LookupError
        raise Damaged(text("state.why_xml")) from error
    return None
