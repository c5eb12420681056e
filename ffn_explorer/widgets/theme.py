"""Themes: the only place with colours, and the sizes of type and lines."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor

from ffn_explorer.core.stages import Stage
from ffn_explorer.state.app_state import Appearance


# Compared and hashed by identity: one object per theme, and a mapping has no hash before Python 3.12.
@dataclass(frozen=True, slots=True, eq=False)
class Theme:
    """Colours of one theme, and its type and line sizes in pixels at scale 1.

    Two hues mean sign (negative blue, positive orange) and nothing else; stage colours stay away from them.
    """

    name: str
    background: str
    surface: str
    sunken: str
    """Tracks of bars, hovered rows, disabled fields."""
    border: str
    grid: str
    ink: str
    muted: str
    accent: str
    on_accent: str
    focus: str
    error: str
    negative: str
    positive: str
    non_finite: str
    stages: Mapping[Stage, str]
    small_px: float = 12.0
    body_px: float = 13.0
    title_px: float = 15.0
    slide_px: float = 22.0
    line_px: float = 1.0

    def stage(self, stage: Stage) -> QColor:
        """Colour of a stage."""
        return QColor(self.stages[stage])


def _stages(*colours: str) -> Mapping[Stage, str]:
    return MappingProxyType(dict(zip(Stage, colours, strict=True)))


LIGHT = Theme(
    name="light",
    background="#f5f5f0",
    surface="#ffffff",
    sunken="#ebebe5",
    border="#e2e2da",
    grid="#ececec",
    ink="#14171a",
    muted="#63686e",
    accent="#14171a",
    on_accent="#ffffff",
    focus="#7a4fa8",
    error="#b3261e",
    negative="#1f63b0",
    positive="#c44e17",
    non_finite="#d000c0",
    # input, norm, up, gate, act, hidden, out, post_norm, residual
    stages=_stages(
        "#56667c", "#7a5c3e", "#067a80", "#8a6700", "#2f7a1f", "#7a4aa8", "#a62a68", "#7a5c3e", "#56667c"
    ),
)

DARK = Theme(
    name="dark",
    background="#14171a",
    surface="#1c2024",
    sunken="#2a2f35",
    border="#2d3238",
    grid="#2a2f34",
    ink="#f1f3f5",
    muted="#a2a9b1",
    accent="#f1f3f5",
    on_accent="#14171a",
    focus="#bd93e8",
    error="#ff8a80",
    negative="#4b9be6",
    positive="#f08c4e",
    non_finite="#ff4df0",
    stages=_stages(
        "#a3b2c6", "#cfae8a", "#38bfc6", "#d9b832", "#7fce6e", "#bb90e6", "#ea75aa", "#cfae8a", "#a3b2c6"
    ),
)

PROJECTOR = Theme(
    name="projector",
    background="#ffffff",
    surface="#ffffff",
    sunken="#e6e6e0",
    border="#b9b9b0",
    grid="#dcdcd6",
    ink="#000000",
    muted="#474c52",
    accent="#000000",
    on_accent="#ffffff",
    focus="#6a3d9a",
    error="#9c1b14",
    negative="#0f52a0",
    positive="#b8430c",
    non_finite="#b000a4",
    stages=_stages(
        "#45556a", "#68492c", "#00666c", "#735500", "#20660f", "#66358f", "#8f1a55", "#68492c", "#45556a"
    ),
    small_px=19.0,
    body_px=20.0,
    title_px=23.0,
    slide_px=30.0,
    line_px=2.0,
)

BLANK = "#000000"
"""A blanked screen in every theme: a projector then gives no light."""

THEMES: Mapping[str, Theme] = MappingProxyType({t.name: t for t in (LIGHT, DARK, PROJECTOR)})


def theme_of(look: Appearance) -> Theme:
    """Theme that an appearance names."""
    return THEMES[look.theme]


@lru_cache(maxsize=8)
def diverging(theme: Theme) -> NDArray[np.uint8]:
    """Colour table `[256, 3]`: 1 negative, 128 zero (the surface), 255 positive, 0 not finite."""
    zero, low, high = (_rgb(c) for c in (theme.surface, theme.negative, theme.positive))
    strength = np.abs(np.arange(256) - 128)[:, None] / 127.0  # [256, 1]
    # A power below 1 lifts small magnitudes, which a linear ramp would lose against the surface.
    weight = np.clip(strength, 0.0, 1.0) ** 0.75
    end = np.where(np.arange(256)[:, None] < 128, low, high)
    table = zero + (end - zero) * weight
    table[0] = _rgb(theme.non_finite)
    return np.round(table).astype(np.uint8)


def blend(over: str, under: str, share: float) -> QColor:
    """`over` laid on `under` with opacity `share` 0..1, as an opaque colour."""
    # Without numpy: a frame mixes dozens of colours.
    return QColor(*(round(b + (a - b) * share) for a, b in zip(_bytes(over), _bytes(under), strict=True)))


def contrast(one: str, other: str) -> float:
    """WCAG contrast ratio of two colours, 1..21."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@lru_cache(maxsize=1_024)
def ink_on(ground: str) -> str:
    """Black or white, whichever stands out more from a ground: always by 4.5 or more."""
    return max("#000000", "#ffffff", key=lambda ink: contrast(ink, ground))


def _luminance(colour: str) -> float:
    channels = _rgb(colour) / 255.0
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return float(linear @ np.array([0.2126, 0.7152, 0.0722]))


def _rgb(colour: str) -> NDArray[np.float64]:
    return np.array(_bytes(colour), dtype=np.float64)


@lru_cache(maxsize=1_024)
def _bytes(colour: str) -> tuple[int, int, int]:
    c = QColor(colour)
    return c.red(), c.green(), c.blue()
