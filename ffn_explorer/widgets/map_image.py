"""The image of a heat map: pooled bytes and their colours, at exactly the device pixels of its place."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor

from ffn_explorer.state.result import Bytes, Pyramid
from ffn_explorer.widgets.pooling import Columns, Lanes, lanes, mean_share, strongest
from ffn_explorer.widgets.theme import Theme, diverging

FAINTEST = 0.4
"""Opacity of a pixel in which hardly any neuron is active: a lone strong one must still be seen."""

_GAP_FROM_PX = 7


@dataclass(frozen=True, slots=True, eq=False)
class MapImage:
    """What is on screen: bytes `[R, P]` of each band and pixel, and colours `[H, P, 4]` (RGBA)."""

    values: Bytes
    rows: Lanes
    """Tokens of each of the H pixel rows."""
    pixels: Bytes

    def byte_at(self, row_pixel: int, pixel: int) -> int:
        """Pyramid byte shown at a device pixel."""
        return int(self.values[self.rows.low[row_pixel] if self._one_band_each else row_pixel, pixel])

    @property
    def _one_band_each(self) -> bool:
        return len(self.values) != len(self.rows.low)


@lru_cache(maxsize=8)
def shades(theme: Theme) -> NDArray[np.uint32]:
    """Colour `[share, value]` as RGBA bytes in one word: the diverging colour laid on the surface."""
    surface, colours = _surface(theme), diverging(theme).astype(np.float64)
    share = np.arange(256) / 255.0
    opacity = np.where(share > 0.0, FAINTEST + (1.0 - FAINTEST) * share, 0.0)[:, None, None]
    mixed = surface + (colours - surface) * opacity  # [256, 256, 3]
    mixed[:, 0] = colours[0]
    rgba = np.full((256, 256, 4), 255, np.uint8)
    rgba[..., :3] = np.round(mixed)
    return rgba.view(np.uint32)[..., 0]


def map_image(
    made: Pyramid,
    share: tuple[Bytes, ...] | None,
    *,
    rows: tuple[int, int],
    at: Columns,
    height: int,
    theme: Theme,
) -> MapImage:
    """Pool one sentence to the pixels of its place, and colour it; rows = its number, and its tokens."""
    sentence, tokens = rows
    bands = lanes(tokens, height)
    values = strongest(made.levels[at.level].value[sentence, :tokens], at.lanes, axis=1)
    active = None if share is None else mean_share(share[at.level][sentence, :tokens], at.lanes, axis=1)
    if tokens > height:
        values = strongest(values, bands, axis=0)
        active = None if active is None else mean_share(active, bands, axis=0)
    table = shades(theme)
    colours = table[255][values] if active is None else table[active, values]
    return MapImage(values, bands, _spread(colours, bands, tokens, surface=table[0, 128]))


def _spread(colours: NDArray[np.uint32], bands: Lanes, tokens: int, *, surface: np.uint32) -> Bytes:
    """Give each token its pixel rows, with a line of surface between them where they are high enough."""
    height = len(bands.low)
    if tokens > height:
        return colours.view(np.uint8).reshape(height, -1, 4)
    out = colours[bands.low]
    if height // tokens >= _GAP_FROM_PX:
        last = np.flatnonzero(np.diff(bands.low))
        out[last] = surface
    return out.view(np.uint8).reshape(height, -1, 4)


def _surface(theme: Theme) -> NDArray[np.float64]:
    colour = QColor(theme.surface)
    return np.array([colour.red(), colour.green(), colour.blue()], np.float64)
