"""What the bars of tokens show, and the places that follow from it."""

from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF

from ffn_explorer.core.stages import Stage
from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.drawn_text import advance
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.marks import Marked
from ffn_explorer.widgets.sizes import px

LABELS_SHARE = 0.24
"""Share of the width that tokens may take; longer ones end in "…" and stand whole in their tooltip."""

LEAST_ROW_PX = 4
"""Rows are never lower: more tokens than fit are scrolled."""

MOST_ROW_PX = 22
NAME_GAP_PX = 13
"""Between a name and its bar: the dot of a neuron stands there, clear of the letters."""

NAMED_ROW = 0.8
"""Height from which on each row bears its name, as a share of a line of words."""


@dataclass(frozen=True, slots=True, eq=False)
class TokenBar:
    """One token: its label, shares of its neurons (None where nothing was computed), and the same of B."""

    label: str
    active: float | None
    zero: float
    words: str
    """Share as printed, or why there is none."""
    other: float | None = None
    other_zero: float = 0.0


@dataclass(frozen=True, slots=True)
class TokenBarsPicture:
    """All that the bars draw."""

    look: Appearance
    stage: Stage
    rows: tuple[TokenBar, ...]
    progress: float
    chosen: int
    pointed: int | None
    scroll: int
    """First row in sight + 1, where a person scrolled; 0 follows the chosen token."""
    paired: bool
    """Whether B stands under each bar."""
    legend: tuple[Marked, ...]
    """Marks "active", "small", "zero", "other"."""
    rows_name: str
    axis_name: str
    readout: tuple[str, ...]
    """Numbers of the pointed or chosen token: wordings, longest first."""
    neuron: tuple[bool, ...] = ()
    """Whether the pointed or chosen neuron is active at each token; () while there is none."""

    @property
    def measured(self) -> tuple[object, ...]:
        """All that decides places."""
        names = (self.rows_name, self.axis_name)
        return (self.look, self.rows, self.chosen, self.scroll, self.paired, names)


@dataclass(frozen=True, slots=True)
class BarPlaces:
    """Places in logical pixels: tracks stand between left and right, rows from first on."""

    legend: QRectF
    area: QRectF
    values: QRectF
    ticks: QRectF
    readout: QRectF
    row: float
    """Height of a row."""
    first: int
    shown: int

    def row_top(self, index: int) -> float:
        """Top of a row."""
        return self.area.top() + (index - self.first) * self.row

    def row_rect(self, index: int) -> QRectF:
        """Track's place of a row."""
        return QRectF(self.area.left(), self.row_top(index), self.area.width(), self.row)


def bar_places(shown: TokenBarsPicture, width: float, height: float) -> BarPlaces:
    """Divide a widget; legend and readout give way first where it is low."""
    look = shown.look
    small = QFontMetricsF(font(look, "small"))
    line, gap = small.height(), px(look, 8)
    longest, numbers_wide = _widest(shown.rows, look)
    least = max(map(small.horizontalAdvance, (shown.rows_name, shown.axis_name))) + gap
    left = round(max(min(longest, width * LABELS_SHARE), min(least, width * 0.4)) + px(look, NAME_GAP_PX))
    right = round(max(numbers_wide, small.horizontalAdvance("100 %") / 2) + gap)
    count = max(1, len(shown.rows))
    lines = _lines(height, line, count=count, gap=px(look, 3))
    top, foot = _above_and_below(lines, line, gap=px(look, 3))
    room = max(0.0, height - top - foot)
    fit = max(1, min(count, int(room / px(look, LEAST_ROW_PX))))
    row = min(px(look, MOST_ROW_PX) * (1.5 if shown.paired else 1.0), room / fit)
    follow = min(max(0, shown.chosen - fit // 2), count - fit)
    if lines == 1 and row < line:
        # The first name reaches over its row.
        top = (line - row) / 2
        row -= top / fit
    first = follow if shown.scroll == 0 else min(count - fit, shown.scroll - 1)
    area = QRectF(left, top, max(0.0, width - left - right), row * fit)
    return BarPlaces(
        legend=QRectF(left, 0, width - left, line if lines > 1 else 0.0),
        area=area,
        values=QRectF(area.right() + gap / 2, area.top(), right - gap / 2, area.height()),
        ticks=QRectF(area.left(), area.bottom() + px(look, 3), area.width(), line),
        readout=QRectF(0, height - line - 1, width, line if lines > 2 else 0.0),
        row=row,
        first=first,
        shown=fit,
    )


@lru_cache(maxsize=8)
def _widest(rows: tuple[TokenBar, ...], look: Appearance) -> tuple[float, float]:
    """Widths of the longest label and of the longest number, in bold; measured once for every sentence."""
    bold = font(look, "small", bold=True)
    return (
        max((advance(row.label, bold) for row in rows), default=0.0),
        max((advance(row.words, bold) for row in rows), default=0.0),
    )


def _lines(height: float, line: float, *, count: int, gap: float) -> int:
    """Lines of words beside the rows: ticks, then a legend, then a readout where every row keeps its name."""
    lines = 1 + (height > 7 * line) + (height > 9 * line)
    if lines > 2:
        rows = [(height - sum(_above_and_below(n, line, gap=gap))) / count for n in (3, 2)]
        named = [row >= NAMED_ROW * line for row in rows]
        lines = 2 if named == [False, True] else 3
    return lines


def _above_and_below(lines: int, line: float, *, gap: float) -> tuple[float, float]:
    """Heights that so many lines take over and under the rows."""
    return (line + gap if lines > 1 else 0.0), (2 if lines > 2 else 1) * line + gap * (lines > 2) + gap
