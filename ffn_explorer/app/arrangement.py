"""Arrangement: which layout the board shows, with what a person made of each of them."""

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QObject, Signal

from ffn_explorer.app.director import Director
from ffn_explorer.board import Board
from ffn_explorer.panels.table import PANELS
from ffn_explorer.state import changes
from ffn_explorer.state.layouts import (
    FIXED,
    LAYOUTS,
    Layout,
    from_json,
    sizes_of,
    swapped,
    to_json,
    with_sizes,
)


class Arrangement(QObject):
    """Changes the board's layout for a person, and tells the state which panels are in sight."""

    changed = Signal()
    """There is something new to remember."""
    scene_begun = Signal()
    """From now on the board stands as scenes of a lecture say."""
    scene_ended = Signal()
    """From now on it stands as a layout says."""

    def __init__(self, board: Board, director: Director, *, name: str) -> None:
        """Take over a board that shows the layout of this name as it came."""
        super().__init__(board)
        self._board = board
        self._director = director
        self._layouts: dict[str, Layout] = dict(LAYOUTS)
        self.name = name
        self.in_scene = False
        """Whether the board stands as a scene of a lecture says; what a person drags there is not kept."""
        board.sight_changed.connect(self._tell_state)
        board.arranged.connect(self._keep)
        board.reset_asked.connect(self.reset_shares)
        self._tell_state()

    def use(self, name: str) -> None:
        """Show another layout, as a person left it."""
        self._keep()
        self.name = name
        self._leave_scene()
        self._show(self._layouts[name])

    def show_scene(self, layout: Layout) -> None:
        """Stand the board as a scene of a lecture says, until a person chooses a layout or it ends."""
        self._keep()
        if not self.in_scene:
            self.in_scene = True
            self.scene_begun.emit()
        self._director.request(changes.hover(None))
        self._director.attempt(lambda: self._board.show_layout(layout))
        self.changed.emit()

    def end_scene(self) -> None:
        """The layout that was there before the lecture."""
        if self.in_scene:
            self._leave_scene()
            self._show(self._layouts[self.name])

    def stand_instead(self, old: str, new: str) -> None:
        """Put a panel in the place of another; one that is on the board exchanges places with it."""
        alone = self._board.alone
        self._keep()
        self._show(
            swapped(self._board.arrangement() if self.in_scene else self._layouts[self.name], old, new)
        )
        if alone is not None:
            self._board.fill(new)

    def bring(self, name: str) -> str | None:
        """Give the keyboard to a panel; one that is not there takes the place of the one last worked in.

        Returns the name of the panel that gave way, or None.
        """
        gave_way = None
        if name not in self._board.panels:
            gave_way = self._board.alone or self._in_use(otherwise=-1)
            self.stand_instead(gave_way, name)
        self._board.focus_panel(list(self._board.panels).index(name))
        return gave_way

    def fill_or_share(self, name: str | None) -> None:
        """Let a panel fill the board, or bring the others back; None: the one in use, or the first."""
        if self._board.alone is not None:
            self._board.fill(None)
            return
        self._board.fill(name or self._in_use(otherwise=0))

    def reset(self) -> None:
        """Give this layout the panels and shares that it came with."""
        self._leave_scene()
        self._show(LAYOUTS[self.name])

    def reset_shares(self) -> None:
        """Give this layout the shares that it came with."""
        if not self.in_scene:
            self._show(with_sizes(self._layouts[self.name], sizes_of(LAYOUTS[self.name])))

    def to_json(self) -> dict[str, Any]:
        """All layouts as plain values; those that are as they came are left out."""
        if not self.in_scene:
            self._layouts[self.name] = self._board.arrangement()
        return {name: to_json(layout) for name, layout in self._layouts.items() if layout != LAYOUTS[name]}

    def restore(self, data: object) -> None:
        """Take over what was remembered; whatever does not fit is left out."""
        found = data if isinstance(data, Mapping) else {}
        for name, layout in LAYOUTS.items():
            self._layouts[name] = from_json(layout, found.get(name), known=PANELS)
        self._board.show_layout(self._layouts[self.name])

    def _in_use(self, *, otherwise: int) -> str:
        """The panel that holds the keyboard; where none does, the one at a place in reading order."""
        names = [there for there in self._board.panels if there not in FIXED]
        focused = self._board.focused_panel()
        return focused.name if focused and focused.name in names else names[otherwise]

    def _show(self, layout: Layout) -> None:
        self._director.request(changes.hover(None))
        if not self.in_scene:
            self._layouts[self.name] = layout
        self._director.attempt(lambda: self._board.show_layout(layout))
        self.changed.emit()

    def _keep(self) -> None:
        if not self.in_scene:
            self._layouts[self.name] = self._board.arrangement()
            self.changed.emit()

    def _leave_scene(self) -> None:
        if self.in_scene:
            self.in_scene = False
            self.scene_ended.emit()

    def _tell_state(self) -> None:
        self._director.request(changes.show_panels(self._board.in_sight()))
