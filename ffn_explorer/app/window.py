"""Window: the control bar over a board, with notices; it shows Scenes and passes on what a person wants."""

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QIcon, QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QVBoxLayout, QWidget

from ffn_explorer.app.arrangement import Arrangement
from ffn_explorer.app.controls import ControlBar, Corner
from ffn_explorer.app.director import Director
from ffn_explorer.app.doubts import Doubts
from ffn_explorer.app.drop import Drops
from ffn_explorer.app.exporting import Exporting
from ffn_explorer.app.hints import Hints
from ffn_explorer.app.keymap import Keymap, UndoKeys
from ffn_explorer.app.menu import Buttons
from ffn_explorer.app.messages import Notices
from ffn_explorer.app.open_acts import correct
from ffn_explorer.app.opener import Opener
from ffn_explorer.app.panel_menu import PanelMenu
from ffn_explorer.app.qt_words import QtWords
from ffn_explorer.app.source_menu import SourceMenu
from ffn_explorer.app.style import apply_style
from ffn_explorer.app.system_look import SystemLook
from ffn_explorer.board import Board
from ffn_explorer.state.app_state import Appearance, AppState, ThemeName
from ffn_explorer.state.assets import asset
from ffn_explorer.state.known_file import file_name
from ffn_explorer.state.layouts import DEFAULT_LAYOUT, LAYOUTS
from ffn_explorer.state.scene import Scene

if TYPE_CHECKING:
    from ffn_explorer.app.finder import Finder
    from ffn_explorer.app.flash_strip import FlashStrip
    from ffn_explorer.app.lecture.player import LecturePlayer

PROGRAM = "FFN Explorer"
SMALLEST_PX = (1_024, 640)
FIRST_PX = (1_600, 1_000)


