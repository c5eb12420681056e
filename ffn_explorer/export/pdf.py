"""PDF pictures: one page of the picture's size, shapes and words with their fonts embedded."""

from collections.abc import Callable, Mapping

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMarginsF, QSizeF
from PySide6.QtGui import QPageSize, QPdfWriter
from PySide6.QtWidgets import QWidget

from ffn_explorer.export.notes_xml import packet
from ffn_explorer.export.png import check_size
from ffn_explorer.export.vector import paint_whole, painting

POINTS_PER_PX = 0.75
"""A logical pixel is a 96th of an inch, a point a 72nd."""


def exported(widget: QWidget, *, notes: Mapping[str, str], pixels: float) -> Callable[[], bytes]:
    """Paint a widget as it stands; what is returned makes the content of the file, on any thread.

    pixels: left aside, since shapes have none.
    """
    del pixels
    check_size(widget.size())
    data = QBuffer()
    data.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(data)
    writer.setResolution(96)
    size = QSizeF(widget.size()) * POINTS_PER_PX
    exact = QPageSize.SizeMatchPolicy.ExactMatch
    writer.setPageSize(QPageSize(size, QPageSize.Unit.Point, "", exact))
    writer.setPageMargins(QMarginsF())
    writer.setTitle("FFN Explorer")
    writer.setCreator(notes.get("Software", ""))
    writer.setDocumentXmpMetadata(QByteArray(packet(notes)))
    with painting(writer) as painter:
        paint_whole(painter, widget)
    content = bytes(data.data().data())
    return lambda: content
