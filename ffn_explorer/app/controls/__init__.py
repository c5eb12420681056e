"""The knobs: a table of what can be chosen, the editors for it, and the bar and the corner that show them."""

from ffn_explorer.app.controls.bar import ControlBar
from ffn_explorer.app.controls.corner import Corner

__all__ = ["ControlBar", "Corner"]