class Window(QMainWindow):
    """The program's window; all it knows comes from the director's Scenes."""

    painted = Signal()
    """The first picture is on screen."""
    closing = Signal()
    """A person closes the window; whatever must be remembered is remembered now."""

    def __init__(
        self,
        director: Director,
        *,
        layout_name: str = DEFAULT_LAYOUT,
        dress: Callable[[QWidget, Appearance], None] | None = None,
    ) -> None:
        """Build the window around a director; it shows its first Scene when the director starts.

        dress: what gives it another look, where that is not to change the whole application.
        """
        super().__init__()
        self._dress = dress
        self.director: Director = director
        self.scene: Scene | None = None
        self.folder = Path.home()
        """Where a person last opened or saved something."""
        self.room_theme: ThemeName = "light"
        """Theme to come back to from the projector's."""
        self._painted = False
        self.opener = Opener(director)
        self._qt_words = QtWords()
        self.keymap = Keymap(self)
        self._undo_keys = UndoKeys(self)
        self.exporting = Exporting(self)
        self.buttons = Buttons(self)
        self.controls = ControlBar()
        self.controls.add_right(self.buttons)
        self.source_menu = SourceMenu(self, self.controls.source.rows)
        self.hints = Hints(self)
        self.system_look: SystemLook = SystemLook(self)
        self.corner_bar = Corner()
        self.board: Board = Board(LAYOUTS[layout_name], menus=True, corner=self.corner_bar)
        self.arrangement: Arrangement = Arrangement(self.board, director, name=layout_name)
        self.panel_menu = PanelMenu(self)
        self.notices = Notices(self.board)
        self.doubts = Doubts(self)
        self.drops = Drops(self)
        self._build()
        self._connect()

    @cached_property
    def finder(self) -> "Finder":
        """The search, built when it is first opened."""
        from ffn_explorer.app.finder import Finder

        return Finder(self)

    @cached_property
    def lecture(self) -> "LecturePlayer":
        """What leads through a lecture, built when one first begins."""
        from ffn_explorer.app.lecture.player import LecturePlayer

        return LecturePlayer(self)

    @cached_property
    def flash(self) -> "FlashStrip":
        """What changed with the last run, built when one has changed something."""
        from ffn_explorer.app.flash_strip import FlashStrip

        return FlashStrip(self.board)

    @property
    def look(self) -> Appearance:
        """How things look now."""
        return self.director.state.appearance

    def show_scene(self, scene: Scene) -> None:
        """Show a Scene in every part of the window."""
        old, self.scene = self.scene, scene
        if old is None or old.look != scene.look:
            self._restyle(scene.look, fresh=old is None or old.look.language != scene.look.language)
            self.buttons.offer(scene)
        transport = self.board.panels.get("transport")
        self.notices.bottom = transport.height() if transport else 0
        # Before the pictures: if one of them breaks, the message about it must still come up.
        self._show_notices(scene)
        self.controls.offer(scene)
        self.setWindowTitle(title_of(scene))
        self._show_corner()
        self.board.show_scene(scene)
        if scene.before is not None or "flash" in self.__dict__:
            self.flash.show_scene(scene)

    def showEvent(self, event: QShowEvent) -> None:
        """Hear of drags from now on."""
        super().showEvent(event)
        self.drops.watch()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Tell the end of the tokens' line how much it can say."""
        super().resizeEvent(event)
        self.corner_bar.fit(self.width())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Plain keys that no part of the window wanted."""
        if not self.keymap.press(event):
            super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Say so before everything goes."""
        self.closing.emit()
        super().closeEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Notice the first picture."""
        if event.type() == QEvent.Type.Paint and not self._painted:
            self._painted = True
            # After this event the picture is also flushed to the screen.
            QTimer.singleShot(0, self, self.painted.emit)
            watched.removeEventFilter(self)
        return super().eventFilter(watched, event)

    def _build(self) -> None:
        self.setWindowTitle(PROGRAM)
        self.setWindowIcon(QIcon(str(asset("icons/ffn-explorer.svg"))))
        self.setMinimumSize(*SMALLEST_PX)
        self.resize(*FIRST_PX)
        central = QWidget()
        column = QVBoxLayout(central)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.controls)
        column.addWidget(self.board, 1)
        self.setCentralWidget(central)
        self.board.installEventFilter(self)
        # Plain keys drive the pass until a person chooses something; a click on the ground gives them back.
        self.board.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.board.setFocus()
        self._undo_keys.watch(self.controls)

    def _connect(self) -> None:
        director = self.director
        director.scene_made.connect(lambda scene: director.attempt(lambda: self.show_scene(scene)))
        for part in (self.controls, self.corner_bar, self.board):
            part.requested.connect(director.request)
        self.board.told.connect(director.remark)
        self.board.menu_asked.connect(self.panel_menu.open_for)
        self.corner_bar.layout_asked.connect(self.arrangement.use)
        self.corner_bar.hint_dismissed.connect(self.hints.did)
        self.arrangement.changed.connect(self._show_corner)
        self.arrangement.scene_begun.connect(lambda: self.controls.fold(True))
        self.arrangement.scene_ended.connect(lambda: self.controls.fold(False))
        self.hints.changed.connect(self._show_corner)
        director.state_changed.connect(self.hints.note)
        director.state_changed.connect(self._begin_lecture)
        self.notices.cancel_asked.connect(director.cancel)
        director.refused.connect(self.controls.refresh)
        self.controls.left.connect(self.board.setFocus)
        # What is done to a knob after this is another step of undo.
        self.controls.left.connect(director.session.end_gesture)
        self.board.gesture_ended.connect(director.session.end_gesture)
        director.loader.ready.connect(self.controls.set_devices)
        self.notices.dismissed.connect(lambda: director.tell(None))
        self.notices.offer_taken.connect(lambda: correct(self))
        self.notices.offer_declined.connect(self._decline)

    def _begin_lecture(self, old: AppState, new: AppState) -> None:
        """The first step into a lecture, from wherever it is asked for, builds what leads through it."""
        if new.lesson is not None and "lecture" not in self.__dict__:
            self.lecture.follow(old, new)

    def _show_notices(self, scene: Scene) -> None:
        offer = self.doubts.offer(self.director.state)
        self.notices.show_scene(scene, details=self.director.details, offer=offer)

    def _decline(self) -> None:
        self.doubts.put_away(self.director.state)
        if self.scene is not None:
            self._show_notices(self.scene)

    def _show_corner(self) -> None:
        if self.scene is not None:
            name = "lecture" if self.arrangement.in_scene else self.arrangement.name
            # A class follows the lecture; hints wait until it is over.
            hint = self.hints.current if self.scene.lesson is None else None
            self.corner_bar.show_scene(self.scene, layout=name, hint=hint)

    def _restyle(self, look: Appearance, *, fresh: bool) -> None:
        if self._dress is not None:
            self._dress(self, look)
            return
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        apply_style(application, look)
        if fresh:
            self._qt_words.use(look.language, application)
        if look.theme != "projector":
            self.room_theme = look.theme


def title_of(scene: Scene) -> str:
    """Name of the opened file and of the program; the system cuts what is too long."""
    opened = scene.source.opened
    return PROGRAM if opened is None else f"{file_name(opened.path)} – {PROGRAM}"
