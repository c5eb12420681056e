"""Pictures of boards at a fixed size, as arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication, QEvent, QSize, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QWidget

from ffn_explorer.app.style import apply_style
from ffn_explorer.board import Board
from ffn_explorer.state.app_state import Appearance
from ffn_explorer.state.layouts import LAYOUTS, Layout, Slot
from ffn_explorer.state.scene import Scene

Picture = NDArray[np.uint8]

TURNS = 4
"""Turns of the event loop after which everything has found its place."""


def layout_of(name: str) -> Layout:
    """Return the layout of one panel, or of a whole board."""
    return LAYOUTS[name] if name in LAYOUTS else Slot(name)


def settle() -> None:
    """Let waiting events happen."""
    for _ in range(TURNS):
        QApplication.processEvents()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def dress(look: Appearance) -> None:
    """Give the application the style of a look, as the window does."""
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    apply_style(application, look)


class Stand:
    """A board of a fixed size that is fed scene after scene."""

    def __init__(self, name: str, size: tuple[int, int]) -> None:
        """Build the board of one panel, or a whole one."""
        self.board = Board(layout_of(name))
        self.board.setFixedSize(QSize(*size))
        self.board.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
        self._look: Appearance | None = None

    def show(self, scene: Scene) -> Picture:
        """Show a scene, and return the picture `[H, W, 3]`."""
        if scene.look != self._look:
            self._look = scene.look
            dress(scene.look)
        self.board.show_scene(scene)
        self.board.show()
        settle()
        return picture_of(self.board)

    def close(self) -> None:
        """Take the board away."""
        self.board.close()
        self.board.deleteLater()
        settle()


def picture_of(widget: QWidget) -> Picture:
    """Return what a widget shows `[H, W, 3]`, one pixel per logical pixel."""
    image = widget.grab().toImage()
    assert image.devicePixelRatio() == 1.0
    return pixels_of(image)


def pixels_of(image: QImage) -> Picture:
    """Return the pixels of an image `[H, W, 3]`."""
    rgb = image.convertToFormat(QImage.Format.Format_RGB888)
    flat = np.frombuffer(rgb.constBits(), np.uint8).reshape(rgb.height(), rgb.bytesPerLine())
    return flat[:, : rgb.width() * 3].reshape(rgb.height(), rgb.width(), 3).copy()


def image_of(picture: Picture) -> QImage:
    """Return an image with these pixels."""
    height, width, _ = picture.shape
    data = np.ascontiguousarray(picture).tobytes()
    return QImage(data, width, height, width * 3, QImage.Format.Format_RGB888).copy()
