"""Where everything stands on the pages of a handout, before anything is drawn."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QRectF
from pytestqt.qtbot import QtBot

from ffn_explorer.app.handout import Handout
from ffn_explorer.app.still import whole_application
from ffn_explorer.core.errors import InputError
from ffn_explorer.export.handout.blocks import (
    Block,
    Line,
    Row,
    beside,
    clean,
    lines_of,
    right,
    rows_of,
    width_of,
)
from ffn_explorer.export.handout.compose import bookmarks_of, compose
from ffn_explorer.export.handout.outline import with_outline
from ffn_explorer.export.handout.pages import Page, Section, Setting
from ffn_explorer.export.handout.paper import BODY, FAINT, LEAD
from ffn_explorer.export.handout.words import HandoutWish
from ffn_explorer.state.app_state import Appearance, Language
from ffn_explorer.state.lectures.model import Lecture
from ffn_explorer.state.lectures.store import LECTURES
from ffn_explorer.state.lesson import DEPTHS
from ffn_explorer.state.results import Results
from tests.ui.handouts import plain, small, words_of

FRAME = QRectF(100.0, 200.0, 1_000.0, 1_500.0)
ROOM = 0.5


def said(pages: list[Page]) -> str:
    """Everything on some pages, in the order in which it is painted."""
    return plain("".join(line.text for page in pages for line in page.lines))


def assert_in_frame(page: Page, frame: QRectF) -> None:
    """Every line, shape and picture stands within the frame, and no line on another one."""
    for line in page.lines:
        assert line.x >= frame.left() - ROOM, line
        assert line.x + width_of(line.text, line.style) <= frame.right() + ROOM, line
        assert frame.top() <= line.base <= frame.bottom(), line
    for place in (*page.pictures.values(), *(shape.place for shape in page.shapes)):
        assert frame.adjusted(-ROOM, -ROOM, ROOM, ROOM).contains(place.normalized().adjusted(0, 0, 0, 0.001))
    for n, a in enumerate(page.lines):
        for b in page.lines[n + 1 :]:
            apart = abs(a.base - b.base) >= 0.7 * min(a.style.size, b.style.size)
            first, last = sorted((a, b), key=lambda line: line.x)
            assert apart or first.x + width_of(first.text, first.style) <= last.x + ROOM, (a, b)


@pytest.fixture
def lecture(qtbot: QtBot) -> Lecture:
    return LECTURES.open("")


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_the_built_in_lecture_stands_on_its_pages_in_both_languages(
    lecture: Lecture, language: Language, paper: str
) -> None:
    wish = HandoutWish(Appearance(language=language), paper="letter" if paper == "letter" else "a4")
    pages = compose(lecture, wish)
    everything = said(pages)
    for words in words_of(lecture):
        assert plain(words.say(language)) in everything
    for page in pages:
        assert_in_frame(page, wish.sheet.frame)
        assert page.lines
    pictures = [number for page in pages for number in page.pictures]
    assert pictures == list(range(len(lecture.scenes)))
    if paper == "a4":
        # Front, a page for each scene and each chapter's end, and the answers.
        assert len(pages) <= 1 + len(lecture.scenes) + len(lecture.chapters) + 2


def test_numbers_of_pages_lead_where_they_say(lecture: Lecture) -> None:
    pages = compose(lecture, HandoutWish(Appearance()))
    places = {mark: number for number, page in enumerate(pages, 1) for mark in page.marks}
    for number in range(len(lecture.scenes)):
        page = pages[places[f"scene {number}"] - 1]
        assert number in page.pictures
        assert any(line.text == f"Answer on page {places[f'answer {number}']}" for line in page.lines)
    contents = [line.text for line in pages[0].lines]
    assert str(places["answers"]) in contents
    marks = bookmarks_of(lecture, HandoutWish(Appearance()), pages)
    assert [mark.page for mark in marks[0].below[:2]] == [places["scene 0"], places["scene 1"]]
    assert marks[-1].page == places["answers"]


def test_a_question_is_read_with_its_letters(qtbot: QtBot) -> None:
    pages = compose(small(), HandoutWish(Appearance()))
    assert "Which?AnoByes" in said(pages[1:2])
    assert "Which?AaBbCc" in said(pages)


def test_right_answers_stand_at_the_end_alone(qtbot: QtBot) -> None:
    lecture = small()
    pages = compose(lecture, HandoutWish(Appearance()))
    (end,) = [number for number, page in enumerate(pages) if "answers" in page.marks]
    assert "Because." not in said(pages[:end])
    assert "Because." in said(pages[end:])


@pytest.mark.parametrize("depth", DEPTHS)
def test_one_depth_alone(qtbot: QtBot, depth: str) -> None:
    lecture = small(idea="first words", shapes="second words", mathematics="third words", notes="spoken")
    chosen = next(each for each in DEPTHS if each == depth)
    everything = said(compose(lecture, HandoutWish(Appearance(), chosen)))
    wanted = {"idea": "firstwords", "shapes": "secondwords", "mathematics": "thirdwords"}
    assert {name for name, words in wanted.items() if words in everything} == {depth}
    assert "spoken" in everything
    assert "spoken" not in said(compose(lecture, HandoutWish(Appearance(), chosen, notes=False)))


HOSTILE = {
    "letters": "m" * 4_000,
    "japanese": "漢字かな、。" * 660,
    "lines": "a\n" * 1_900,
    "signs": "\u202e\u0000\u0007\u2028\u200f🙂" * 300,
    "spaces": " " * 3_990 + "x",
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_texts_as_long_as_a_file_may_hold_them_stay_on_their_pages(qtbot: QtBot, kind: str) -> None:
    text, short = HOSTILE[kind], HOSTILE[kind][-100:]
    answers = [f"{n} {short}" for n in range(4)]
    lecture = small(
        title=text.replace("\n", " "),
        notes=text,
        question={"asks": short, "answers": answers, "right": 0, "why": text},
        experiments=[{"name": text, "claim": text, "truth": text}],
    )
    wish = HandoutWish(Appearance())
    pages = compose(lecture, wish)
    for page in pages:
        for line in page.lines:
            assert wish.sheet.frame.top() <= line.base <= wish.sheet.frame.bottom()
            assert line.x + width_of(line.text, line.style) <= wish.sheet.frame.right() + 2 * BODY.size
    assert said(pages).count(plain(clean(text))) >= 1


def test_a_lecture_that_is_too_long_is_refused(qtbot: QtBot) -> None:
    one = small()
    long = Lecture(one.title, one.chapters * 101)
    with pytest.raises(InputError, match="many"):
        Handout(long, HandoutWish(Appearance()), wear=whole_application)


def test_a_scene_that_this_machine_cannot_compute_is_named(qtbot: QtBot) -> None:
    lecture = small(state={"settings": {"d_model": 32_768, "d_ff": 131_072, "dtype": "float64"}})
    handout = Handout(lecture, HandoutWish(Appearance()), wear=whole_application)
    with pytest.raises(InputError) as refused:
        handout.results(0)
    assert refused.value.key == "handout.scene_failed"
    assert refused.value.values["n"] == 1


HEIGHTS = st.lists(st.integers(20, 400), min_size=1, max_size=30)
BLOCKS = st.lists(st.tuples(HEIGHTS, st.integers(0, 200), st.booleans()), min_size=1, max_size=12)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(BLOCKS)
def test_no_row_is_lost_cut_or_parted_from_what_it_leads(
    qtbot: QtBot, drawn: list[tuple[list[int], int, bool]]
) -> None:
    blocks = []
    for at, (heights, gap, leads) in enumerate(drawn):
        own = heights[:1] if leads else heights
        rows = tuple(Row(float(h), (Line(0.0, h / 2, f"{at}.{n}", BODY),)) for n, h in enumerate(own))
        blocks.append(Block(rows, gap=float(gap), leads=leads))
    setting = Setting(FRAME)
    setting.add(Section(tuple(blocks)))
    found = [line.text for page in setting.pages for line in page.lines]
    assert found == [line.text for block in blocks for row in block.rows for line in row.lines]
    at_page = {line.text: n for n, page in enumerate(setting.pages) for line in page.lines}
    for page in setting.pages:
        assert page.lines
        bases = [line.base for line in page.lines]
        assert bases == sorted(bases)
        assert bases[-1] <= FRAME.bottom()
    for at, block in enumerate(blocks[:-1]):
        together = sum(each.height + each.gap for each in blocks[at : at + 2]) <= FRAME.height()
        if block.leads and together and not (at and blocks[at - 1].leads) and not blocks[at + 1].leads:
            assert at_page[f"{at}.0"] == at_page[f"{at + 1}.0"]


def test_a_heading_goes_with_what_it_leads() -> None:
    def block(height: float, name: str, *, leads: bool = False) -> Block:
        return Block((Row(height, (Line(0.0, 10.0, name, BODY),)),), leads=leads)

    setting = Setting(FRAME)
    setting.add(Section((block(1_300.0, "a"), block(50.0, "head", leads=True), block(400.0, "b"))))
    assert [[line.text for line in page.lines] for page in setting.pages] == [["a"], ["head", "b"]]


def test_what_fits_on_a_page_is_not_parted() -> None:
    rows = tuple(Row(40.0, (Line(0.0, 10.0, f"{n}", BODY),)) for n in range(10))
    setting = Setting(FRAME)
    setting.add(Section((Block((Row(1_300.0),)), Block(rows, gap=20.0))))
    assert [len(page.lines) for page in setting.pages] == [0, 10]


def test_ruled_lines_fill_the_page_where_there_is_room(qtbot: QtBot) -> None:
    own = rows_of("Own notes", FAINT, 900.0)
    for height, some in ((300.0, True), (1_400.0, False)):
        setting = Setting(FRAME)
        setting.add(Section((Block((Row(height),)),), own=own))
        assert len(setting.pages) == 1
        assert bool(setting.pages[0].shapes) is some
        assert_in_frame(setting.pages[0], FRAME)


def test_no_word_is_left_alone_in_a_last_line(qtbot: QtBot) -> None:
    width = width_of("one two three four five", LEAD) + 1
    assert lines_of("one two three four five a", LEAD, width)[-1] == "five a"


def test_columns_stand_on_common_lines_and_are_read_one_after_the_other(qtbot: QtBot) -> None:
    left = rows_of("a b c d", BODY, width_of("a b", BODY) + 1)
    made = beside(left, right("x", FAINT, 900.0, lane=1))
    assert [line.text for line in made[0].lines] == ["a b", "x"]
    assert made[0].lines[0].base == made[0].lines[1].base
    setting = Setting(FRAME)
    setting.add(Section((Block(made),)))
    assert [line.text for line in setting.pages[0].lines] == ["a b", "c d", "x"]


@pytest.mark.parametrize("content", [b"", b"%PDF-1.4", b"%PDF-1.7\ntrailer\n<< >>\nstartxref\n9\n%%EOF\n"])
def test_a_file_of_another_build_gets_no_bookmarks_and_no_harm(content: bytes) -> None:
    assert with_outline(content, (), language="en", height=800.0) == content


def test_every_appended_object_stands_where_the_table_says(qtbot: QtBot) -> None:
    lecture = small()
    handout = Handout(lecture, HandoutWish(Appearance()), wear=whole_application)
    try:
        for _ in handout.set():
            pass
        for number in range(len(lecture.scenes)):
            handout.draw(number, Results())
        content = handout.content()
    finally:
        handout.close()
    table = int(re.findall(rb"startxref\s+(\d+)", content)[-1])
    sections = re.findall(rb"(\d+) (\d+)\n((?:\d{10} \d{5} n \n)+)", content[table:])
    assert len(sections) == 2
    for first, count, entries in sections:
        places = [int(line[:10]) for line in entries.splitlines()]
        assert len(places) == int(count)
        for number, place in enumerate(places, int(first)):
            assert content[place:].startswith(b"%d 0 obj" % number)
    assert b"/Prev " in content[table:]
