"""Fields for the size of a picture: its sides in logical pixels, and how many device pixels each has."""

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QLabel, QPushButton

from ffn_explorer.app.export_field import ExportField
from ffn_explorer.export.png import PIXELS, SIDE_PX
from ffn_explorer.export.table import PIXELLED
from ffn_explorer.widgets.number_edit import FloatEdit, IntEdit

if TYPE_CHECKING:
    from ffn_explorer.app.exports import Wish
    from ffn_explorer.app.window import Window

STEP_PX = 20
DECIMALS = 2


class SizeField(ExportField):
    """Width and height; they follow the panel that is chosen until a person changes them."""

    def __init__(self, window: "Window") -> None:
        """Build it for a window."""
        super().__init__(window)
        self.wide, self.tall = (IntEdit(*SIDE_PX, STEP_PX) for _ in range(2))
        self.wide.setAccessibleName(self.say("export.width"))
        self.tall.setAccessibleName(self.say("export.height"))
        self.as_screen = QPushButton(self.say("export.as_screen"))
        self.as_screen.setToolTip(self.say("export.as_screen_tip"))
        self.as_screen.setAutoDefault(False)
        self._own = False
        self.add("size", self.wide, QLabel("×"), self.tall, self.as_screen)
        for edit in (self.wide, self.tall):
            edit.chosen.connect(self._take_own)
            edit.refused.connect(self.refused)
        self.as_screen.clicked.connect(self._take_screen)

    def offer(self, wish: "Wish") -> None:
        """Show the size on screen, or the one that a person has given."""
        if not self._own:
            self._show(self.on_screen(wish))
        self.as_screen.setEnabled(self._sides() != self.on_screen(wish))

    def put(self, wish: "Wish") -> "Wish":
        """The wish with these sides."""
        return replace(wish, size=self._sides())

    def on_screen(self, wish: "Wish") -> tuple[int, int]:
        """Size that what is exported has now, in logical pixels."""
        window = self.window
        shown = window.board.panels.get(wish.panel, window) if wish.of_panel else window
        low, high = SIDE_PX
        return min(high, max(low, shown.width())), min(high, max(low, shown.height()))

    def _sides(self) -> tuple[int, int]:
        return self.wide.value(), self.tall.value()

    def _show(self, size: tuple[int, int]) -> None:
        self.wide.show_value(size[0])
        self.tall.show_value(size[1])

    def _take_own(self, _value: int) -> None:
        self._own = True
        self.changed.emit()

    def _take_screen(self) -> None:
        self._own = False
        # The button is disabled next, and the keyboard must not get lost.
        self.wide.setFocus()
        self.changed.emit()


class PixelsField(ExportField):
    """Device pixels for each logical one; only where the format has pixels."""

    def __init__(self, window: "Window") -> None:
        """Build it for a window."""
        super().__init__(window)
        self.edit = FloatEdit(*PIXELS, 0.5, decimals=DECIMALS)
        self.add("pixels", self.edit)
        self.follow(self.edit)

    def fits(self, wish: "Wish") -> bool:
        """Shapes have no pixels."""
        return wish.suffix in PIXELLED

    def offer(self, wish: "Wish") -> None:
        """Show the number."""
        self.edit.show_value(wish.pixels)

    def put(self, wish: "Wish") -> "Wish":
        """The wish with this number."""
        return replace(wish, pixels=self.edit.value())
