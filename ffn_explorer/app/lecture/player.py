"""LecturePlayer: leads through a lecture; every step is a change of the state, and the board follows it."""

from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QFileSystemWatcher, QObject, Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QTextEdit, QWidget

from ffn_explorer.app.acts import typing
from ffn_explorer.app.lone_job import LoneJob
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import AppState
from ffn_explorer.state.layouts import Layout
from ffn_explorer.state.lectures.changes import back_to_scene, leave_lecture, next_depth, to_beat
from ffn_explorer.state.lectures.model import Lecture
from ffn_explorer.state.lectures.shown import LessonShown, lesson_shown, step_of
from ffn_explorer.state.lectures.store import LECTURES
from ffn_explorer.state.text import text

if TYPE_CHECKING:
    from ffn_explorer.app.lecture.handout import HandoutJob
    from ffn_explorer.app.lecture.notes import NotesWindow
    from ffn_explorer.app.lecture.overlay import Blank, Pointer
    from ffn_explorer.app.lecture.resuming import Resuming
    from ffn_explorer.app.window import Window

RELOAD_MS = 200
"""Editors write a file in several steps; it is read once they are through."""

TEXTS = (QPlainTextEdit, QTextEdit)
"""Editors that page keys scroll."""

REMOTE = {Qt.Key.Key_PageDown: 1, Qt.Key.Key_PageUp: -1}
"""Keys of presenters' remotes, and how far they lead."""

OWN = (Qt.Key.Key_S, Qt.Key.Key_D, Qt.Key.Key_R)
"""Keys of a lecture that a panel in use may have, too; while one is on they are the lecture's."""


