"""How the strings of a vocabulary stand for bytes, and how bytes are shown to people."""

import re
from dataclasses import dataclass
from functools import cache
from typing import Literal

Kind = Literal["plain", "bytes", "bar", "pieces"]
"""plain: letters as they are.  bytes: one letter a byte (GPT-2).  bar: ▁ for a space (SentencePiece).
pieces: words whose later parts begin with a mark (WordPiece)."""

BAR = "▁"
"""What SentencePiece writes for a space."""

SPACE, NEWLINE, TAB = "·", "↵", "→"
"""What is shown for characters that would be invisible at the edge of a token."""

MOST_SHOWN = 400
"""Letters of one token that are shown; published ones have up to some hundred."""

_BYTE = re.compile(r"<0x([0-9A-Fa-f]{2})>")
_VISIBLE = str.maketrans({" ": SPACE, "\n": NEWLINE, "\t": TAB, "\ufffd": "<U+FFFD>"})
_TYPED = str.maketrans({NEWLINE: "\n", TAB: "\t"})


@dataclass(frozen=True, slots=True)
class Spelling:
    """One vocabulary's way of writing.

    later: mark of the later parts of a word, "" where there is none.  end: mark of a word's last part.
    """

    kind: Kind
    later: str = ""
    end: str = ""

    def raw(self, token: str) -> bytes:
        """The bytes that a token stands for; a mark of the word's end is a space."""
        body, ends = token, False
        if self.end and token.endswith(self.end):
            body, ends = token[: -len(self.end)], True
        if self.later:
            body = body.removeprefix(self.later)
        return self._bytes(body) + (b" " if ends else b"")

    def written(self, raw: bytes) -> tuple[str, ...]:
        """The tokens that can stand for these bytes: at a word's start, at its end, further on in it."""
        return tuple(
            mark + body + end
            for body in self._written(raw)
            for mark in dict.fromkeys(("", self.later))
            for end in dict.fromkeys(("", self.end))
        )

    def shown(self, token: str) -> str:
        """The token as people see it; the mark of a word's later parts stays, to say where it may stand."""
        mark = self.later if self.later and token.startswith(self.later) else ""
        return shown(mark.encode() + self.raw(token))

    def _written(self, raw: bytes) -> tuple[str, ...]:
        if self.kind == "bytes":
            return ("".join(_letters()[byte] for byte in raw),)
        byte = (f"<0x{raw[0]:02X}>",) if self.kind == "bar" and len(raw) == 1 else ()
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError:
            return byte
        return (text.replace(" ", BAR) if self.kind == "bar" else text, *byte)

    def _bytes(self, body: str) -> bytes:
        if self.kind == "bytes":
            values = _values()
            if all(letter in values for letter in body):
                return bytes(values[letter] for letter in body)
        elif self.kind == "bar":
            byte = _BYTE.fullmatch(body)
            if byte:
                return bytes([int(byte[1], 16)])
            return _encoded(body.replace(BAR, " "))
        return _encoded(body)


def shown(raw: bytes) -> str:
    """Bytes as people see them: a space as ·, a newline as ↵, a tab as →, what is no text as <0xE2>."""
    text = raw.decode("utf-8", "surrogateescape").translate(_VISIBLE)
    letters = text if text.isprintable() else "".join(map(_letter, text))
    return letters if len(letters) <= MOST_SHOWN else letters[: MOST_SHOWN - 1] + "…"


def typed(text: str) -> tuple[bytes, ...]:
    """The bytes that a person may mean by a typed token, the most literal first.

    As typed; with the marks ↵ → and <0xE2> read as what they are shown for; with · read as a space, or a
    space put before.
    """
    marked = text.translate(_TYPED)
    readings = [text, marked, marked.replace(SPACE, " ")]
    if not marked.startswith((" ", SPACE)):
        readings.append(" " + marked)
    bytes_read = [reading.encode("utf-8") for reading in readings]
    if _BYTE.search(text):
        bytes_read.append(_with_bytes(marked.replace(SPACE, " ")))
    return tuple(dict.fromkeys(bytes_read))


def _with_bytes(text: str) -> bytes:
    """A text in which <0xE2> stands for a byte."""
    parts = _BYTE.split(text)  # every second one is a byte's digits
    return b"".join(
        bytes([int(part, 16)]) if place % 2 else part.encode("utf-8") for place, part in enumerate(parts)
    )


def _encoded(text: str) -> bytes:
    # Half of a surrogate pair can stand in a file's strings and in no text.
    return text.encode("utf-8", "replace")


def _letter(letter: str) -> str:
    """A letter, or what stands for it where it cannot be seen: a byte that is no text, or a code point."""
    code = ord(letter)
    if 0xDC80 <= code <= 0xDCFF:
        return f"<0x{code - 0xDC00:02X}>"
    if code < 0x20 or code == 0x7F:
        return f"<0x{code:02X}>"
    return letter if letter.isprintable() else f"<U+{code:04X}>"


@cache
def _letters() -> tuple[str, ...]:
    """Letter of each byte, as GPT-2 chose them: printable ones for themselves, others from U+0100 on.

    Source: `bytes_to_unicode` of the GPT-2 release, now part of the tokenizer.json format (ByteLevel).
    """
    own = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = iter(range(0x100, 0x200))
    return tuple(chr(byte) if byte in own else chr(next(others)) for byte in range(256))


@cache
def _values() -> dict[str, int]:
    """Byte of each letter."""
    return {letter: byte for byte, letter in enumerate(_letters())}
