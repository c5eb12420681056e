"""Board: a plain widget made from a layout; the only thing that feeds panels, in window and exports alike."""

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)

from ffn_explorer.board.frame import Frame
from ffn_explorer.panels.table import PANELS, PanelMaker
from ffn_explorer.state.layouts import (
    FIXED,
    Layout,
    Slot,
    one_stands_alone,
    panels_of,
    sizes_of,
    stacked,
    with_sizes,
)
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.text import say
from ffn_explorer.widgets.panel import Panel
from ffn_explorer.widgets.sizes import px
from ffn_explorer.widgets.theme import theme_of

EDITORS = (QAbstractSpinBox, QComboBox, QLineEdit, QPlainTextEdit, QTextEdit)
"""Widgets that keep letters and digits for themselves."""
PICTURES_PX = {1: 265, 2: 430, 3: 530}
"""Least height of the pictures, by how many stand over each other; at the light theme and scale 1.

Where one has its column for itself it counts alone: a lecture hall must see it whole without scrolling.
"""


class Board(QWidget):
    """Panels in their places; a Scene goes to those in sight at once, to hidden ones when they are shown."""

    requested = Signal(object)
    """A Change that a person asked for in some panel; never emitted while a Scene is being shown."""
    gesture_ended = Signal()
    """A person let go of what was dragged in some panel."""
    told = Signal(object)
    """A sentence (Text) about what a person has just done in some panel."""
    arranged = Signal()
    """A person dragged a handle; `arrangement` tells the new shares."""
    reset_asked = Signal()
    """A person double-clicked a handle."""
    sight_changed = Signal()
    """Other panels are in sight than before; `in_sight` tells which."""
    menu_asked = Signal(object, object)
    """A person wants the menu of a Panel, at a QPoint on the screen."""

    def __init__(
        self,
        layout: Layout,
        parent: QWidget | None = None,
        *,
        makers: Mapping[str, PanelMaker] = PANELS,
        menus: bool = False,
        corner: QWidget | None = None,
    ) -> None:
        """Build the panels that the layout names; KeyError on a name that is not in the table.

        menus: whether cards have menus.  corner: a widget that stands at the end of the first line.
        """
        super().__init__(parent)
        self._layout = layout
        self._makers = makers
        self._menus = menus
        self._corner = corner
        self._scene: Scene | None = None
        self._showing = False
        self._building = False
        self._alone: str | None = None
        self.panels: dict[str, Panel] = {}
        """Panels by name, in reading order."""
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._frame = self._framed(layout)
        self._column.addWidget(self._frame.root)

    @property
    def alone(self) -> str | None:
        """Name of the panel that fills the board, or None."""
        return self._alone

    def in_sight(self) -> frozenset[str]:
        """Names of the panels that are not hidden behind one that fills the board."""
        return frozenset(name for name, panel in self.panels.items() if panel.isVisibleTo(self))

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

    def show_layout(self, layout: Layout) -> None:
        """Stand the panels as another layout says; those that stay keep what they show, and the keyboard."""
        if panels_of(layout) == panels_of(self._layout) and _shape(layout) == _shape(self._layout):
            self.fill(None)
            self.arrange(layout)
            return
        focus = QApplication.focusWidget()
        held = self.focused_panel()
        self.setUpdatesEnabled(False)
        try:
            self._rebuild(layout)
        finally:
            self.setUpdatesEnabled(True)
        if held is not None:
            stays = focus is not None and held in self.panels.values()
            (focus if stays and focus is not None else self).setFocus(Qt.FocusReason.OtherFocusReason)
        self.sight_changed.emit()

    def fill(self, name: str | None) -> None:
        """Let one panel fill the board between its fixed strips; None brings the others back."""
        wanted = name if name in self.panels and name not in FIXED else None
        if wanted == self._alone:
            return
        if self._alone is None:
            # The hidden ones have no size that could be remembered.
            self._layout = self.arrangement()
        self._alone = wanted
        self._frame.give_all_room_to(None if wanted is None else self.panels[wanted])
        if wanted is None:
            self._frame.arrange(self._layout)
        self.sight_changed.emit()

    def arrange(self, layout: Layout) -> None:
        """Give the splits the shares of a layout of the same shape."""
        self._layout = with_sizes(self._layout, sizes_of(layout))
        if self._alone is None:
            self._frame.arrange(self._layout)

    def arrangement(self) -> Layout:
        """The layout with the shares as they stand."""
        return self._layout if self._alone else with_sizes(self._layout, self._frame.shares())

    def focus_panel(self, place: int) -> bool:
        """Give the keyboard to the panel at a place in reading order (from 0); False if there is none.

        Where another one fills the board, this one does from now on.
        """
        if not 0 <= place < len(self.panels):
            return False
        name, panel = list(self.panels.items())[place]
        if not panel.isVisibleTo(self):
            self.fill(name)
        self._frame.bring_to_sight(panel)
        _first_focus(panel).setFocus(Qt.FocusReason.ShortcutFocusReason)
        return True

    def focused_panel(self) -> Panel | None:
        """The panel that holds the keyboard focus, or None."""
        at = QApplication.focusWidget()
        return next((p for p in self.panels.values() if p is at or (at and p.isAncestorOf(at))), None)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Give the Scene to a panel that has just come to sight, and its fonts again.

        A style sheet that came while it was hidden has taken them.
        """
        shown = event.type() == QEvent.Type.Show and not self._building
        if shown and isinstance(watched, Panel) and self._scene is not None:
            watched.scene = None
            watched.offer(self._scene)
        return super().eventFilter(watched, event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the ground between the cards."""
        if self._scene is not None:
            painter = QPainter(self)
            painter.fillRect(self.rect(), QColor(theme_of(self._scene.look).background))
            painter.end()

    def _framed(self, layout: Layout) -> Frame:
        """A frame with the panels that the layout names: those there are, and new ones."""
        before = self.panels
        self.panels = {}
        frame = Frame(layout, lambda name: self._place(name, before.get(name)), corner=self._corner)
        for splitter in frame.splitters:
            splitter.dragged.connect(self.arranged)
            splitter.reset.connect(self.reset_asked)
        return frame

    def _place(self, name: str, there: Panel | None) -> Panel:
        panel = self._makers[name]() if there is None else there
        self.panels[name] = panel
        if there is None:
            if self._menus:
                panel.give_menu()
            panel.requested.connect(self._pass_on)
            panel.gesture_ended.connect(self.gesture_ended)
            panel.told.connect(self.told)
            panel.menu_asked.connect(self.menu_asked)
            panel.room_asked.connect(self._give_or_take_room)
            panel.installEventFilter(self)
        return panel

    def _give_or_take_room(self, panel: Panel) -> None:
        name = next(name for name, there in self.panels.items() if there is panel)
        self.fill(name if self._alone is None else None)

    def _rebuild(self, layout: Layout) -> None:
        old, before = self._frame, self.panels
        self._alone, self._layout = None, layout
        self._frame = self._framed(layout)
        for panel in before.values():
            if panel not in self.panels.values():
                panel.removeEventFilter(self)
        self._column.removeWidget(old.root)
        self._column.addWidget(self._frame.root)
        # Style what is new before it gets its fonts: polished after them, it would lose them.
        for widget in self._frame.root.findChildren(QWidget):
            widget.ensurePolished()
        old.root.setParent(None)
        old.root.deleteLater()
        self._building = True
        self._frame.root.show()
        self._building = False
        if self._scene is not None:
            self._restyle(self._scene)
            self.show_scene(self._scene)

    def _pass_on(self, change: Any) -> None:  # noqa: ANN401 - a Change; Qt signals carry objects
        if self._showing:
            # A panel must not change the state in the middle of drawing it; it may right after.
            QTimer.singleShot(0, self, lambda: self.requested.emit(change))
        else:
            self.requested.emit(change)

    def _restyle(self, scene: Scene) -> None:
        cards = [panel for panel in self.panels.values() if panel.name not in FIXED]
        over = 1 if one_stands_alone(self._layout) else min(3, stacked(self._layout))
        pictures = 0 if cards and all(panel.scrolls_itself for panel in cards) else PICTURES_PX.get(over, 0)
        least = max([pictures, *(panel.least_px for panel in cards)])
        for area in self._frame.areas:
            area.widget().setMinimumHeight(px(scene.look, least))
        for splitter in self._frame.splitters:
            for handle in splitter.handles():
                handle.theme = theme_of(scene.look)
                handle.setAccessibleName(say(scene.look.language, "window.handle"))
                handle.setToolTip(say(scene.look.language, "window.handle_tip"))
        self.update()


def _shape(layout: Layout) -> tuple[object, ...]:
    """What two layouts with the same panels differ in, shares left out."""
    return () if isinstance(layout, Slot) else (layout.orientation, *map(_shape, layout.children))


def _first_focus(panel: Panel) -> QWidget:
    """The panel itself where it takes the keyboard, else its picture, its first button, its first editor.

    An editor comes last: it would keep the digits that lead on to the next panel.
    """
    takers = [w for w in (panel, *panel.findChildren(QWidget)) if w.focusPolicy() & Qt.FocusPolicy.TabFocus]
    usable = [w for w in takers if w.isEnabled() and w.isVisibleTo(panel)]
    return min(usable, key=lambda w: (isinstance(w, EDITORS), isinstance(w, QAbstractButton)), default=panel)
