"""Board: a plain widget made from a layout; the only thing that feeds panels, in window and exports alike."""

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QBoxLayout,
    QFrame,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from ffn_explorer.panels.table import PANELS, PanelMaker
from ffn_explorer.state.layouts import Layout, Slot, Split, sizes_of, splits_of, with_sizes
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.text import say
from ffn_explorer.widgets.panel import Panel
from ffn_explorer.widgets.sizes import px
from ffn_explorer.widgets.splitter import HANDLE_PX, Splitter
from ffn_explorer.widgets.theme import theme_of

MARGIN_PX = 14
PICTURES_PX = 430
"""Least height of the pictures between the fixed strips, at the light theme and scale 1."""


class Board(QWidget):
    """Panels in their places; a Scene goes to those in sight at once, to hidden ones when they are shown."""

    requested = Signal(object)
    """A Change that a person asked for in some panel; never emitted while a Scene is being shown."""
    arranged = Signal()
    """A person dragged a handle; `arrangement` tells the new shares."""
    reset_asked = Signal()
    """A person double-clicked a handle."""

    def __init__(
        self, layout: Layout, parent: QWidget | None = None, *, makers: Mapping[str, PanelMaker] = PANELS
    ) -> None:
        """Build the panels that the layout names; KeyError on a name that is not in the table."""
        super().__init__(parent)
        self._layout = layout
        self._makers = makers
        self._scene: Scene | None = None
        self._showing = False
        self._splitters: list[Splitter] = []
        self._areas: list[QScrollArea] = []
        self.panels: dict[str, Panel] = {}
        """Panels by name, in reading order."""
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._build(layout, outer=True))
        self.arrange(layout)

    def show_scene(self, scene: Scene) -> None:
        """Offer a Scene to every panel that can be seen; raises the first error after all have had it."""
        restyled = self._scene is None or self._scene.look != scene.look
        self._scene = scene
        if restyled:
            self._restyle(scene)
        failed: Exception | None = None
        self._showing = True
        for panel in self.panels.values():
            if panel.isVisibleTo(self):
                try:
                    panel.offer(scene)
                except Exception as error:  # noqa: BLE001 - raised after all panels had it
                    failed = failed or error
        self._showing = False
        if failed is not None:
            raise failed

    def arrange(self, layout: Layout) -> None:
        """Give the splits the shares of a layout of the same shape."""
        self._layout = with_sizes(self._layout, sizes_of(layout))
        for splitter, split in zip(self._splitters, splits_of(self._layout), strict=True):
            # Far more than there are pixels, so that Qt scales them down and rounds once.
            splitter.setSizes([size * 1_000 for size in split.sizes])

    def arrangement(self) -> Layout:
        """The layout with the shares as they stand."""
        shares = [tuple(max(1, size) for size in splitter.sizes()) for splitter in self._splitters]
        return with_sizes(self._layout, shares)

    def focus_panel(self, place: int) -> bool:
        """Give the keyboard to the panel at a place in reading order (from 0); False if there is none."""
        panels = list(self.panels.values())
        if not 0 <= place < len(panels):
            return False
        for area in self._areas:
            if area.isAncestorOf(panels[place]):
                area.ensureWidgetVisible(panels[place], 0, 0)
        _first_focus(panels[place]).setFocus(Qt.FocusReason.ShortcutFocusReason)
        return True

    def focused_panel(self) -> Panel | None:
        """The panel that holds the keyboard focus, or None."""
        at = QApplication.focusWidget()
        return next((p for p in self.panels.values() if p is at or (at and p.isAncestorOf(at))), None)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Give the Scene to a panel that has just come to sight."""
        if event.type() == QEvent.Type.Show and isinstance(watched, Panel) and self._scene is not None:
            watched.offer(self._scene)
        return super().eventFilter(watched, event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the ground between the cards."""
        if self._scene is not None:
            painter = QPainter(self)
            painter.fillRect(self.rect(), QColor(theme_of(self._scene.look).background))
            painter.end()

    def _build(self, layout: Layout, *, outer: bool = False) -> QWidget:
        if isinstance(layout, Slot):
            return self._make(layout.panel)
        if layout.draggable:
            across = layout.orientation == "row"
            splitter = Splitter(Qt.Orientation.Horizontal if across else Qt.Orientation.Vertical)
            self._splitters.append(splitter)
            splitter.dragged.connect(self.arranged)
            splitter.reset.connect(self.reset_asked)
            for child in layout.children:
                splitter.addWidget(self._build(child))
            return splitter
        return self._build_box(layout, outer=outer)

    def _build_box(self, layout: Split, *, outer: bool) -> QWidget:
        way = QBoxLayout.Direction
        box = QWidget()
        line = QBoxLayout(way.LeftToRight if layout.orientation == "row" else way.TopToBottom, box)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(HANDLE_PX)
        for child, size in zip(layout.children, layout.sizes, strict=True):
            widget = self._build(child)
            if outer and not (isinstance(child, Slot) and child.edge):
                widget = _padded(widget)
            line.addWidget(self._scrolled(widget) if outer and size else widget, size)
        if outer:
            line.insertSpacing(0, HANDLE_PX // 2)
        return box

    def _scrolled(self, inside: QWidget) -> QWidget:
        """Pictures never shrink to where their words would be cut; a window too small for them scrolls."""
        area = QScrollArea()
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidgetResizable(True)
        area.setWidget(inside)
        for widget in (inside, area.viewport()):
            widget.setAutoFillBackground(False)
        self._areas.append(area)
        return area

    def _make(self, name: str) -> Panel:
        panel = self._makers[name]()
        self.panels[name] = panel
        panel.requested.connect(self._pass_on)
        panel.installEventFilter(self)
        return panel

    def _pass_on(self, change: Any) -> None:  # noqa: ANN401 - a Change; Qt signals carry objects
        if self._showing:
            # A panel must not change the state in the middle of drawing it; it may right after.
            QTimer.singleShot(0, self, lambda: self.requested.emit(change))
        else:
            self.requested.emit(change)

    def _restyle(self, scene: Scene) -> None:
        for area in self._areas:
            area.widget().setMinimumHeight(px(scene.look, PICTURES_PX))
        for splitter in self._splitters:
            for handle in splitter.handles():
                handle.theme = theme_of(scene.look)
                handle.setAccessibleName(say(scene.look.language, "window.handle"))
                handle.setToolTip(say(scene.look.language, "window.handle_tip"))
        self.update()


def _padded(widget: QWidget) -> QWidget:
    holder = QWidget()
    inside = QVBoxLayout(holder)
    inside.setContentsMargins(MARGIN_PX, 0, MARGIN_PX, 0)
    inside.addWidget(widget)
    return holder


def _first_focus(panel: Panel) -> QWidget:
    """The panel itself where it takes the keyboard, else its picture, else its first button."""
    takers = [w for w in (panel, *panel.findChildren(QWidget)) if w.focusPolicy() & Qt.FocusPolicy.TabFocus]
    usable = [w for w in takers if w.isEnabled() and w.isVisibleTo(panel)]
    pictures = [w for w in usable if not isinstance(w, QAbstractButton)]
    return next(iter(pictures or usable), panel)
