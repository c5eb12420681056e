"""Sizes that grow with a look's type, so that projector and 200 % keep their proportions."""

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.theme import LIGHT, theme_of


def px(look: Appearance, size: float) -> int:
    """Whole pixels for a length drawn for the light theme at scale 1."""
    return max(1, round(size * look.scale * theme_of(look).body_px / LIGHT.body_px))


def line_px(look: Appearance, thickness: float = 1.0) -> float:
    """Thickness in pixels of a line `thickness` times the theme's thinnest."""
    return theme_of(look).line_px * thickness * look.scale
