"""Child of `frame`: plays the pass frame by frame, in turn with a bare window that sets the same images."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, QRectF
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QGraphicsView, QWidget

from ffn_explorer.cli.benches import real_window
from ffn_explorer.cli.benches.timing import Act, seconds
from ffn_explorer.widgets.flow_item import FlowItem
from ffn_explorer.widgets.flow_strip import strip_image
from ffn_explorer.widgets.theme import theme_of

if TYPE_CHECKING:
    from ffn_explorer.app.window import Window

SIZE_PX = (1_600, 1_000)
FRAMES_PER_PASS = 240
EXPOSED_MS = 200
"""Time for a new window to come on screen; before, nothing in it is painted."""
PER_ROW = 5
"""Images side by side in the bare window."""
BLOCK = 20
"""Frames of one window before the other has its turn."""


class Shown(NamedTuple):
    """An image on screen: its pixels `[H, W, 3 or 4]`, and its place in pixels of the window."""

    pixels: NDArray[np.uint8]
    place: QRectF


class Bare:
    """A GraphicsLayoutWidget that shows the same images at the same sizes, each in a view of its own."""

    def __init__(self, images: list[Shown]) -> None:
        """Open the window."""
        self.view = pg.GraphicsLayoutWidget()
        self.view.resize(*SIZE_PX)
        self._items = [(pg.ImageItem(shown.pixels, axisOrder="row-major"), shown) for shown in images]
        for place, (item, shown) in enumerate(self._items):
            box = self.view.addViewBox(row=place // PER_ROW, col=place % PER_ROW)
            box.setFixedWidth(shown.place.width())
            box.setFixedHeight(shown.place.height())
            box.addItem(item)
            box.setRange(item.boundingRect(), padding=0.0)
        self.view.show()
        real_window.pause(EXPOSED_MS)

    def one(self) -> None:
        """One frame: every image set anew, and painted when this returns."""
        for item, shown in self._items:
            item.setImage(shown.pixels, autoLevels=False)
        QCoreApplication.sendPostedEvents()


class PaintCount(QObject):
    """Counts the paint events of a window and everything in it."""

    def __init__(self, window: QWidget) -> None:
        """Begin to count."""
        super().__init__()
        self._window = window
        self.paints = 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Count."""
        if event.type() == QEvent.Type.Paint and isinstance(watched, QWidget):
            self.paints += watched.window() is self._window
        return False

    def of(self, act: Act) -> int:
        """Paint events during an act."""
        application = QApplication.instance()
        assert application is not None
        self.paints = 0
        application.installEventFilter(self)
        act()
        application.removeEventFilter(self)
        return self.paints


def images_in(window: "Window") -> list[Shown]:
    """The maps and the strips that the window shows, at their places."""
    found: list[Shown] = []
    for view in window.findChildren(QGraphicsView):
        corner = view.viewport().mapTo(window, QPoint(0, 0))
        for item in view.scene().items():
            if isinstance(item, pg.ImageItem) and item.image is not None and item.isVisible():
                found.append(Shown(item.image, item.sceneBoundingRect().translated(corner)))
            elif isinstance(item, FlowItem):
                found += [Shown(shown.pixels, shown.place.translated(corner)) for shown in strips_of(item)]
    return found


def strips_of(item: FlowItem) -> list[Shown]:
    """The coloured cells of every column of the flow."""
    picture = item.picture
    assert picture is not None
    subject, theme = picture.subject, theme_of(picture.look)
    strips = []
    for column in picture.grid.columns:
        box = column.box
        image = strip_image(subject.run, subject.activity, column, at=picture.at, scale=1.0, theme=theme)
        strips.append(Shown(pixels_of(image), QRectF(box.x, box.y, box.w, box.h)))
    return strips


def pixels_of(image: QImage) -> NDArray[np.uint8]:
    """Pixels `[H, W, 4]` of an image."""
    rgba = image.convertToFormat(QImage.Format.Format_RGBA8888)
    return np.array(rgba.constBits(), np.uint8).reshape(rgba.height(), rgba.width(), 4)


def measure(window: "Window") -> None:
    """Compute, play one pass in blocks, and tell the seconds of every frame of both windows."""
    window.resize(*SIZE_PX)
    real_window.wait_until_computed(window.director)
    frames = real_window.Frames(window.director, per_pass=FRAMES_PER_PASS)
    ours: list[float] = []
    theirs: list[float] = []
    painted = True
    for block in range(FRAMES_PER_PASS // BLOCK):
        frames.go_to(block * BLOCK / FRAMES_PER_PASS)
        ours += [seconds(frames.one) for _ in range(BLOCK)]
        bare = Bare(images_in(window))  # those of the stage that this block has reached
        theirs += [seconds(bare.one) for _ in range(BLOCK)]
        frames.go_to((block * BLOCK + 1) / FRAMES_PER_PASS)
        painted = painted and bool(PaintCount(window).of(frames.one) and PaintCount(bare.view).of(bare.one))
        bare.view.close()
    real_window.tell({"ours": ours, "bare": theirs, "painted": painted})


if __name__ == "__main__":
    real_window.start(lambda window: real_window.later(lambda: measure(window)))
