"""Bookmarks and language of a PDF, which Qt's writer knows nothing of: appended to the file as an update.

The PDF format lets a file be changed by what follows its end: new objects, a table of where they stand, and
a trailer that names the table before.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from ffn_explorer.state.app_state import Language

_ENTRY = 20
"""Bytes of an entry of the table of objects."""


class Bookmark(NamedTuple):
    """A title that leads to a page, from 1, and those below it."""

    title: str
    page: int
    below: "tuple[Bookmark, ...]" = ()


class _Unknown(ValueError):
    """The file is not built as Qt builds it."""


def with_outline(
    content: bytes, bookmarks: Sequence[Bookmark], *, language: Language, height: float
) -> bytes:
    """A PDF of Qt's writer with bookmarks and a language; as it is where it is built in another way.

    height: of a page, in points.
    """
    try:
        return _Update(content, height).made(bookmarks, language)
    except _Unknown:
        return content


class _Update:
    """Objects that are appended, by number."""

    def __init__(self, content: bytes, height: float) -> None:
        self._content, self._height = content, height
        self._table = int(_found(rb"startxref\s+(\d+)\s+%%EOF\s*$", content))
        self._trailer = content[content.rfind(b"trailer") :]
        self._size = int(_found(rb"/Size (\d+)", self._trailer))
        self._root = int(_found(rb"/Root (\d+) 0 R", self._trailer))
        self._catalog = self._object(self._root)
        kids = _found(rb"/Kids\s*\[(.*?)\]", self._object(int(_found(rb"/Pages (\d+) 0 R", self._catalog))))
        self._pages = [int(number) for number in re.findall(rb"(\d+) 0 R", kids)]
        self._made: dict[int, bytes] = {}
        self._next = self._size

    def made(self, bookmarks: Sequence[Bookmark], language: Language) -> bytes:
        """The whole file."""
        top = self._new()
        inside = self._children(bookmarks, top)
        self._made[top] = b"<< /Type /Outlines %s >>" % inside
        body = _found(rb"^\s*<<(.*)>>\s*$", self._catalog)
        more = b"/Outlines %d 0 R /PageMode /UseOutlines /Lang (%s)" % (top, language.encode("ascii"))
        more += b" /ViewerPreferences << /DisplayDocTitle true >>"
        self._made[self._root] = b"<<%s%s >>" % (body, more)
        return self._appended()

    def _children(self, bookmarks: Sequence[Bookmark], parent: int) -> bytes:
        """Make bookmarks that stand side by side; what their parent has to say of them."""
        numbers = [self._new() for _ in bookmarks]
        for at, (mark, number) in enumerate(zip(bookmarks, numbers)):
            title = mark.title.encode("utf-16-be", "replace").hex().upper().encode("ascii")
            if not 0 < mark.page <= len(self._pages):
                raise _Unknown
            place = b"[%d 0 R /XYZ 0 %d null]" % (self._pages[mark.page - 1], round(self._height))
            beside = b"/Prev %d 0 R " % numbers[at - 1] if at else b""
            beside += b"/Next %d 0 R " % numbers[at + 1] if at + 1 < len(numbers) else b""
            inside = self._children(mark.below, number) if mark.below else b""
            self._made[number] = b"<< /Title <FEFF%s> /Parent %d 0 R /Dest %s %s%s >>" % (
                title,
                parent,
                place,
                beside,
                inside,
            )
        count = sum(1 + len(mark.below) for mark in bookmarks)
        return b"/First %d 0 R /Last %d 0 R /Count %d" % (numbers[0], numbers[-1], count)

    def _appended(self) -> bytes:
        parts, at, places = [self._content], len(self._content), {}
        for number, inside in self._made.items():
            written = b"%d 0 obj\n%s\nendobj\n" % (number, inside)
            places[number] = at
            parts.append(written)
            at += len(written)
        entries = {number: b"%010d 00000 n \n" % place for number, place in places.items()}
        fresh = sorted(number for number in entries if number >= self._size)
        table = b"xref\n%d 1\n%s%d %d\n" % (self._root, entries[self._root], fresh[0], len(fresh))
        table += b"".join(entries[number] for number in fresh)
        trailer = _found(rb"<<(.*)>>", self._trailer)
        trailer = re.sub(rb"/Size \d+", b"/Size %d" % self._next, trailer)
        end = b"trailer\n<<%s/Prev %d\n>>\nstartxref\n%d\n%%%%EOF\n" % (trailer, self._table, at)
        return b"".join((*parts, table, end))

    def _new(self) -> int:
        self._next += 1
        return self._next - 1

    def _object(self, number: int) -> bytes:
        """What stands between `obj` and `endobj` of an object."""
        head = re.compile(rb"xref\s0 \d+\s*\n").match(self._content, self._table)
        if head is None or not 0 < number < self._size:
            raise _Unknown
        place = int(self._content[(at := head.end() + number * _ENTRY) : at + 10])
        found = re.compile(rb"%d 0 obj(.*?)endobj" % number, re.DOTALL).match(self._content, place)
        if found is None:
            raise _Unknown
        return found[1]


def _found(pattern: bytes, within: bytes) -> bytes:
    found = re.search(pattern, within, re.DOTALL)
    if found is None:
        raise _Unknown
    return found[1]
