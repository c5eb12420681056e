"""Lesson: the words of a lecture's scene at three depths, its question, its experiments, and the way on."""

from collections.abc import Callable
from itertools import product
from typing import ClassVar

from PySide6.QtCore import QPoint
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from ffn_explorer.state.change import Change
from ffn_explorer.state.lectures.changes import (
    answer,
    back_to_scene,
    set_depth,
    to_beat,
    to_scene,
    try_experiment,
)
from ffn_explorer.state.lectures.model import SIGNS
from ffn_explorer.state.lectures.shown import LessonShown, step_of
from ffn_explorer.state.lectures.store import LECTURES
from ffn_explorer.state.lesson import DEPTHS, Depth
from ffn_explorer.state.scene import Scene
from ffn_explorer.widgets.choices import Choice
from ffn_explorer.widgets.lesson_body import SLIDE_PX, LessonBody
from ffn_explorer.widgets.mode_tabs import Mode
from ffn_explorer.widgets.page import Block, Page
from ffn_explorer.widgets.panel import Panel
from ffn_explorer.widgets.sizes import px

Acts = Callable[[LessonShown], Change]
"""A change that follows from the beat on screen."""

TALL_PX, WIDE_PX = 480, 560
"""Height of the card from which its words are set larger, and width from which words that stand alone are."""

ANSWERED = ("answer", "quiz_answer")


