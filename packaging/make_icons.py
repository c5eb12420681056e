"""Renders assets/icons/ffn-explorer.svg to the sizes that desktops ask for; run when the drawing changes."""

from __future__ import annotations

import os
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

FOLDER = Path(__file__).resolve().parent.parent / "assets" / "icons"
SIZES = (16, 24, 32, 48, 64, 128, 256, 512)  # pixels


def main() -> None:
    """Write one PNG per size beside the drawing."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    application = QGuiApplication([])
    drawing = QSvgRenderer(str(FOLDER / "ffn-explorer.svg"))
    for size in SIZES:
        image = QImage(size, size, QImage.Format.Format_ARGB32_Premultiplied)
        image.fill(Qt.GlobalColor.transparent)
        painter = QPainter(image)
        drawing.render(painter)
        painter.end()
        image.save(str(FOLDER / f"ffn-explorer-{size}.png"))
    application.quit()


if __name__ == "__main__":
    main()
