"""Curve: a curve of pyqtgraph whose pen is as wide on fine screens and in fine pictures as on others."""

import pyqtgraph as pg
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from ffn_explorer.widgets.device_pixels import ratio_of
from ffn_explorer.widgets.vector import is_vector


class Curve(pg.PlotCurveItem):  # type: ignore[misc] # pyqtgraph carries no types
    """Its pen counts logical pixels; Qt counts device ones where a pen does not grow with the axes."""

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        """Paint with a pen of so many device pixels; shapes in a file have logical ones."""
        view = self.getViewWidget()
        ratio = 1.0 if view is None or is_vector(painter) else ratio_of(view)
        pen = self.opts["pen"]
        self.opts["pen"] = pen if ratio == 1.0 else _wider(pen, ratio)
        try:
            super().paint(painter, option, widget)
        finally:
            self.opts["pen"] = pen


def _wider(pen: QPen, ratio: float) -> QPen:
    made = pg.mkPen(pen)
    made.setWidthF(pen.widthF() * ratio)
    return QPen(made)
