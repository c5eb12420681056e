"""The memory theatre as a widget: draws one Play, and tells what is pointed at and clicked."""

from typing import NamedTuple

from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter
from PySide6.QtWidgets import QWidget

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.picture_canvas import PictureCanvas
from ffn_explorer.widgets.theatre_cast import Cast, Say
from ffn_explorer.widgets.theatre_paint import StageBrush
from ffn_explorer.widgets.theatre_plan import Plan, most_height, plan_of
from ffn_explorer.widgets.theatre_play import Play

NO_LIMIT = (1 << 24) - 1
"""Qt's own greatest height of a widget (QWIDGETSIZE_MAX)."""


class Spot(NamedTuple):
    """What lies under the pointer: a memory, or a dimension of the stream."""

    neuron: int | None = None
    dim: int | None = None
    expert: int | None = None


class TheatreView(PictureCanvas[Play]):
    """Canvas with keys at the left, the stream at the right, and values flying between them."""

    pointed = Signal(object)
    """The Spot under the pointer, or None."""
    chosen = Signal(object)
    """The Spot that a person clicked."""

    def __init__(self, say: Say, parent: QWidget | None = None) -> None:
        """Build an empty stage; say: words of the panel."""
        super().__init__(parent)
        self._say = say
        self._plan: tuple[tuple[Cast, int, int, Appearance], Plan] | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.moved.connect(lambda at: self.pointed.emit(None if at is None else self.spot_at(at)))

    def keep_to(self, cast: Cast | None, look: Appearance) -> None:
        """Become no higher than the picture of a cast needs; None: as high as there is room."""
        self.setMaximumHeight(NO_LIMIT if cast is None else most_height(cast, look))

    @property
    def plan(self) -> Plan | None:
        """Where everything stands now."""
        play = self.picture
        if play is None:
            return None
        key = (play.cast, self.width(), self.height(), play.look)
        if self._plan is None or self._plan[0] != key:
            self._plan = (key, plan_of(play.cast, (self.width(), self.height()), play.look, say=self._say))
        return self._plan[1]

    def paint_front(self, painter: QPainter) -> None:
        """Paint the play."""
        plan = self.plan
        if plan is not None and self.picture is not None:
            StageBrush(painter, self.picture, plan).paint()
        super().paint_front(painter)

    def spot_at(self, at: QPointF) -> Spot | None:
        """The memory or dimension at a position."""
        plan, play = self.plan, self.picture
        if plan is None or play is None:
            return None
        for row in plan.rows:
            if row.whole.contains(at) and row.actor.neuron is not None:
                return Spot(neuron=row.actor.neuron, expert=row.actor.expert)
        for line in (*plan.x, *plan.lanes):
            if line.index >= 0 and line.whole.contains(at):
                return Spot(dim=play.cast.lanes[line.index].dim)
        return None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose what is clicked."""
        spot = self.spot_at(event.position()) if event.button() is Qt.MouseButton.LeftButton else None
        if spot is not None:
            self.chosen.emit(spot)
        event.accept()
