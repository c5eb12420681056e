"""An image item without holes, kept in the screen's own format: a frame copies it without converting."""

import pyqtgraph as pg
from PySide6.QtGui import QImage


class OpaqueImage(pg.ImageItem):  # type: ignore[misc] # pyqtgraph carries no types
    """Image of RGBA bytes `[H, W, 4]` whose alpha is 255 everywhere, a row per pixel row."""

    qimage: QImage | None
    """Made by pyqtgraph."""

    def __init__(self) -> None:
        """Build it without an image."""
        super().__init__(axisOrder="row-major")

    def render(self) -> None:
        """Convert the pixels once, not with every paint."""
        super().render()
        if self.qimage is not None:
            self.qimage = self.qimage.convertToFormat(QImage.Format.Format_RGB32)
