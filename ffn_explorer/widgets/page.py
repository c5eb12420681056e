"""Pages of wrapped text in two groups, and the lines that each of their blocks takes at a size."""

import math
from dataclasses import dataclass, replace

from PySide6.QtGui import QFont, QFontMetrics, QTextLayout, QTextOption

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.sizes import px

LEAST_LINES = 3
"""Lines of the top group that must show before the bottom group is kept in sight under them."""

ROOMY_LINES = 16
"""Small lines from which on a page has much height, whatever it says: no step changes its type."""


@dataclass(frozen=True, slots=True)
class Block:
    """One paragraph. reserve: lines that its group keeps for it, so that a longer text moves nothing else."""

    text: str
    short: str = ""
    """Wording for a page without room, where the text would take more than one line."""
    role: str = "small"
    roomy: str = ""
    """Role on a page with much height, where this block leads."""
    bold: bool = False
    mono: bool = False
    strong: bool = True
    """Ink, or the quieter colour."""
    reserve: int = 1
    icon: str = ""
    """Icon of ICONS before the first line."""
    wrong: bool = False
    """Icon in the colour of errors."""
    optional: bool = False
    """Left out, the last one first, before anything of the page has to scroll."""


@dataclass(frozen=True, slots=True)
class Page:
    """All that Paragraphs draws. scroll: pixels; brief: what is left where there is little height."""

    look: Appearance
    top: tuple[Block, ...] = ()
    bottom: tuple[Block, ...] = ()
    brief: tuple[Block, ...] = ()
    scroll: int = 0


@dataclass(frozen=True, slots=True)
class Placed:
    """A block with its lines, and how far down its group it stands."""

    block: Block
    y: float
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """Blocks close together; the lines kept for them and not used stand empty at the end."""

    blocks: tuple[Placed, ...]
    height: float
    kept: float
    """Height with the lines that are kept."""


@dataclass(frozen=True, slots=True)
class Laid:
    """Both groups at a size. most: how far the page scrolls; pinned: the top group alone does."""

    top: Group
    bottom: Group
    most: int = 0
    pinned: bool = False


def lay_out(page: Page, width: int, height: int) -> Laid:
    """Both groups with all that fits.

    With the lines kept, else without, else in short wordings and with fewer optional blocks, else scrolling.
    """
    if height >= ROOMY_LINES * small_line(page.look):
        page = replace(page, top=_larger(page.top), bottom=_larger(page.bottom))
    whole, bottom = _group(page, page.top, width), _group(page, page.bottom, width)
    middle = middle_of(page)
    if whole.kept + bottom.kept + middle <= height:
        return Laid(replace(whole, height=whole.kept), replace(bottom, height=bottom.kept))
    if whole.height + bottom.height + middle <= height:
        return Laid(whole, bottom)
    whole, bottom = (_group(page, blocks, width, short=True) for blocks in (page.top, page.bottom))
    room = height - bottom.height - middle
    blocks, top = page.top, whole
    while top.height > room and any(block.optional for block in blocks):
        last = max(i for i, block in enumerate(blocks) if block.optional)
        blocks = (*blocks[:last], *blocks[last + 1 :])
        top = _group(page, blocks, width, short=True)
    if top.height <= room:
        return Laid(top, bottom)
    pinned = room >= LEAST_LINES * small_line(page.look)
    # What scrolls need leave nothing out.
    return Laid(whole, bottom, math.ceil(whole.height - room), pinned)


def _larger(blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    return tuple(replace(block, role=block.roomy) if block.roomy else block for block in blocks)


def font_of(block: Block, look: Appearance) -> QFont:
    """Font of a block."""
    return font(look, block.role, bold=block.bold, mono=block.mono)


def indent_of(block: Block, look: Appearance) -> float:
    """Room for the icon before a block's lines."""
    return float(px(look, 20)) if block.icon else 0.0


def line_height(face: QFont, look: Appearance) -> int:
    """Distance from one line to the next."""
    return QFontMetrics(face).height() + px(look, 2)


def small_line(look: Appearance) -> int:
    """Height of a line in the small font."""
    return line_height(font(look, "small"), look)


def middle_of(page: Page) -> int:
    """Room between both groups, in which the rule stands; none over an empty group."""
    return px(page.look, 17) if page.bottom else 0


def _group(page: Page, blocks: tuple[Block, ...], width: int, *, short: bool = False) -> Group:
    y = kept = 0.0
    placed = []
    look = page.look
    gap = px(look, 5)
    for block in blocks:
        face = font_of(block, look)
        room = width - indent_of(block, look) - px(look, 8)
        lines = wrap(block.text, face, room)
        if short and block.short and len(lines) > 1:
            lines = wrap(block.short, face, room)
        placed.append(Placed(block, y, lines))
        y += len(lines) * line_height(face, look) + gap
        kept += block.reserve * line_height(face, look) + gap
    if not placed:
        return Group((), 0.0, 0.0)
    return Group(tuple(placed), y - gap, max(y, kept) - gap)


def wrap(text: str, face: QFont, width: float) -> tuple[str, ...]:
    """Lines of a text at a width; words too long for a line are broken."""
    lines: list[str] = []
    for paragraph in text.split("\n"):
        layout = QTextLayout(paragraph, face)
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        layout.beginLayout()
        while (line := layout.createLine()).isValid():
            line.setLineWidth(max(1.0, width))
            # Positions count UTF-16 units, as Qt's strings do.
            units = paragraph.encode("utf-16-le", "surrogatepass")
            start, length = line.textStart(), line.textLength()
            lines.append(
                units[2 * start : 2 * (start + length)].decode("utf-16-le", "surrogatepass").rstrip()
            )
        layout.endLayout()
    return tuple(lines)
