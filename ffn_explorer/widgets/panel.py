"""Panel: the base of every picture; a card with a title, a note and a body, drawn from a Scene alone."""

from typing import Any, ClassVar

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from ffn_explorer.core.stages import Stage
from ffn_explorer.state.changes import Change
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.text import Text, say
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.labels import ElidedLabel
from ffn_explorer.widgets.theme import Theme, theme_of

CARD_RADIUS = 8.0
PADDING_PX = 14


class Panel(QWidget):
    """One picture. Subclasses name the Scene fields they read, and draw from nothing else."""

    requested = Signal(object)
    """A Change that a person asked for in this panel."""

    name: ClassVar[str]
    """Stable name, used by `render --panel`, layouts and catalogue keys "panel.<name>.*"."""
    reads: ClassVar[frozenset[str]]
    """Scene fields whose change redraws this panel; look is always read."""
    moves: ClassVar[frozenset[Stage]] = frozenset(Stage)
    """Stages whose progress this panel draws, when it reads progress."""
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
        self._column = QVBoxLayout(self)
        pad = PADDING_PX if self.framed else 0
        self._column.setContentsMargins(pad, pad - 3 if pad else 0, pad, pad)
        self._column.setSpacing(6)
        self._column.addLayout(self._header)
        self.title.setVisible(self.framed)
        self.note.setVisible(self.framed)

    def set_body(self, body: QWidget) -> None:
        """Place the picture under the header; called once by the subclass."""
        self._column.addWidget(body, 1)

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

    def table(self) -> list[list[str]] | None:
        """What is shown as a table of exact numbers, the names first; None where there is none to copy."""
        return None

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

    def _differs(self, old: Scene, new: Scene) -> bool:
        if old.look != new.look or ("progress" in self.reads and self._moved(old) != self._moved(new)):
            return True
        return any(getattr(old, field) != getattr(new, field) for field in self.reads - {"progress"})

    def _moved(self, scene: Scene) -> tuple[tuple[Stage, float], ...]:
        return tuple(step for step in scene.progress if step[0] in self.moves)
