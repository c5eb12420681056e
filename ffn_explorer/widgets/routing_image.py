"""The cells of a routing map as an image: one pixel per cell, or per group of cells where they are many."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage

from ffn_explorer.state.result import Floats
from ffn_explorer.state.routing_table import NOT_CHOSEN
from ffn_explorer.widgets.routing_picture import RoutingPicture
from ffn_explorer.widgets.theme import Theme, blend, diverging, theme_of

FAINTEST = 0.14
"""Opacity of a chosen cell of weight 0, so that every choice is seen."""


def routing_image(picture: RoutingPicture, pixels: tuple[int, int]) -> QImage:
    """Image of the experts in sight, at most pixels = (wide, high); of a group the strongest is shown."""
    columns = slice(picture.first, picture.first + picture.shown)
    table, theme = picture.table, theme_of(picture.look)
    if picture.mode == "weights":
        values = np.where(table.full, 0.0, table.weights)[:, columns]  # [S, E in sight], NaN: not chosen
        level = _bytes(np.nan_to_num(values, nan=0.0), picture.limit, low=2)
        level[table.slot[:, columns] == NOT_CHOSEN] = 1
        level[~np.isfinite(values) & (table.slot[:, columns] != NOT_CHOSEN)] = 0
        colours = sequential(theme)
    else:
        values = table.logits[:, columns]
        signed = np.clip(np.nan_to_num(values, nan=0.0) / picture.limit, -1.0, 1.0)
        level = (128 + np.rint(127 * signed)).astype(np.uint8)
        level[~np.isfinite(values)] = 0
        colours = diverging(theme)
    rgb = colours[_pooled(level, pixels, centre=1 if picture.mode == "weights" else 128)]
    return _image(np.ascontiguousarray(rgb))


@lru_cache(maxsize=8)
def sequential(theme: Theme) -> NDArray[np.uint8]:
    """Colour table `[256, 3]`: 1 not chosen (the surface), 2..255 from faint to ink, 0 not finite."""
    shares = FAINTEST + (1.0 - FAINTEST) * (np.arange(256) - 2).clip(0) / 253.0
    colours = [blend(theme.ink, theme.surface, float(share)) for share in shares]
    colours[1] = blend(theme.ink, theme.surface, 0.0)
    colours[0] = blend(theme.non_finite, theme.surface, 1.0)
    return np.array([(c.red(), c.green(), c.blue()) for c in colours], np.uint8)


def _bytes(values: Floats, limit: float, *, low: int) -> NDArray[np.uint8]:
    share = np.clip(np.abs(values) / limit, 0.0, 1.0)
    level: NDArray[np.uint8] = (low + np.rint((255 - low) * share)).astype(np.uint8)
    return level


def _pooled(level: NDArray[np.uint8], pixels: tuple[int, int], *, centre: int) -> NDArray[np.uint8]:
    """The strongest of each group of cells, where there are more cells than pixels."""
    strength = np.abs(level.astype(np.int64) - centre) + np.where(level == 0, 1_000, 0)
    for axis, most in ((0, pixels[1]), (1, pixels[0])):
        count = level.shape[axis]
        if count <= most:
            continue
        edges = np.arange(most) * count // most
        groups = np.split(np.arange(count), edges[1:])
        picks = [np.take(strength, group, axis).argmax(axis) + group[0] for group in groups]
        index = np.stack(picks, axis)
        level = np.take_along_axis(level, index, axis)
        strength = np.take_along_axis(strength, index, axis)
    return level


def _image(rgb: NDArray[np.uint8]) -> QImage:
    height, width, _ = rgb.shape
    return QImage(rgb.tobytes(), width, height, 3 * width, QImage.Format.Format_RGB888).copy()
