"""FlowView: the flow picture with pointer, keyboard and tooltips."""

import math
from collections.abc import Callable

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QSize, Qt, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QToolTip, QWidget

from ffn_explorer.core.stages import WIDE, Stage, enters_down
from ffn_explorer.state.app_state import Cell
from ffn_explorer.state.scene import Scene
from ffn_explorer.widgets.canvas import Canvas
from ffn_explorer.widgets.device_pixels import ratio_of
from ffn_explorer.widgets.flow_item import FlowItem
from ffn_explorer.widgets.flow_marks import name_box
from ffn_explorer.widgets.flow_pick import cell_at

ARROWS = (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down)


class FlowView(Canvas):
    """Shows a FlowItem; says what a person points at, chooses and steps to."""

    pointed = Signal(object)
    """Cell under the pointer, or None."""
    chosen = Signal(object)
    """Cell that was clicked or reached with the arrow keys; None for a click beside everything."""
    walked = Signal(int)
    """Steps along the neurons or dimensions of the chosen cell."""

    def __init__(self, tooltip: Callable[[Cell], str], parent: QWidget | None = None) -> None:
        """Build an empty view; tooltip names a cell and its value."""
        super().__init__(parent)
        self.item = FlowItem()
        self.addItem(self.item)
        self.setMinimumSize(QSize(240, 110))
        self._tooltip = tooltip
        self._asked: Cell | None = None
        self.moved.connect(self._report)
        self.stepped.connect(self._step)

    def show_scene(self, scene: Scene, *, sentence: str) -> None:
        """Draw another scene, or the sentence while there is nothing to draw."""
        if scene.look != self.look or self.item.scene_shown is None:
            self.set_look(scene.look)
        self.item.show_scene(scene)
        self.sentence = sentence
        self.viewport().update()

    def lay_out(self) -> None:
        """Place everything anew."""
        super().lay_out()
        if hasattr(self, "item"):  # Qt resizes the view before it is fully built
            self.item.resize(self.width(), self.height())

    def cell_under(self, at: QPointF) -> Cell | None:
        """The number at a point of the viewport."""
        if self.item.picture is None:
            return None
        return cell_at(self.item.picture, self.item.progress(), at.x(), at.y(), scale=ratio_of(self))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose what is under the pointer."""
        super().mousePressEvent(event)
        if event.button() == Qt.MouseButton.LeftButton:
            self.chosen.emit(self.cell_under(event.position()))

    def viewportEvent(self, event: QEvent) -> bool:
        """Show the exact number under a resting pointer."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            self._show_tooltip(event.pos())
            return True
        return bool(super().viewportEvent(event))

    def _show_tooltip(self, at: QPoint) -> None:
        """Below the pointer and the name of what it points at: Qt puts a tooltip under its point."""
        cell, picture = self.cell_under(QPointF(at)), self.item.picture
        if cell is None or picture is None:
            QToolTip.hideText()
            return
        under = QPoint(at.x(), max(at.y(), math.ceil(name_box(picture, cell).bottom)))
        QToolTip.showText(self.viewport().mapToGlobal(under), self._tooltip(cell), self, QRect())

    def event(self, event: QEvent) -> bool:
        """Keep the arrow keys from the window's shortcuts while this view has the focus."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.key() in ARROWS
        ):
            event.accept()
            return True
        return super().event(event)

    def _report(self, at: QPointF | None) -> None:
        cell = None if at is None else self.cell_under(at)
        if cell != self._asked:
            self._asked = cell
            self.pointed.emit(cell)

    def _step(self, dx: int, dy: int) -> None:
        """Left and Right go through the stages, Up and Down through the values of one."""
        scene, picture = self.item.scene_shown, self.item.picture
        if scene is None or picture is None:
            return
        now = scene.selection.cell()
        if now is None or now.stage not in picture.stages:
            self.chosen.emit(self._cell(picture.stages[0] if dx > 0 else enters_down(picture.stages)))
        elif dy:
            self.walked.emit(dy)
        else:
            number = picture.stages.index(now.stage) + dx
            if 0 <= number < len(picture.stages):
                self.chosen.emit(self._cell(picture.stages[number]))

    def _cell(self, stage: Stage) -> Cell:
        """The chosen neuron or dimension at a stage, else the strongest neuron or its output."""
        scene, picture = self.item.scene_shown, self.item.picture
        assert scene is not None
        assert picture is not None
        chosen = scene.selection.neuron if stage in WIDE else scene.selection.dim
        if chosen is None:
            strongest = picture.ribbons[-1] if picture.ribbons else None
            chosen = 0 if strongest is None else strongest.neuron if stage in WIDE else strongest.end
        return Cell(stage, *picture.at, min(chosen, picture.grid.column(stage).count - 1))
