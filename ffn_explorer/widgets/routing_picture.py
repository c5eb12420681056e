"""What the routing map shows, as one frozen value, and the places that follow from it."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from PySide6.QtCore import QRectF, QSizeF
from PySide6.QtGui import QFontMetricsF

from ffn_explorer.core.stages import Stage
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
_ROOMY_LINES = 9.5
"""Lines of small type below which load and scale are left out."""


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
    stage: the one looked at, where it happens inside the experts; None otherwise.
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
    stage: Stage | None
    banned: frozenset[int]
    forced: int | None
    first: int
    shown: int
    words: RoutingWords

    @property
    def visited(self) -> list[int]:
        """Experts of the token pointed at, else of the chosen one."""
        at = self.token if self.pointed_token is None else self.pointed_token
        return [] if at >= self.table.tokens else [int(expert) for expert in self.table.index[at]]

    @property
    def most(self) -> int:
        """Top of the load axis, in tokens."""
        counts = [int((self.table.served + self.table.dropped).max(initial=1)), self.table.capacity or 1]
        if self.other is not None:
            counts.append(int(self.other.max(initial=0)))
        return max(counts)

    @property
    def legend(self) -> tuple[str, ...]:
        """What is said of the lines and bars of the load."""
        limited = (self.words.capacity,) if self.table.capacity is not None else ()
        return (*limited, *((self.words.ours, self.words.theirs) if self.other is not None else ()))

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
    """Parts of the widget: map, expert numbers under it, load under these, margins and scale at the right.

    A low widget leaves out load and scale: both are empty then.
    """

    size: QSizeF
    line: float
    area: QRectF
    ticks: QRectF
    legend: QRectF
    load: QRectF
    margin: QRectF
    scale: QRectF


def routing_places(picture: RoutingPicture, size: QSizeF) -> RoutingPlaces:
    """Divide the widget."""
    look, words = picture.look, picture.words
    metrics = QFontMetricsF(font(look, "small"))
    bold = QFontMetricsF(font(look, "small", bold=True))
    line = metrics.height()
    compact = size.height() < _ROOMY_LINES * line
    names = max((bold.horizontalAdvance(name) for name in picture.rows), default=0.0)
    beside = [words.rows, words.columns, words.load[-1], numbers.count(picture.most)]
    left = max([min(names, size.width() * _LABELS_SHARE), *map(metrics.horizontalAdvance, beside)]) + px(
        look, 9
    )
    ends = [metrics.horizontalAdvance(signed(end)) for end in picture.margins]
    heads = [metrics.horizontalAdvance(word) for word in (words.margin[-1], words.scale)]
    right = max([*heads, 2.2 * max(ends), size.width() * _MARGIN_SHARE]) + px(look, 3)
    legend = line if picture.legend and not compact else 0.0
    load = 0.0 if compact else max(1.6 * line, size.height() * _LOAD_SHARE) + legend
    ticks, gap, space = line + px(look, 7), px(look, 12), px(look, 4)
    top = round(2 * line + space)
    area = QRectF(
        round(left),
        top,
        max(1.0, round(size.width() - left - right - gap)),
        max(1.0, round(size.height() - top - ticks - load - (0 if compact else space))),
    )
    under = QRectF(area.left(), area.bottom(), area.width(), ticks)
    past = round(area.right() + gap)
    width = max(1.0, size.width() - past)
    floor = under.bottom() + space
    return RoutingPlaces(
        size=size,
        line=line,
        area=area,
        ticks=under,
        legend=QRectF(area.left(), floor, area.width(), legend),
        load=QRectF(area.left(), floor + legend, area.width(), max(0.0, load - space - legend)),
        margin=QRectF(past, area.top(), width, area.height()),
        scale=QRectF(past, under.bottom() + line * 0.3, width, load),
    )
