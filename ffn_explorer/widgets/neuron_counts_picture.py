"""At how many tokens each neuron is active: what is shown, and the places that follow from it."""

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF

from ffn_explorer.core.stages import Stage
from ffn_explorer.state import numbers
from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.axes import ticks
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.marks import Marked
from ffn_explorer.widgets.sizes import px

LEAST_BAR_PX = 4
STRIP_PX = 20


@dataclass(frozen=True, slots=True)
class CountWords:
    """Every word of the picture, in the person's language."""

    neurons: str
    """Name of the neurons' axis."""
    counted: str
    """Name of the axis that counts neurons."""
    tokens: tuple[str, ...]
    """Name of the axis that counts tokens: wordings, longest first."""
    legend: tuple[Marked, ...]
    readout: tuple[str, ...]
    """The pointed or chosen neuron: wordings, longest first."""


@dataclass(frozen=True, slots=True, eq=False)
class CountsPicture:
    """All that the picture draws.

    count `[F]`: tokens at which a neuron is active, of `most`; other: the same of B, or None.
    source: what they were made from; while it stays the same, so does the picture of the strip.
    """

    look: Appearance
    stage: Stage
    source: Hashable
    count: NDArray[np.int64]
    other: NDArray[np.int64] | None
    most: int
    progress: float
    chosen: int | None
    pointed: int | None
    words: CountWords


@dataclass(frozen=True, slots=True, eq=False)
class Heights:
    """Bars of the histogram: the counts that each stands for, first[i]..past[i]-1, and how many neurons."""

    first: NDArray[np.int64]
    past: NDArray[np.int64]
    neurons: NDArray[np.int64]
    other: NDArray[np.int64] | None

    @property
    def tallest(self) -> int:
        """Neurons in the tallest bar of either run."""
        other = 0 if self.other is None else int(self.other.max(initial=0))
        return max(1, int(self.neurons.max(initial=0)), other)

    def bar_of(self, count: int) -> int:
        """Bar in which a count stands."""
        return int(np.searchsorted(self.past, count, side="right"))


def heights(shown: CountsPicture, *, most_bars: int) -> Heights:
    """How many neurons are active at 0, 1, 2 ... tokens; 0 stands alone, others share bars if they must."""
    group = max(1, -(-shown.most // max(1, most_bars - 1)))
    first = np.concatenate([[0], np.arange(1, shown.most + 1, group)]).astype(np.int64)
    past = np.append(first[1:], shown.most + 1)

    def of(count: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.add.reduceat(np.bincount(count, minlength=shown.most + 1), first).astype(np.int64)

    return Heights(first, past, of(shown.count), None if shown.other is None else of(shown.other))


@dataclass(frozen=True, slots=True)
class CountPlaces:
    """Places in logical pixels, from top to bottom."""

    strip: QRectF
    strip_ticks: QRectF
    legend: QRectF
    area: QRectF
    ticks: QRectF
    names: QRectF
    readout: QRectF


def count_places(shown: CountsPicture, width: float, height: float) -> CountPlaces:
    """Divide a widget; legend, names and readout give way first where it is low."""
    look = shown.look
    small = QFontMetricsF(font(look, "small"))
    line, gap = small.height(), px(look, 4)
    marks = ticks(0.0, float(max(1, len(shown.count))), most=2)
    left = round(max(small.horizontalAdvance(numbers.axis(mark)) for mark in marks) + px(look, 8))
    names_wide = max(map(small.horizontalAdvance, (shown.words.neurons, shown.words.counted)))
    left = max(left, min(round(names_wide) + px(look, 8), round(width * 0.3)))
    right = px(look, 10)
    spare = [height > lines * line for lines in (9, 8, 11)]
    legend, names, readout = (line if room else 0.0 for room in spare)
    strip = QRectF(left, 0, max(0.0, width - left - right), px(look, STRIP_PX))
    below = strip.bottom() + gap
    top = below + line + (gap + legend if legend else gap)
    foot = line + (names + gap if names else 0.0) + (readout + gap if readout else 0.0)
    area = QRectF(left, top + gap, strip.width(), max(0.0, height - top - foot - 2 * gap))
    ticks_top = area.bottom() + gap / 2
    return CountPlaces(
        strip=strip,
        strip_ticks=QRectF(left, strip.bottom() + gap / 2, strip.width(), line),
        legend=QRectF(left, below + line + gap / 2, strip.width(), legend),
        area=area,
        ticks=QRectF(left, ticks_top, strip.width(), line),
        names=QRectF(left, ticks_top + line, strip.width(), names),
        readout=QRectF(0, height - line - 1, width, readout),
    )
