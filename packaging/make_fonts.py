"""Makes the fonts in assets/fonts from Debian's Noto packages: subset, renamed, missing signs merged in.

Run by hand, only when the set of signs changes; `assets/fonts/README.md` says how.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from fontTools.misc.roundTools import otRound
from fontTools.pens.boundsPen import BoundsPen
from fontTools.pens.t2CharStringPen import T2CharStringPen
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTCollection, TTFont

VERSION = "1.000"
ASCENT, DESCENT = 1020, -270  # font units of 1000: Noto CJK's own 1160 and -288 make rows half as tall again
KEPT_FEATURES = ["ccmp", "calt", "liga", "kern", "mark", "palt", "halt"]
DROPPED_TABLES = [
    "DSIG",
    "VORG",
    "vhea",
    "vmtx",
    "BASE",
    "STAT",
    "MVAR",
    "meta",
]  # Qt lays out no vertical text
FIRST_FREE_CID = 62000  # far above Noto's own glyph numbers, below the format's 65534

SANS_BLOCKS = [
    (0x20, 0x7E), (0xA0, 0x17F), (0x180, 0x24F), (0x250, 0x2FF), (0x300, 0x36F),
    (0x370, 0x3FF), (0x400, 0x4FF), (0x1D00, 0x1DBF), (0x1E00, 0x1EFF), (0x2000, 0x206F),
    (0x2070, 0x209C), (0x20A0, 0x20BF), (0x2100, 0x218B), (0x2190, 0x21FF), (0x2200, 0x22FF),
    (0x2300, 0x230F), (0x2318, 0x2318), (0x2329, 0x232B), (0x23CE, 0x23CE), (0x23E9, 0x23FA),
    (0x2460, 0x24FF), (0x2500, 0x259F), (0x25A0, 0x25FF), (0x2600, 0x266F), (0x2713, 0x2718),
    (0x27E6, 0x27EB), (0x27F5, 0x27FA), (0x2A00, 0x2A02), (0x2C60, 0x2C7F), (0x3000, 0x303F),
    (0x3041, 0x30FF), (0x31F0, 0x31FF), (0xFF01, 0xFF9F), (0xFFE0, 0xFFE6),
]  # fmt: skip
MONO_BLOCKS = [
    (0x20, 0x7E), (0xA0, 0x17F), (0x2B0, 0x2FF), (0x300, 0x33F), (0x370, 0x3FF),
    (0x400, 0x45F), (0x1D2C, 0x1D6A), (0x1E00, 0x1EFF), (0x2000, 0x206F), (0x2070, 0x209C),
    (0x20A0, 0x20BF), (0x2100, 0x214F), (0x2190, 0x21FF), (0x2200, 0x22FF), (0x2308, 0x230B),
    (0x2500, 0x25FF), (0x2713, 0x2718), (0x27E6, 0x27EB), (0x2C7C, 0x2C7D),
]  # fmt: skip

# The Japanese face draws these as wide as a kanji; formulas and English need the Latin widths.
LATIN_WIDTHS = {ord(sign) for sign in "×±÷‖…§¶†‡"}
ARROWS = set(range(0x2190, 0x2200))
OPERATORS = {*range(0x2200, 0x2300), *range(0x2308, 0x230C)}
CIRCLED = set(range(0x2295, 0x22A2))  # the monospaced face squeezes these


@dataclass(frozen=True)
class Donor:
    """One font to take glyphs from, with the code points it may lend."""

    font: TTFont
    lends: frozenset[int]


def japanese_code_points() -> set[int]:
    """Return JIS X 0208 and the Windows additions to it, read from Python's own codecs."""
    found: set[int] = set()
    for codec in ("euc_jp", "cp932"):
        for first in range(0x81, 0xFF):
            for second in range(0x40, 0xFF):
                try:
                    text = bytes((first, second)).decode(codec)
                except UnicodeDecodeError:
                    continue
                found |= {ord(text)} if len(text) == 1 and not 0xE000 <= ord(text) <= 0xF8FF else set()
    return found


def code_points(blocks: Iterable[tuple[int, int]]) -> set[int]:
    """Return every code point of the blocks, both ends included."""
    return {point for first, last in blocks for point in range(first, last + 1)}


