"""Fields for what a film shows, and how fast: a part of the pass, the number of frames, frames per second."""

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QLabel

from ffn_explorer.app.export_field import ExportField, WholeField
from ffn_explorer.export.films.film import FRAMES, RATES
from ffn_explorer.widgets.number_edit import FloatEdit

if TYPE_CHECKING:
    from ffn_explorer.app.exports import Wish
    from ffn_explorer.app.window import Window

STEP = 0.1
DECIMALS = 3
LONGEST = "0.888"
"""A time with all its decimals."""


class SpanField(ExportField):
    """Where in the pass a film begins and ends; it may run backwards."""

    def __init__(self, window: "Window") -> None:
        """Build it for a window."""
        super().__init__(window)
        self.start_edit, self.end_edit = (FloatEdit(0.0, 1.0, STEP, decimals=DECIMALS) for _ in range(2))
        self.start_edit.setAccessibleName(self.say("export.span_start"))
        self.end_edit.setAccessibleName(self.say("export.span_end"))
        self.add("span", self.start_edit, QLabel("–"), self.end_edit)
        for edit in (self.start_edit, self.end_edit):
            # Qt leaves room for the ends, 0 and 1, alone.
            more = edit.fontMetrics().horizontalAdvance(LONGEST) - edit.fontMetrics().horizontalAdvance("1")
            edit.setMinimumWidth(edit.sizeHint().width() + more)
        self.follow(self.start_edit, self.end_edit)

    def offer(self, wish: "Wish") -> None:
        """Show both ends."""
        self.start_edit.show_value(wish.span[0])
        self.end_edit.show_value(wish.span[1])

    def put(self, wish: "Wish") -> "Wish":
        """The wish with these ends."""
        return replace(wish, span=(self.start_edit.value(), self.end_edit.value()))


class FramesField(WholeField):
    """How many pictures a film has."""

    name, limits, step = "frames", FRAMES, 10


class RateField(WholeField):
    """How many of them are shown in a second."""

    name, limits, step = "rate", RATES, 5