class LecturePlayer(QObject):
    """Built when a lecture first begins; it holds no place of its own."""

    def __init__(self, window: "Window") -> None:
        """Follow the state of a window."""
        super().__init__(window)
        self._window = window
        self._stood: tuple[str, Layout] | None = None
        """Scene and layout that the board was last made to show."""
        self._reload_soon = QTimer(self)
        self._reload_soon.setSingleShot(True)
        self._reload_soon.setInterval(RELOAD_MS)
        self._reload_soon.timeout.connect(self._reload)
        self._watcher = QFileSystemWatcher(self)
        self._watcher.fileChanged.connect(lambda _: self._reload_soon.start())
        # A file that was gone for a while comes back to its folder.
        self._watcher.directoryChanged.connect(lambda _: self._found_again())
        self.resuming: Resuming | None = None
        """What was left when the program was closed, and may still be taken up."""
        self.began = 0.0
        """Moment (of `monotonic`) at which the lecture began."""
        self.job = LoneJob(self)
        self.job.failed.connect(window.director.tell)
        window.director.works.add(self.job)
        window.director.state_changed.connect(self.follow)

    @cached_property
    def notes(self) -> "NotesWindow":
        """The speaker's window, built when it is first wanted."""
        from ffn_explorer.app.lecture.notes import NotesWindow

        return NotesWindow(self._window, self)

    @cached_property
    def handout(self) -> "HandoutJob":
        """What makes handouts, built when the first one is wanted."""
        from ffn_explorer.app.lecture.handout import HandoutJob

        return HandoutJob(self._window)

    @cached_property
    def blank(self) -> "Blank":
        """What covers the window."""
        from ffn_explorer.app.lecture.overlay import Blank

        return Blank(self._window)

    @cached_property
    def pointer(self) -> "Pointer":
        """The ring around the mouse."""
        from ffn_explorer.app.lecture.overlay import Pointer

        return Pointer(self._window)

    @property
    def shown(self) -> LessonShown | None:
        """The beat that the state names; None without a lecture."""
        return lesson_shown(self._window.director.state)

    # Acts ---------------------------------------------------------------------------------------------------

    def start(self, lecture: Lecture | None = None) -> None:
        """Begin a lecture, the built-in one unless another is given; one under way goes on where it is.

        So does the one of the last launch, as long as no other was begun.
        """
        director = self._window.director
        if lecture is None and self.shown is not None:
            self.again()
        elif lecture is None and self.resuming is not None and self.resuming.waits:
            self.resuming.begin()
        else:
            director.attempt(lambda: director.apply(to_beat(lecture or LECTURES.open(""), 0)))

    def resume(self, place: Mapping[str, Any], *, missed: Callable[[], None], unasked: bool) -> None:
        """Go on where the program was closed: now, or with F5.

        missed: called where the lecture cannot be read.  unasked: now, unless a person begins something else.
        """
        from ffn_explorer.app.lecture.resuming import Resuming

        self.resuming = Resuming(self._window, self.job, place=place, missed=missed)
        if unasked and self.resuming.waits:
            self.resuming.begin(unasked=True)

    def step(self, by: int) -> None:
        """Go to the next beat, or to the one before; at the ends nothing is left to go to."""
        at = self.shown
        if at is None:
            return
        step = step_of(at, by)
        if step is not None:
            self._window.director.request(step)
        elif by > 0:
            self._window.director.remark(text("window.lecture_end"))

    def go_on(self) -> None:
        """Space: pause, or play the scene's move; once that is done, the next beat."""
        director = self._window.director
        now = director.state.playback
        if self.shown is None or now.playing:
            director.play_or_pause()
        elif (
            now.time < now.until and not self.shown.beat.rests and not director.state.appearance.reduce_motion
        ):
            director.request(changes.play())
        else:
            self.step(1)

    def again(self) -> None:
        """The scene as it was declared, with its panels."""
        at = self.shown
        if at is not None:
            self._window.director.request(back_to_scene(at.lecture))
            self._stand(at)

    def deeper(self) -> None:
        """Words at the next depth."""
        self._window.director.request(next_depth(self._window.director.state))

    def leave(self) -> None:
        """End the lecture; what is on screen stays."""
        self._window.director.request(leave_lecture())

    # What follows from the state ----------------------------------------------------------------------------

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """A remote's keys lead on whatever has the keyboard here, but a text that they scroll."""
        if event.type() != QEvent.Type.KeyPress or not isinstance(event, QKeyEvent):
            return False
        if not isinstance(watched, QWidget) or self.shown is None or not self._window.isActiveWindow():
            return False
        if event.modifiers() or QApplication.activePopupWidget() or QApplication.activeModalWidget():
            return False
        key = Qt.Key(event.key())
        if key in OWN and not typing():
            return self._window.keymap.press(event)
        by = REMOTE.get(key)
        if by is None or isinstance(QApplication.focusWidget(), TEXTS):
            return False
        if not self.unblank() and not (by > 0 and self._reads_on()):
            self.step(by)
        return True

    def _reads_on(self) -> bool:
        """A remote has no other key to scroll words with that are too long for a small screen."""
        from ffn_explorer.panels.lesson import LessonPanel

        panel = self._window.board.panels.get("lesson")
        return isinstance(panel, LessonPanel) and panel.read_on()

    def follow(self, old: AppState, new: AppState) -> None:
        """Stand the board as the scene says that a new state has come to."""
        if old.lesson == new.lesson:
            return
        if (old.lesson is None) != (new.lesson is None):
            self._hear_keys(new.lesson is not None)
        at = self.shown
        if at is None:
            self._stood = None
            self._window.arrangement.end_scene()
            self.unblank()
            if "pointer" in self.__dict__:
                self.pointer.hide()
        else:
            if old.lesson is None:
                self.began = monotonic()
                self.resuming = None
            if self._stood != (at.scene.name, at.layout) or not self._window.arrangement.in_scene:
                self._stand(at)
        self._watch("" if new.lesson is None else new.lesson.path)

    def _stand(self, at: LessonShown) -> None:
        self._stood = (at.scene.name, at.layout)
        self._window.arrangement.show_scene(at.layout)

    def _hear_keys(self, on: bool) -> None:
        """Look at every event of the program, which costs, only while a lecture is on."""
        application = QApplication.instance()
        assert application is not None
        if on:
            application.installEventFilter(self)
        else:
            application.removeEventFilter(self)

    def unblank(self) -> bool:
        """Bring the picture back; False where it is there."""
        was = "blank" in self.__dict__ and self.blank.isVisible()
        if was:
            self.blank.toggle()
        return was

    def _watch(self, path: str) -> None:
        """Watch a file and its folder, and nothing else."""
        wanted = {path, str(Path(path).parent)} if path else set()
        watched = {*self._watcher.files(), *self._watcher.directories()}
        if watched - wanted:
            self._watcher.removePaths([*(watched - wanted)])
        if wanted - watched:
            self._watcher.addPaths([*(wanted - watched)])

    def _found_again(self) -> None:
        """The folder has changed: the file may be there anew."""
        at = self.shown
        if at is not None and at.lecture.path not in self._watcher.files() and Path(at.lecture.path).exists():
            self._watcher.addPath(at.lecture.path)
            self._reload_soon.start()

    def _reload(self) -> None:
        """Read the file again that an author has saved, and show its scene anew."""
        at = self.shown
        if at is None or not at.lecture.path:
            return
        path, name = at.lecture.path, at.scene.name
        # Saving replaces the file: the new one has to be watched anew.
        self._watch(path)

        def then(lecture: Lecture) -> None:
            scene = lecture.find(name)
            self._stood = None
            here = 0 if scene is None else lecture.first_beat(scene)
            same = at.lesson.beat < len(lecture.beats) and lecture.beats[at.lesson.beat] == at.beat
            # What was wrong with the file before is so no more; what is wrong now is said below.
            self._window.director.tell(None)
            self._window.director.request(to_beat(lecture, at.lesson.beat if same else here, rest=True))
            if self.shown is not None:
                self._stand(self.shown)
            self._window.director.show_now()

        self.job.start(lambda: LECTURES.open(path), then)
