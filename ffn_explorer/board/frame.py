"""Frame: the splitters, boxes and scroll areas that hold panels as a layout says."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QScrollArea, QWidget

from ffn_explorer.state.layouts import Layout, Slot, Split, splits_of
from ffn_explorer.widgets.scroll_area import clear_area
from ffn_explorer.widgets.splitter import HANDLE_PX, Splitter

MARGIN_PX = 14

PanelOf = Callable[[str], QWidget]
"""The panel of a name."""


class Frame:
    """Widgets around the panels of one layout; `root` holds them all and has no parent yet."""

    def __init__(self, layout: Layout, panel_of: PanelOf, *, corner: QWidget | None) -> None:
        """Build them; corner: a widget of the window that stands at the end of the first line."""
        self.splitters: list[Splitter] = []
        self.areas: list[QScrollArea] = []
        self._corner = corner
        self.root = self._build(layout, panel_of, outer=True)
        self.arrange(layout)

    def arrange(self, layout: Layout) -> None:
        """Give the splits the shares of a layout of the same shape."""
        for splitter, split in zip(self.splitters, splits_of(layout), strict=True):
            # Far more than there are pixels, so that Qt scales them down and rounds once.
            splitter.setSizes([size * 1_000 for size in split.sizes])

    def shares(self) -> list[tuple[int, ...]]:
        """Shares of every split as they stand, in pixels."""
        return [tuple(max(1, size) for size in splitter.sizes()) for splitter in self.splitters]

    def give_all_room_to(self, widget: QWidget | None) -> None:
        """Leave only this widget between the fixed strips; None brings all back."""
        for splitter in self.splitters:
            for child in (splitter.widget(i) for i in range(splitter.count())):
                child.setVisible(widget is None or child is widget or child.isAncestorOf(widget))

    def bring_to_sight(self, widget: QWidget) -> None:
        """Scroll to a widget."""
        for area in self.areas:
            if area.isAncestorOf(widget):
                area.ensureWidgetVisible(widget, 0, 0)

    def _build(self, layout: Layout, panel_of: PanelOf, *, outer: bool = False) -> QWidget:
        if isinstance(layout, Slot):
            return panel_of(layout.panel)
        if layout.draggable:
            across = layout.orientation == "row"
            splitter = Splitter(Qt.Orientation.Horizontal if across else Qt.Orientation.Vertical)
            self.splitters.append(splitter)
            for child in layout.children:
                splitter.addWidget(self._build(child, panel_of))
            return splitter
        return self._build_box(layout, panel_of, outer=outer)

    def _build_box(self, layout: Split, panel_of: PanelOf, *, outer: bool) -> QWidget:
        way = QBoxLayout.Direction
        box = QWidget()
        line = QBoxLayout(way.LeftToRight if layout.orientation == "row" else way.TopToBottom, box)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(HANDLE_PX)
        for child, size in zip(layout.children, layout.sizes, strict=True):
            widget = self._build(child, panel_of)
            if outer and not (isinstance(child, Slot) and child.edge):
                widget = self._padded(widget, first=child is layout.children[0] and not size)
            line.addWidget(self._scrolled(widget) if outer and size else widget, size)
        if outer:
            line.insertSpacing(0, HANDLE_PX // 2)
        return box

    def _padded(self, widget: QWidget, *, first: bool) -> QWidget:
        holder = QWidget()
        inside = QHBoxLayout(holder)
        inside.setContentsMargins(MARGIN_PX, 0, MARGIN_PX, 0)
        inside.setSpacing(HANDLE_PX)
        inside.addWidget(widget, 1)
        if first and self._corner is not None:
            inside.addWidget(self._corner, 0, Qt.AlignmentFlag.AlignVCenter)
        return holder

    def _scrolled(self, inside: QWidget) -> QWidget:
        """Pictures never shrink to where their words would be cut; a window too small for them scrolls."""
        area = clear_area(inside)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.areas.append(area)
        return area
