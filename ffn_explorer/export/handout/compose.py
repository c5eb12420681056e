"""A lecture becomes pages: set once to learn which page is whose, and again with their numbers."""

from collections.abc import Generator, Iterator, Sequence

from ffn_explorer.export.handout.blocks import clean
from ffn_explorer.export.handout.outline import Bookmark
from ffn_explorer.export.handout.pages import Page, Section, Setting
from ffn_explorer.export.handout.parts import answers_section, chapter_section, front_section
from ffn_explorer.export.handout.scenes import scene_section
from ffn_explorer.export.handout.words import Draft, HandoutWish, end_key, named
from ffn_explorer.state.lectures.model import Lecture

MOST_SETTINGS = 4
"""A number of another width may move a line; page numbers settle long before this."""


def composing(lecture: Lecture, wish: HandoutWish) -> Generator[None, None, list[Page]]:
    """The pages of a handout, section by section; they need fonts, and no computing."""
    known: dict[str, int] = {}
    pages: list[Page] = []
    for _ in range(MOST_SETTINGS):
        setting = Setting(wish.sheet.frame)
        for section in sections(Draft(lecture, wish, known)):
            setting.add(section)
            yield
        pages = setting.pages
        found = {mark: number for number, page in enumerate(pages, 1) for mark in page.marks}
        if found == known:
            break
        known = found
    return pages


def compose(lecture: Lecture, wish: HandoutWish) -> list[Page]:
    """The same at once."""
    steps = composing(lecture, wish)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            pages: list[Page] = end.value
            return pages


def sections(draft: Draft) -> Iterator[Section]:
    """What begins on pages of their own, in order."""
    yield front_section(draft)
    for at, chapter in enumerate(draft.lecture.chapters):
        for number in range(draft.first[at], draft.first[at] + len(chapter.scenes)):
            yield scene_section(draft, number, chapter)
        end = chapter_section(draft, at)
        if end is not None:
            yield end
    answers = answers_section(draft)
    if answers is not None:
        yield answers


def bookmarks_of(lecture: Lecture, wish: HandoutWish, pages: Sequence[Page]) -> tuple[Bookmark, ...]:
    """The lecture's chapters with what is in them, and the answers."""
    places = {mark: number for number, page in enumerate(pages, 1) for mark in page.marks}
    draft = Draft(lecture, wish, places)
    made = []
    for at, chapter in enumerate(lecture.chapters):
        below = [
            Bookmark(f"{n + 1}  {clean(draft.words(scene.title))}", places[f"scene {n}"])
            for n, scene in enumerate(chapter.scenes, draft.first[at])
        ]
        if f"end {at}" in places:
            below.append(Bookmark(draft.tell(end_key(chapter)), places[f"end {at}"]))
        first = places[f"scene {draft.first[at]}"]
        made.append(Bookmark(clean(named(draft, chapter)), first, tuple(below)))
    if "answers" in places:
        made.append(Bookmark(draft.tell("handout.answers"), places["answers"]))
    return tuple(made)
