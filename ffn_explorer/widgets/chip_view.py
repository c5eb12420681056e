"""ChipView: draws the tokens of one sentence as chips, scrolled so that the selected one shows."""

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.state.scene import Chip
from ffn_explorer.widgets.chip_faces import (
    Bar,
    ChipLook,
    draw_arrow,
    draw_bars,
    draw_chip,
    draw_slot,
    layout_of,
    row_height,
)
from ffn_explorer.widgets.chip_layout import ChipLayout
from ffn_explorer.widgets.flow_columns import Box
from ffn_explorer.widgets.layers import Layers
from ffn_explorer.widgets.sizes import px

MOST_FACES = 200
"""Chips whose faces are kept: more than are ever in view."""


@dataclass(frozen=True, slots=True)
class RowPicture:
    """All that the row draws.

    first: leftmost chip that a person scrolled to; None follows the selected one.
    hovered: a chip that another picture points at.
    bars: of every chip, a value in -1..1; () while no number of the pass is chosen.
    """

    look: Appearance
    chips: tuple[Chip, ...]
    selected: int
    first: int | None = None
    hovered: int | None = None
    bars: tuple[float, ...] = ()


@dataclass(slots=True)
class Drag:
    """A chip held by the pointer; gone when it is let go, so never part of the picture of a Scene."""

    start: int
    grab: float
    """Pointer's distance from the chip's left edge."""
    x: float
    pressed: QPointF
    offset: int
    lifted: bool = False


