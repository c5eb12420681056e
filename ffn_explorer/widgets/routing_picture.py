"""What the routing map shows, as one frozen value, and the places that follow from it."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from PySide6.QtCore import QRectF, QSizeF
from PySide6.QtGui import QFontMetricsF

from ffn_explorer.state import numbers
from ffn_explorer.state.app_state import Appearance
from ffn_explorer.state.routing_table import RoutingTable
from ffn_explorer.widgets.axes import signed
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.sizes import px

Mode = Literal["weights", "logits"]

_LABELS_SHARE = 0.2
"""Share of the width that tokens may take."""

_MARGIN_SHARE = 0.17
_LOAD_SHARE = 0.22


@dataclass(frozen=True, slots=True)
class RoutingWords:
    """Every word of the picture, in the language of the scene; tuples hold wordings, longest first."""

    readout: tuple[str, ...]
    rows: str
    columns: str
    load: tuple[str, ...]
    margin: tuple[str, ...]
    capacity: str
    close: str
    scale: str
    waiting: str
    ours: str
    theirs: str


@dataclass(frozen=True, slots=True, eq=False)
class RoutingPicture:
    """One sentence's routing. share: how much of it the pass has shown, 0..1.

    token, expert: chosen; pointed_token, pointed_expert: pointed at.  first, shown: experts in sight.
    other `[E]`: tokens that the experts of B took, where there is a B with experts.
    """

    look: Appearance
    table: RoutingTable
    other: np.ndarray | None
    mode: Mode
    rows: tuple[str, ...]
    share: float
    token: int
    expert: int | None
    pointed_token: int | None
    pointed_expert: int | None
    banned: frozenset[int]
    forced: int | None
    first: int
    shown: int
    words: RoutingWords

    @property
    def most(self) -> int:
        """Top of the load axis, in tokens."""
        counts = [int((self.table.served + self.table.dropped).max(initial=1)), self.table.capacity or 1]
        if self.other is not None:
            counts.append(int(self.other.max(initial=0)))
        return max(counts)

    @property
    def limit(self) -> float:
        """Largest magnitude on the scale of the map: of the weights, or of the logits."""
        values = self.table.weight if self.mode == "weights" else self.table.logits
        finite = np.abs(values[np.isfinite(values)])
        return float(finite.max(initial=0.0)) or 1.0

    @property
    def margins(self) -> tuple[float, float]:
        """Ends of the margin axis."""
        finite = self.table.margin[np.isfinite(self.table.margin)]
        return min(0.0, float(finite.min(initial=0.0))), max(0.0, float(finite.max(initial=0.0))) or 1.0


@dataclass(frozen=True, slots=True)
class RoutingPlaces:
    """Parts of the widget: map, expert numbers under it, load under these, margins and scale at the right."""

    size: QSizeF
    line: float
    area: QRectF
    ticks: QRectF
    load: QRectF
    margin: QRectF
    scale: QRectF


def routing_places(picture: RoutingPicture, size: QSizeF) -> RoutingPlaces:
    """Divide the widget."""
    look = picture.look
    metrics = QFontMetricsF(font(look, "small"))
    bold = QFontMetricsF(font(look, "small", bold=True))
    line = metrics.height()
    names = max([bold.horizontalAdvance(name) for name in (*picture.rows, picture.words.columns)], default=0)
    counts = metrics.horizontalAdvance(numbers.count(picture.most))
    load_name = metrics.horizontalAdvance(picture.words.load[-1])
    left = max(min(names, size.width() * _LABELS_SHARE), counts, load_name) + px(look, 8)
    ends = [metrics.horizontalAdvance(signed(end)) for end in picture.margins]
    heads = metrics.horizontalAdvance(picture.words.margin[-1])
    right = max(heads, 2.2 * max(ends), size.width() * _MARGIN_SHARE)
    top = line + px(look, 4)
    load = max(1.6 * line, size.height() * _LOAD_SHARE)
    ticks = line + px(look, 7)
    gap = px(look, 12)
    area = QRectF(
        round(left),
        round(top + line),
        max(1.0, round(size.width() - left - right - gap)),
        max(1.0, round(size.height() - top - line - ticks - load - px(look, 4))),
    )
    under = QRectF(area.left(), area.bottom(), area.width(), ticks)
    beside = round(area.right() + gap)
    return RoutingPlaces(
        size=size,
        line=line,
        area=area,
        ticks=under,
        load=QRectF(area.left(), under.bottom() + px(look, 4), area.width(), load - px(look, 4)),
        margin=QRectF(beside, area.top(), max(1.0, size.width() - beside - 1), area.height()),
        scale=QRectF(beside, under.bottom() + line * 0.3, max(1.0, size.width() - beside - 1), load),
    )
