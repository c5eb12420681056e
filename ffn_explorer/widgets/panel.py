"""Panel: the base of every picture; a card with a title, a note and a body, drawn from a Scene alone."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, ClassVar

from PySide6.QtCore import QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QContextMenuEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from ffn_explorer.core.stages import Stage
from ffn_explorer.state.changes import Change, choose, seek, set_view
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.text import Text, say
from ffn_explorer.state.timeline import time_of
from ffn_explorer.widgets.buttons import MenuButton
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.labels import ElidedLabel
from ffn_explorer.widgets.theme import Theme, theme_of

CARD_RADIUS = 8.0
PADDING_PX = 14


class Panel(QWidget):
    """One picture. Subclasses name the Scene fields they read, and draw from nothing else."""

    requested = Signal(object)
    """A Change that a person asked for in this panel."""
    gesture_ended = Signal()
    """A person let go of what was dragged: what follows is another step of undo."""
    told = Signal(object)
    """What a person has just done in this panel without any trace on screen, as Text: it was copied."""
    menu_asked = Signal(object, object)
    """A person wants the menu of this card: the card itself, and a place on the screen (QPoint)."""
    room_asked = Signal(object)
    """A person double-clicked the header of this card: it should fill the board, or go back."""

    name: ClassVar[str]
    """Stable name, used by `render --panel`, layouts and catalogue keys "panel.<name>.*"."""
    reads: ClassVar[frozenset[str]]
    """Scene fields whose change redraws this panel; look is always read."""
    moves: ClassVar[frozenset[Stage]] = frozenset(Stage)
    """Stages whose progress this panel draws, when it reads progress."""
    least_px: ClassVar[int] = 0
    """Least height of the pictures while this panel is among them; at the light theme and scale 1."""
    scrolls_itself: ClassVar[bool] = False
    """Whether it scrolls by itself where it has no room; a board of nothing else needs no least height."""
    framed: ClassVar[bool] = True
    """Whether a card with title and note stands around the body."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build the empty card."""
        super().__init__(parent)
        self.scene: Scene | None = None
        self.title = ElidedLabel(self)
        self.note = ElidedLabel(self, align=Qt.AlignmentFlag.AlignRight)
        self._header = QHBoxLayout()
        # The title gives way last: the note has what is left beside it.
        self.title.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._header.addWidget(self.title)
        self._header.addWidget(self.note, 1)
        self.menu_button = MenuButton(self)
        self.menu_button.hide()
        self.menu_button.clicked.connect(self.open_menu)
        self._has_menu = False
        top = QHBoxLayout()
        # Subclasses may add to the header; the menu stays at its right end.
        top.addLayout(self._header, 1)
        top.addWidget(self.menu_button, 0, Qt.AlignmentFlag.AlignVCenter)
        self._column = QVBoxLayout(self)
        pad = PADDING_PX if self.framed else 0
        self._column.setContentsMargins(pad, pad - 3 if pad else 0, pad, pad)
        self._column.setSpacing(6)
        self._column.addLayout(top)
        self.title.setVisible(self.framed)
        self.note.setVisible(self.framed)

    def set_body(self, body: QWidget) -> None:
        """Place the picture under the header; called once by the subclass."""
        self._column.addWidget(body, 1)

    def give_menu(self) -> None:
        """Put a menu at the end of the header; a card without header has none."""
        self._has_menu = self.framed
        self.menu_button.setVisible(self.framed)

    def open_menu(self) -> None:
        """Ask for the menu, under its button."""
        if self._has_menu:
            self.menu_asked.emit(self, self.menu_button.mapToGlobal(self.menu_button.rect().bottomLeft()))

    def show_header(self, on: bool, /) -> None:
        """Show or leave out title, note and menu."""
        for widget in (self.title, self.note):
            widget.setVisible(on)
        self.menu_button.setVisible(on and self._has_menu)

    @property
    def free_header(self) -> QRect:
        """The header between the title and the menu, where nothing but the note stands."""
        left = self.title.x() + min(self.title.width(), self.title.sizeHint().width()) + PADDING_PX
        right = self.menu_button.x() if self.menu_button.isVisibleTo(self) else self.width() - PADDING_PX
        return QRect(left, self.title.y(), max(0, right - left), self.title.height())

    @contextmanager
    def without_menu(self) -> Iterator[None]:
        """While this lasts, a picture of the card shows no menu."""
        self.menu_button.left_out = True
        try:
            yield
        finally:
            self.menu_button.left_out = False

    def offer(self, scene: Scene) -> bool:
        """Take a new Scene; redraw only if a field that this panel reads has changed. True if redrawn."""
        old, self.scene = self.scene, scene
        if old is not None and not self._differs(old, scene):
            return False
        if old is None or old.look != scene.look:
            self.restyle(scene)
        self.render_scene(scene)
        return True

    def restyle(self, scene: Scene) -> None:
        """Fonts and colours for a new look; subclasses extend it."""
        theme = self.theme
        self.title.set_look(font(scene.look, "title", bold=True), theme.ink)
        self.note.set_look(font(scene.look, "small"), theme.muted)
        if self._has_menu:
            name = say(scene.look.language, f"panel_name.{self.name}")
            self.menu_button.set_look(scene.look)
            self.menu_button.explain(self.say("menu.open", name=name), self.say("menu.tip", name=name))
            self.title.set_about(self.say(f"panel.{self.name}.about"))
        self.update()

    def render_scene(self, scene: Scene) -> None:
        """Draw the scene; every subclass overrides it."""
        raise NotImplementedError

    @property
    def theme(self) -> Theme:
        """Theme of the present scene."""
        assert self.scene is not None
        return theme_of(self.scene.look)

    def say(self, what: Text | str, /, **values: Any) -> str:  # noqa: ANN401 - numbers and strings alike
        """Sentence in the scene's language; a bare key is taken inside "panel.<name>."."""
        assert self.scene is not None
        if isinstance(what, str) and "." not in what:
            what = f"panel.{self.name}.{what}"
        return say(self.scene.look.language, what, **values)

    def empty(self) -> str:
        """What stands where there is no run: why there will be none, or that it is on its way."""
        assert self.scene is not None
        return self.say(self.scene.no_run or "empty")

    def table(self) -> list[list[str]] | None:
        """What is shown as a table of exact numbers, the names first; None where there is none to copy."""
        return None

    def change_view(self, **chosen: Any) -> None:  # noqa: ANN401 - any field of View
        """Ask for other choices of this panel's own; those not named stay."""
        if self.scene is not None:
            self.request(set_view(self.name, replace(self.scene.view(self.name), **chosen)))

    def go_to(self, stage: Stage, *, gesture: str = "") -> None:
        """Ask to choose a stage of the run on screen, and to go to the moment at which it is done."""
        if self.scene is not None and self.scene.run is not None:
            self.request(choose(stage=stage, gesture=gesture))
            self.request(seek(time_of(stage, self.scene.run.stages)))

    def request(self, change: Change) -> None:
        """Ask for a change of the state."""
        self.requested.emit(change)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the card."""
        if self.scene is None or not self.framed:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        width = self.theme.line_px
        painter.setPen(QPen(QColor(self.theme.border), width))
        painter.setBrush(QColor(self.theme.surface))
        inset = width / 2
        painter.drawRoundedRect(
            QRectF(self.rect()).adjusted(inset, inset, -inset, -inset), CARD_RADIUS, CARD_RADIUS
        )
        painter.end()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """A right click that nothing inside wanted, Shift+F10 or the menu key open the menu."""
        if not self._has_menu:
            event.ignore()
            return
        if event.reason() == QContextMenuEvent.Reason.Mouse:
            self.menu_asked.emit(self, event.globalPos())
        else:
            self.open_menu()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """A double click on the header asks for more room, or for less."""
        on_header = self.title.isVisibleTo(self) and event.position().y() <= self.title.geometry().bottom()
        if self._has_menu and on_header and event.button() == Qt.MouseButton.LeftButton:
            self.room_asked.emit(self)
        else:
            event.ignore()

    def _differs(self, old: Scene, new: Scene) -> bool:
        if old.look != new.look or old.no_run != new.no_run:
            return True
        if "progress" in self.reads and self._moved(old) != self._moved(new):
            return True
        return any(getattr(old, field) != getattr(new, field) for field in self.reads - {"progress"})

    def _moved(self, scene: Scene) -> tuple[tuple[Stage, float], ...]:
        return tuple(step for step in scene.progress if step[0] in self.moves)