def subset(font: TTFont, *, wanted: Iterable[int]) -> None:
    """Cut the font down in place to the wanted code points and the kept layout features."""
    options = Options(
        layout_features=KEPT_FEATURES,
        notdef_outline=True,
        recalc_timestamp=False,
        drop_tables=DROPPED_TABLES,
        desubroutinize=True,
        hinting=False,  # the program asks Qt for none, so that two machines draw alike
        name_IDs=["*"],
    )
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=sorted(wanted))
    subsetter.subset(font)


def advance(font: TTFont, point: int) -> int:
    """Return the advance width of a code point, in font units."""
    width: int = font["hmtx"][font.getBestCmap()[point]][0]
    return width


def append_cff_glyph(font: TTFont, name: str, *, donor: TTFont, glyph: str) -> None:
    """Draw the donor's glyph into the CID-keyed outline table of the font under a new name."""
    top = font["CFF "].cff.topDictIndex[0]
    strings = top.CharStrings
    latin = top.FDSelect[top.charset.index(font.getBestCmap()[ord("A")])]
    private = top.FDArray[latin].Private
    glyphs = donor.getGlyphSet()
    pen = T2CharStringPen(None, glyphs)
    glyphs[glyph].draw(pen)
    outline = pen.getCharString(private, font["CFF "].cff.GlobalSubrs)
    width = donor["hmtx"][glyph][0]
    outline.program.insert(0, otRound(width - private.nominalWidthX))
    strings.charStringsIndex.append(outline)
    strings.charStrings[name] = len(strings.charStringsIndex) - 1
    top.charset.append(name)
    top.FDSelect.gidArray.append(latin)
    bounds = BoundsPen(glyphs)
    glyphs[glyph].draw(bounds)
    font["hmtx"].metrics[name] = (width, otRound(bounds.bounds[0]) if bounds.bounds else 0)


def merge(font: TTFont, *, wanted: set[int], donors: Iterable[Donor]) -> dict[int, str]:
    """Add what the subset lacks, from the first donor that has it; return code point -> new glyph name."""
    added: dict[int, str] = {}
    names: dict[tuple[int, str], str] = {}
    for number, donor in enumerate(donors):
        cmap = donor.font.getBestCmap()
        for point in sorted((wanted & donor.lends & cmap.keys()) - added.keys() - font.getBestCmap().keys()):
            key = (number, cmap[point])
            if key not in names:
                names[key] = f"cid{FIRST_FREE_CID + len(names):05d}"
                append_cff_glyph(font, names[key], donor=donor.font, glyph=cmap[point])
            added[point] = names[key]
    font.setGlyphOrder(list(font["CFF "].cff.topDictIndex[0].charset))
    for table in font["cmap"].tables:
        if table.isUnicode() and table.format in (4, 12):
            table.cmap.update(
                {point: name for point, name in added.items() if point < 0x10000 or table.format == 12}
            )
    font["maxp"].numGlyphs = len(font.getGlyphOrder())
    return added


def rename(font: TTFont, family: str, *, bold: bool, copyright_line: str) -> None:
    """Give the font its own names, so that no installed Noto is ever taken for it, and one line height."""
    style = "Bold" if bold else "Regular"
    postscript = f"{family.replace(' ', '')}-{style}"
    texts: Mapping[int, str] = {
        0: copyright_line,
        1: family,
        2: style,
        3: f"{VERSION};{postscript}",
        4: f"{family} {style}".removesuffix(" Regular"),
        5: f"Version {VERSION}",
        6: postscript,
        13: "This Font Software is licensed under the SIL Open Font License, Version 1.1.",
    }
    font["name"].names = []
    for number, text in texts.items():
        font["name"].setName(text, number, 3, 1, 0x409)
    if "CFF " in font:
        table = font["CFF "].cff
        table.fontNames[0] = postscript
        top = table.topDictIndex[0]
        top.FullName, top.FamilyName, top.Notice = texts[4], family, copyright_line
        if hasattr(top, "Copyright"):
            del top.Copyright
    os2, hhea = font["OS/2"], font["hhea"]
    os2.sTypoAscender = hhea.ascent = os2.usWinAscent = ASCENT
    os2.sTypoDescender = hhea.descent = DESCENT
    os2.usWinDescent = -DESCENT
    os2.sTypoLineGap = hhea.lineGap = 0
    os2.usWeightClass = 700 if bold else 400
    os2.achVendID = "FFNX"


