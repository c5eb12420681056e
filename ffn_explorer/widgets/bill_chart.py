"""BillChart: two stacked bars with their axes, whose pieces can be pointed at and chosen."""

from html import escape

from PySide6.QtCore import QPointF, QSizeF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter
from PySide6.QtWidgets import QWidget

from ffn_explorer.widgets.bill_paint import BillPainter
from ffn_explorer.widgets.bill_parts import parts_of
from ffn_explorer.widgets.bill_picture import BillPicture, BillPlaces, Piece, bill_places
from ffn_explorer.widgets.flow_columns import Box
from ffn_explorer.widgets.layers import Layers
from ffn_explorer.widgets.picture_canvas import PictureCanvas


class BillChart(PictureCanvas[BillPicture]):
    """Shows a BillPicture."""

    pointed = Signal(object)
    """Stage of the piece under the pointer, or None; only when it changes."""
    chosen = Signal(object)
    """A click on a piece: its Stage."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build an empty chart."""
        super().__init__(parent)
        self._layers = Layers()
        self.moved.connect(self._report)

    @property
    def places(self) -> BillPlaces | None:
        """Where everything stands."""
        return None if self.picture is None else bill_places(self.picture, QSizeF(self.size()))

    def piece_at(self, at: QPointF) -> Piece | None:
        """Piece of either bar, of A or of B, at a position."""
        picture, places = self.picture, self.places
        if picture is None or places is None:
            return None
        for bar, place in zip(picture.bars, places.bars, strict=True):
            parts = parts_of(bar, place, picture.look)
            for part in (*parts.mine, *parts.other):
                if part.rect.contains(at):
                    return part.piece
        return None

    def paint_front(self, painter: QPainter) -> None:
        """Paint bars and lines."""
        picture, places = self.picture, self.places
        if picture is not None and places is not None:
            box = Box(0.0, 0.0, self.width(), self.height())
            BillPainter(painter, picture, places).paint(self._layers, box)
        super().paint_front(painter)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the stage of the piece under the pointer."""
        super().mousePressEvent(event)
        piece = self.piece_at(event.position())
        if piece is not None and piece.stage is not None and event.button() == Qt.MouseButton.LeftButton:
            self.chosen.emit(piece.stage)

    def _report(self, at: QPointF | None) -> None:
        piece = None if at is None else self.piece_at(at)
        self.setToolTip("" if piece is None else f"<p>{escape(piece.tip)}</p>")
        self.tell_pointed(None if piece is None else piece.stage)
