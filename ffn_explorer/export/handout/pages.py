"""Pages: blocks one under the other, broken where that does not hurt."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import QRectF

from ffn_explorer.export.handout.blocks import Block, Line, Row, Shape

LEAST_ROWS = 3
"""Rows of a block too high for a page that stay together at its ends."""

RULE = 210.0
"""From one ruled line to the next."""


@dataclass(frozen=True, slots=True)
class Section:
    """What begins on a page of its own. chapter: in the head line.  own: what the ruled lines are called.

    Ruled lines for a reader's own notes fill the page; without a name there are none.
    """

    blocks: tuple[Block, ...]
    chapter: str = ""
    own: tuple[Row, ...] = ()


@dataclass(slots=True)
class Page:
    """Where everything stands on a page. pictures: by number of the scene.  marks: names found here."""

    chapter: str = ""
    lines: list[Line] = field(default_factory=list)
    shapes: list[Shape] = field(default_factory=list)
    pictures: dict[int, QRectF] = field(default_factory=dict)
    marks: list[str] = field(default_factory=list)


class Setting:
    """Fills pages from the top."""

    def __init__(self, frame: QRectF) -> None:
        """Begin without a page; frame: what every page has room in."""
        self.frame = frame
        self.pages: list[Page] = []
        self._y = frame.top()

    @property
    def room(self) -> float:
        """What is left of the page."""
        return self.frame.bottom() - self._y + 0.01

    @property
    def fresh(self) -> bool:
        """Whether nothing stands on the page."""
        return self._y == self.frame.top()

    def add(self, section: Section) -> None:
        """Set a section on new pages."""
        self._turn(section.chapter)
        blocks = section.blocks
        at = 0
        while at < len(blocks):
            end = at
            while blocks[end].leads and end + 1 < len(blocks):
                end += 1
            self._together(blocks[at : end + 1], section.chapter)
            at = end + 1
        if section.own:
            self._rule(section.own)

    def _turn(self, chapter: str) -> None:
        self.pages.append(Page(chapter))
        self._y = self.frame.top()

    def _together(self, blocks: Sequence[Block], chapter: str) -> None:
        """Headings and what they lead: on one page where they have room on any."""
        gaps = sum(block.gap for block in blocks[1:])
        whole = sum(block.height for block in blocks) + gaps
        first = 0.0 if self.fresh else blocks[0].gap
        if whole + first > self.room and not self.fresh:
            begin = whole - blocks[-1].height + _height(blocks[-1].rows[:LEAST_ROWS])
            if whole <= self.frame.height() or begin + first > self.room:
                self._turn(chapter)
        for block in blocks:
            self._put(block, chapter)

    def _put(self, block: Block, chapter: str) -> None:
        if not self.fresh:
            self._y += block.gap
        rows: Sequence[Row] = block.rows
        if block.mark:
            self.pages[-1].marks.append(block.mark)
        while rows:
            fitting = self._fitting(rows)
            if not fitting and not self.fresh:
                self._turn(chapter)
                continue
            count = max(1, fitting)
            self._place(block, rows[:count])
            rows = rows[count:]
            if rows:
                self._turn(chapter)

    def _fitting(self, rows: Sequence[Row]) -> int:
        """How many rows are set here, so that neither here nor on the next page only a few of them stand."""
        count, height = 0, 0.0
        for row in rows:
            height += row.height
            if height > self.room:
                break
            count += 1
        if count == len(rows):
            return count
        count = min(count, max(len(rows) - LEAST_ROWS, 0)) if len(rows) >= 2 * LEAST_ROWS else count
        return count if count >= LEAST_ROWS or self.fresh else 0

    def _place(self, block: Block, rows: Sequence[Row]) -> None:
        page, left = self.pages[-1], self.frame.left()
        height = _height(rows)
        place = QRectF(left, self._y, self.frame.width(), height)
        if block.box is not None:
            page.shapes.append(Shape(block.box[0], place, block.box[1]))
        if block.picture is not None:
            page.pictures[block.picture] = place
        lines: list[Line] = []
        for row in rows:
            lines += [line._replace(x=left + line.x, base=self._y + line.base) for line in row.lines]
            page.shapes += [
                shape._replace(place=shape.place.translated(left, self._y)) for shape in row.shapes
            ]
            self._y += row.height
        page.lines += sorted(lines, key=lambda line: line.lane)

    def _rule(self, own: tuple[Row, ...]) -> None:
        """Lines down to the bottom, where there is room for some."""
        top = 160.0
        count = int((self.room - top - _height(own)) // RULE)
        if count < 2:
            return
        self._y += top
        self._place(Block(own), own)
        width = self.frame.width()
        ruled = tuple(
            Row(RULE, (), (Shape("line", QRectF(0.0, RULE, width, 0.0), "border"),)) for _ in range(count)
        )
        self._place(Block(ruled), ruled)


def _height(rows: Sequence[Row]) -> float:
    return sum(row.height for row in rows)
