"""PNG pictures of any widget, with the settings written inside, so that a picture can be made again."""

from collections.abc import Callable, Mapping

from PySide6.QtCore import QBuffer, QCoreApplication, QIODevice, QPoint, QSize
from PySide6.QtGui import QImage, QImageWriter
from PySide6.QtWidgets import QWidget

from ffn_explorer.core.budget import SHARE, free_bytes, in_words
from ffn_explorer.core.errors import InputError
from ffn_explorer.export.vector import painting, pooled

SIDE_PX = (16, 16_384)
"""Smallest and largest side of a picture."""

LARGE_PX = 20_000_000
"""Area from which a picture is not made before the free memory is known."""

BYTES_PER_PX = 24
"""Memory that a picture takes while it is made: the most of any format, measured at 16,384 pixels a side."""

PIXELS = (0.5, 8.0)
"""Smallest and largest number of device pixels per logical pixel."""


def exported(widget: QWidget, *, notes: Mapping[str, str], pixels: float) -> Callable[[], bytes]:
    """Paint a widget as it stands; what is returned makes the content of the file, on any thread.

    pixels: device pixels per logical pixel; the layout stays, everything is drawn finer.
    InputError on a side outside SIDE_PX.
    """
    image = image_of(widget, pixels)
    return lambda: encoded(image, notes)


def image_of(widget: QWidget, pixels: float = 1.0) -> QImage:
    """A widget as it stands; InputError on a side outside SIDE_PX, or where there is no memory for it."""
    size = size_in(widget.size(), pixels)
    check_size(size)
    image = QImage(size, QImage.Format.Format_RGB32)
    if image.isNull():
        raise InputError("export.memory", width=size.width(), height=size.height())
    image.fill(0)
    image.setDevicePixelRatio(pixels)
    with pooled(widget, pixels), painting(image) as painter:
        widget.render(painter, QPoint())
    # Half a pixel beyond the last whole one is the ground's.
    image.setDevicePixelRatio(1.0)
    return image


def size_in(size: QSize, pixels: float) -> QSize:
    """Size in device pixels of a picture of a size in logical ones."""
    return QSize(round(size.width() * pixels), round(size.height() * pixels))


def encoded(image: QImage, notes: Mapping[str, str]) -> bytes:
    """Content of a PNG file with the notes as text chunks; InputError where there is no memory for it."""
    # Encoded in memory: writing, libpng would print a line of its own where the disk is full.
    data = QBuffer()
    data.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QImageWriter(data, b"png")
    for key, value in notes.items():
        writer.setText(key, value)
    if not writer.write(image):
        raise InputError("export.memory", width=image.width(), height=image.height())
    return bytes(data.data().data())


def check_size(size: QSize) -> None:
    """Raise InputError on a side outside SIDE_PX, or a picture that would take most of the free memory."""
    low, high = SIDE_PX
    if not (low <= size.width() <= high and low <= size.height() <= high):
        raise InputError("export.size", width=size.width(), height=size.height(), low=low, high=high)
    area = size.width() * size.height()
    if area > LARGE_PX:
        needed, free = BYTES_PER_PX * area, free_bytes()
        if needed * SHARE > free:
            words = {"needed": in_words(needed), "free": in_words(free)}
            raise InputError("export.memory_free", width=size.width(), height=size.height(), **words)


def lay_out(widget: QWidget, size: QSize) -> None:
    """Give a widget that is on no screen its final size, with everything inside in its place."""
    widget.setFixedSize(size)
    widget.show()
    # Layouts answer posted requests; sent here, they leave nothing for a later event loop to move.
    for _ in range(3):
        QCoreApplication.sendPostedEvents()
        widget.grab()
