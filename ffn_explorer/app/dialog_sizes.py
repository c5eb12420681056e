"""Sizes of dialogs: as large as they want to be, and never larger than the window that they stand before."""

from PySide6.QtWidgets import QDialog, QWidget

EDGE_PX = 40
"""What a dialog leaves of its window at least."""


def widest(window: QWidget, wanted: int) -> int:
    """Width of a dialog before a window, in pixels."""
    return min(wanted, window.width() - EDGE_PX)


def fit(dialog: QDialog, window: QWidget, *, wide: int, high: int) -> None:
    """Give a dialog a size in pixels, as far as the window has room for it."""
    dialog.resize(widest(window, wide), min(high, window.height() - EDGE_PX))
