"""A widget with everything in it as shapes and words: what SVG and PDF are painted with."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QPaintDevice, QPainter, QRegion
from PySide6.QtWidgets import QAbstractScrollArea, QGraphicsItem, QGraphicsView, QWidget

from ffn_explorer.widgets.canvas import Canvas
from ffn_explorer.widgets.device_pixels import finer
from ffn_explorer.widgets.vector import FINER

_ALONE = QWidget.RenderFlag(0)
"""Without children, and without the ground of a window."""

LOSSLESS = QPainter.RenderHint.LosslessImageRendering
"""Heat maps are data: the loss of a JPEG would show in them."""


class Placed(NamedTuple):
    """A widget of a picture, its place in it, and the part of it that can be seen."""

    widget: QWidget
    place: QRect
    seen: QRect

    @property
    def cut(self) -> bool:
        """Whether something of it may lie outside: items of a picture do, other widgets when scrolled."""
        return self.seen != self.place or isinstance(self.widget.parentWidget(), QAbstractScrollArea)


@contextmanager
def painting(on: QPaintDevice) -> Iterator[QPainter]:
    """A painter that lets go of its device whatever happens: one that does not would end the program."""
    painter = QPainter(on)
    painter.setRenderHint(LOSSLESS)
    try:
        yield painter
    finally:
        painter.end()


@contextmanager
def kept(painter: QPainter) -> Iterator[None]:
    """While this lasts, what is set of a painter counts; then it is as before, whatever happens."""
    painter.save()
    try:
        yield
    finally:
        painter.restore()


def placed(widget: QWidget, at: QPoint, clip: QRect) -> Iterator[Placed]:
    """A widget and every one inside it that is in sight, the ones behind first.

    Qt's own `render` with children relies on a clip that neither its SVG nor its PDF heeds: what is scrolled
    out of sight would lie over its neighbours.
    """
    place = QRect(at, widget.size())
    seen = place & clip
    if seen.isEmpty():
        return
    yield Placed(widget, place, seen)
    for child in widget.children():
        if isinstance(child, QWidget) and not child.isWindow() and child.isVisibleTo(widget):
            yield from placed(child, at + child.pos(), seen)


@contextmanager
def uncached(root: QWidget) -> Iterator[None]:
    """While this lasts, items are painted as they are: never from an image kept of them, never as JPEG."""
    views = [view for view in (root, *root.findChildren(QGraphicsView)) if isinstance(view, QGraphicsView)]
    kept = [(item, item.cacheMode()) for view in views for item in view.items()]
    hints = [(view, view.renderHints()) for view in views]
    for view in views:
        # A view gives its painter its own hints, in place of those that the painter came with.
        view.setRenderHint(LOSSLESS)
    for item, _ in kept:
        item.setCacheMode(QGraphicsItem.CacheMode.NoCache)
    try:
        yield
    finally:
        for item, mode in kept:
            item.setCacheMode(mode)
        for view, hint in hints:
            view.setRenderHints(hint)


@contextmanager
def pooled(root: QWidget, ratio: float) -> Iterator[None]:
    """While this lasts, heat maps and strips are pooled to so many pixels for each logical one.

    The screen's own ratio is none of a file's.
    """

    def lay_out() -> None:
        for canvas in root.findChildren(Canvas):
            canvas.lay_out()

    with finer(ratio):
        lay_out()
        yield
    lay_out()


def paint_alone(painter: QPainter, widget: QWidget, at: QPoint, *, ground: bool) -> None:
    """Paint a widget without its children; ground: with the ground of a window behind it."""
    flags = QWidget.RenderFlag.DrawWindowBackground if ground else _ALONE
    # QGraphicsView has another method of this name, which paints its scene.
    QWidget.render(widget, painter, at, QRegion(), flags)


def paint_whole(painter: QPainter, widget: QWidget) -> None:
    """Paint a widget, with everything in it that is in sight, from the painter's origin on."""
    with pooled(widget, FINER), uncached(widget):
        for piece in placed(widget, QPoint(), widget.rect()):
            with kept(painter):
                if piece.cut:
                    painter.setClipRect(piece.seen)
                paint_alone(painter, piece.widget, piece.place.topLeft(), ground=piece.widget is widget)
