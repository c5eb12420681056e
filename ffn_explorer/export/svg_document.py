"""One SVG document of the pieces that Qt writes, with a group for each panel and notes in its metadata."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from xml.etree import ElementTree as ET

from ffn_explorer.export.notes_xml import elements, writable
from ffn_explorer.export.svg_short import SVG, kept, shorten
from ffn_explorer.state.sessions_in import NAMESPACE

XLINK = "http://www.w3.org/1999/xlink"

HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="{svg}" xmlns:xlink="{xlink}" version="1.1"
 width="{width}" height="{height}" viewBox="0 0 {width} {height}">
<title>FFN Explorer</title>
<metadata xmlns:ffn="{namespace}">
{notes}
</metadata>
"""

_ALL = {
    "fill": "none",
    "stroke": "black",
    "stroke-width": "1",
    "fill-rule": "evenodd",
    "stroke-linecap": "square",
    "stroke-linejoin": "bevel",
}
"""What Qt writes around every picture."""


@dataclass(frozen=True, slots=True)
class Part:
    """A widget of a picture as Qt writes it, in a document of its own.

    panel: name of the panel that it belongs to, "" outside of all.  at: where it stands in the picture.
    seen: what of it can be seen, in its own coordinates (x, y, width, height); None: all of it.
    """

    panel: str
    at: tuple[int, int]
    seen: tuple[int, int, int, int] | None
    written: str


def document(parts: Sequence[Part], *, size: tuple[int, int], notes: Mapping[str, str]) -> bytes:
    """The pieces in one document, the later ones over the earlier; the notes stand in its metadata."""
    ET.register_namespace("", SVG)
    ET.register_namespace("xlink", XLINK)
    width, height = size
    names = {"svg": SVG, "xlink": XLINK, "namespace": NAMESPACE}
    body = ET.Element(f"{{{SVG}}}g", _ALL)
    for panel, inside in groupby(enumerate(parts), key=lambda part: part[1].panel):
        group = ET.SubElement(body, f"{{{SVG}}}g", {"id": panel}) if panel else body
        group.extend(piece for number, part in inside for piece in _pieces(part, number))
    head = HEAD.format(**names, width=width, height=height, notes=elements(notes))
    drawn = re.sub(r' xmlns(?::xlink)?="[^"]*"', "", ET.tostring(body, encoding="unicode"))
    return f"{head}{drawn}\n</svg>\n".encode()


def _pieces(part: Part, number: int) -> Iterator[ET.Element]:
    """A group with what a part draws, and a clip around it where not all of it can be seen."""
    # What a person typed may hold characters that XML does not allow, and Qt writes them all the same.
    root = ET.fromstring(writable(part.written))  # noqa: S314 - only what Qt has just written is read
    drawn = root.find(f"{{{SVG}}}g")
    inside = [] if drawn is None else list(kept(drawn))
    if not inside:
        return
    group = ET.Element(f"{{{SVG}}}g")
    if part.at != (0, 0):
        group.set("transform", "translate({},{})".format(*part.at))
    definitions = root.find(f"{{{SVG}}}defs")
    if definitions is not None and len(definitions):
        group.append(definitions)
    group.extend(inside)
    prefix = f"p{number}-"
    for element in group.iter():
        shorten(element, prefix=prefix)
    if part.seen is not None:
        x, y, width, height = map(str, part.seen)
        # A program that knows no clips would draw one that stands outside of definitions.
        inner = ET.Element(f"{{{SVG}}}defs")
        clip = ET.SubElement(inner, f"{{{SVG}}}clipPath", {"id": f"{prefix}seen"})
        ET.SubElement(clip, f"{{{SVG}}}rect", {"x": x, "y": y, "width": width, "height": height})
        group.insert(0, inner)
        group.set("clip-path", f"url(#{prefix}seen)")
    yield group