def make_sans(cjk: TTFont, *, noto: Path, bold: bool) -> TTFont:
    """Return the proportional face: Japanese subset, Latin widths for mathematics, more signs merged in."""
    wanted = code_points(SANS_BLOCKS) | japanese_code_points()
    style = "Bold" if bold else "Regular"
    sans = TTFont(noto / f"NotoSans-{style}.ttf")
    math = TTFont(noto / "NotoSansMath-Regular.ttf")
    anything = frozenset(wanted)
    first = [Donor(sans, frozenset(LATIN_WIDTHS))]
    if bold:  # Noto Sans Math has no bold: operators from the monospaced bold, arrows stay as they are
        first.append(Donor(TTFont(noto / "NotoSansMono-Bold.ttf"), frozenset(OPERATORS - CIRCLED)))
    first.append(Donor(math, frozenset(OPERATORS if bold else OPERATORS | ARROWS)))
    replaced = {point for donor in first for point in donor.lends & donor.font.getBestCmap().keys()}
    subset(cjk, wanted=wanted - replaced)
    others = [sans, math, *(TTFont(noto / f"NotoSans{kind}-Regular.ttf") for kind in ("Symbols", "Symbols2"))]
    merge(cjk, wanted=wanted, donors=[*first, *(Donor(font, anything) for font in others)])
    line = (
        "Copyright 2014-2021 Adobe (http://www.adobe.com/); Copyright 2015-2020 Google LLC. "
        "A renamed subset of Noto Sans CJK JP with signs from Noto Sans, its Math and its Symbols."
    )
    rename(cjk, "FFN Explorer Sans", bold=bold, copyright_line=line)
    return cjk


def make_mono(noto: Path, *, bold: bool) -> TTFont:
    """Return the monospaced face: a renamed subset, every glyph 600 units wide."""
    font = TTFont(noto / f"NotoSansMono-{'Bold' if bold else 'Regular'}.ttf", recalcTimestamp=False)
    cells = {
        point
        for point in code_points(MONO_BLOCKS) & font.getBestCmap().keys()
        if advance(font, point) in (0, 600)
    }
    subset(font, wanted=cells)
    line = "Copyright 2015-2020 Google LLC. A renamed subset of Noto Sans Mono."
    rename(font, "FFN Explorer Mono", bold=bold, copyright_line=line)
    return font


def report(font: TTFont, path: Path) -> None:
    """Print the size of a written font and refuse digits of unequal width."""
    widths = {advance(font, ord(digit)) for digit in "0123456789"}
    if len(widths) != 1:
        raise SystemExit(
            f"{path.name}: digits are {sorted(widths)} units wide; a tabular face needs one width."
        )
    glyphs = len(font.getGlyphOrder())
    sys.stdout.write(
        f"{path.name}: {path.stat().st_size:,} bytes, {glyphs:,} glyphs, digits {widths.pop()} units\n"
    )


def main() -> None:
    """Write the four font files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--cjk", type=Path, default=Path("/usr/share/fonts/opentype/noto"), help="folder of NotoSansCJK-*.ttc"
    )
    parser.add_argument(
        "--noto", type=Path, default=Path("/usr/share/fonts/truetype/noto"), help="folder of NotoSans-*.ttf"
    )
    parser.add_argument(
        "--out", type=Path, default=Path(__file__).resolve().parent.parent / "assets" / "fonts"
    )
    options = parser.parse_args()
    for bold in (False, True):
        style = "Bold" if bold else "Regular"
        collection = TTCollection(options.cjk / f"NotoSansCJK-{style}.ttc")
        cjk = next(
            font for font in collection.fonts if font["name"].getDebugName(6) == f"NotoSansCJKjp-{style}"
        )
        cjk.recalcTimestamp = False
        made = [
            (make_sans(cjk, noto=options.noto, bold=bold), f"FFNExplorerSans-{style}.otf"),
            (make_mono(options.noto, bold=bold), f"FFNExplorerMono-{style}.ttf"),
        ]
        for font, name in made:
            path = options.out / name
            font.save(path)
            report(TTFont(path), path)


if __name__ == "__main__":
    main()
