"""Papers of a handout, and the type that it is set in; every length is in tenths of a point."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, NamedTuple

from PySide6.QtCore import QRectF
from PySide6.QtGui import QFont, QPageSize

from ffn_explorer.widgets.fonts import sized

PaperName = Literal["a4", "letter"]

PER_INCH = 720

SIDE, HEAD, FOOT = 430.0, 640.0, 560.0
"""Margins: left and right, and above and below what is said; head and foot lines stand within them."""


@dataclass(frozen=True, slots=True)
class Paper:
    """A sheet that stands upright."""

    size: QPageSize.PageSizeId
    width: float
    height: float

    @property
    def frame(self) -> QRectF:
        """What the text stands in."""
        return QRectF(SIDE, HEAD, self.width - 2 * SIDE, self.height - HEAD - FOOT)


PAPERS: Mapping[PaperName, Paper] = MappingProxyType(
    {
        "a4": Paper(QPageSize.PageSizeId.A4, 5_953.0, 8_419.0),
        "letter": Paper(QPageSize.PageSizeId.Letter, 6_120.0, 7_920.0),
    }
)


class Style(NamedTuple):
    """How words are set. size: of the type.  colour: name of a colour of the theme.  leading: of the size."""

    size: int
    bold: bool = False
    colour: str = "ink"
    leading: float = 1.42

    @property
    def font(self) -> QFont:
        """Its font."""
        return sized(self.size, bold=self.bold)

    @property
    def step(self) -> float:
        """From one line to the next."""
        return self.size * self.leading


COVER = Style(300, bold=True, leading=1.2)
TITLE = Style(190, bold=True, leading=1.25)
HEADING = Style(120, bold=True, leading=1.3)
LEAD = Style(105)
BODY = Style(90)
STRONG = Style(90, bold=True)
SMALL = Style(80)
QUIET = Style(80, colour="muted")
LABEL = Style(72, bold=True, colour="muted", leading=1.5)
FAINT = Style(72, colour="muted")
