"""The other pages of a handout: its front, the ends of its chapters, and the answers."""

from PySide6.QtCore import QRectF

from ffn_explorer.export.handout.blocks import (
    Block,
    Row,
    Shape,
    beside,
    heading,
    indented,
    right,
    rows_of,
    space,
)
from ffn_explorer.export.handout.pages import Section
from ffn_explorer.export.handout.paper import (
    BODY,
    COVER,
    FAINT,
    HEADING,
    LABEL,
    LEAD,
    QUIET,
    SMALL,
    STRONG,
    TITLE,
)
from ffn_explorer.export.handout.scenes import GAP, question_rows
from ffn_explorer.export.handout.words import Draft, end_key, minutes_of, named
from ffn_explorer.state.lectures.model import SIGNS, Chapter, Question

NUMBER, MINUTES, PAGE = 260.0, 560.0, 420.0
"""Columns of the contents: for numbers, and from the right for minutes and pages."""

WHERE = 1_500.0
"""Width of the column that says which question is answered."""


def front_section(draft: Draft) -> Section:
    """Title, contents, and how everything is seen again."""
    lecture, width = draft.lecture, draft.width
    minutes = sum(scene.minutes for scene in lecture.scenes)
    counts = draft.tell(
        "handout.counts",
        scenes=len(lecture.scenes),
        chapters=len(lecture.chapters),
        minutes=minutes_of(minutes),
    )
    blocks = [
        Block((*space(500.0), *rows_of(draft.tell("handout.label"), LABEL, width)), leads=True),
        Block(rows_of(draft.words(lecture.title), COVER, width), gap=40.0, leads=True),
        Block((*_bar(), *rows_of(counts, LEAD, width)), gap=40.0),
        *_contents(draft),
        *_again(draft),
    ]
    return Section(tuple(blocks))


def chapter_section(draft: Draft, at: int) -> Section | None:
    """What ends a chapter: three lines, and the quiz; None where there is neither."""
    chapter, width = draft.lecture.chapters[at], draft.width
    if not chapter.summary and not chapter.quiz:
        return None
    where = named(draft, chapter)
    blocks = [heading(where, TITLE, width, gap=0.0, mark=f"end {at}"), Block(_bar(), leads=True)]
    if chapter.summary:
        blocks.append(heading(draft.tell("handout.summary"), HEADING, width, gap=GAP))
        for n, words in enumerate(chapter.summary, 1):
            said = rows_of(draft.words(words), LEAD, width - NUMBER, x=NUMBER, lane=1)
            blocks.append(Block(beside(rows_of(f"{n}", LEAD, width), said), gap=60.0))
    if chapter.quiz:
        page = draft.page(f"quiz {at}")
        title = beside(
            rows_of(draft.tell("handout.quiz"), HEADING, width),
            right(draft.tell("handout.answers_at", page=page), FAINT, width, lane=1),
        )
        blocks.append(Block(title, gap=2 * GAP, leads=True))
        for n, question in enumerate(chapter.quiz, 1):
            asked = question_rows(draft, question, width - NUMBER)
            rows = beside(rows_of(f"{n}", STRONG, width), indented(asked, NUMBER))
            blocks.append(Block(rows, gap=GAP if n > 1 else 70.0))
    return Section(tuple(blocks), where, rows_of(draft.tell("handout.own"), LABEL, width))


def answers_section(draft: Draft) -> Section | None:
    """Every right answer and why, the scenes' and the quizzes'; None where nothing is asked."""
    width = draft.width
    blocks = [
        heading(draft.tell("handout.answers"), TITLE, width, gap=0.0, mark="answers"),
        Block(_bar(), leads=True),
    ]
    found = False
    for at, chapter in enumerate(draft.lecture.chapters):
        answers = [*_scene_answers(draft, at, chapter), *_quiz_answers(draft, at, chapter)]
        if answers:
            blocks += [heading(named(draft, chapter), HEADING, width, gap=1.4 * GAP), *answers]
            found = True
    return Section(tuple(blocks), draft.tell("handout.answers")) if found else None


