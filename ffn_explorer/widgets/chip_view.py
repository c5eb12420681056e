"""ChipView: draws the tokens of one sentence as chips, scrolled so that the selected one shows."""

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import QColor, QLinearGradient, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.state.scene import Chip
from ffn_explorer.widgets.chip_faces import (
    ChipLook,
    draw_bar,
    draw_chip,
    draw_slot,
    layout_of,
    row_height,
)
from ffn_explorer.widgets.chip_layout import ChipLayout
from ffn_explorer.widgets.flow_columns import Box
from ffn_explorer.widgets.icons import draw_icon
from ffn_explorer.widgets.layers import Layers
from ffn_explorer.widgets.sizes import line_px, px
from ffn_explorer.widgets.theme import theme_of

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
        texts = tuple(chip.text for chip in picture.chips)
        if picture.chips != old.chips or old.look != picture.look:
            self._faces.clear()
        if texts != tuple(chip.text for chip in old.chips) or old.look != picture.look:
            self.let_go()
            self.pointed = None
            self.places = layout_of(texts, picture.look)
            self.updateGeometry()
        self.update()

    def let_go(self) -> None:
        """Forget the held chip."""
        self.drag = None
        self.update()

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
        left = int(self.places.lefts[index]) - self.offset
        if self.drag and self.drag.lifted:
            left += self.places.shift(index, self.drag.start, to=self.target_of(self.drag))
        return QRectF(left, 0, int(self.places.widths[index]), self.height())

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
        middle = drag.x - drag.grab + int(self.places.widths[drag.start]) / 2
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
        lifted = self.drag.start if self.drag and self.drag.lifted else None
        beyond = 0 if lifted is None else int(self.places.widths[lifted]) + self.places.gap
        for index in self.places.visible(self.offset - beyond, self.room + 2 * beyond):
            if index != lifted:
                self._draw_chip(painter, index)
        if lifted is not None:
            draw_slot(painter, place=self.chip_rect(lifted), look=self.picture.look)
        self._draw_arrows(painter)
        if self.drag and self.drag.lifted:
            self._draw_lifted(painter, self.drag)
        painter.end()

    def _draw_chip(self, painter: QPainter, index: int) -> None:
        selected = index == self.picture.selected
        pointed = index in (self.pointed, self.picture.hovered)
        state = ChipLook(selected, pointed, focused=selected and self.hasFocus())
        chip, place, look = self.picture.chips[index], self.chip_rect(index), self.picture.look
        face = QRectF(0, 0, place.width(), place.height())

        def paint(on: QPainter) -> None:
            draw_chip(on, chip, position=index, place=face, look=look, state=state)

        painter.save()
        painter.translate(place.topLeft())
        key = (chip, index, state, look, face.getRect())
        self._faces.draw(painter, key, Box(0.0, 0.0, face.width(), face.height()), paint)
        if index < len(self.picture.bars):
            draw_bar(painter, self.picture.bars[index], face=face, look=look, selected=selected)
        painter.restore()

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
        theme = theme_of(self.picture.look)
        solid = QColor(theme.background)
        clear = QColor(solid)
        clear.setAlpha(0)
        outer, inner = (zone.left(), zone.right()) if icon == "left" else (zone.right(), zone.left())
        fade = QLinearGradient(outer, 0, inner, 0)
        fade.setColorAt(0.0, solid)
        fade.setColorAt(0.62, solid)
        fade.setColorAt(1.0, clear)
        painter.fillRect(zone, fade)
        side = px(self.picture.look, 14)
        place = QRectF(0, 0, side, side)
        place.moveCenter(zone.center())
        place.translate((-1 if icon == "left" else 1) * px(self.picture.look, 5), 0)
        line = line_px(self.picture.look, 1.5)
        draw_icon(painter, icon, place=place, colour=QColor(theme.ink), line=line)