class LessonPanel(Panel):
    """One beat of a lecture; every act is a change, so that keys and remotes do the same."""

    name: ClassVar[str] = "lesson"
    reads: ClassVar[frozenset[str]] = frozenset({"lesson", "views"})
    scrolls_itself: ClassVar[bool] = True

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build tabs, page, answers, experiments and the row that leads on."""
        super().__init__(parent)
        self.inside = LessonBody(len(DEPTHS))
        self._role = "body"
        self.set_body(self.inside)
        self._connect()

    def _connect(self) -> None:
        inside = self.inside
        inside.scrolled.connect(lambda y: self.change_view(scroll=y))
        inside.fitted.connect(self._fit)
        inside.tabs.chosen.connect(self._go_deeper)
        inside.answers.chosen.connect(lambda which: self._with(lambda at: answer(at.lecture, which)))
        inside.tries.chosen.connect(lambda which: self._with(lambda at: try_experiment(at.lecture, which)))
        inside.again.clicked.connect(lambda: self._with(lambda at: back_to_scene(at.lecture)))
        inside.back.clicked.connect(lambda: self._step(-1))
        inside.on.clicked.connect(lambda: self._step(1))
        inside.list.clicked.connect(self.open_list)
        inside.start.clicked.connect(lambda: self.request(to_beat(LECTURES.open(""), 0)))

    def restyle(self, scene: Scene) -> None:
        """Fonts, and the words that a language decides."""
        super().restyle(scene)
        inside = self.inside
        inside.set_look(scene.look)
        for widget in (inside.page, inside.area):
            widget.setAccessibleName(self.say("name"))
        inside.after.setAccessibleName(self.say("name_after"))
        for button, key in ((inside.start, "start"), (inside.again, "again"), (inside.list, "list")):
            button.set_word(self.say(key))
            button.explain(self.say(key), self.say(f"{key}_tip"))
        inside.back.explain(self.say("back"), self.say("back_tip"))
        inside.on.explain(self.say("on"), self.say("on_tip"))

    def render_scene(self, scene: Scene) -> None:
        """Draw the beat, or how a lecture is begun."""
        at, inside = scene.lesson, self.inside
        for widget in (inside.tabs, inside.back, inside.on, inside.list):
            widget.setVisible(at is not None)
        inside.start.setVisible(at is None)
        inside.again.setVisible(at is not None and (at.strayed or at.lesson.tried is not None))
        if at is None:
            self.title.set_text(self.say("title_empty"))
            self.note.set_text("")
            self._role = self._roles(alone=False)[0]
            inside.set_measure(None, gap=False)
            empty = (Block(self.say("empty"), role=self._role),)
            inside.show_texts(Page(scene.look, empty), Page(scene.look))
            inside.show_choices((), ())
            return
        self._show_header(scene, at)
        self._show_beat(scene, at)
        inside.back.setEnabled(step_of(at, -1) is not None)
        inside.on.setEnabled(step_of(at, 1) is not None)
        inside.scroll_to(scene.view(self.name).scroll)

    def _fit(self) -> None:
        """Larger type where there is room for it."""
        if self.scene is not None:
            self.render_scene(self.scene)

    def _roles(self, *, alone: bool) -> tuple[str, ...]:
        """Types of the words, the largest first: a tall card is read from the last row of a hall."""
        assert self.scene is not None
        look, inside = self.scene.look, self.inside
        if alone:
            return ("slide", "title", "body") if inside.width() >= px(look, WIDE_PX) else ("title", "body")
        return ("title", "body") if inside.height() >= px(look, TALL_PX) else ("body",)

    def table(self) -> list[list[str]] | None:
        """The words of the beat."""
        if self.scene is None or self.scene.lesson is None:
            return None
        at = self.scene.lesson
        blocks = (*self._blocks(self.scene, at), *self._after(self.scene, at))
        texts = [block.text for block in blocks if block.text]
        return [[self.say("name"), self.title.text], *([str(n), said] for n, said in enumerate(texts))]

    # What is shown ------------------------------------------------------------------------------------------

    def _show_header(self, scene: Scene, at: LessonShown) -> None:
        language, beat = scene.look.language, at.beat
        modes = [Mode(depth, self.say(depth), self.say(f"{depth}_tip")) for depth in DEPTHS]
        self.inside.tabs.show_modes(modes, chosen=at.lesson.depth, look=scene.look)
        self.inside.tabs.setVisible(beat.moves or beat.rests)
        chapter = at.chapter.title.say(language)
        if beat.part == "summary":
            title = self.say("title_summary", letter=at.chapter.letter, chapter=chapter)
        elif beat.quiz >= 0:
            count = len(at.chapter.quiz)
            title = self.say("title_quiz", letter=at.chapter.letter, n=beat.quiz + 1, count=count)
        else:
            title = self.say("title", n=beat.scene + 1, title=at.scene.title.say(language))
        self.title.set_text(title)
        where = {"letter": at.chapter.letter, "n": beat.scene + 1, "count": len(at.lecture.scenes)}
        self.note.set_text(self.say("note", **where), short=("",))

    def _show_beat(self, scene: Scene, at: LessonShown) -> None:
        """Words, answers and experiments, as large as they have room.

        Where they have none at any size, only the answers that matter are left.
        """
        answers, tries = self._answers(scene, at), self._tries(scene, at)
        matter = tuple(each for each in answers if each.mark) if at.beat.part in ANSWERED else answers
        measure = SLIDE_PX if at.beat.alone else None
        self.inside.set_measure(measure, gap=measure is not None)
        for shown, role in product((answers, matter), self._roles(alone=at.beat.alone)):
            self._role = role
            words, after = self._blocks(scene, at), self._after(scene, at)
            self.inside.show_texts(Page(scene.look, words), Page(scene.look, after))
            self.inside.show_choices(shown, tries, role=self._small_role)
            if not self.inside.overflows:
                return
        self.inside.set_measure(measure, gap=False)

    @property
    def _small_role(self) -> str:
        """Type of answers and reasons, a step below that of the words."""
        return "title" if self._role == "slide" else "body"

    def _blocks(self, scene: Scene, at: LessonShown) -> tuple[Block, ...]:
        """What is asked or claimed, else what is said: the scene's words would tell the answer."""
        language, beat, role = scene.look.language, at.beat, self._role
        if beat.part == "summary":
            lines = [line.say(language) for line in at.chapter.summary]
            said = [Block(f"{n}. {line}", role=role) for n, line in enumerate(lines, 1)]
            # Where room is short, it is the words'.
            gap = () if role == "body" else (Block("", role="small"),)
            return tuple(block for line in said for block in (*gap, line))[len(gap) :]
        if at.lesson.tried is not None:
            claim = at.scene.experiments[at.lesson.tried].claim.say(language)
            return (Block(self.say("claim", claim=claim), role=role, bold=True),)
        question = at.lecture.question(beat)
        if question is None:
            return (self._words(scene, at),)
        return (Block(question.asks.say(language), role=role, bold=True),)

    def _words(self, scene: Scene, at: LessonShown) -> Block:
        return Block(at.scene.words(at.lesson.depth).say(scene.look.language), role=self._role)

    def _after(self, scene: Scene, at: LessonShown) -> tuple[Block, ...]:
        """What is seen of a belief that is tried, or why an answer is right."""
        language = scene.look.language
        if at.lesson.tried is not None:
            return (Block(at.scene.experiments[at.lesson.tried].truth.say(language), role=self._role),)
        question = at.lecture.question(at.beat)
        if question is None or at.beat.part not in ANSWERED:
            return ()
        given, why = at.lesson.answer(at.lesson.beat - 1), question.why.say(language)
        if given is not None:
            verdict = self.say("right" if given == question.right else "wrong")
            why = verdict + (" " if language == "en" else "") + why
        # The scene's words are read once its question is settled.
        more = () if at.beat.quiz >= 0 else (Block("", role="small"), self._words(scene, at))
        return (Block(why, role=self._small_role), *more)

    def _answers(self, scene: Scene, at: LessonShown) -> tuple[Choice, ...]:
        question = at.lecture.question(at.beat)
        if question is None or at.lesson.tried is not None:
            return ()
        done = at.beat.part in ANSWERED
        given = at.lesson.answer(at.lesson.beat - int(done))
        return tuple(
            Choice(
                words=words.say(scene.look.language),
                sign=SIGNS[n],
                mark="right" if done and n == question.right else "wrong" if done and n == given else "",
                picked=n == given,
                usable=not done,
            )
            for n, words in enumerate(question.answers)
        )

    def _tries(self, scene: Scene, at: LessonShown) -> tuple[Choice, ...]:
        """Beliefs to try; not while a question is open, lest they give the answer away."""
        if not at.beat.moves:
            return ()
        return tuple(
            Choice(
                self.say("try", name=each.name.say(scene.look.language)),
                mark="try",
                picked=n == at.lesson.tried,
            )
            for n, each in enumerate(at.scene.experiments)
        )

    def read_on(self) -> bool:
        """Scroll words that are too long for the card by a page; False where their end is in sight."""
        area = self.inside.area
        bar = area.verticalScrollBar()
        if self.scene is None or not self.isVisible() or bar.value() >= bar.maximum():
            return False
        self.change_view(scroll=min(bar.maximum(), bar.value() + area.height() * 3 // 4))
        return True

    # Acts ---------------------------------------------------------------------------------------------------

    def open_list(self) -> None:
        """Show all scenes, to go to one."""
        if self.scene is None or self.scene.lesson is None:
            return
        at, language = self.scene.lesson, self.scene.look.language
        menu = QMenu(self)
        number, here = 0, QAction(menu)
        for chapter in at.lecture.chapters:
            head = menu.addAction(f"{chapter.letter}  {chapter.title.say(language)}".replace("&", "&&"))
            head.setEnabled(False)
            for scene in chapter.scenes:
                row = menu.addAction(f"{number + 1}  {scene.title.say(language)}".replace("&", "&&"))
                row.setCheckable(True)
                row.setChecked(number == at.beat.scene)
                here = row if number == at.beat.scene else here
                row.triggered.connect(lambda _=False, n=number: self.request(to_scene(at.lecture, n)))
                number += 1
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.inside.below_list() - QPoint(0, menu.sizeHint().height()))
        menu.setActiveAction(here)

    def _go_deeper(self, name: str) -> None:
        depth: Depth = next(depth for depth in DEPTHS if depth == name)
        self.request(set_depth(depth))

    def _step(self, by: int) -> None:
        if self.scene is not None and self.scene.lesson is not None:
            step = step_of(self.scene.lesson, by)
            if step is not None:
                self.request(step)

    def _with(self, change: Acts) -> None:
        if self.scene is not None and self.scene.lesson is not None:
            self.request(change(self.scene.lesson))
