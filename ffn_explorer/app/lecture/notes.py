"""NotesWindow: what the speaker sees on a second screen: notes, the time, and what comes next."""

from time import monotonic
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QTextBrowser, QVBoxLayout, QWidget

from ffn_explorer.state.lectures.shown import LessonShown
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.text import say
from ffn_explorer.widgets.fonts import font

if TYPE_CHECKING:
    from ffn_explorer.app.lecture.player import LecturePlayer
    from ffn_explorer.app.window import Window

TICK_MS = 500

KEYS = {
    Qt.Key.Key_PageDown: 1,
    Qt.Key.Key_Right: 1,
    Qt.Key.Key_PageUp: -1,
    Qt.Key.Key_Left: -1,
}
"""Keys that lead through the lecture, and how far."""


class NotesWindow(QWidget):
    """A window of its own; its keys lead through the lecture as those of the main window do."""

    def __init__(self, window: "Window", player: "LecturePlayer") -> None:
        """Build it hidden."""
        super().__init__(window, Qt.WindowType.Window)
        self._window, self._player = window, player
        self.title, self.next, self.time = QLabel(), QLabel(), QLabel()
        self.notes = QTextBrowser()
        self.back, self.on, self.reset = QPushButton(), QPushButton(), QPushButton()
        for label in (self.title, self.next):
            label.setWordWrap(True)
        # The keys of the window lead on; a focused text would keep some of them.
        self.notes.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        for button in (self.back, self.on, self.reset):
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        for action in (row for row in window.keymap.actions if row.group == "lecture"):
            for name in (name for name in action.keys if "+" in name):
                shortcut = QShortcut(QKeySequence(name), self)
                shortcut.activated.connect(lambda action=action: action.run(window))
        self._arrange()
        self.back.clicked.connect(lambda: player.step(-1))
        self.on.clicked.connect(lambda: player.step(1))
        self.reset.clicked.connect(self.begin)
        self._tick = QTimer(self)
        self._tick.setInterval(TICK_MS)
        self._tick.timeout.connect(self._show_time)
        window.director.scene_made.connect(self._take)
        self.resize(720, 560)

    def _arrange(self) -> None:
        top, row = QHBoxLayout(), QHBoxLayout()
        top.addWidget(self.title, 1)
        top.addWidget(self.time, 0, Qt.AlignmentFlag.AlignTop)
        for button in (self.back, self.on):
            row.addWidget(button)
        row.addStretch(1)
        row.addWidget(self.reset)
        column = QVBoxLayout(self)
        column.addLayout(top)
        column.addWidget(self.notes, 1)
        column.addWidget(self.next)
        column.addLayout(row)

    def toggle(self) -> None:
        """Show it, on another screen where there is one, or put it away."""
        if self.isVisible():
            self.hide()
            return
        here = self._window.screen()
        other = next((screen for screen in QGuiApplication.screens() if screen is not here), None)
        if other is not None:
            self.move(other.availableGeometry().topLeft())
        self.show()
        self.raise_()
        self._tick.start()
        if self._window.scene is not None:
            self._take(self._window.scene)

    def begin(self) -> None:
        """Count the time from now."""
        self._player.began = monotonic()
        self._show_time()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """The page keys lead on, Esc puts the notes away, all else does what it does in the main window."""
        by = KEYS.get(Qt.Key(event.key()))
        if by is not None:
            if not self._player.unblank():
                self._player.step(by)
        elif event.key() == Qt.Key.Key_Escape:
            self.hide()
        elif not self._window.keymap.press(event):
            super().keyPressEvent(event)

    def _take(self, scene: Scene) -> None:
        """Show the notes of the beat on screen."""
        if not self.isVisible():
            return
        look, language = scene.look, scene.look.language
        self.setWindowTitle(say(language, "notes.window"))
        self.title.setFont(font(look, "title", bold=True))
        self.time.setFont(font(look, "title", bold=True))
        self.notes.setFont(font(look, "title"))
        self.next.setFont(font(look, "body"))
        for button, key in ((self.back, "back"), (self.on, "on"), (self.reset, "reset")):
            button.setText(say(language, f"notes.{key}"))
        at = scene.lesson
        if at is None:
            self.title.setText(say(language, "notes.none"))
            self.notes.setPlainText("")
            self.next.setText("")
        else:
            self._show_beat(scene, at)
        self._show_time()

    def _show_beat(self, scene: Scene, at: LessonShown) -> None:
        language = scene.look.language
        number, title = at.beat.scene + 1, at.scene.title.say(language)
        self.title.setText(say(language, "notes.scene", n=number, count=len(at.lecture.scenes), title=title))
        lines = [at.scene.notes.say(language)] if at.beat.quiz < 0 else []
        question = at.lecture.question(at.beat)
        if question is not None:
            right = question.answers[question.right].say(language)
            lines += [question.asks.say(language), say(language, "notes.right", answer=right)]
            lines.append(question.why.say(language))
        self.notes.setPlainText("\n\n".join(line for line in lines if line))
        after = at.lesson.beat + 1
        if after >= len(at.lecture.beats):
            self.next.setText(say(language, "notes.end"))
            return
        beat = at.lecture.beats[after]
        name = say(
            language, f"notes.part_{beat.part}", title=at.lecture.scenes[beat.scene].title.say(language)
        )
        self.next.setText(say(language, "notes.next", what=name))

    def _show_time(self) -> None:
        """Minutes since the beginning, and those that the scenes so far were meant to take."""
        at = self._player.shown
        seconds = 0 if at is None else int(monotonic() - self._player.began)
        planned = 0.0 if at is None else sum(s.minutes for s in at.lecture.scenes[: at.beat.scene + 1])
        spent = f"{seconds // 60}:{seconds % 60:02d}"
        self.time.setText(say(self._window.look.language, "notes.time", spent=spent, planned=f"{planned:g}"))
