"""What a person wants of a handout, and how its parts are said."""

from dataclasses import dataclass
from functools import cached_property

from ffn_explorer.export.handout.paper import PAPERS, Paper, PaperName
from ffn_explorer.state.app_state import Appearance, Language
from ffn_explorer.state.lectures.model import Chapter, Lecture, Words
from ffn_explorer.state.lesson import Depth
from ffn_explorer.state.text import say


@dataclass(frozen=True, slots=True)
class HandoutWish:
    """A handout. depth: the only one whose words are printed, None for all three.  notes: the speaker's."""

    look: Appearance
    depth: Depth | None = None
    notes: bool = True
    paper: PaperName = "a4"

    @property
    def sheet(self) -> Paper:
        """The paper."""
        return PAPERS[self.paper]


@dataclass(frozen=True)
class Draft:
    """A lecture that becomes a handout. pages: where marks were found in an earlier setting, from 1."""

    lecture: Lecture
    wish: HandoutWish
    pages: dict[str, int]

    @property
    def language(self) -> Language:
        """Language of every word."""
        return self.wish.look.language

    @property
    def width(self) -> float:
        """Width of the text."""
        return self.wish.sheet.frame.width()

    def words(self, words: Words) -> str:
        """A text of the lecture."""
        return words.say(self.language)

    def tell(self, key: str, **values: object) -> str:
        """A text of the catalogue."""
        return say(self.language, key, **values)

    def page(self, mark: str) -> int:
        """The page of a mark; 0 while nobody knows."""
        return self.pages.get(mark, 0)

    @cached_property
    def first(self) -> tuple[int, ...]:
        """Number of the first scene of each chapter."""
        found, number = [], 0
        for chapter in self.lecture.chapters:
            found.append(number)
            number += len(chapter.scenes)
        return tuple(found)


def minutes_of(minutes: float) -> str:
    """Minutes as people write them."""
    return f"{minutes:g}"


def named(draft: Draft, chapter: Chapter) -> str:
    """A chapter by its letter and title."""
    return f"{chapter.letter}  {draft.words(chapter.title)}".strip()


def end_key(chapter: Chapter) -> str:
    """Key of what ends a chapter that has a summary, a quiz, or both."""
    if chapter.summary and chapter.quiz:
        return "handout.summary_quiz"
    return "handout.quiz" if chapter.quiz else "handout.summary"
