"""What a heat map shows, as one frozen value, and the places that follow from it."""

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSizeF
from PySide6.QtGui import QFontMetricsF

from ffn_explorer.core.stages import Stage
from ffn_explorer.state.app_state import Appearance
from ffn_explorer.state.result import Bytes, Floats, Pyramid
from ffn_explorer.widgets.colourbar import bar_width
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.sizes import px

if TYPE_CHECKING:
    from ffn_explorer.widgets.lens import Lens

LABELS_SHARE = 0.18
"""Share of the width that tokens may take; longer ones end in "…" and stand whole in their tooltip."""

NAMES_SHARE = 0.42
"""Share of the width that the names of the axes may take."""

_BAND_FROM_PX = 140


@dataclass(frozen=True, slots=True)
class MapWords:
    """Every word of the map, already in the person's language."""

    axis: str
    """Name of the columns now shown, and `axes` all names that may come, so that the layout never jumps."""
    axes: tuple[str, ...]
    rows: str
    unit: str
    column: str
    """Label of the chosen column."""
    readout: str
    """Exact value of the pointed or chosen cell."""
    beyond: tuple[str, ...]
    """Said in the part of the axis where the stage has no columns."""
    waiting: str
    """Said while the pass has not reached the stage; "" from then on."""
    readout_short: str = ""
    """The same value in fewer words."""


@dataclass(frozen=True, slots=True, eq=False)
class MapPicture:
    """All that a heat map draws: rows x columns of one sentence at one stage."""

    look: Appearance
    stage: Stage
    made: Pyramid
    share: tuple[Bytes, ...] | None
    """Active share per level of `made`, as opacity; None draws every cell in full."""
    exact: Floats
    """Values `[S, N]` behind the cells."""
    sentence: int
    rows: tuple[str, ...]
    axis: int
    """Columns of the common axis: the widest stage."""
    first: int
    shown: int
    progress: float
    """0..1: columns revealed, from the left."""
    row: int
    column: int | None
    hovered: tuple[int | None, int | None]
    """Row and column that are pointed at, each where one is."""
    words: MapWords
    limits: tuple[float, ...]
    """Colour limits of all stages, for a steady layout."""
    lens: "Lens | None" = None


@dataclass(frozen=True, slots=True)
class MapPlaces:
    """Rectangles in logical pixels; the image's corners lie on whole device pixels."""

    area: QRectF
    pixels: tuple[int, int]
    """Device pixels of the area: width, height."""
    bar: QRectF
    band: float
    """Height of the line above the area, 0 where there is no room for one."""
    size: QSizeF


def map_places(picture: MapPicture, size: QSizeF, *, ratio: float) -> MapPlaces:
    """Divide a widget of this size, with `ratio` device pixels per logical pixel."""
    words = picture.words
    names = (*words.axes, words.rows)
    return _places(
        picture.look, picture.rows, names, words.unit, picture.limits, size.width(), size.height(), ratio
    )


@lru_cache(maxsize=8)
def _places(
    look: Appearance,
    rows: tuple[str, ...],
    names: tuple[str, ...],
    unit: str,
    limits: tuple[float, ...],
    width: float,
    height: float,
    ratio: float,
) -> MapPlaces:
    """The same from what decides it; measured once, since a choice changes none of it."""
    size = QSizeF(width, height)
    small = QFontMetricsF(font(look, "small"))
    gap = px(look, 8)
    longest = _longest(rows, look) + gap
    names_wide = max(map(small.horizontalAdvance, names)) + gap
    left = max(min(longest, size.width() * LABELS_SHARE), min(names_wide, size.width() * NAMES_SHARE))
    bar = bar_width(look, limits)
    right = max(bar + px(look, 14), small.horizontalAdvance(unit) + px(look, 10))
    band = small.height() + px(look, 4) if size.height() >= px(look, _BAND_FROM_PX) else 0.0
    top = band + px(look, 5)
    bottom = small.height() + px(look, 6)
    x0, y0 = round(left * ratio), round(top * ratio)
    wide = max(0, int((size.width() - right) * ratio) - x0)
    high = max(0, int((size.height() - bottom) * ratio) - y0)
    area = QRectF(x0 / ratio, y0 / ratio, wide / ratio, high / ratio)
    beside = QRectF(
        area.right() + px(look, 14), area.top(), size.width() - area.right() - px(look, 14), area.height()
    )
    return MapPlaces(area, (wide, high), beside, band, size)


@lru_cache(maxsize=16)
def _longest(rows: tuple[str, ...], look: Appearance) -> float:
    """Width of the longest label in bold; measured once for every sentence."""
    strong = QFontMetricsF(font(look, "small", bold=True))
    return max(map(strong.horizontalAdvance, rows), default=0.0)