def _bar() -> tuple[Row, ...]:
    return (Row(60.0, (), (Shape("bar", QRectF(0.0, 24.0, 320.0, 0.0), "focus"),)),)


def _contents(draft: Draft) -> list[Block]:
    width, number, blocks = draft.width, 0, []
    for at, chapter in enumerate(draft.lecture.chapters):
        minutes = sum(scene.minutes for scene in chapter.scenes)
        title = rows_of(draft.words(chapter.title), STRONG, width - NUMBER - MINUTES - PAGE, x=NUMBER, lane=1)
        spent = right(draft.tell("handout.minutes", minutes=minutes_of(minutes)), QUIET, width - PAGE, lane=2)
        head = beside(rows_of(chapter.letter, STRONG, NUMBER), title, spent)
        rule = Row(30.0, (), (Shape("line", QRectF(0.0, 0.0, width, 0.0), "border"),))
        blocks.append(Block((rule, *head), gap=2.5 * GAP if at == 0 else 100.0, leads=True))
        for scene in chapter.scenes:
            page = draft.page(f"scene {number}")
            blocks.append(_entry(draft, f"{number + 1}", draft.words(scene.title), page, scene.minutes))
            number += 1
        if chapter.summary or chapter.quiz:
            blocks.append(_entry(draft, "", draft.tell(end_key(chapter)), draft.page(f"end {at}"), None))
    if answers := draft.page("answers"):
        rule = Row(30.0, (), (Shape("line", QRectF(0.0, 0.0, width, 0.0), "border"),))
        entry = _entry(draft, "", draft.tell("handout.answers"), answers, None)
        blocks.append(Block((rule, *entry.rows), gap=100.0))
    return blocks


def _entry(draft: Draft, number: str, title: str, page: int, minutes: float | None) -> Block:
    width = draft.width
    said = rows_of(title, BODY, width - NUMBER - MINUTES - PAGE, x=NUMBER, lane=1)
    spent = "" if minutes is None else draft.tell("handout.minutes", minutes=minutes_of(minutes))
    cells = (
        rows_of(number, QUIET, NUMBER),
        said,
        right(spent, QUIET, width - PAGE, lane=2),
        right(f"{page}", BODY, width, lane=3),
    )
    return Block(beside(*cells), gap=22.0)


def _again(draft: Draft) -> list[Block]:
    path = draft.lecture.path
    name = path.replace("\\", "/").rpartition("/")[2]
    how = draft.tell("handout.again_file", file=name) if path else draft.tell("handout.again")
    width = draft.width
    return [
        heading(draft.tell("handout.again_title"), LABEL, width, gap=2.5 * GAP),
        Block(rows_of(how, SMALL, width), gap=0.0),
        Block(rows_of(draft.tell("handout.again_page"), SMALL, width), gap=30.0),
    ]


def _scene_answers(draft: Draft, at: int, chapter: Chapter) -> list[Block]:
    made = []
    for number, scene in enumerate(chapter.scenes, draft.first[at]):
        if scene.question is not None:
            where = f"{number + 1}  {draft.words(scene.title)}"
            made.append(_answer(draft, where, scene.question, f"answer {number}"))
    return made


def _quiz_answers(draft: Draft, at: int, chapter: Chapter) -> list[Block]:
    return [
        _answer(draft, draft.tell("handout.quiz_n", n=n), question, f"quiz {at}" if n == 1 else "")
        for n, question in enumerate(chapter.quiz, 1)
    ]


def _answer(draft: Draft, where: str, question: Question, mark: str) -> Block:
    wide = draft.width - WHERE
    right_one = f"{SIGNS[question.right]}  {draft.words(question.answers[question.right])}"
    said = (*rows_of(right_one, STRONG, wide), *rows_of(draft.words(question.why), SMALL, wide))
    rows = beside(rows_of(where, QUIET, WHERE - 160.0), indented(said, WHERE))
    return Block(rows, gap=70.0, mark=mark)
