"""Elements of an SVG as Qt writes them made short, and free of what other programs do not draw as Qt does."""

import re
from collections.abc import Iterator
from xml.etree import ElementTree as ET

from ffn_explorer.widgets.drawn_text import advance
from ffn_explorer.widgets.fonts import MONO, SANS, sized
from ffn_explorer.widgets.vector import FINER

SVG = "http://www.w3.org/2000/svg"

FALLBACKS = {
    SANS: f"'{SANS}', 'Noto Sans JP', 'Noto Sans CJK JP', 'Source Sans 3', 'Hiragino Sans', 'Yu Gothic', "
    "sans-serif",
    MONO: f"'{MONO}', 'Noto Sans Mono', 'DejaVu Sans Mono', Consolas, Menlo, monospace",
}
"""Fonts to write with where the program's own are not installed."""

_DEFAULTS = {
    "vector-effect": ("none", "non-scaling-stroke"),
    "transform": ("matrix(1,0,0,1,0,0)",),
    "font-style": ("normal",),
    "stroke-dashoffset": ("0",),
}
"""Values that need not be written."""

_FONT = ("font-family", "font-size", "font-weight", "font-style")
_MATRIX = re.compile(r"matrix\(([^)]*)\)")
_NAMED = re.compile(r"url\(#([^)]+)\)")
_POINT = re.compile(r"(-?[\d.]+(?:e[+-]?\d+)?),(-?[\d.]+(?:e[+-]?\d+)?)")

Matrix = tuple[float, float, float, float, float, float]


def kept(parent: ET.Element) -> Iterator[ET.Element]:
    """Groups that draw something; Qt opens one for every change of its pen."""
    for child in parent:
        if child.tag == f"{{{SVG}}}g":
            inside = list(kept(child))
            if not inside:
                continue
            child[:] = inside
            _straighten(child)
        yield child


def shorten(element: ET.Element, *, prefix: str) -> None:
    """Leave out what says nothing; names are made unlike those of other pieces."""
    is_text = element.tag == f"{{{SVG}}}text"
    if element.tag == f"{{{SVG}}}pattern":
        _shrink(element)
    element.text = (element.text or "").strip("\n") if is_text else None
    element.tail = None
    if is_text:
        _hold(element)
    for name, value in list(element.attrib.items()):
        if value in _DEFAULTS.get(name, ()) or (name in _FONT and not is_text):
            del element.attrib[name]
        elif name == "id":
            element.set(name, prefix + value)
        elif "url(#" in value:
            element.set(name, _NAMED.sub(lambda found: f"url(#{prefix}{found[1]})", value))
        elif name == "transform" and (moved := _matrix_in(value)) and moved[:4] == (1, 0, 0, 1):
            element.set(name, f"translate({moved[4]:g},{moved[5]:g})")
        elif name == "font-family":
            element.set(name, FALLBACKS.get(value, value))


def _hold(text: ET.Element) -> None:
    """Let words keep their width in another program's font, lest they run over their neighbours."""
    size, words = text.get("font-size", ""), text.text or ""
    if not size.isdecimal() or not words.strip():
        return
    face = sized(int(size), bold=text.get("font-weight") == "700", mono=text.get("font-family") == MONO)
    text.set("textLength", f"{advance(words, face):.5g}")
    text.set("lengthAdjust", "spacingAndGlyphs")


def _shrink(pattern: ET.Element) -> None:
    """Tiles are made finer than they are seen, and Qt leaves that out of an SVG."""
    for element in pattern.iter():
        for name in ("width", "height"):
            if name in element.attrib:
                element.set(name, f"{float(element.attrib[name]) / FINER:g}")


def _straighten(group: ET.Element) -> None:
    """Give lines whose width does not grow with their group its coordinates: few programs know of such lines.

    pyqtgraph draws in the units of its axes, with one pen width in pixels.
    """
    matrix = _matrix_in(group.get("transform", ""))
    lines = [child for child in group if child.get("vector-effect") == "non-scaling-stroke"]
    if matrix is None or matrix[:4] == (1, 0, 0, 1) or not lines or len(lines) < len(group):
        return
    if not all(child.tag in (f"{{{SVG}}}path", f"{{{SVG}}}polyline") for child in lines):
        return
    for line in lines:
        for name in ("d", "points"):
            if name in line.attrib:
                line.set(name, _POINT.sub(lambda found: _moved(matrix, found), line.attrib[name]))
    del group.attrib["transform"]


def _moved(matrix: Matrix, point: re.Match[str]) -> str:
    a, b, c, d, e, f = matrix
    x, y = float(point[1]), float(point[2])
    return f"{a * x + c * y + e:.6g},{b * x + d * y + f:.6g}"


def _matrix_in(transform: str) -> Matrix | None:
    found = _MATRIX.fullmatch(transform)
    if found is None:
        return None
    a, b, c, d, e, f = map(float, found[1].split(","))
    return a, b, c, d, e, f
