"""A handout being made: which states it shows, what is computed for them, and its pages painted in turn."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from ffn_explorer.app.still import Dress, Subject, computed, still
from ffn_explorer.core.errors import ExplorerError, InputError
from ffn_explorer.export.handout.compose import bookmarks_of, composing
from ffn_explorer.export.handout.outline import with_outline
from ffn_explorer.export.handout.pages import Page
from ffn_explorer.export.handout.paint import Booklet
from ffn_explorer.export.handout.scenes import picture_px, shown_depth
from ffn_explorer.export.handout.words import HandoutWish
from ffn_explorer.export.notes import notes_of
from ffn_explorer.export.vector import paint_whole
from ffn_explorer.export.written import check_place
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import AppState
from ffn_explorer.state.compute import Asked, never
from ffn_explorer.state.layouts import panels_of
from ffn_explorer.state.lectures.changes import at_scene
from ffn_explorer.state.lectures.model import Lecture
from ffn_explorer.state.results import Results
from ffn_explorer.state.text import said

SUFFIX = ".pdf"

MOST_SCENES = 200
"""Scenes of a handout: every one of them takes a page, and a fraction of a second."""


def check_handout_place(path: Path) -> None:
    """Raise InputError where no handout can be written, before any work is done for it."""
    if path.suffix.lower() != SUFFIX:
        raise InputError("export.format", suffix=path.suffix or path.name, choices=SUFFIX)
    check_place(path)


class Handout:
    """Set first, then drawn scene by scene; whoever makes it decides what happens between two steps."""

    def __init__(self, lecture: Lecture, wish: HandoutWish, *, wear: Dress) -> None:
        """Begin one; InputError where the lecture is too long.  wear: dresses the panels that are drawn."""
        scenes = len(lecture.scenes)
        if scenes > MOST_SCENES:
            raise InputError("handout.many", scenes=scenes, most=MOST_SCENES)
        self.lecture, self.wish = lecture, wish
        self.pages: list[Page] = []
        self._wear = wear
        self._booklet: Booklet | None = None

    def set(self) -> Iterator[None]:
        """Find where everything stands, in short steps on the GUI thread."""
        self.pages = yield from composing(self.lecture, self.wish)
        notes = notes_of(self.state(0))
        title = self.lecture.title.say(self.wish.look.language)
        self._booklet = Booklet(self.pages, self.wish, title=title, notes=notes)

    def state(self, number: int) -> AppState:
        """What a scene shows when it is over."""
        depth = shown_depth(self.wish.depth)
        shown = changes.show_panels(frozenset(panels_of(self.lecture.scenes[number].layout_at(depth))))
        state = shown.to(at_scene(self.lecture, number, depth).to(AppState(appearance=self.wish.look)))
        return replace(state, lesson=None)

    def results(self, number: int, *, cancelled: Asked = never) -> Results:
        """Everything computed of a scene, on any thread; InputError where that cannot be done here."""
        try:
            return computed(self.state(number), cancelled=cancelled)
        except ExplorerError as error:
            raise InputError("handout.scene_failed", n=number + 1, why=said(error)) from error

    def draw(self, number: int, results: Results) -> None:
        """Paint all pages up to the one that has the picture of a scene, on the GUI thread."""
        booklet = self._booklet
        assert booklet is not None
        last, place = next(
            (at, page.pictures[number]) for at, page in enumerate(self.pages) if number in page.pictures
        )
        wide = picture_px(self.wish.look)
        size = (wide, round(wide * place.height() / place.width()))
        layout = self.lecture.scenes[number].layout_at(shown_depth(self.wish.depth))
        subject = Subject(panels=layout, size=size)
        with still(self.state(number), results, subject, wear=self._wear) as board:
            while booklet.done <= last:
                booklet.paint_next({number: partial(paint_whole, widget=board)})

    def content(self) -> bytes:
        """The rest of the pages, and the file they make; every scene must be drawn."""
        assert self._booklet is not None
        while self._booklet.done < len(self.pages):
            self._booklet.paint_next({})
        marks = bookmarks_of(self.lecture, self.wish, self.pages)
        height = self.wish.sheet.height / 10
        language = self.wish.look.language
        return with_outline(self._booklet.content(), marks, language=language, height=height)

    def close(self) -> None:
        """Let go of what was begun, finished or not."""
        if self._booklet is not None:
            self._booklet.close()
