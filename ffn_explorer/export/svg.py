"""SVG pictures: shapes, and words that can be selected, searched and edited; one group for each panel."""

from collections.abc import Callable, Mapping

from PySide6.QtCore import QBuffer, QIODevice, QPoint, QRect
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QWidget

from ffn_explorer.export.png import check_size
from ffn_explorer.export.svg_document import Part, document
from ffn_explorer.export.vector import Placed, paint_alone, painting, placed, pooled, uncached
from ffn_explorer.widgets.panel import Panel
from ffn_explorer.widgets.vector import FINER


def exported(widget: QWidget, *, notes: Mapping[str, str], pixels: float) -> Callable[[], bytes]:
    """Paint a widget as it stands; what is returned makes the content of the file, on any thread.

    pixels: left aside, since shapes have none.
    """
    del pixels
    check_size(widget.size())
    with pooled(widget, FINER), uncached(widget):
        parts = [_part(piece, root=widget) for piece in placed(widget, QPoint(), widget.rect())]
    size = (widget.width(), widget.height())
    return lambda: document(parts, size=size, notes=notes)


def _part(piece: Placed, *, root: QWidget) -> Part:
    """One widget, in a document of its own: only then does Qt write its clips where they belong."""
    data = QBuffer()
    data.open(QIODevice.OpenModeFlag.WriteOnly)
    # Version 1.1 knows clips, which the smaller "tiny" leaves out.
    made = QSvgGenerator(QSvgGenerator.SvgVersion.Svg11)
    made.setOutputDevice(data)
    made.setViewBox(QRect(QPoint(), piece.place.size()))
    with painting(made) as painter:
        paint_alone(painter, piece.widget, QPoint(), ground=piece.widget is root)
    seen = piece.seen.translated(-piece.place.topLeft())
    return Part(
        panel=_panel_of(piece.widget, root),
        at=(piece.place.x(), piece.place.y()),
        seen=(seen.x(), seen.y(), seen.width(), seen.height()) if piece.cut else None,
        written=bytes(data.data().data()).decode("utf-8"),
    )


def _panel_of(widget: QWidget | None, root: QWidget) -> str:
    """Name of the panel that a widget belongs to, "" outside of all."""
    while widget is not None and widget is not root:
        if isinstance(widget, Panel):
            return widget.name
        widget = widget.parentWidget()
    return widget.name if isinstance(widget, Panel) else ""
