"""The knobs: a table of what can be chosen, the editors for it, and the bar that shows them."""

from ffn_explorer.app.controls.bar import ControlBar

__all__ = ["ControlBar"]