class ChipView(QWidget):
    """Row of chips that draws only its RowPicture, the pointer and a held chip."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build an empty row."""
        super().__init__(parent)
        self.picture = RowPicture(Appearance(), (), 0)
        self.places = ChipLayout.of((), gap=0, zone=0)
        self.drag: Drag | None = None
        self.pointed: int | None = None
        self._faces = Layers(MOST_FACES)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def show_picture(self, picture: RowPicture) -> None:
        """Show other chips, another selection or another look; a held chip is let go where chips change."""
        old, self.picture = self.picture, picture
        if picture == old:
            return
        if picture.chips != old.chips or picture.look != old.look:
            self._faces.clear()
            self._lay_out(old)
        self.update()

    def let_go(self) -> None:
        """Forget the held chip."""
        self.drag = None
        self.update()

    def _lay_out(self, old: RowPicture) -> None:
        texts, look = tuple(chip.text for chip in self.picture.chips), self.picture.look
        if texts != tuple(chip.text for chip in old.chips) or look != old.look:
            self.let_go()
            self.pointed = None
            self.places = layout_of(texts, look)
            self.updateGeometry()

    def sizeHint(self) -> QSize:
        """Room for every chip."""
        return QSize(self.places.content, row_height(self.picture.look))

    def minimumSizeHint(self) -> QSize:
        """Room for one chip and both arrows."""
        return QSize(min(self.sizeHint().width(), px(self.picture.look, 150)), row_height(self.picture.look))

    # Geometry -----------------------------------------------------------------------------------------------

    @property
    def room(self) -> int:
        """Pixels that show chips."""
        return max(1, self.width())

    @property
    def first(self) -> int:
        """Leftmost chip: the one scrolled to, else what brings the selected chip into view."""
        if self.picture.first is None:
            return self.places.first_for(self.picture.selected, self.room)
        return min(self.picture.first, self.places.last_first(self.room))

    @property
    def offset(self) -> int:
        """Pixels scrolled."""
        return self.drag.offset if self.drag else self.places.offset(self.first, self.room)

    def chip_rect(self, index: int) -> QRectF:
        """Place of a chip in this widget, also outside its bounds; chips make room for a lifted one."""
        left = self.places.lefts[index] - self.offset
        if self.drag and self.drag.lifted:
            left += self.places.shift(index, self.drag.start, to=self.target_of(self.drag))
        return QRectF(left, 0, self.places.widths[index], self.height())

    def arrow_at(self, x: float) -> int:
        """-1 or +1 on the arrow that leads there, else 0."""
        if x < self.places.zone and self._more_left:
            return -1
        return 1 if x > self.width() - self.places.zone and self._more_right else 0

    def chip_at(self, x: float) -> int | None:
        """Chip under a pixel of this widget, the arrows' zones left out."""
        return None if self.arrow_at(x) else self.places.at(x + self.offset)

    def target_of(self, drag: Drag) -> int:
        """Place that the held chip would get."""
        middle = drag.x - drag.grab + self.places.widths[drag.start] / 2
        return self.places.target(drag.start, middle + self.offset)

    @property
    def _more_left(self) -> bool:
        return self.offset > 0

    @property
    def _more_right(self) -> bool:
        return self.places.content - self.room - self.offset > 0

    # Picture ------------------------------------------------------------------------------------------------

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the chips in view, the arrows, and a lifted chip above them."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        drag = self.drag if self.drag and self.drag.lifted else None
        self._draw_chips(painter, drag)
        if drag:
            draw_slot(painter, place=self.chip_rect(drag.start), look=self.picture.look)
        self._draw_arrows(painter)
        if drag:
            self._draw_lifted(painter, drag)
        painter.end()

    def _draw_chips(self, painter: QPainter, drag: Drag | None) -> None:
        """Faces, then bars; a lifted chip is left out."""
        places, offset, picture = self.places, self.offset, self.picture
        beyond = places.widths[drag.start] + places.gap if drag else 0
        to = self.target_of(drag) if drag else 0
        bars: list[Bar] = []
        for index in places.visible(offset - beyond, self.room + 2 * beyond):
            if drag and index == drag.start:
                continue
            left = places.lefts[index] - offset + (places.shift(index, drag.start, to=to) if drag else 0)
            face = QRectF(0, 0, places.widths[index], self.height())
            painter.translate(left, 0)
            self._draw_face(painter, index, face=face)
            painter.translate(-left, 0)
            if index < len(picture.bars):
                bars.append(Bar(face.translated(left, 0), picture.bars[index], index == picture.selected))
        draw_bars(painter, bars, look=picture.look)

    def _draw_face(self, painter: QPainter, index: int, *, face: QRectF) -> None:
        selected = index == self.picture.selected
        pointed = index in (self.pointed, self.picture.hovered)
        focused = selected and self.hasFocus()

        def paint(on: QPainter) -> None:
            chip, look = self.picture.chips[index], self.picture.look
            state = ChipLook(selected, pointed, focused=focused)
            draw_chip(on, chip, position=index, place=face, look=look, state=state)

        # Chips and look are not in the key: with other ones, all faces go.
        key = (index, selected, pointed, focused, face.height())
        self._faces.draw(painter, key, Box(0.0, 0.0, face.width(), face.height()), paint)

    def _draw_lifted(self, painter: QPainter, drag: Drag) -> None:
        place = self.chip_rect(drag.start)
        place.moveLeft(min(max(0.0, drag.x - drag.grab), max(0.0, self.width() - place.width())))
        chip, state = self.picture.chips[drag.start], ChipLook(lifted=True)
        draw_chip(painter, chip, position=drag.start, place=place, look=self.picture.look, state=state)

    def _draw_arrows(self, painter: QPainter) -> None:
        zone, width = self.places.zone, self.width()
        if self._more_left:
            self._draw_arrow(painter, "left", zone=QRectF(0, 0, zone, self.height()))
        if self._more_right:
            self._draw_arrow(painter, "right", zone=QRectF(width - zone, 0, zone, self.height()))

    def _draw_arrow(self, painter: QPainter, icon: str, *, zone: QRectF) -> None:
        def paint(on: QPainter) -> None:
            draw_arrow(on, icon, zone=zone, look=self.picture.look)

        place = Box(zone.x(), zone.y(), zone.width(), zone.height())
        self._faces.draw(painter, (icon, zone.getRect()), place, paint)
